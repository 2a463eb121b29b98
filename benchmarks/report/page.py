# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The page: a section for each machine, put together from figures, tables and words. Nothing in it is loaded from elsewhere."""

import html
import os
import re

import ladder
import palette
import ratio_figures
import results
import roofline
import row_tables
import shapes
import size_figures
import summary
from figure import inline

MOVES = {  # operation: how its figures are called
    "transpose": ("Transpose", "transpose"),
    "transpose_inplace": ("Transpose in place", "transpose-in-place"),
    "transpose_cast": ("Transpose and cast", "transpose-cast"),
    "permute": ("Permutation of tensors", "permute"),
    "add": ("Sum", "add"),
    "copy": ("Copy", "copy"),
    "copy_cast": ("Copy and cast", "copy-cast"),
}
METHOD = (
    "All candidates of a cell take turns, round by round, in one process, on random data; a figure is the median of its samples. "
    "The ceiling is measured in the same rounds, so ratios hold even where the machine drifts: for transposes and copies the faster "
    "copy of as many bytes (bytes read and written count), for sums a plain loop that reads two and writes one, for products the arithmetic peak or the vendor's library. Buffers rotate, so "
    "that a case beyond the last-level cache never meets its own data there; smaller ones say that they stay in it. Every row was "
    "checked against the reference; what failed the check is listed and counted nowhere."
)
LOGO = ('<svg class="logo" width="46" height="46" viewBox="0 0 46 46" aria-hidden="true">' + "".join(
    f'<rect x="{2 + 11 * column}" y="{2 + 11 * row}" width="9" height="9" rx="2.4" '
    f'style="fill: var(--{"accent" if row == column else "ceiling" if column > row else "line"})"/>'
    for row in range(4) for column in range(4)) + "</svg>")


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


def is_device(section):
    return section.policy == "cuda" or (section.threads == 0 and section.policy not in ("seq", "omp"))


def policy_text(section):
    words = section.policy or "unknown policy"
    if section.threads:
        words += f", {section.threads} thread{'s' * (section.threads != 1)}"
    return words


def distinct(section, member):
    seen = []
    for run in section.runs:
        value = results.text(run, member)
        if value and value not in seen:
            seen.append(value)
    return seen


def dates_text(section):
    days = sorted({date[:10] for date in distinct(section, "date")})
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else ""


def provenance(section):
    """Policy, date, commit and version, for headings and figure files."""
    parts = [policy_text(section), dates_text(section)]
    commits = distinct(section, "commit")
    parts.append(f"commit {', '.join(commits)}" if commits else "")
    parts.append(", ".join(f"xpose {version}" for version in distinct(section, "version")))
    return [part for part in parts if part]


def move_figures(section, operation):
    title, name = MOVES[operation]
    cells = results.cells_of(section, operation)
    ceilings = ", ".join(summary.ceiling_names(cells)) or "none"
    yield size_figures.rate_against_size(cells, f"{name}-bandwidth", f"{title}: bandwidth against size", "Bandwidth (read and written)",
                                         "GB/s", is_log=True)
    yield ratio_figures.share_of_ceiling(cells, f"{name}-share", f"{title}: share of the ceiling", ceilings)
    yield ratio_figures.ratio_to_best_peer(cells, f"{name}-peers", f"{title}: ratio to the best peer")


def gemm_figures(section):
    cells = results.cells_of(section, "gemm")
    ceilings = ", ".join(summary.ceiling_names(cells)) or "none"
    yield roofline.roofline(section, cells)
    yield size_figures.rate_against_size(cells, "gemm-rate", "Products: rate against size", "Rate", "TFLOP/s", is_log=False, is_gemm=True)
    yield ratio_figures.share_of_ceiling(cells, "gemm-share", "Products: share of the ceiling", ceilings, is_gemm=True)
    yield ratio_figures.ratio_to_best_peer(cells, "gemm-peers", "Products: ratio to the best peer", is_gemm=True)


def figures_of(section):
    """The figures of a section: of each operation, and of each table of the ladder by (table, shape)."""
    figures = {}
    for operation in summary.OPERATIONS:
        drawn = gemm_figures(section) if operation == "gemm" else move_figures(section, operation)
        figures[operation] = [figure for figure in drawn if figure]
    for cell in ladder.ladder_cells(section):
        figure = ladder.ladder_figure(cell)
        figures[cell.table, cell.shape] = [figure] if figure else []
    return figures


def why_not(cells, operation, title):
    """Why an operation has no peers' or ceilings' figures; empty if it has both."""
    rows = [results.xpose_row(cell) for cell in cells if results.xpose_row(cell)]
    lacks = []
    if not rows:
        return f"xpose's {title} was not measured."
    if not any(results.positive(row, "ratio_to_ceiling") for row in rows):
        lacks.append("no ceiling")
    if not any(results.positive(row, "ratio_to_best_peer") for row in rows):
        lacks.append("no peer")
    if operation != "permute" and not any(shapes.is_plain_square(cell) for cell in cells):
        lacks.append("no square packed shape")
    return f"Here {' and '.join(lacks)} was measured." if lacks else ""


def operation_part(section, operation, figures, name):
    title = summary.OPERATIONS[operation]
    cells = results.cells_of(section, operation)
    parts = [f'<h3 id="{name}-{operation}">{title}</h3>']
    if not cells:
        return f'{parts[0]}<p class="absent">Not measured in this run.</p>'
    parts += [inline(figure, name) for figure in figures[operation]]
    lacking = why_not(cells, operation, title.lower())
    if lacking:
        parts.append(f'<p class="absent">{html.escape(lacking)}</p>')
    return "".join(parts)


def ladder_part(section, figures, name):
    cells = ladder.ladder_cells(section)
    parts = [f'<h3 id="{name}-ladder">The ladder</h3>']
    if not cells:
        return f'{parts[0]}<p class="absent">Not measured in this run.</p>'
    parts.append("<p>The kernels of the source material, each one idea past the one before, then xpose and its peers. The source's own "
                 "figures were taken on its own GPU.</p>")
    if is_device(section) and ladder.missing_metrics(cells):
        parts.append('<p class="absent">The profiler was not run: no throughput and bank conflicts.</p>')
    for cell in cells:
        parts.append('<div class="ladder">')
        parts += [inline(figure, name) for figure in figures[cell.table, cell.shape]]
        if not figures[cell.table, cell.shape]:
            parts.append(f"<h4>{html.escape(cell.table)} {html.escape(ladder.first_text(cell, 'table_title'))}</h4>"
                         '<p class="absent">Nothing in this table was timed.</p>')
        reading = ladder.first_text(cell, "reading")
        if reading:
            parts.append(f'<p class="reading">{html.escape(reading)}</p>')
        gpu = ladder.first_text(cell, "source_gpu")
        if gpu:
            parts.append(f'<p class="source">The source: {html.escape(gpu)}.</p>')
        parts.append(ladder.ladder_table(cell) + ladder.profile_table(cell) + "</div>")
    return "".join(parts)


def definitions(pairs):
    lines = "".join(f"<dt>{html.escape(name)}<dd>{html.escape(value)}" for name, value in pairs if value)
    return f"<dl>{lines}</dl>" if lines else ""


def runs_part(section):
    """Where the rows come from."""
    if not section.runs:
        return '<p class="absent">The files do not describe the run.</p>'
    parts = []
    for run in section.runs:
        cache = results.positive(run, "last_level_cache_bytes")
        pairs = [(member.replace("_", " "), results.text(run, member))
                 for member in ("date", "commit", "version", "command", "software", "compiler", "cuda", "driver")]
        pairs.append(("last-level cache", f"{cache / 2**20:.1f} MiB" if cache else ""))
        pairs += [(f"peer {name}", results.text({"of": version}, "of")) for name, version in results.members(run, "peers").items()]
        pairs += [(f"absent: {name}", results.text({"of": why}, "of")) for name, why in results.members(run, "peers_absent").items()]
        notes = run.get("notes") if isinstance(run.get("notes"), list) else []
        pairs += [("note", results.text({"of": note}, "of")) for note in notes]
        command = results.text(run, "command") or "a run"
        parts.append(f"<details><summary><code>{html.escape(command)}</code></summary>{definitions(pairs)}</details>")
    if section.repeated_cells:
        parts.append(f"<p>{section.repeated_cells} repeated cell{'s' * (section.repeated_cells != 1)}: the latest run is shown.</p>")
    return "".join(parts)


def section_part(section, figures, name):
    measured = summary.cards(section)
    software = ", ".join(distinct(section, "software"))
    meta = "".join(f"<li>{html.escape(part)}" for part in provenance(section) + ([software] if software else []))
    parts = [f'<section id="{name}"><header><h2>{html.escape(section.device)}</h2><ul class="meta">{meta}</ul></header>']
    if measured:
        parts.append(measured)
        parts.append("<details><summary>by operation and type <small>geometric means</small></summary>"
                     f"{summary.summary_table(section)}</details>")
    else:
        parts.append('<p class="absent">No transpose, copy or product of xpose was measured: no headline numbers.</p>')
    parts.append(f'<h3 id="{name}-losses">Where xpose loses</h3>{summary.losses_text(section)}')
    parts += [operation_part(section, operation, figures, name) for operation in summary.OPERATIONS]
    parts.append(ladder_part(section, figures, name))
    parts.append(f'<h3 id="{name}-failed">Failed and unverified rows</h3>{summary.problems_text(section)}')
    parts.append(f'<h3 id="{name}-rows">All rows</h3>{row_tables.all_rows(section)}')
    parts.append(f'<h3 id="{name}-runs">Runs and versions</h3>{runs_part(section)}</section>')
    return "".join(parts)


def contents(sections, names):
    parts = []
    for section, name in zip(sections, names):
        links = [("losses", "where it loses")]
        links += [(operation, title) for operation, title in summary.OPERATIONS.items() if results.cells_of(section, operation)]
        links += [("ladder", "Ladder")] if ladder.ladder_cells(section) else []
        links += [("failed", "failed rows"), ("rows", "all rows"), ("runs", "versions")]
        items = " ".join(f'<a href="#{name}-{part}">{html.escape(title.lower())}</a>' for part, title in links)
        parts.append(f'<div><a class="machine" href="#{name}">{html.escape(section.device)}</a> '
                     f'<small>{html.escape(policy_text(section))}</small><br>{items}</div>')
    return f'<nav aria-label="contents">{"".join(parts)}</nav>'


def page(sections, figures):
    """The page as text; figures_of each section."""
    names = name_sections(sections)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "page.css"), encoding="utf-8") as file:
        style = palette.css_variables() + file.read()
    body = "\n".join(section_part(*each) for each in zip(sections, figures, names))
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>xpose: measured</title>'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
            f"<style>{style}</style></head><body>\n"
            f'<header class="top">{LOGO}<div><h1>xpose, measured</h1><p>against what the machine allows and what others reach</p></div>'
            f"</header>\n{contents(sections, names)}\n<p class=\"method\">{METHOD}</p>\n{body}\n"
            "<footer>Written by <code>xpose-bench report</code>.</footer>\n</body></html>\n")
