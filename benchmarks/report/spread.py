# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""What many ratios amount to, and the groups of cells that have one distribution each: a suite, an operation, a type, a state."""

import math
import statistics
from dataclasses import dataclass

import results
import shapes


@dataclass
class Spread:
    """Of ratios: tenth is the 10th percentile, between two ratios in proportion; ahead the share of 1 and more."""
    count: int
    mean: float
    median: float
    tenth: float
    ahead: float


@dataclass
class Group:
    """The measured cells of one distribution."""
    operation: str
    suite: str
    type: str
    state: str
    cells: list

    def against_peer(self):
        return spread(ratios(self.cells, "ratio_to_best_peer"))

    def against_ceiling(self):
        return spread(ceiling_shares(self.cells))

    def over_ceiling(self):
        return over_ceiling(self.cells)


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else None


def percentile(values, share):
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def spread(values):
    """None of nothing."""
    if not values:
        return None
    return Spread(len(values), geometric_mean(values), statistics.median(values), percentile(values, 0.1),
                  sum(value >= 1 for value in values) / len(values))


def measured(cells):
    return [cell for cell in cells if results.xpose_row(cell)]


def ratios(cells, member):
    """The ratios of xpose's verified rows, where they exist."""
    found = (results.positive(results.xpose_row(cell), member) for cell in measured(cells))
    return [ratio for ratio in found if ratio]


def ceiling_shares(cells):
    """xpose's shares of ceilings; what xpose exceeds is none, and left out."""
    found = (results.ceiling_share(results.xpose_row(cell)) for cell in measured(cells))
    return [share for share in found if share]


def over_ceiling(cells):
    """How many cells exceed their ceiling."""
    return sum(results.over_ceiling(results.xpose_row(cell)) is not None for cell in measured(cells))


def over_ceiling_text(cells):
    """That some cells exceed it, as a sentence; empty if none does."""
    count, every = over_ceiling(cells), len(measured(cells))
    if not count:
        return ""
    return (f"In {count} of {every} cells xpose is faster than what was to be the ceiling: not a ceiling there, and left out of the "
            "means of shares.")


def groups_of(cells):
    """Where xpose loses most first; groups without a peer last, the lowest share of the ceiling first."""
    of_key = {}
    for cell in measured(cells):
        key = (cell.operation, cell.suite, cell.type, results.state_of(cell))
        of_key.setdefault(key, []).append(cell)
    groups = [Group(*key, of_group) for key, of_group in of_key.items()]

    def place(group):
        peer, ceiling = group.against_peer(), group.against_ceiling()
        is_gemm = group.operation == "gemm"
        return (peer is None, peer.mean if peer else ceiling.mean if ceiling else math.inf, group.suite,
                shapes.type_order(group.type, is_gemm), group.state)
    return sorted(groups, key=place)


def worst_and_best(cells, count):
    """The cells with the lowest ratios to the best peer, and others where xpose wins, from the highest down."""
    compared = [cell for cell in measured(cells) if ratios([cell], "ratio_to_best_peer")]
    ordered = sorted(compared, key=results.by_ratio)
    best = [cell for cell in reversed(ordered[count:]) if results.by_ratio(cell)[1] >= 1]
    return ordered[:count], best[:count]


def worst_alone(cells, count):
    """Of the cells without a peer, those with the lowest shares of their ceiling; what exceeds it comes last."""
    alone = [cell for cell in measured(cells) if not ratios([cell], "ratio_to_best_peer")
             and results.positive(results.xpose_row(cell), "ratio_to_ceiling")]
    return sorted(alone, key=results.by_ratio)[:count]
