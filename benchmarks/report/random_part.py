# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The top of the page: what the random suites say of a machine, as tables and figures. The shapes are drawn from a seed and not
chosen, so these numbers hold for a reader's own shapes as well."""

import html
import shlex

import machines
import results
import shapes
import spread
from figure import inline
from html_text import ceiling_text, ratio_text, seconds_text

CELLS_SHOWN = 10
COMMANDS = {"transpose_inplace": "transpose", "transpose_cast": "transpose", "copy_cast": "copy"}  # operation: subcommand


def operations_of(cells, names):
    """The measured operations, the one with the lowest mean over the best peer first, then those without a peer."""
    means = {}
    for cell in spread.measured(cells):
        means.setdefault(cell.operation, [])
    for operation in means:
        means[operation] = spread.geometric_mean(spread.ratios([cell for cell in cells if cell.operation == operation],
                                                               "ratio_to_best_peer"))
    order = list(names)
    return sorted(means, key=lambda name: (means[name] is None, means[name] or 0, order.index(name) if name in order else len(order)))


def share_text(share):
    return f"{100 * share:.0f} %"


def numbers(amount, is_peer):
    """Number of cells, mean, median, 10th percentile, and for a peer the share of cells ahead."""
    if amount is None:
        return '<td class="n">\N{EN DASH}' * (5 if is_peer else 4)
    parts = [f'<td class="n">{amount.count}']
    for value in (amount.mean, amount.median, amount.tenth):
        losing = " loss" if is_peer and value < 1 else ""
        parts.append(f'<td class="n{losing}">{ratio_text(value)}')
    if is_peer:
        parts.append(f'<td class="n{" loss" if amount.ahead < 0.5 else ""}">{share_text(amount.ahead)}')
    return "".join(parts)


def groups_table(cells):
    lines = []
    for group in spread.groups_of(cells):
        peer, ceiling = group.against_peer(), group.against_ceiling()
        lines.append(f'<tr><th scope=row>{html.escape(group.type)}<td>{html.escape(group.state)}<td>{html.escape(group.suite)}'
                     f'<td class="n">{len(group.cells)}{numbers(peer, True)}{numbers(ceiling, False)}'
                     f'<td class="n">{group.over_ceiling() or ""}</tr>')
    head = ('<tr><th colspan="4"><th colspan="5" class="group">over the best peer<th colspan="5" class="group">share of the ceiling</tr>'
            '<tr><th>type<th>state<th>suite<th class="n">cells<th class="n">cells<th class="n">mean<th class="n">median'
            '<th class="n">10th pct.<th class="n">\N{GREATER-THAN OR EQUAL TO} 1<th class="n">cells<th class="n">mean'
            '<th class="n">median<th class="n">10th pct.<th class="n">no ceiling')
    return f'<div class="wide"><table class="spread"><thead>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def reproduce(section, cell):
    """The command that measures the cell again."""
    words = ["xpose-bench", COMMANDS.get(cell.operation, cell.operation), "--policy", section.policy or "omp"]
    if section.policy == "omp" and section.threads:
        words += ["--threads", str(section.threads)]
    words += ["--suite", cell.suite]
    for option, value in (("--seed", cell.seed), ("--case", cell.case), ("--types", cell.type)):
        words += [option, value] if value else []
    return shlex.join(words)


def cell_lines(section, cells, names):
    """A list of cells: what each is, and under it how to measure it again and what ran."""
    has_peer = any(spread.ratios(cells, "ratio_to_best_peer"))
    lines = []
    for cell in cells:
        row = results.xpose_row(cell)
        ratio = results.positive(row, "ratio_to_best_peer")
        share = f'<td class="n">{ceiling_text(row)}'
        against = (f'<td class="n{" loss" if ratio and ratio < 1 else ""}">{ratio_text(ratio)}'
                   f'<td>{html.escape(results.text(row, "best_peer"))}') if has_peer else share
        lines.append(
            f'<tr class="cell">{against}<td>{html.escape(names.get(cell.operation, cell.operation))}'
            f'<th scope=row>{html.escape(cell.type)}<td>{html.escape(shapes.shape_text(cell))}<td>{html.escape(cell.layout)}'
            f'<td>{html.escape(results.text(row, "class"))}<td>{html.escape(results.state_of(cell))}'
            f'{share if has_peer else ""}<td class="n">{seconds_text(results.positive(row, "median_s"))}</tr>'
            f'<tr class="how"><td><td colspan="{9 if has_peer else 7}"><div><code>{html.escape(reproduce(section, cell))}</code>'
            f' <span class="kernel">{html.escape(results.text(row, "kernel"))}</span></div></tr>')
    share = '<th class="n">of ceiling'
    head = (f'{"<th class=n>ratio<th>best peer" if has_peer else share}<th>operation<th>type<th>shape<th>layout<th>class<th>state'
            f'{share if has_peer else ""}<th class="n">median')
    return f'<div class="wide"><table class="cells"><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def ahead_text(cells):
    """One sentence on all cells; then how many were left out of what."""
    amount = spread.spread(spread.ratios(cells, "ratio_to_best_peer"))
    failed = len(cells) - len(spread.measured(cells))
    words = []
    if amount:
        behind = amount.count - round(amount.ahead * amount.count)
        words.append(f"A peer is faster in {behind} of {amount.count} cells; the geometric mean of xpose's rate over the best peer's is "
                     f"{ratio_text(amount.mean)}.")
    words.append(spread.over_ceiling_text(cells))
    if failed:
        words.append(f"{failed} cell{'s' * (failed != 1)} of xpose failed or {'were' if failed != 1 else 'was'} skipped.")
    return f'<p>{" ".join(filter(None, words))}</p>' if any(words) else ""


def machine_part(section, figures, name, marks, names):
    """The random suites of a section as HTML; names are the operations' titles. Empty if none of it was measured."""
    cells = list(section.random_cells.values())
    if not spread.measured(cells):
        return ""
    parts = [f'<section class="random" id="{name}-random">', machines.heading(section, cells, marks, "random shapes"),
             ahead_text(cells)]
    for operation in operations_of(cells, names):
        of_operation = [cell for cell in cells if cell.operation == operation]
        parts.append(f"<h3>{html.escape(names.get(operation, operation))}</h3>{groups_table(of_operation)}")
        parts += [inline(figure, name) for figure in figures.get(("random", operation), [])]
    worst, best = spread.worst_and_best(cells, CELLS_SHOWN)
    if worst:
        parts.append(f'<h3 id="{name}-worst">Worst {number_word(len(worst))} against the best peer</h3>'
                     f"{cell_lines(section, worst, names)}")
    alone = spread.worst_alone(cells, CELLS_SHOWN)
    if alone:
        parts.append(f"<h3>Worst {number_word(len(alone))} without a peer, against the ceiling</h3>{cell_lines(section, alone, names)}")
    if best:
        parts.append(f"<details><summary>best {number_word(len(best))} against the best peer</summary>"
                     f"{cell_lines(section, best, names)}</details>")
    parts.append(machines.peers_table(section) + "</section>")
    return "".join(parts)


def number_word(count):
    return f"{'ten' if count == 10 else count} cell{'s' * (count != 1)}"
