# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The ladder: each table of the source material with its own figures beside ours, and bars of both."""

import html

from . import palette, results, shapes
from .figure import Figure, Panel
from .html_text import cells_of_row, note_text, rate_text, ratio_text, seconds_text, verified_text
from .size_figures import number_text

METRICS = (
    ("load_gbps", "load GB/s"),
    ("store_gbps", "store GB/s"),
    ("dram_gbps", "DRAM GB/s"),
    ("shared_load_requests", "shared loads"),
    ("shared_store_requests", "shared stores"),
    ("shared_load_wavefronts", "load wavefronts"),
    ("shared_store_wavefronts", "store wavefronts"),
    ("shared_load_conflicts", "load conflicts"),
    ("shared_store_conflicts", "store conflicts"),
)
BLOCK = (
    ("threads", "threads"),
    ("registers", "registers"),
    ("shared_bytes", "shared bytes"),
    ("blocks_on_multiprocessor", "blocks on a multiprocessor"),
)


def ladder_cells(section):
    """One cell for each table and shape that had a rung or anything else timed, by table."""
    cells = [cell for cell in section.cells.values() if cell.operation == "ladder" and cell.table]
    return sorted(cells, key=lambda cell: (not cell.table[:1].isdigit(), cell.table, cell.shape))


def source_gbps(cell, row):
    """The source's bandwidth; from its time where it printed no other, if our shape is the source's. None if unknown."""
    source = results.members(row, "source")
    printed = results.positive(source, "gbps")
    if printed:
        return printed
    seconds = results.positive(source, "seconds")
    gbps, ours = results.positive(row, "gbps"), results.positive(row, "median_s")
    if seconds and gbps and ours and cell.shape in results.text(row, "source_board"):
        return gbps * ours / seconds
    return None


def in_order(cell):
    """Rungs as in the source, then xpose, peers, ceilings."""
    return [row for role in ("rung", "xpose", "peer", "ceiling") for row in results.with_role(cell, role)]


def first_text(cell, member):
    return next((results.text(row, member) for row in cell.rows if results.text(row, member)), "")


def bars_of(cell):
    return [row for row in in_order(cell) if results.is_good(row) and results.text(row, "role") != "ceiling"]


def paint_ladder(cell, rows, ceiling):
    unit = "TFLOP/s" if results.positive(rows[0], "tflops") else "GB/s"
    sources = [source_gbps(cell, row) for row in rows]
    best_source = max((value for value in sources if value), default=None)

    def paint(axes):
        for y, (row, source) in enumerate(zip(rows, sources)):
            role, name = results.text(row, "role"), results.text(row, "implementation")
            thickness = 0.42 if best_source else 0.62
            at = y - 0.19 if best_source and source else y
            axes.barh(at, results.rate(row) / ceiling, height=thickness, color=palette.light(palette.name_of(name, role)),
                      linewidth=0)
            if source:
                axes.barh(y + 0.27, source / best_source, height=0.26, color=palette.light("source"), linewidth=0)
            axes.text(1.02, y, number_text(results.rate(row)), transform=axes.get_yaxis_transform(), va="center", fontsize=9.5,
                      color=palette.light("accent" if role == "xpose" else "ink"),
                      weight="bold" if role == "xpose" else "normal")
        axes.text(1.02, -0.85, unit, transform=axes.get_yaxis_transform(), va="center", fontsize=8.5,
                  color=palette.light("muted"))
        axes.axvline(1, color=palette.light("ceiling"), linewidth=1.5, dashes=palette.dashes_of("memcpy"))
        axes.set_xlim(0, max(1.04, 1.04 * max(results.rate(row) / ceiling for row in rows)))
        axes.set_ylim(len(rows) - 0.45, -0.6)
        axes.set_yticks(range(len(rows)), [results.text(row, "implementation") for row in rows], color=palette.light("ink"))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.grid(axis="x")
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("share of the ceiling" + ("; of the source's fastest" if best_source else ""))
    return paint


def ladder_figure(cell):
    """None if nothing was timed, or under no ceiling."""
    rows = bars_of(cell)
    ceilings = [results.positive(row, "ceiling") for row in rows if results.positive(row, "ceiling")]
    if not rows or not ceilings:
        return None
    ceiling = ceilings[0]
    name = first_text(cell, "ceiling_name") or "ceiling"
    has_source = any(source_gbps(cell, row) for row in rows)
    gap = 30 if has_source else 23
    panel = Panel("", 560, round(66 + gap * len(rows)), paint_ladder(cell, rows, ceiling))
    key = [("rung, measured here", "rung", "bar")]
    if has_source:
        key.append(("the source's figure, of its own fastest", "source", "bar"))
    key.append(("xpose", "accent", "bar"))
    key.append((f"ceiling: {name}, {number_text(ceiling)}", "ceiling", "dash", "memcpy"))
    title = first_text(cell, "table_title") or cell.table
    return Figure(f"ladder-{cell.table}-{cell.shape}", f"{cell.table} \N{MIDDLE DOT} {title}",
                  f"{shapes.shape_text(cell)} {cell.type}. Bars are shares of the ceiling measured in the same rounds; the numbers are "
                  "absolute. " + ("Thin bars: the source's figures as shares of its fastest kernel, on its own board. "
                                  if has_source else "") + "Peers are named.",
                  f"Bars of the ladder {cell.table}: each rung's share of the ceiling.", [panel], key, columns=1)


def count_text(value):
    return f"{value:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}") if value is not None else ""


def metric_text(name, value):
    if value is None:
        return ""
    return number_text(value) if name.endswith("gbps") and value > 0 else count_text(value)


def columns_of(cell):
    """The optional columns that some row fills."""
    def filled(member, names):
        return [(name, title) for name, title in names
                if any(results.number(results.members(row, member), name) is not None for row in cell.rows)]
    source = filled("source", (("seconds", "time"), ("gbps", "GB/s"), ("load_gbps", "load"), ("store_gbps", "store")))
    return source, filled("metrics", METRICS), filled("block", BLOCK)


def source_text(name, source):
    value = results.positive(source, name)
    if value is None:
        return ""
    return seconds_text(value) if name == "seconds" else number_text(value)


def ladder_table(cell):
    """The table as HTML."""
    source, metrics, block = columns_of(cell)
    unit = "TFLOP/s" if any(results.positive(row, "tflops") for row in cell.rows) else "GB/s"
    head = ["<th>rung<th>idea"]
    groups = ['<th colspan="2">']
    if source:
        groups.append(f'<th colspan="{len(source)}" class="group">the source')
        head += [f'<th class="n">{title}' for _, title in source]
    groups.append('<th colspan="6" class="group">here')
    head += ['<th class="n">median', '<th class="n">mean', '<th class="n">std dev', f'<th class="n">{unit}',
             '<th class="n">of ceiling', "<th>checked"]
    for title, columns in (("profiler", metrics), ("block", block)):
        if columns:
            groups.append(f'<th colspan="{len(columns)}" class="group">{title}')
            head += [f'<th class="n">{name}' for _, name in columns]
    lines = [f"<thead><tr>{''.join(groups)}</tr><tr>{''.join(head)}</tr></thead><tbody>"]
    for row in in_order(cell):
        role = results.text(row, "role")
        idea = results.text(row, "idea") or results.text(row, "kernel")
        if results.text(row, "note"):
            idea += f" \N{EM DASH} {note_text(row)}" if idea else note_text(row)
        name = html.escape(results.text(row, "implementation"))
        mark = {"xpose": "", "peer": " <small>peer</small>", "ceiling": " <small>ceiling</small>"}.get(role, "")
        values = [f"<th scope=row>{name}{mark}", f'<td class="idea">{html.escape(idea)}']
        values += [f'<td class="n src">{source_text(name, results.members(row, "source"))}' for name, _ in source]
        values += [f'<td class="n">{value}' for value in (
            seconds_text(results.positive(row, "median_s")), seconds_text(results.positive(row, "mean_s")),
            seconds_text(results.positive(row, "stddev_s")), rate_text(row), ratio_text(results.positive(row, "ratio_to_ceiling")))]
        values.append(f"<td>{verified_text(row)}")
        values += [f'<td class="n">{metric_text(name, results.number(results.members(row, "metrics"), name))}' for name, _ in metrics]
        values += [f'<td class="n">{count_text(results.number(results.members(row, "block"), name))}' for name, _ in block]
        lines.append(cells_of_row(row, values))
    lines.append("</tbody>")
    return f'<div class="wide"><table>{"".join(lines)}</table></div>'


def missing_metrics(cells):
    """Whether a board's ladder came without the profiler's figures."""
    rungs = [row for cell in cells for row in results.with_role(cell, "rung")]
    return bool(rungs) and not any(results.members(row, "metrics") for row in rungs)
