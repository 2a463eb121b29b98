# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Numbers and rows as the page writes them. Whatever comes from a file is escaped here or by who calls."""

import html

import results
from size_figures import number_text

TIMES, CROSS, CHECK = "\N{MULTIPLICATION SIGN}", "\N{BALLOT X}", "\N{CHECK MARK}"


def seconds_text(seconds):
    if seconds is None:
        return ""
    for scale, unit in ((1e-6, "ns"), (1e-3, "\N{MICRO SIGN}s"), (1, "ms")):
        if seconds < scale:
            return f"{number_text(seconds / scale * 1e3)} {unit}"
    return f"{number_text(seconds)} s"


def rate_text(row):
    rate = results.rate(row)
    return number_text(rate) if rate is not None else ""


def ratio_text(ratio):
    if ratio is None:
        return ""
    return f"{ratio:.3f}" if ratio < 9.9995 else number_text(ratio)


def ceiling_text(row):
    """The row's share of its ceiling. What the row exceeds is no ceiling, and is not shown as one."""
    over = results.over_ceiling(row)
    return f"not a ceiling here ({over:.2f})" if over else ratio_text(results.ceiling_share(row))


def spread_text(row):
    """The standard deviation as a share of the mean."""
    spread, mean = results.number(row, "stddev_s"), results.positive(row, "mean_s")
    return f"{100 * spread / mean:.1f} %" if spread is not None and mean else ""


def note_text(row):
    return results.text(row, "note")


def verified_text(row, is_short=False):
    if row.get("verified") is True:
        by = html.escape(results.text(row, "verified_by"), quote=True)
        if is_short:
            return f'<span class="ok" title="{by}">{CHECK}</span>'
        return f'<span class="ok" title="{by}">{CHECK}<span class="by"> {by}</span></span>'
    return f'<span class="bad">{CROSS} not verified</span>' if results.positive(row, "median_s") else \
        f'<span class="bad">{CROSS} not measured</span>'


def cells_of_row(row, values):
    """A row of a table, marked by what it is."""
    kinds = [results.text(row, "role")] if results.text(row, "role") in ("xpose", "ceiling", "peer", "rung") else []
    if not results.is_good(row):
        kinds.append("failed")
    return f'<tr class="{" ".join(kinds)}">{"".join(values)}</tr>' if kinds else f'<tr>{"".join(values)}</tr>'
