# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Rates against size, for transposes, copies, sums and products: a panel for each type, a line for each implementation."""

import math

from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

import palette
import results
import shapes
from figure import Figure, Panel


def number_text(value):
    """Three significant digits, no exponent."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}" if value >= 0.001 else f"{value:.1g}"


def plain_log_axis(axis, lowest, highest):
    """Ticks at 1, 2 and 5 if they are few, else at the decades."""
    decades = highest / lowest
    subs = (1, 2, 5) if decades < 120 else (1,) if decades > 3e4 else (1, 3)
    axis.set_major_locator(LogLocator(subs=subs, numticks=30))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def lines_of(cells):
    """Of (role, implementation): {cell's index: rate} of what is verified; ceilings first, xpose last and on top."""
    lines = {}
    for index, cell in enumerate(cells):
        for row in cell.rows:
            if results.is_good(row):
                name = (results.text(row, "role"), results.text(row, "implementation"))
                lines.setdefault(name, {})[index] = results.rate(row)
    order = ("ceiling", "rung", "peer", "alternative", "xpose")
    return dict(sorted(lines.items(), key=lambda line: (order.index(line[0][0]) if line[0][0] in order else 1, line[0][1])))


def moved_bytes(cell):
    """What a call reads and writes, or None."""
    for row in cell.rows:
        if results.is_good(row) and results.positive(row, "gbps"):
            return results.rate(row) * 1e9 * results.positive(row, "median_s")
    return shapes.gemm_bytes(cell)


def bytes_text(exponent):
    """Of 2 to that power."""
    unit = max(0, min(3, exponent // 10))
    return f"{2 ** (exponent - 10 * unit)} {('B', 'KiB', 'MiB', 'GiB')[unit]}"


def bytes_axis(axes, lowest, highest):
    """Logarithmic, five ticks or fewer at powers of two."""
    first, last = math.ceil(math.log2(lowest)), math.floor(math.log2(highest))
    step = next(step for step in (1, 2, 4, 5, 10, 60) if (last - first) // step < 5)
    ticks = [exponent for exponent in range(first, last + 1) if exponent % step == 0] or [first]
    axes.set_xscale("log")
    axes.set_xlim(lowest, highest)
    axes.set_xticks([2.0 ** exponent for exponent in ticks], [bytes_text(exponent) for exponent in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("bytes read and written")


def cached_until(cells, sizes, highest):
    """Where the sizes that stay in the cache end; None if none does. Halfway to the next size, on the axis."""
    cached = [size for cell, size in zip(cells, sizes) if any(row.get("cache") == "resident" for row in cell.rows)]
    if not cached:
        return None
    return math.sqrt(max(cached) * min([size for size in sizes if size > max(cached)], default=highest**2 / max(cached)))


def paint_lines(cells, unit, is_log):
    def paint(axes):
        lines = lines_of(cells)
        sizes = [moved_bytes(cell) for cell in cells]
        lowest, highest = min(sizes) / 1.6, max(sizes) * 1.6
        until = cached_until(cells, sizes, highest)
        if until:
            axes.axvspan(lowest, until, color=palette.light("band"), linewidth=0)
            axes.text(lowest * 1.1, 0.985, "in the cache", transform=axes.get_xaxis_transform(), va="top", fontsize=8.5,
                      color=palette.light("muted"))
        for (role, name), rates in lines.items():
            colour = palette.light(palette.name_of(name, role))
            xs, ys = [sizes[index] for index in rates], list(rates.values())
            if role == "ceiling":
                axes.plot(xs, ys, color=colour, linewidth=1.5, dashes=palette.dashes_of(name), marker="_" if len(xs) == 1 else None,
                          markersize=14)
            elif role == "xpose":
                axes.plot(xs, ys, color=colour, linewidth=2.6, marker="o", markersize=5.5, zorder=5)
            else:
                axes.plot(xs, ys, color=colour, linewidth=1.3, marker=palette.marker_of(name), markersize=4.5)
        bytes_axis(axes, lowest, highest)
        every = [rate for rates in lines.values() for rate in rates.values()]
        if is_log:
            axes.set_yscale("log")
            axes.set_ylim(min(every) / 1.35, max(every) * 1.7)
            plain_log_axis(axes.yaxis, min(every), max(every))
        else:
            axes.set_ylim(0, max(every) * 1.13)
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.grid(axis="y")
        axes.spines["left"].set_visible(False)
        axes.set_ylabel(unit)
    return paint


def key_of(groups):
    """One entry for each implementation in any panel: xpose, peers, ceilings."""
    names = {name for cells in groups for name in lines_of(cells)}
    kinds = {"xpose": "line", "alternative": "line", "peer": "line", "ceiling": "dash"}
    order = tuple(kinds)
    return [(name, palette.name_of(name, role), kinds[role], name)
            for role, name in sorted(names, key=lambda pair: (order.index(pair[0]) if pair[0] in order else 9, pair[1]))
            if role in kinds]


def rate_against_size(cells, name, title, what, unit, is_log, is_gemm=False):
    """None if no type has a plain square that was measured."""
    groups = {}
    for type_name in shapes.types_of(cells, is_gemm):
        squares = [cell for cell in cells if cell.type == type_name and shapes.is_plain_square(cell)
                   and any(results.is_good(row) for row in cell.rows) and moved_bytes(cell)]
        for state in sorted({cell.state for cell in squares}):
            of_state = [cell for cell in squares if cell.state == state]
            groups[", ".join(filter(None, (type_name, state)))] = sorted(of_state, key=moved_bytes)
    if not groups:
        return None
    panels = [Panel(title_of, 345, 245, paint_lines(squares, unit, is_log)) for title_of, squares in groups.items()]
    caption = (f"{what} of square packed matrices against the bytes that a call reads and writes, to scale; each panel is one type. "
               "Dashed: ceilings, measured in the same rounds. "
               + ("The vertical axis is logarithmic. " if is_log else "")
               + "Shaded: sizes that stay in the last-level cache.")
    return Figure(name, title, caption, f"{title}: lines of xpose, its peers and the ceilings by size.", panels,
                  key_of(groups.values()), columns=3 if len(panels) in (3, 5, 6, 9) else 2)
