# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Distributions of the random suites: the sorted ratios of each type as a step curve, a panel for each suite and state."""

import palette
import results
import shapes
import spread
from figure import Figure, Panel
from size_figures import number_text, plain_log_axis


def curves_of(cells, ratios_of, is_gemm):
    """Of each type: its sorted ratios."""
    curves = {}
    for type_name in shapes.types_of(cells, is_gemm):
        ratios = sorted(ratios_of([cell for cell in cells if cell.type == type_name]))
        if ratios:
            curves[type_name] = ratios
    return curves


def paint_curves(curves, lowest, highest, is_peer):
    def paint(axes):
        axes.set_yscale("log")
        axes.set_xlim(0, 100)
        axes.set_ylim(lowest, highest)
        if is_peer:
            axes.axhspan(lowest, 1, color=palette.light("band"), linewidth=0)
            axes.text(0.985, 0.02, "the best peer is faster", transform=axes.transAxes, ha="right",
                      va="bottom", fontsize=9, color=palette.light("loss"))
        axes.axhline(1, color=palette.light("ink" if is_peer else "accent"), linewidth=1.2)
        for type_name, ratios in curves.items():
            colour, dashes = palette.type_line(type_name)
            shares = [100 * index / len(ratios) for index in range(len(ratios) + 1)]
            axes.step(shares, [*ratios, ratios[-1]], where="post", color=palette.light(colour), linewidth=1.9,
                      **({"dashes": dashes} if dashes else {}))
        plain_log_axis(axes.yaxis, lowest, highest)
        axes.set_xticks((0, 10, 25, 50, 75, 100), ("0", "10 %", "25 %", "50 %", "75 %", "100 %"))
        axes.grid()
        axes.set_xlabel("share of the cells, slowest first")
    return paint


def distribution(cells, name, title, is_peer, is_gemm):
    """None if no cell has such a ratio."""
    def ratios_of(of_curve):
        return spread.ratios(of_curve, "ratio_to_best_peer") if is_peer else spread.ceiling_shares(of_curve)
    places = sorted({(cell.suite, results.state_of(cell)) for cell in cells})
    drawn = {}
    for suite, state in places:
        curves = curves_of([cell for cell in cells if (cell.suite, results.state_of(cell)) == (suite, state)], ratios_of, is_gemm)
        if curves:
            drawn[suite, state] = curves
    every = [ratio for curves in drawn.values() for ratios in curves.values() for ratio in ratios]
    if not every:
        return None
    types = shapes.types_of([cell for cell in cells if any(cell.type in curves for curves in drawn.values())], is_gemm)
    lowest = min(min(every) / 1.15, 0.45)  # there are always ticks at 0.5 and 1
    highest = max(max(every) * 1.15, 2.2) if is_peer else 1.06
    panels = [Panel(", ".join(filter(None, place)), 440, 300, paint_curves(curves, lowest, highest, is_peer))
              for place, curves in drawn.items()]
    key = [(type_name, colour, "curve", *dashes) for type_name in types for colour, *dashes in [palette.type_line(type_name)]]
    what = ("xpose's rate over the best peer's, sorted: the curve of a type stands at the share of its cells that are slower still. "
            "Above 1 xpose is faster." if is_peer else
            "xpose's rate as a share of the ceiling's, sorted; cells that exceed their ceiling are left out.")
    widest = number_text(max(every))
    return Figure(name, title, f"{what} The vertical axis is logarithmic and the same in all panels; the highest ratio is {widest}.",
                  f"{title}: a step curve of sorted ratios for each type.", panels, key)


def of_operation(cells, operation, title, name):
    """The operation's figures: over the best peer, then shares of the ceiling."""
    of_it = [cell for cell in spread.measured(cells) if cell.operation == operation]
    is_gemm = operation == "gemm"
    drawn = [distribution(of_it, f"random-{name}-peers", f"{title}, random shapes: over the best peer", True, is_gemm),
             distribution(of_it, f"random-{name}-share", f"{title}, random shapes: share of the ceiling", False, is_gemm)]
    return [figure for figure in drawn if figure]
