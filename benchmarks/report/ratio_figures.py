# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Ratios: to the ceiling as a heat map of types and shapes, to the best peer as bars from 1."""

from matplotlib.patches import Rectangle
from matplotlib.ticker import NullLocator

import palette
import results
import shapes
import spread
from figure import Figure, Panel, clipped
from size_figures import number_text, plain_log_axis


def share_text(share):
    """Two decimals, three where two say little."""
    if share >= 9.995:
        return number_text(share)
    return f"{share:.2f}" if share >= 0.095 else f"{share:.3f}"


def place_of(cell):
    return cell.shape, cell.layout, cell.state


def problems_of(cells):
    """One cell for each shape, layout and state, in the order of the figures, and all of them by (type, place)."""
    by_place = {(cell.type, place_of(cell)): cell for cell in cells}
    firsts = {}
    for cell in cells:
        firsts.setdefault(place_of(cell), cell)
    return sorted(firsts.values(), key=shapes.shape_order), by_place


def labels_of(problems):
    """Short ones where they stay distinct."""
    short = [shapes.label(cell) for cell in problems]
    return [clipped(f"{shapes.shape_text(cell)} {cell.layout}" if short.count(words) > 1 else words, 36)
            for cell, words in zip(problems, short)]


def paint_heat(problems, by_place, types):
    def paint(axes):
        y, kind, places = 0.0, None, []
        for problem in problems:
            if shapes.kind(problem) != kind:
                kind = shapes.kind(problem)
                axes.text(-0.5, y + 0.62, kind, fontsize=8.5, color=palette.light("muted"), va="center")
                y += 1.05
            places.append(y + 0.5)
            for x, type_name in enumerate(types):
                paint_share(axes, x, y, by_place.get((type_name, place_of(problem))))
            y += 1
        axes.set_xlim(-0.5, len(types) - 0.5)
        axes.set_ylim(y, 0)
        axes.set_xticks(range(len(types)), [clipped(name, 14) for name in types], color=palette.light("ink"), fontsize=9.5 if len(types) < 9 else 8.5)
        axes.xaxis.tick_top()
        axes.set_yticks(places, labels_of(problems))
        for spine in axes.spines.values():
            spine.set_visible(False)
    return paint


def paint_share(axes, x, y, cell):
    row = cell and results.xpose_row(cell)
    share = row and results.ceiling_share(row)
    if row and results.over_ceiling(row):
        axes.text(x, y + 0.53, f"({share_text(results.over_ceiling(row))})", ha="center", va="center", fontsize=8.5,
                  color=palette.light("muted"))
    elif share:
        colour, ink = palette.heat(share)
        axes.add_patch(Rectangle((x - 0.48, y + 0.04), 0.96, 0.92, facecolor=palette.light(colour), linewidth=0))
        axes.text(x, y + 0.53, share_text(share), ha="center", va="center", fontsize=9.5, color=palette.light(ink))
    elif cell and results.with_role(cell, "xpose"):
        words = "failed" if not any(is_skipped(row) for row in results.with_role(cell, "xpose")) else "skipped"
        if row:
            words = "no ceiling"
        axes.text(x, y + 0.53, words, ha="center", va="center", fontsize=8.5,
                  color=palette.light("loss" if words == "failed" else "muted"))


def is_skipped(row):
    return results.text(row, "note").startswith("skipped")


def share_of_ceiling(cells, name, title, ceilings, is_gemm=False):
    measured = [cell for cell in spread.measured(cells) if results.positive(results.xpose_row(cell), "ratio_to_ceiling")]
    if not spread.ceiling_shares(measured):
        return None
    kept = {place_of(cell) for cell in measured}
    problems, by_place = problems_of([cell for cell in cells if place_of(cell) in kept])
    types = shapes.types_of(measured, is_gemm)
    kinds = len({shapes.kind(problem) for problem in problems})
    width = max(360, 150 + (74 if len(types) < 4 else 54) * len(types) + (30 if is_gemm else 0))
    panel = Panel("", width, round(40 + 20 * (len(problems) + 1.05 * kinds)), paint_heat(problems, by_place, types))
    return Figure(name, title, f"xpose's rate as a share of the ceiling in the same rounds ({ceilings}). The stronger the orange, the "
                  "closer. In brackets: xpose is faster than what was to be the ceiling, so there it is none. Columns are types, rows are shapes.",
                  f"{title}: a heat map of types and shapes.", [panel], [], columns=1)


def bars_of(cells):
    """(cell, ratio, peer) where both xpose and a peer were measured; where xpose loses first."""
    bars = []
    for cell in sorted(sorted(cells, key=shapes.shape_order), key=results.by_ratio):
        row = results.xpose_row(cell)
        ratio = row and results.positive(row, "ratio_to_best_peer")
        if ratio:
            bars.append((cell, ratio, results.text(row, "best_peer")))
    return bars


def paint_bars(bars, lowest, highest):
    def paint(axes):
        labels = labels_of([cell for cell, _, _ in bars])
        for y, (_, ratio, peer) in enumerate(bars):
            colour = palette.light("accent" if ratio >= 1 else "loss")
            axes.barh(y, ratio - 1, left=1, height=0.66, color=colour, linewidth=0)
            axes.text(1.02, y, f"{share_text(ratio)} {clipped(peer, 12)}", transform=axes.get_yaxis_transform(), va="center", fontsize=9,
                      color=palette.light("ink" if ratio >= 1 else "loss"))
        axes.set_xscale("log")
        axes.set_xlim(lowest, highest)
        plain_log_axis(axes.xaxis, lowest, highest)
        axes.axvline(1, color=palette.light("ink"), linewidth=1)
        axes.set_ylim(len(bars) - 0.4, -0.6)
        axes.set_yticks(range(len(bars)), labels)
        axes.yaxis.set_minor_locator(NullLocator())
        axes.grid(axis="x")
        axes.spines["left"].set_visible(False)
    return paint


def ratio_to_best_peer(cells, name, title, is_gemm=False):
    groups = {type_name: bars_of([cell for cell in cells if cell.type == type_name])
              for type_name in shapes.types_of(cells, is_gemm)}
    groups = {type_name: bars for type_name, bars in groups.items() if bars}
    if not groups:
        return None
    ratios = [ratio for bars in groups.values() for _, ratio, _ in bars]
    lowest, highest = min(min(ratios) / 1.15, 0.7), max(max(ratios) * 1.15, 1.4)
    panels = [Panel(type_name, 360, 62 + 17 * len(bars), paint_bars(bars, lowest, highest)) for type_name, bars in groups.items()]
    key = [("xpose is faster", "accent", "bar"), ("the best peer is faster", "loss", "bar")]
    return Figure(name, title, "xpose's rate over that of the fastest verified peer of the cell, which is named beside the ratio; the slowest first. The "
                  "axis is logarithmic and the same in all panels; bars start at 1, where both are equally fast.",
                  f"{title}: bars by shape; to the right of 1 xpose is faster, to the left the best peer.", panels, key)
