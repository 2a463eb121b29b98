# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The page: a section for each machine, put together from figures, tables and words. Nothing in it is loaded from elsewhere."""

import html
import os

import distribution_figures
import ladder
import machines
import palette
import random_part
import ratio_figures
import results
import roofline
import row_tables
import shapes
import size_figures
import spread
import stale
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
    "copy of as many bytes (bytes read and written count), for sums a plain loop that reads two and writes one, for products "
    "the slower of as many multiply-adds and reading the operands. Cold: operands rotate past the last-level cache. Warm: the same operands again, in the cache where they fit. Written: the input was just "
    "written, and the output is read at once. Every row was checked against the reference; what failed the check is listed and counted nowhere. Lists begin "
    "where xpose loses. Means are geometric; a percentile between two cells is interpolated."
)
LOGO = ('<svg class="logo" width="46" height="46" viewBox="0 0 46 46" aria-hidden="true">' + "".join(
    f'<rect x="{2 + 11 * column}" y="{2 + 11 * row}" width="9" height="9" rx="2.4" '
    f'style="fill: var(--{"accent" if row == column else "ceiling" if column > row else "line"})"/>'
    for row in range(4) for column in range(4)) + "</svg>")


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
        title, name = MOVES.get(operation, ("Product", "gemm"))
        figures["random", operation] = distribution_figures.of_operation(section.random_cells.values(), operation, title, name)
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
    """Empty if the operation was not measured."""
    title = summary.OPERATIONS[operation]
    cells = results.cells_of(section, operation)
    if not cells:
        return ""
    parts = [f'<h3 id="{name}-{operation}">{title}</h3>'] + [inline(figure, name) for figure in figures[operation]]
    lacking = why_not(cells, operation, title.lower())
    if lacking:
        parts.append(f'<p class="absent">{html.escape(lacking)}</p>')
    return "".join(parts)


def ladder_part(section, figures, name):
    """Empty without a ladder."""
    cells = ladder.ladder_cells(section)
    if not cells:
        return ""
    parts = [f'<h3 id="{name}-ladder">The ladder</h3><p>The kernels of five tutorials, each one idea past the one before, then '
             "xpose and its peers. A tutorial's own figures were taken on its own GPU.</p>"]
    if machines.is_device(section) and ladder.missing_metrics(cells):
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


def absent_part(section):
    """What nobody measured here, in one sentence."""
    absent = [title.lower() for operation, title in summary.OPERATIONS.items() if not results.cells_of(section, operation)]
    absent += [] if ladder.ladder_cells(section) else ["the ladder"]
    return f'<p class="absent">Not measured in this run: {"; ".join(absent)}.</p>' if absent else ""


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


def suites_part(section, figures, name):
    """The named suites: headline numbers, where xpose loses, figures."""
    measured = summary.cards(section)
    parts = []
    if measured:
        parts.append(measured)
        parts.append("<details><summary>by operation and type <small>geometric means</small></summary>"
                     f"{summary.summary_table(section)}</details>")
    else:
        parts.append('<p class="absent">No transpose, copy or product of xpose was measured: no headline numbers.</p>')
    over = spread.over_ceiling_text(section.cells.values())
    parts.append(f"<p>{over}</p>" if over else "")
    parts.append(f'<h3 id="{name}-losses">Where xpose loses</h3>{summary.losses_text(section)}')
    parts += [operation_part(section, operation, figures, name) for operation in summary.OPERATIONS]
    parts.append(ladder_part(section, figures, name) + absent_part(section))
    return "".join(parts)


def has_random(section):
    return bool(spread.measured(section.random_cells.values()))


def section_part(section, figures, name, marks):
    what = "" if not has_random(section) else "named suites" if section.cells else "rows and runs"
    parts = [f'<section id="{name}">', machines.heading(section, section.every_cell(), marks, what)]
    if section.cells:
        parts.append(suites_part(section, figures, name))
    if not has_random(section):
        parts.append(machines.peers_table(section))
    parts.append(f'<h3 id="{name}-failed">Failed and unverified rows</h3>{summary.problems_text(section)}')
    parts.append(f'<h3 id="{name}-rows">All rows</h3>{row_tables.all_rows(section)}')
    parts.append(f'<h3 id="{name}-runs">Runs and versions</h3>{runs_part(section)}</section>')
    return "".join(parts)


def contents(sections, names, marks):
    parts = []
    for section, name in zip(sections, names):
        worst, _ = spread.worst_and_best(section.random_cells.values(), 1)
        links = [("random", "random shapes")] if has_random(section) else []
        links += [("worst", "worst cells")] if worst else []
        links += [("losses", "where it loses")] if section.cells else []
        links += [(operation, title) for operation, title in summary.OPERATIONS.items() if results.cells_of(section, operation)]
        links += [("ladder", "Ladder")] if ladder.ladder_cells(section) else []
        links += [("failed", "failed rows"), ("rows", "all rows"), ("runs", "versions")]
        items = " ".join(f'<a href="#{name}-{part}">{html.escape(title.lower())}</a>' for part, title in links)
        parts.append(f'<div><a class="machine" href="#{name}">{html.escape(section.device)}</a> '
                     f'<small>{html.escape(machines.policy_text(section))}</small>{machines.marks_text(section, marks)}<br>{items}</div>')
    return f'<nav aria-label="contents">{"".join(parts)}</nav>'


def page(sections, figures):
    """The page as text; figures_of each section."""
    names = machines.name_sections(sections)
    marks = stale.marks_of(sections, results.text)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "page.css"), encoding="utf-8") as file:
        style = palette.css_variables() + file.read()
    parts = [random_part.machine_part(*each, marks, summary.OPERATIONS) for each in zip(sections, figures, names)]
    parts += [section_part(*each, marks) for each in zip(sections, figures, names)]
    body = "\n".join(filter(None, parts))
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>xpose: measured</title>'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
            f"<style>{style}</style></head><body>\n"
            f'<header class="top">{LOGO}<div><h1>xpose, measured</h1><p>against what the machine allows and what others reach</p></div>'
            f"</header>\n{contents(sections, names, marks)}\n<p class=\"method\">{METHOD}</p>\n{body}\n"
            "<footer>Written by <code>xpose-bench report</code>.</footer>\n</body></html>\n")
