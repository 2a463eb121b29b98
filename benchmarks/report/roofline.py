# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The roofline of products: rate against arithmetic intensity, under the measured copy bandwidth and the arithmetic ceilings."""

import statistics

from matplotlib.ticker import NullLocator

import palette
import results
import shapes
from figure import Figure, Panel
from size_figures import number_text, plain_log_axis

COPIES = ("copy", "transpose", "transpose_inplace")


def copy_bandwidth(section):
    """GB/s beyond the last-level cache: the median over all cells of the faster copy; None if no copy was measured."""
    fastest = []
    for cell in section.cells.values():
        rates = [results.positive(row, "gbps") for row in results.with_role(cell, "ceiling")
                 if results.is_good(row) and row.get("cache") == "beyond" and results.positive(row, "gbps")]
        if rates and (cell.operation in COPIES or cell.operation == "ladder"):
            fastest.append(max(rates))
    return statistics.median(fastest) if fastest else None


def intensity(cell, row):
    """Operations for each byte that must move, or None."""
    moved = results.positive(row, "bytes") or shapes.gemm_bytes(cell)
    seconds, tflops = results.positive(row, "median_s"), results.positive(row, "tflops")
    return tflops * 1e12 * seconds / moved if moved and seconds and tflops else None


def arithmetic_ceilings(cells):
    """{name: TFLOP/s}: bare arithmetic, and the vendor's library where it is the ceiling; the fastest measured."""
    ceilings = {}
    for cell in cells:
        for row in results.with_role(cell, "ceiling"):
            if results.is_good(row) and results.positive(row, "tflops"):
                name = results.text(row, "implementation")
                ceilings.setdefault(name, []).append(results.rate(row))
    tops = {name: statistics.median(rates) for name, rates in ceilings.items()}
    for cell in cells:
        for row in results.with_role(cell, "peer"):
            name = results.text(row, "implementation")
            if results.is_good(row) and name.startswith("cublas") and results.text(row, "ceiling_name") == name:
                tops["best " + name] = max(tops.get("best " + name, 0), results.rate(row))
    return tops


def points_of(cells):
    """(intensity, rate of xpose, is beyond the cache, (peer, its rate) or None)."""
    points = []
    for cell in cells:
        row = results.xpose_row(cell)
        place = row and intensity(cell, row)
        if not place:
            continue
        best = results.text(row, "best_peer")
        ratio = results.positive(row, "ratio_to_best_peer")
        peer = (best, results.rate(row) / ratio) if best and ratio else None
        points.append((place, results.rate(row), row.get("cache") != "resident", peer))
    return points


def paint_roofline(points, ceilings, bandwidth):
    def paint(axes):
        grey = palette.light("ceiling")
        rates = [rate for _, rate, _, _ in points] + [peer[1] for *_, peer in points if peer] + list(ceilings.values())
        left, right = min(point[0] for point in points) / 2, max(point[0] for point in points) * 2
        bottom, top = min(rates) / 1.8, max(rates) * 2.2
        peak = max(ceilings.values(), default=None)
        for name, ceiling in ceilings.items():
            start = max(left, ceiling * 1e3 / bandwidth) if bandwidth else left
            if start < right:
                axes.plot([start, right], [ceiling, ceiling], color=grey, linewidth=1.4, dashes=palette.dashes_of(name))
        if ceilings:
            shown = ", ".join(f"{name} {number_text(value)}" for name, value in ceilings.items())
            axes.text(0.985, 0.985, shown, transform=axes.transAxes, ha="right", va="top", fontsize=8.5,
                      color=palette.light("muted"))
        if bandwidth:
            end = min(right, peak * 1e3 / bandwidth) if peak else right
            if end > left:
                axes.plot([left, end], [left * bandwidth / 1e3, end * bandwidth / 1e3], color=grey, linewidth=1.4,
                          dashes=palette.dashes_of("memcpy"))
        for place, rate, is_beyond, peer in points:
            if peer:
                axes.plot([place, place], [rate, peer[1]], color=palette.light("line"), linewidth=1.2, zorder=1)
                colour = palette.light(palette.name_of(peer[0], "peer"))
                axes.plot(place, peer[1], palette.marker_of(peer[0]), color=colour, markersize=4.6, zorder=2)
            accent = palette.light("accent")
            axes.plot(place, rate, "o", color=accent if is_beyond else "none", markeredgecolor=accent, markeredgewidth=1.5,
                      markersize=6, zorder=3)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(left, right)
        axes.set_ylim(bottom, top)
        plain_log_axis(axes.xaxis, left, right * 1000)
        plain_log_axis(axes.yaxis, bottom, top)
        axes.yaxis.set_minor_locator(NullLocator())
        axes.grid()
        axes.set_xlabel("operations for each byte")
        axes.set_ylabel("TFLOP/s")
    return paint


def roofline(section, cells):
    """None if no product of xpose was measured."""
    bandwidth = copy_bandwidth(section)
    panels, peers, kinds = [], set(), set()
    for type_name in shapes.types_of(cells, is_gemm=True):
        of_type = [cell for cell in cells if cell.type == type_name]
        points = points_of(of_type)
        if points:
            panels.append(Panel(type_name, 345, 270, paint_roofline(points, arithmetic_ceilings(of_type), bandwidth)))
            peers |= {peer[0] for *_, peer in points if peer}
            kinds |= {is_beyond for _, _, is_beyond, _ in points}
    if not panels:
        return None
    key = [("xpose", "accent", "dot", "xpose")] if True in kinds else []
    key += [("xpose, operands in the cache", "accent", "ring", "xpose")] if False in kinds else []
    key += [(f"{peer}, where it is the best peer", palette.name_of(peer, "peer"), "dot", peer) for peer in sorted(peers)]
    slope = (f"The slope is the copy bandwidth beyond the cache, {number_text(bandwidth)} GB/s read and written (the median over this "
             "page's cells)." if bandwidth else "No copy was measured beyond the cache, so there is no slope.")
    return Figure("gemm-roofline", "Roofline of products",
                  f"Each point is a shape; its peer hangs on the same vertical line. {slope} Level lines: the arithmetic ceilings, as "
                  "named at the top of each panel; fma_peak is plain vector arithmetic, no tensor cores. Operands in the cache may stand above the slope. Both axes are logarithmic.",
                  "Roofline: rate of products by arithmetic intensity under the measured ceilings.", panels, key,
                  columns=3 if len(panels) in (3, 5, 6, 9) else 2)
