# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""What the named suites of a section amount to: geometric means by operation and type, and the cells where xpose loses."""

import html
import math

import results
import shapes
import spread
from html_text import TIMES, ceiling_text, note_text, rate_text, ratio_text, seconds_text

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


def amount(cells):
    """(share of the ceiling, ratio to the best peer: geometric means or None, cells, cells with a peer, cells won)."""
    against_peers = spread.ratios(cells, "ratio_to_best_peer")
    return (spread.geometric_mean(spread.ceiling_shares(cells)), spread.geometric_mean(against_peers), len(spread.measured(cells)),
            len(against_peers), sum(ratio >= 1 for ratio in against_peers))


def measured(section, operation):
    return spread.measured(results.cells_of(section, operation))


def percent_text(share):
    return f"{100 * share:.0f}" if share >= 0.0995 else f"{100 * share:.1f}"


def ratio_of_cards(ratio):
    return f"{ratio:.2g}" if ratio < 99.5 else f"{ratio:.0f}"


def ceiling_names(cells):
    """The ceilings that xpose's rows were measured against."""
    return sorted({results.text(results.xpose_row(cell), "ceiling_name") for cell in cells if results.xpose_row(cell)} - {""})


def cards(section):
    """The headline numbers as HTML, where xpose loses first; empty if xpose was not measured. A card without a number is none."""
    drawn = []
    for operation, title in OPERATIONS.items():
        cells = measured(section, operation)
        share, ratio, count, compared, won = amount(cells)
        if not share and not ratio:
            continue
        parts = [f'<div class="card"><h4>{title}</h4><div class="figures">']
        if ratio:
            losing = "" if ratio >= 1 else ' class="loss"'
            parts.append(f'<p{losing}><b>{ratio_of_cards(ratio)}<i>{TIMES}</i></b><span>the best peer of each cell</span></p>')
        if share:
            names = html.escape(" or ".join(ceiling_names(cells)))
            parts.append(f'<p><b>{percent_text(share)}<i>%</i></b><span>of the ceiling: {names}</span></p>')
        against = f"ahead of every peer in {won} of {compared}" if compared else "no peer measured"
        over = spread.over_ceiling(cells)
        left_out = f"; {over} over {'its' if over == 1 else 'their'} ceiling, left out of the share" if over else ""
        parts.append(f'</div><p class="foot">{count} cell{"s" * (count != 1)}, {against}{left_out}</p></div>')
        drawn.append((ratio or math.inf, "".join(parts)))
    drawn.sort(key=lambda card: card[0])
    return f'<div class="cards">{"".join(card for _, card in drawn)}</div>' if drawn else ""


def summary_table(section):
    """Geometric means of each operation and type as HTML, where xpose loses first."""
    lines = []
    for operation, title in OPERATIONS.items():
        cells = measured(section, operation)
        for type_name in shapes.types_of(cells, operation == "gemm"):
            of_type = [cell for cell in cells if cell.type == type_name]
            share, ratio, count, compared, won = amount(of_type)
            worst = min(of_type, key=lambda cell: results.ceiling_share(results.xpose_row(cell)) or math.inf)
            lowest = results.ceiling_share(results.xpose_row(worst))
            losing = ' loss' if ratio and ratio < 1 else ''
            lines.append((ratio or math.inf,
                f'<tr><td>{title}<th scope=row>{html.escape(type_name)}<td class="n">{count}'
                f'<td class="n{losing}">{ratio_text(ratio)}<td class="n">{f"{won} of {compared}" if compared else "no peer"}'
                f'<td class="n">{ratio_text(share)}<td class="n">{ratio_text(lowest)}'
                f'<td>{html.escape(shapes.label(worst)) if lowest else ""}<td class="n">{spread.over_ceiling(of_type) or ""}</tr>'))
    if not lines:
        return ""
    lines.sort(key=lambda line: line[0])
    return ('<div class="wide"><table><thead><tr><th>operation<th>type<th class="n">cells<th class="n">ratio to best peer'
            '<th class="n">xpose ahead<th class="n">share of ceiling<th class="n">lowest share<th>at<th class="n">no ceiling'
            f'</tr></thead><tbody>{"".join(line for _, line in lines)}</tbody></table></div>')


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
                     f'<td class="n">{rate_text(row)}<td class="n">{ceiling_text(row)}'
                     f'<td class="n">{seconds_text(results.positive(row, "median_s"))}</tr>')
    return ('<div class="wide"><table><thead><tr><th class="n">ratio<th>operation<th>type<th>shape<th>layout<th>best peer'
            '<th class="n">xpose GB/s or TFLOP/s<th class="n">share of ceiling<th class="n">median</tr></thead><tbody>'
            f'{"".join(lines)}</tbody></table></div>')


def losses_text(section):
    """Where xpose loses, as HTML."""
    compared = sum(len(spread.ratios(results.cells_of(section, operation), "ratio_to_best_peer")) for operation in OPERATIONS)
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
    failed = [row for cell in section.every_cell() for row in cell.rows if not results.is_good(row)]
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
