# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The page: one HTML file that needs nothing else, in the reader's colours."""

import html

from results import geometric_mean, in_order, rate

STYLE = """
:root { color-scheme: light dark; --paper: #fdfdfc; --ink: #23262a; --faint: #667; --line: #d9dcdf; --card: #f4f5f6; --xpose: #c8401a; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --paper: #16181b; --ink: #e3e5e8; --faint: #9aa3ad; --line: #343a41; --card: #1e2226; --xpose: #ff7d55; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 5rem; max-width: 76rem; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.9rem; margin: 0 0 .3rem; } h2 { margin: 3.2rem 0 .4rem; padding-top: 1rem; border-top: 1px solid var(--line); } h3 { margin: 2.2rem 0 .2rem; }
p { max-width: 62rem; } .faint, figcaption { color: var(--faint); font-size: .92rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .8rem; margin: 1.2rem 0; }
.card { background: var(--card); border-radius: .6rem; padding: .8rem 1rem; } .card b { display: block; font-size: 1.5rem; color: var(--xpose); font-variant-numeric: tabular-nums; }
figure { margin: 1rem 0 2rem; } figure svg { display: block; width: 100%; height: auto; color: var(--ink); }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .6rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; } th:first-child, td:first-child, td.text, th.text { text-align: left; } td.text { white-space: normal; min-width: 12rem; }
tr.xpose td { color: var(--xpose); font-weight: 600; } tr.failed td { color: var(--bad); }
details { margin: .8rem 0; } summary { cursor: pointer; }
"""


def text(value):
    return html.escape(str(value))


def number(value, digits=3):
    if value is None:
        return "-"
    if value != 0 and not 1e-3 <= abs(value) < 1e6:
        return f"{value:.{digits - 1}e}"
    return f"{value:.{digits}g}" if abs(value) < 100 else f"{value:.0f}"


def seconds(value):
    if value is None:
        return "-"
    for scale, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def table(headings, lines, classes=None):
    head = "".join(f"<th>{text(heading)}</th>" for heading in headings)
    body = ""
    for position, line in enumerate(lines):
        cells = "".join(f'<td{" class=text" if isinstance(cell, Prose) else ""}>{text(cell)}</td>' for cell in line)
        body += f'<tr class="{classes[position] if classes else ""}">{cells}</tr>\n'
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>'


class Prose(str):
    """A cell that may wrap."""


def class_of(row):
    return "failed" if not row["verified"] else "xpose" if row["role"] == "xpose" else ""


def headline(site):
    """Geometric means over the cases of each operation, and how many were beaten."""
    cards = ""
    for operation in ("transpose", "gemm"):
        rows = [row for row in site.of(operation, "xpose") if row["verified"] and row["median_s"]]
        shares = [row["ratio_to_ceiling"] for row in rows if row["ratio_to_ceiling"]]
        ratios = [row["ratio_to_best_peer"] for row in rows if row.get("ratio_to_best_peer")]
        if shares:
            cards += f"<div class=card><b>{geometric_mean(shares):.2f}</b>{operation}: share of the ceiling, mean of {len(shares)} cases</div>"
        if ratios:
            cards += f"<div class=card><b>{geometric_mean(ratios):.2f}</b>{operation}: rate over the fastest peer's, mean of {len(ratios)}</div>"
            cards += f"<div class=card><b>{sum(ratio >= 1 for ratio in ratios)} of {len(ratios)}</b>{operation}: cases at or above every peer</div>"
    return f"<div class=cards>{cards}</div>" if cards else ""


def losses(site, count=12):
    """Where xpose is furthest behind."""
    rows = [row for row in site.rows if row["role"] == "xpose" and row["verified"] and (row.get("ratio_to_best_peer") or 1) < 1
            and row["operation"] != "ladder"]
    rows.sort(key=lambda row: row["ratio_to_best_peer"])
    if not rows:
        return "<p>No peer is faster in any case measured.</p>"
    lines = [(row["operation"], row["type"], row["shape"], row["layout"], f"{rate(row):.4g}", row["best_peer"],
              f"{row['ratio_to_best_peer']:.3f}") for row in rows[:count]]
    return (f"<p>A peer is faster in {len(rows)} cases. The {min(count, len(rows))} furthest behind:</p>"
            + table(("operation", "type", "shape", "layout", "xpose, GB/s or TFLOP/s", "best peer", "xpose over it"), lines))


def ladder_tables(site):
    page = ""
    for name in in_order(row["table"] for row in site.of("ladder")):
        rows = [row for row in site.of("ladder") if row["table"] == name]
        unit = "TFLOP/s" if "tflops" in rows[0] else "GB/s"
        has_source = any("source" in row for row in rows)
        has_metrics = any("metrics" in row for row in rows)
        headings = ["rung", "median", "mean", "deviation", unit, "of ceiling"]
        headings += ["source, s", "source, GB/s"] if has_source else []
        headings += ["load GB/s", "store GB/s", "shared loads", "conflicts", "shared stores", "conflicts"] if has_metrics else []
        lines = []
        for row in rows:
            source, metrics = row.get("source", {}), row.get("metrics", {})
            line = [row["implementation"], seconds(row["median_s"]), seconds(row["mean_s"]), seconds(row["stddev_s"]),
                    number(rate(row), 4), number(row["ratio_to_ceiling"])]
            line += [number(source.get("seconds"), 4), number(source.get("gbps"))] if has_source else []
            if has_metrics:
                line += [number(metrics.get(key)) for key in ("load_gbps", "store_gbps")]
                for kind in ("load", "store"):
                    line += [f"{metrics[f'shared_{kind}_{what}']:,.0f}" if metrics.get(f"shared_{kind}_{what}") is not None
                             else "-" for what in ("requests", "conflicts")]
            lines.append(line + [Prose(row.get("idea") or row["kernel"])])
        source_board = f" The source's figures: {text(rows[0]['source_board'])}." if rows[0].get("source_board") else ""
        page += (f"<h3>{text(name)}: {text(rows[0]['table_title'])}</h3>"
                 f"<p class=faint>{text(rows[0]['shape'])} {text(rows[0]['type'])}. {text(rows[0].get('reading', ''))}{source_board}</p>"
                 + table(headings + ["what it does"], lines, [class_of(row) for row in rows]))
    return page


def every_row(site, operation):
    rows = site.of(operation)
    lines = [(row["type"], row["shape"], row["layout"], row["implementation"], seconds(row["median_s"]),
              number(rate(row), 4), number(row["ratio_to_ceiling"]), number(row.get("ratio_to_best_peer")), row["repeats"],
              "yes" if row["verified"] else "NO", Prose(row.get("note", ""))) for row in rows]
    headings = ("type", "shape", "layout", "implementation", "median", "GB/s or TFLOP/s", "of ceiling", "of best peer",
                "samples", "verified", "note")
    return (f"<details><summary>All {len(rows)} rows of {operation}</summary>"
            + table(headings, lines, [class_of(row) for row in rows]) + "</details>")


def description(site):
    runs = site.runs
    if not runs:
        return ""
    run = runs[0]
    peers = {name: version for one in runs for name, version in one.get("peers", {}).items()}
    absent = {name: why for one in runs for name, why in one.get("peers_absent", {}).items()}
    facts = [f"{text(run['date'][:10])}, commit {', '.join(in_order(text(one['commit']) for one in runs))}, xpose {text(run['version'])}",
             text(run.get("software", "")),
             "peers: " + (", ".join(f"{text(name)} {text(version)}" for name, version in peers.items()) or "none")]
    if absent:
        facts.append("absent: " + ", ".join(map(text, absent)))
    return "".join(f"<p class=faint>{fact}</p>" for fact in facts if fact)


def section(site, figures):
    page = f"<h2>{text(site.name())}</h2>{description(site)}{headline(site)}"
    for figure in figures:
        page += (f"<h3>{text(figure.title)}</h3><figure>{figure.svg}<figcaption>{text(figure.caption)}</figcaption></figure>\n")
    missing = [operation for operation in ("copy", "transpose", "gemm", "ladder") if not site.of(operation)]
    if missing:
        page += f"<p class=faint>Not measured here: {', '.join(missing)}.</p>"
    if site.of("transpose") or site.of("gemm"):
        page += f"<h3>Where xpose loses</h3>{losses(site)}"
    if site.of("ladder"):
        page += "<h3>The ladder, as its sources print it</h3>" + ladder_tables(site)
    failed = [row for row in site.rows if not row["verified"]]
    if failed:
        page += "<h3>What failed</h3>" + table(
            ("operation", "type", "shape", "implementation", "why"),
            [(row["operation"], row["type"], row["shape"], row["implementation"], Prose(row.get("note", ""))) for row in failed])
    for operation in in_order(row["operation"] for row in site.rows):
        page += every_row(site, operation)
    return f"<section>{page}</section>"


def whole(sites, figures_of):
    body = "".join(section(site, figures_of[site]) for site in sites)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>xpose: measured</title><style>{STYLE}</style></head><body>
<h1>xpose, measured</h1>
<p>Medians of many samples. All candidates of a case take turns in one process, round by round, on random data; the
ceiling is measured in the same rounds; every result is checked. A ratio compares figures of the same rounds only.</p>
{body}
</body></html>
"""
