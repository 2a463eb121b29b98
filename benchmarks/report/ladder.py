# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The ladder: each table of the five tutorials with its own figures beside ours, and bars of both."""

import html

import palette
import results
import shapes
from figure import Figure, Panel, clipped
from html_text import ceiling_text, cells_of_row, note_text, rate_text, seconds_text, verified_text
from size_figures import number_text

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
    """One cell for each table and shape, in the order of the files."""
    return [cell for cell in section.cells.values() if cell.operation == "ladder" and cell.table]


def source_gbps(cell, row):
    """The source's bandwidth; from its time where it printed no other, if our shape is the source's. None if unknown."""
    source = results.members(row, "source")
    printed = results.positive(source, "gbps")
    if printed:
        return printed
    seconds = results.positive(source, "seconds")
    gbps, ours = results.positive(row, "gbps"), results.positive(row, "median_s")
    if seconds and gbps and ours and cell.shape in results.text(row, "source_gpu"):
        return gbps * ours / seconds
    return None


def in_order(cell):
    """Rungs as in the source, then xpose, peers, ceilings."""
    return [row for role in ("rung", "xpose", "peer", "ceiling") for row in results.with_role(cell, role)]


def first_text(cell, member):
    return next((results.text(row, member) for row in cell.rows if results.text(row, member)), "")


def bars_of(cell):
    return [row for row in in_order(cell) if results.is_good(row) and results.text(row, "role") != "ceiling"]


def paint_ladder(cell, rows, ceiling, whole):
    """whole is the rate at the end of the axis' 1: the ceiling's, or the fastest row's where that exceeds the ceiling."""
    unit = "TFLOP/s" if results.positive(rows[0], "tflops") else "GB/s"
    sources = [source_gbps(cell, row) for row in rows]
    best_source = max((value for value in sources if value), default=None)

    def paint(axes):
        for y, (row, source) in enumerate(zip(rows, sources)):
            role, name = results.text(row, "role"), results.text(row, "implementation")
            thickness = 0.42 if best_source else 0.62
            at = y - 0.19 if best_source and source else y
            axes.barh(at, results.rate(row) / whole, height=thickness, color=palette.light(palette.name_of(name, role)),
                      linewidth=0)
            if source:
                axes.barh(y + 0.27, source / best_source, height=0.26, color=palette.light("source"), linewidth=0)
            axes.text(1.02, y, number_text(results.rate(row)), transform=axes.get_yaxis_transform(), va="center", fontsize=9.5,
                      color=palette.light("accent" if role == "xpose" else "ink"),
                      weight="bold" if role == "xpose" else "normal")
        axes.text(1.02, -0.85, unit, transform=axes.get_yaxis_transform(), va="center", fontsize=8.5,
                  color=palette.light("muted"))
        axes.axvline(ceiling / whole, color=palette.light("ceiling"), linewidth=1.5, dashes=palette.dashes_of("memcpy"))
        axes.set_xlim(0, 1.04)
        axes.set_ylim(len(rows) - 0.45, -0.6)
        axes.set_yticks(range(len(rows)), [clipped(results.text(row, "implementation")) for row in rows], color=palette.light("ink"))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.grid(axis="x")
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(("share of the ceiling" if whole == ceiling else "share of the fastest") + ("; of the source's fastest" if best_source else ""))
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
    whole = max([ceiling] + [results.rate(row) for row in rows])
    panel = Panel("", 560, round(66 + gap * len(rows)), paint_ladder(cell, rows, ceiling, whole))
    key = [("rung, measured here", "rung", "bar")]
    if has_source:
        key.append(("the source's figure, of its own fastest", "source", "bar"))
    key.append(("xpose", "accent", "bar"))
    key.append((f"{'ceiling' if whole == ceiling else 'not a ceiling here'}: {name}, {number_text(ceiling)}", "ceiling", "dash", "memcpy"))
    title = first_text(cell, "table_title") or cell.table
    return Figure(f"ladder-{cell.table}-{cell.shape}", f"{cell.table} \N{MIDDLE DOT} {title}",
                  f"{shapes.shape_text(cell)} {cell.type}. Bars are shares of {'the ceiling measured in the same rounds' if whole == ceiling else 'the fastest, which exceeds what was to be the ceiling'}; the numbers are "
                  "absolute. " + ("Thin bars: the source's figures as shares of its fastest kernel, on its own GPU. "
                                  if has_source else "") + "Peers are named.",
                  f"Bars of the ladder {cell.table}: each rung's share of the ceiling.", [panel], key, columns=1)


def whole_ladder(section):
    """All tables in one figure, for the documents; None if nothing was timed."""
    panels = []
    for cell in ladder_cells(section):
        of_table = ladder_figure(cell)
        if of_table:
            panel = of_table.panels[0]
            panels.append(Panel(f"{cell.table}: {shapes.shape_text(cell)} {cell.type}", 430, panel.height + 14, panel.paint))
    if not panels:
        return None
    key = [("rung", "rung", "bar"), ("the source's figure, of its own fastest", "source", "bar"), ("xpose", "accent", "bar"),
           ("the ceiling of the same rounds", "ceiling", "dash", "memcpy")]
    return Figure("ladder", "The ladder", "", "Bars of every ladder: each rung's share of the ceiling.", panels, key)


def count_text(value):
    return f"{value:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}") if value is not None else ""


def metric_text(name, value):
    if value is None:
        return ""
    return number_text(value) if name.endswith("gbps") and value > 0 else count_text(value)


def source_columns(cell):
    """Those of the source's columns that some row fills."""
    columns = (("seconds", "time"), ("gbps", "GB/s"), ("load_gbps", "load"), ("store_gbps", "store"))
    return [(name, title) for name, title in columns
            if any(source_text(name, cell, row) for row in cell.rows)]


def source_text(name, cell, row):
    value = results.positive(results.members(row, "source"), name)
    if name == "gbps" and value is None:
        value = source_gbps(cell, row)
        return f"\N{ALMOST EQUAL TO} {number_text(value)}" if value else ""
    if value is None:
        return ""
    return seconds_text(value) if name == "seconds" else number_text(value)


def notes_of(row):
    return [note for note in note_text(row).split("; ") if note]


def common_notes(cell):
    """What every timed row says, to be said once: a drift of the ceiling, mostly."""
    timed = [notes_of(row) for row in cell.rows if results.positive(row, "median_s")]
    return [note for note in (timed[0] if len(timed) > 1 else []) if all(note in notes for notes in timed)]


def ladder_table(cell):
    """Times and rates as HTML: the source's, then ours."""
    source, common = source_columns(cell), common_notes(cell)
    unit = "TFLOP/s" if any(results.positive(row, "tflops") for row in cell.rows) else "GB/s"
    groups = ['<th colspan="2">']
    head = ["<th>rung<th>idea"]
    if source:
        groups.append(f'<th colspan="{len(source)}" class="group">the source')
        head += [f'<th class="n">{title}' for _, title in source]
    groups.append('<th colspan="6" class="group">here')
    head.append(f'<th class="n">median<th class="n">mean<th class="n">std dev<th class="n">{unit}<th class="n">of ceiling<th>checked')
    lines = [f"<thead><tr>{''.join(groups)}</tr><tr>{''.join(head)}</tr></thead><tbody>"]
    for row in in_order(cell):
        role = results.text(row, "role")
        words = [results.text(row, "idea") or results.text(row, "kernel")]
        words += [note for note in notes_of(row) if note not in common]
        idea = " \N{EM DASH} ".join(word for word in words if word)
        mark = f" <small>{role}</small>" if role in ("peer", "ceiling") else ""
        values = [f'<th scope=row>{html.escape(results.text(row, "implementation"))}{mark}',
                  f'<td class="idea">{html.escape(idea)}']
        values += [f'<td class="n src">{source_text(name, cell, row)}' for name, _ in source]
        values += [f'<td class="n">{value}' for value in (
            seconds_text(results.positive(row, "median_s")), seconds_text(results.positive(row, "mean_s")),
            seconds_text(results.positive(row, "stddev_s")), rate_text(row), ceiling_text(row))]
        values.append(f"<td>{verified_text(row, is_short=True)}")
        lines.append(cells_of_row(row, values))
    lines.append("</tbody>")
    said = "".join(f'<p class="source">All of these rows: {html.escape(note)}.</p>' for note in common)
    return f'<div class="wide"><table>{"".join(lines)}</table></div>{said}'


def profile_table(cell):
    """What the profiler and the launch say of each rung, as HTML; empty if nothing. Columns that are zero throughout stay out."""
    rows = [row for row in results.with_role(cell, "rung")]
    columns = [(member, name, title, group) for group, member, names in (("profiler", "metrics", METRICS), ("block", "block", BLOCK))
               for name, title in names if any(results.number(results.members(row, member), name) for row in rows)]
    if not columns:
        return ""
    counts = [(group, sum(column[3] == group for column in columns)) for group in ("profiler", "block")]
    groups = "".join(f'<th colspan="{count}" class="group">{group}' for group, count in counts if count)
    head = "".join(f'<th class="n">{title}' for _, _, title, _ in columns)
    lines = []
    for row in rows:
        values = "".join(f'<td class="n">{metric_text(name, results.number(results.members(row, member), name))}'
                         for member, name, _, _ in columns)
        lines.append(f'<tr><th scope=row>{html.escape(results.text(row, "implementation"))}{values}</tr>')
    return (f'<div class="wide"><table><thead><tr><th>{groups}</tr><tr><th>rung{head}</tr></thead><tbody>{"".join(lines)}</tbody>'
            "</table></div>")


def missing_metrics(cells):
    """Whether a GPU's ladder came without the profiler's figures."""
    rungs = [row for cell in cells for row in results.with_role(cell, "rung")]
    return bool(rungs) and not any(results.members(row, "metrics") for row in rungs)
