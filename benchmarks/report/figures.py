# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""What is drawn of a site: each function returns a Figure, or None where nothing was measured."""

import matplotlib.pyplot as plt
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import FuncFormatter, NullFormatter

from drawing import CEILING, INK, TYPES, XPOSE, Figure, colour_of, faint_grid, to_svg
from results import in_order, rate, square_side

WRAPPED = 3  # panels side by side


def good(rows):
    return [row for row in rows if row["verified"] and row["median_s"]]


def finish(site, figure, kind, title, caption):
    name = f"{site.slug()}-{kind}"
    return Figure(name, title, caption, to_svg(figure, name))


def plain_log(axis, values):
    """Numbers instead of powers, and some between the powers of ten where there are few of those."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    is_short = max(values) / min(values) < 30
    axis.set_minor_formatter(FuncFormatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else "")
                             if is_short else NullFormatter())


def panels(count, height=2.9):
    across = min(count, WRAPPED)
    down = (count + across - 1) // across
    figure, axes = plt.subplots(down, across, figsize=(3.9 * across, height * down), squeeze=False, layout="constrained")
    flat = list(axes.flat)
    for unused in flat[count:]:
        unused.set_visible(False)
    return figure, flat[:count]


def against_size(site, operation, kind, title, unit, caption):
    """Rates of squares against their side: a panel for each type."""
    rows = [row for row in good(site.of(operation)) if square_side(row)]
    types = in_order(row["type"] for row in rows)
    if not types:
        return None
    figure, axes = panels(len(types))
    seen = {}
    for panel, name in zip(axes, types):
        of_type = [row for row in rows if row["type"] == name]
        for who in sorted(in_order(row["implementation"] for row in of_type), key=lambda w: w == "xpose"):
            points = sorted((square_side(row), rate(row)) for row in of_type if row["implementation"] == who)
            row = next(row for row in of_type if row["implementation"] == who)
            is_xpose, is_ceiling = row["role"] == "xpose", row["role"] == "ceiling"
            line, = panel.plot(*zip(*points), color=colour_of(row), linestyle="--" if is_ceiling else "-",
                               marker="o" if is_xpose else None, markersize=4, linewidth=2.6 if is_xpose else 1.4)
            seen.setdefault(who, line)
        panel.set_title(name)
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        panel.xaxis.set_major_formatter(FuncFormatter(lambda side, _: f"{side:g}"))
        plain_log(panel.yaxis, [rate(row) for row in of_type])
        faint_grid(panel)
    axes[0].set_ylabel(unit)
    figure.legend(seen.values(), seen.keys(), loc="upper center", bbox_to_anchor=(0.5, 0), ncols=min(len(seen), 6))
    return finish(site, figure, kind, title, caption)


def case_name(row):
    return row["shape"] + ("" if row["layout"] in ("packed", "NN") else " " + row["layout"])


def ceiling_map(site, operation, kind, title):
    """Ratio to the ceiling: types across, cases down."""
    rows = [row for row in good(site.of(operation, "xpose")) if row["ratio_to_ceiling"]]
    types, cases = in_order(row["type"] for row in rows), in_order(map(case_name, rows))
    if len(types) < 1 or len(cases) < 2:
        return None
    ratios = {(case_name(row), row["type"]): row["ratio_to_ceiling"] for row in rows}
    names = {row["ceiling_name"] for row in rows}
    figure, axes = plt.subplots(figsize=(3.2 + 0.85 * len(types), 0.8 + 0.3 * len(cases)), layout="constrained")
    colours = LinearSegmentedColormap.from_list("share", ["#b5403a", "#d9a441", "#3a9d5d"])
    grid = [[min(ratios.get((case, name), float("nan")), 1) for name in types] for case in cases]
    axes.imshow(grid, cmap=colours, vmin=0, vmax=1, aspect="auto")
    for y, case in enumerate(cases):
        for x, name in enumerate(types):
            if (case, name) in ratios:
                axes.text(x, y, f"{ratios[case, name]:.2f}", ha="center", va="center", color="#ffffff", fontsize=9)
    axes.set_xticks(range(len(types)), types)
    axes.set_yticks(range(len(cases)), cases)
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return finish(site, figure, kind, title,
                  f"xpose's share of the ceiling measured in the same rounds ({', '.join(sorted(names))}). 1 is the ceiling.")


def peer_ratios(site, operation, kind, title):
    """xpose's rate over that of the fastest verified peer: cases down, a mark for each type."""
    rows = [row for row in good(site.of(operation, "xpose")) if row.get("ratio_to_best_peer")]
    if not rows:
        return None
    has_peer = set(map(case_name, rows))
    cases = [case for case in in_order(map(case_name, site.of(operation, "xpose"))) if case in has_peer]
    types = in_order(row["type"] for row in rows)
    figure, axes = plt.subplots(figsize=(9, 1.1 + 0.3 * len(cases)), layout="constrained")
    step = 0.7 / len(types)
    for t, name in enumerate(types):
        of_type = [row for row in rows if row["type"] == name]
        heights = [cases.index(case_name(row)) + (t + 0.5) * step - 0.35 for row in of_type]
        values = [row["ratio_to_best_peer"] for row in of_type]
        # Bars grow from 1: to the right xpose is faster, to the left a peer is.
        axes.barh(heights, [value - 1 for value in values], left=1, height=step * 0.85, color=TYPES[t % len(TYPES)],
                  label=name)
    axes.axvline(1, color=INK, linewidth=1.2)
    axes.set_xscale("log")
    plain_log(axes.xaxis, [row["ratio_to_best_peer"] for row in rows] + [1])
    axes.set_yticks(range(len(cases)), cases)
    axes.set_ylim(len(cases) - 0.5, -0.5)
    axes.set_xlabel("rate of xpose over that of the fastest peer (right of 1: xpose is faster)")
    faint_grid(axes, "x")
    figure.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncols=min(len(types), 9))
    return finish(site, figure, kind, title, "Each case against the fastest verified peer that has it.")


def roofline(site):
    """gemm: rates against operations a byte, below the measured copy and arithmetic ceilings."""
    rows = [row for row in good(site.of("gemm")) if row.get("bytes")]
    points = [row for row in rows if row["role"] in ("xpose", "peer")]
    copies = [row["gbps"] for row in good(site.of("copy", "ceiling") + site.of("transpose", "ceiling"))
              if row["cache"] == "beyond"]
    if not points or not copies:
        return None
    bandwidth = max(copies) * 1e9
    types = in_order(row["type"] for row in points)
    figure, axes = panels(len(types))
    for panel, name in zip(axes, types):
        of_type = [row for row in points if row["type"] == name]
        peak = max(row["ceiling"] for row in rows if row["type"] == name and row["ceiling"])
        operations = 8 if name in ("c64", "c128") else 2

        def intensity(row):
            batch, _, extents = row["shape"].rpartition("*")
            m, n, k = map(int, extents.split("x"))
            return operations * int(batch or 1) * m * n * k / row["bytes"]

        low, high = min(map(intensity, of_type)) / 2, max(map(intensity, of_type)) * 2
        ridge = min(max(peak * 1e12 / bandwidth, low), high)
        panel.plot([low, ridge, high], [low * bandwidth / 1e12, min(peak, ridge * bandwidth / 1e12), peak],
                   color=CEILING, linestyle="--")
        for role, colour, size in (("peer", "#3a86c8", 10), ("xpose", XPOSE, 22)):
            chosen = [row for row in of_type if row["role"] == role]
            panel.scatter([intensity(row) for row in chosen], [rate(row) for row in chosen], s=size, color=colour,
                          label=role if role == "xpose" else "peers", zorder=3)
        panel.set(title=name, xscale="log", yscale="log")
        plain_log(panel.xaxis, [low, high])
        plain_log(panel.yaxis, [rate(row) for row in of_type] + [peak])
        faint_grid(panel)
    axes[0].set_ylabel("TFLOP/s")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=2)
    return finish(site, figure, "gemm-roofline", "gemm below its roofline",
                  "Rate against operations for each byte that must be moved. Dashed: the copy bandwidth and the "
                  "arithmetic ceiling measured here.")


def ladder(site):
    """A panel of bars for each table of the source material."""
    rows = good(site.of("ladder"))
    tables = [name for name in in_order(row["table"] for row in rows)]
    if not tables:
        return None
    count = max(sum(row["table"] == name for row in rows) for name in tables)
    figure, axes = plt.subplots((len(tables) + 1) // 2, 2, figsize=(12, 0.27 * count * ((len(tables) + 1) // 2) + 1),
                                squeeze=False, layout="constrained")
    flat = list(axes.flat)
    for unused in flat[len(tables):]:
        unused.set_visible(False)
    for panel, name in zip(flat, tables):
        of_table = [row for row in rows if row["table"] == name and rate(row)]
        of_table = [row for row in of_table if row["implementation"] != "fma_peak"]
        names = [row["implementation"] for row in of_table]
        colours = ["#6f8fb0" if row["role"] == "rung" else colour_of(row) for row in of_table]
        panel.barh(range(len(names)), [rate(row) for row in of_table], color=colours, height=0.72)
        panel.set_yticks(range(len(names)), names, fontsize=9)
        panel.set_ylim(count - 0.4, -0.6)
        panel.set_title(f"{name}: {of_table[0]['shape']} {of_table[0]['type']}")
        panel.set_xlabel("TFLOP/s" if "tflops" in of_table[0] else "GB/s")
        faint_grid(panel, "x")
    return finish(site, figure, "ladder", "The ladder", "From the source material's first kernels to xpose (red), the "
                  "peers, and the ceilings (grey), each table at the shape it names.")


def of_site(site):
    drawn = [
        against_size(site, "copy", "copy-bandwidth", "Copies: what the memory allows", "GB/s",
                     "Bytes read and written a second, by the side of a square."),
        against_size(site, "transpose", "transpose-bandwidth", "Transpose against size", "GB/s",
                     "Bytes read and written a second, by the side of a packed square. Dashed: the ceilings."),
        ceiling_map(site, "transpose", "transpose-share", "Transpose: share of the ceiling"),
        peer_ratios(site, "transpose", "transpose-peers", "Transpose against the fastest peer"),
        against_size(site, "gemm", "gemm-rate", "gemm against size", "TFLOP/s",
                     "Operations a second of square products. Dashed: arithmetic on registers alone."),
        ceiling_map(site, "gemm", "gemm-share", "gemm: share of the ceiling"),
        peer_ratios(site, "gemm", "gemm-peers", "gemm against the fastest peer"),
        roofline(site),
        ladder(site),
    ]
    return [figure for figure in drawn if figure]
