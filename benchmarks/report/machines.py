# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The machines of a page: their order, their names, and in words where their rows come from."""

import html
import re

import results
import stale


def is_device(section):
    return section.policy == "cuda" or (section.threads == 0 and section.policy not in ("seq", "omp"))


def newest(section):
    return max((results.text(run, "date") for run in section.runs), default="")


def in_order(sections):
    """GPUs first, then the machine with the newest run; the sections of a machine stay together, the newest first."""
    of_machine = {}
    for section in sections:
        of_machine[section.device] = max(of_machine.get(section.device, ""), newest(section))
    by_name = sorted(sections, key=lambda section: (section.device, section.policy, section.threads))
    by_date = sorted(by_name, key=lambda section: (of_machine[section.device], section.device, newest(section)), reverse=True)
    return sorted(by_date, key=lambda section: not is_device(section))


def slug(words):
    return re.sub("[^a-z0-9]+", "-", words.lower()).strip("-") or "machine"


def name_sections(sections):
    """A short name of its own for each section: device, policy, and the threads where only they differ."""
    plain = [slug(f"{section.device} {section.policy}") for section in sections]
    names = []
    for section, name in zip(sections, plain):
        if plain.count(name) > 1:
            name = slug(f"{section.device} {section.policy} {section.threads}")
        while name in names:
            name += "-again"
        names.append(name)
    return names


def policy_text(section):
    words = section.policy or "unknown policy"
    if section.threads:
        words += f", {section.threads} thread{'s' * (section.threads != 1)}"
    return words


def distinct(runs, member):
    seen = []
    for run in runs:
        value = results.text(run, member)
        if value and value not in seen:
            seen.append(value)
    return seen


def runs_of(cells):
    """The runs that the cells are of, each once; without the empty one of rows that no run describes."""
    return list({id(cell.run): cell.run for cell in cells if cell.run}.values())


def dates_text(runs):
    days = sorted({date[:10] for date in distinct(runs, "date")})
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else ""


def provenance(section):
    """Policy, date, commit and version, for figure files."""
    parts = [policy_text(section), dates_text(section.runs)]
    commits = distinct(section.runs, "commit")
    parts.append(f"commit {', '.join(commits)}" if commits else "")
    parts.append(", ".join(f"xpose {version}" for version in distinct(section.runs, "version")))
    return [part for part in parts if part]


def commit_lines(section, runs, marks):
    """Each commit with its mark, as HTML."""
    for commit in distinct(runs, "commit") + ([""] if any(not results.text(run, "commit") for run in runs) else []):
        mark = marks.get((commit, section.policy), "")
        if mark == stale.UNKNOWN and commit in ("", "unknown"):
            yield f'<b class="stale">{mark}</b>'
        elif commit:
            yield f"commit {html.escape(commit)}" + (f' <b class="stale">{html.escape(mark)}</b>' if mark else "")


def marks_text(section, marks):
    """The marks of all its runs in one, as HTML; empty if nothing is to be said."""
    commits = distinct(runs_of(section.every_cell()), "commit") + [""]
    found = [marks.get((commit, section.policy), "") for commit in commits]
    parts = [stale.in_one(found), stale.UNKNOWN if stale.UNKNOWN in found else ""]
    return "".join(f' <b class="stale">{html.escape(part)}</b>' for part in parts if part)


def heading(section, cells, marks, what):
    """The machine's name, what is shown of it, and below it the runs of these cells."""
    runs = runs_of(cells)
    lines = [html.escape(words) for words in (policy_text(section), dates_text(runs)) if words]
    lines += commit_lines(section, runs, marks)
    lines += [html.escape(f"xpose {version}") for version in distinct(runs, "version")]
    lines += [html.escape(words) for words in (", ".join(distinct(runs, "software")),) if words]
    kind = f' <small>{html.escape(what)}</small>' if what else ""
    return (f'<header><h2>{html.escape(section.device)}{kind}</h2><ul class="meta">'
            f'{"".join(f"<li>{line}" for line in lines)}</ul></header>')


def peer_threads(section, name):
    """As the peer's rows say, else as the run does."""
    counts = {results.threads_of(row) for cell in section.every_cell() for row in results.with_role(cell, "peer")
              if results.text(row, "implementation") == name and results.number(row, "threads") is not None}
    if is_device(section):
        return "the GPU's"
    return ", ".join(map(str, sorted(counts or {section.threads}))) or ""


def peers_table(section):
    """Name, version and threads of each peer as HTML; empty without one."""
    versions = {}
    for run in section.runs:
        for name, version in results.members(run, "peers").items():
            words = results.text({"of": version}, "of")
            if words not in versions.setdefault(name, []):
                versions[name].append(words)
    lines = [f'<tr><th scope=row>{html.escape(name)}<td>{html.escape(", ".join(words))}'
             f'<td class="n">{peer_threads(section, name)}</tr>' for name, words in sorted(versions.items())]
    if not lines:
        return ""
    return ('<h3>Peers</h3><div class="wide"><table class="peers"><thead><tr><th>peer<th>version<th class="n">threads</tr></thead>'
            f'<tbody>{"".join(lines)}</tbody></table></div>')
