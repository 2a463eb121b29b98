# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""What a section amounts to: geometric means by operation and type, and the cells where xpose loses."""

import html
import math

import results
import shapes
from html_text import TIMES, note_text, rate_text, ratio_text, seconds_text

OPERATIONS = {
    "transpose": "Transpose",
    "transpose_inplace": "Transpose in place",
    "transpose_cast": "Transpose and cast",
    "permute": "Permutation of tensors",
    "add": "Sum (add)",
    "copy": "Copy",
    "copy_cast": "Copy and cast",
    "gemm": "Product (gemm)",
}
LOSSES_SHOWN = 12


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else None


def ratios(cells, member):
    """The ratios of xpose's verified rows, where they exist."""
    rows = [results.xpose_row(cell) for cell in cells]
    return [results.positive(row, member) for row in rows if row and results.positive(row, member)]


def amount(cells):
    """(share of the ceiling, ratio to the best peer: geometric means or None, cells, cells with a peer, cells won)."""
    against_peers = ratios(cells, "ratio_to_best_peer")
    return (geometric_mean(ratios(cells, "ratio_to_ceiling")), geometric_mean(against_peers),
            sum(results.xpose_row(cell) is not None for cell in cells), len(against_peers),
            sum(ratio >= 1 for ratio in against_peers))


def measured(section, operation):
    return [cell for cell in results.cells_of(section, operation) if results.xpose_row(cell)]


def percent_text(share):
    return f"{100 * share:.0f}" if share >= 0.0995 else f"{100 * share:.1f}"


def ratio_of_cards(ratio):
    return f"{ratio:.2g}" if ratio < 99.5 else f"{ratio:.0f}"


def ceiling_names(cells):
    """The ceilings that xpose's rows were measured against."""
    return sorted({results.text(results.xpose_row(cell), "ceiling_name") for cell in cells if results.xpose_row(cell)} - {""})


def cards(section):
    """The headline numbers as HTML; empty if xpose was not measured."""
    parts = []
    for operation, title in OPERATIONS.items():
        cells = measured(section, operation)
        if not cells:
            continue
        share, ratio, count, compared, won = amount(cells)
        parts.append(f'<div class="card"><h4>{title}</h4><div class="figures">')
        if share:
            names = html.escape(" or ".join(ceiling_names(cells)))
            parts.append(f'<p><b>{percent_text(share)}<i>%</i></b><span>of the ceiling: {names}</span></p>')
        if ratio:
            losing = "" if ratio >= 1 else ' class="loss"'
            parts.append(f'<p{losing}><b>{ratio_of_cards(ratio)}<i>{TIMES}</i></b><span>the best peer of each cell</span></p>')
        against = f"ahead of every peer in {won} of {compared}" if compared else "no peer measured"
        parts.append(f'</div><p class="foot">{count} cell{"s" * (count != 1)}, {against}</p></div>')
    return f'<div class="cards">{"".join(parts)}</div>' if parts else ""


def summary_table(section):
    """Geometric means of each operation and type as HTML."""
    lines = []
    for operation, title in OPERATIONS.items():
        cells = measured(section, operation)
        for type_name in shapes.types_of(cells, operation == "gemm"):
            of_type = [cell for cell in cells if cell.type == type_name]
            share, ratio, count, compared, won = amount(of_type)
            worst = min(of_type, key=lambda cell: results.positive(results.xpose_row(cell), "ratio_to_ceiling") or math.inf)
            lowest = results.positive(results.xpose_row(worst), "ratio_to_ceiling")
            losing = ' loss' if ratio and ratio < 1 else ''
            lines.append(
                f'<tr><td>{title}<th scope=row>{html.escape(type_name)}<td class="n">{count}<td class="n">{ratio_text(share)}'
                f'<td class="n{losing}">{ratio_text(ratio)}<td class="n">{f"{won} of {compared}" if compared else "no peer"}'
                f'<td class="n">{ratio_text(lowest)}<td>{html.escape(shapes.label(worst)) if lowest else ""}</tr>')
    if not lines:
        return ""
    return ('<div class="wide"><table><thead><tr><th>operation<th>type<th class="n">cells<th class="n">share of ceiling'
            '<th class="n">ratio to best peer<th class="n">xpose ahead<th class="n">lowest share<th>at</tr></thead><tbody>'
            f'{"".join(lines)}</tbody></table></div>')


def losses(section):
    """The cells in which a peer is faster, worst first."""
    lost = []
    for operation in OPERATIONS:
        for cell in results.cells_of(section, operation):
            row = results.xpose_row(cell)
            ratio = row and results.positive(row, "ratio_to_best_peer")
            if ratio and ratio < 1:
                lost.append((ratio, cell, row))
    return sorted(lost, key=lambda loss: loss[0])


def loss_lines(lost):
    lines = []
    for ratio, cell, row in lost:
        lines.append(f'<tr><td class="n loss">{ratio_text(ratio)}<td>{html.escape(OPERATIONS[cell.operation])}'
                     f'<th scope=row>{html.escape(cell.type)}<td>{html.escape(shapes.shape_text(cell))}'
                     f'<td>{html.escape(cell.layout)}<td>{html.escape(results.text(row, "best_peer"))}'
                     f'<td class="n">{rate_text(row)}<td class="n">{ratio_text(results.positive(row, "ratio_to_ceiling"))}'
                     f'<td class="n">{seconds_text(results.positive(row, "median_s"))}</tr>')
    return ('<div class="wide"><table><thead><tr><th class="n">ratio<th>operation<th>type<th>shape<th>layout<th>best peer'
            '<th class="n">xpose GB/s or TFLOP/s<th class="n">share of ceiling<th class="n">median</tr></thead><tbody>'
            f'{"".join(lines)}</tbody></table></div>')


def losses_text(section):
    """Where xpose loses, as HTML."""
    compared = sum(len(ratios(results.cells_of(section, operation), "ratio_to_best_peer")) for operation in OPERATIONS)
    if compared == 0:
        return "<p>No cell was measured against a peer, so nothing can be said.</p>"
    lost = losses(section)
    if not lost:
        return f"<p>In none of the {compared} cells with a peer.</p>"
    text = (f"<p>A peer is faster in <b>{len(lost)} of {compared}</b> cells. The ratio is xpose's rate over the peer's; worst first."
            f"</p>{loss_lines(lost[:LOSSES_SHOWN])}")
    if len(lost) > LOSSES_SHOWN:
        text += (f"<details><summary>the other {len(lost) - LOSSES_SHOWN}</summary>{loss_lines(lost[LOSSES_SHOWN:])}</details>")
    return text


def problems_text(section):
    """Rows that failed, were skipped or returned wrong numbers, as HTML."""
    failed = [row for cell in section.cells.values() for row in cell.rows if not results.is_good(row)]
    if not failed:
        return "<p>None: every row was timed and verified.</p>"
    lines = []
    for row in failed:
        note = note_text(row)
        what = "skipped" if note.startswith("skipped") else "not verified" if results.positive(row, "median_s") else "failed"
        mark = "" if what == "skipped" else ' class="failed"'
        where = html.escape(f'{results.text(row, "operation")} {results.text(row, "table")}'.strip())
        lines.append(f'<tr{mark}><td>{what}<td>{where}<td>{html.escape(results.text(row, "type"))}'
                     f'<td>{html.escape(results.text(row, "shape"))}<td>{html.escape(results.text(row, "layout"))}'
                     f'<th scope=row>{html.escape(results.text(row, "implementation"))}'
                     f'<td class="note">{html.escape(note) or "no reason given"}</tr>')
    return ('<p>These stay out of every figure and mean.</p><div class="wide"><table><thead><tr><th>what<th>operation<th>type<th>shape'
            f'<th>layout<th>implementation<th>why</tr></thead><tbody>{"".join(lines)}</tbody></table></div>')
