# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Every row of a section, in collapsed tables: one for each operation and type."""

import html

import results
import shapes
from html_text import ceiling_text, cells_of_row, note_text, rate_text, ratio_text, seconds_text, spread_text, verified_text
from summary import OPERATIONS

ROLE_ORDER = ("xpose", "alternative", "peer", "ceiling", "rung")


def ordered_rows(cell):
    """xpose, what it offers instead, the peers from the fastest down, the ceilings."""
    def place(row):
        role = results.text(row, "role")
        return ROLE_ORDER.index(role) if role in ROLE_ORDER else 9, -(results.rate(row) or 0)
    return sorted(cell.rows, key=place)


def row_line(cell, row, is_first, has_host):
    values = [f"<td>{html.escape(shapes.shape_text(cell)) if is_first else ''}",
              f"<td>{html.escape(cell.layout) if is_first else ''}",
              f'<th scope=row>{html.escape(results.text(row, "implementation"))}',
              f'<td>{html.escape(results.text(row, "kernel"))}',
              f'<td class="n">{seconds_text(results.positive(row, "median_s"))}',
              f'<td class="n">{seconds_text(results.positive(row, "min_s"))}',
              f'<td class="n">{spread_text(row)}',
              f'<td class="n">{row.get("repeats", "") if isinstance(row.get("repeats"), int) else ""}']
    if has_host:
        values.append(f'<td class="n">{seconds_text(results.positive(row, "host_s"))}')
    best = results.text(row, "best_peer")
    ratio = results.positive(row, "ratio_to_best_peer")
    against = f"{ratio_text(ratio)} {html.escape(best)}" if ratio else ""
    values += [f'<td class="n rate">{rate_text(row)}',
               f'<td class="n">{ceiling_text(row)}',
               f'<td>{html.escape(results.text(row, "ceiling_name")) if is_first else ""}',
               f'<td class="n{" loss" if ratio and ratio < 1 else ""}">{against}',
               f"<td>{verified_text(row)}",
               f'<td>{html.escape(cell.state or results.text(row, "cache")) if is_first else ""}',
               f'<td class="note">{html.escape(note_text(row))}']
    line = cells_of_row(row, values)
    if not is_first:
        return line
    return line.replace("<tr class=\"", "<tr class=\"first ", 1) if line.startswith("<tr class") else \
        line.replace("<tr>", "<tr class=\"first\">", 1)


def rows_table(cells):
    unit = "TFLOP/s" if any(results.positive(row, "tflops") for cell in cells for row in cell.rows) else "GB/s"
    has_host = any(results.positive(row, "host_s") for cell in cells for row in cell.rows)
    head = ("<th>shape<th>layout<th>implementation<th>kernel<th class=n>median<th class=n>fastest<th class=n>std dev"
            f"<th class=n>samples{'<th class=n>by the host' if has_host else ''}<th class=n>{unit}<th class=n>of ceiling"
            "<th>ceiling<th class=n>to best peer<th>checked<th>state<th>note")
    ordered = sorted(sorted(cells, key=shapes.shape_order), key=results.by_ratio)
    lines = [row_line(cell, row, index == 0, has_host)
             for cell in ordered for index, row in enumerate(ordered_rows(cell))]
    return f'<div class="wide"><table class="rows"><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def all_rows(section):
    """The tables as HTML. The ladder's rows stand in its own tables."""
    parts = []
    every = section.every_cell()
    operations = list(OPERATIONS) + sorted({cell.operation for cell in every} - set(OPERATIONS) - {"ladder"})
    for operation in operations:
        cells = [cell for cell in every if cell.operation == operation]
        for type_name in shapes.types_of(cells, operation == "gemm"):
            of_type = [cell for cell in cells if cell.type == type_name]
            rows = sum(len(cell.rows) for cell in of_type)
            title = html.escape(f"{OPERATIONS.get(operation, operation)}, {type_name or 'no type'}")
            parts.append(f"<details><summary>{title} <small>{len(of_type)} cell{'s' * (len(of_type) != 1)}, {rows} rows</small>"
                         f"</summary>{rows_table(of_type)}</details>")
    return "".join(parts) or "<p>No rows but the ladder's.</p>"
