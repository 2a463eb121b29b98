# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Result files of xpose-bench, read into sections (one machine, policy and number of threads each) of cells (one problem,
measured by every candidate in the same rounds)."""

import json
import math
import re
from dataclasses import dataclass, field

# Nothing that XML forbids gets into a figure or the page.
FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Suites whose cases are drawn from a seed, or from models: what they say holds beyond the shapes that somebody chose.
RANDOM_SUITES = ("random", "small", "model", "random-inplace", "random-cast")


class Refused(Exception):
    """What is wrong with the input, for the user, in one line."""


@dataclass
class Cell:
    """The rows of one problem. shape and layout are as in the file."""
    operation: str
    table: str
    type: str
    shape: str
    layout: str
    suite: str  # with seed and case of the random suites alone: the same shape in two named suites is one cell
    seed: str
    case: str
    state: str  # "cold", "warm", "written"; empty in files from before there were states
    run: dict
    rows: list = field(default_factory=list)


@dataclass
class Section:
    """What one machine did under one policy."""
    device: str
    policy: str
    threads: int
    runs: list = field(default_factory=list)
    cells: dict = field(default_factory=dict)  # of the named suites, and of shapes given by hand
    random_cells: dict = field(default_factory=dict)
    repeated_cells: int = 0

    def every_cell(self):
        return [*self.random_cells.values(), *self.cells.values()]


def number(row, member):
    """A finite number, or None."""
    value = row.get(member)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        value = float(value)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None


def positive(row, member):
    value = number(row, member)
    return value if value is not None and value > 0 else None


def text(row, member):
    """A string, or its JSON if it is something else; empty if absent."""
    value = row.get(member)
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def members(row, member):
    """An object, or an empty one."""
    value = row.get(member)
    return value if isinstance(value, dict) else {}


def rate(row):
    """GB/s or TFLOP/s of the median, or None."""
    return positive(row, "gbps") or positive(row, "tflops")


def is_good(row):
    """Timed, and right."""
    return row.get("verified") is True and positive(row, "median_s") is not None and rate(row) is not None


def ceiling_share(row):
    """xpose's rate over its ceiling's; None without a ceiling, or where the row is faster: then it was none."""
    ratio = positive(row, "ratio_to_ceiling")
    return ratio if ratio is not None and ratio <= 1 else None


def over_ceiling(row):
    """The ratio to a ceiling that was none, or None."""
    ratio = positive(row, "ratio_to_ceiling")
    return ratio if ratio is not None and ratio > 1 else None


def with_role(cell, role):
    return [row for row in cell.rows if text(row, "role") == role]


def xpose_row(cell):
    """xpose's verified row, or None."""
    return next((row for row in with_role(cell, "xpose") if is_good(row)), None)


def state_of(cell):
    """"cold", "warm" or "written"; where a file has no states, the cache says the first two."""
    by_cache = {"beyond": "cold", "resident": "warm"}
    return cell.state or next((by_cache[text(row, "cache")] for row in cell.rows if text(row, "cache") in by_cache), "")


def by_ratio(cell):
    """Where xpose loses first; after the cells with a peer those without, the lowest share of the ceiling first."""
    row = xpose_row(cell) or {}
    ratio = positive(row, "ratio_to_best_peer")
    return ratio is None, ratio or positive(row, "ratio_to_ceiling") or math.inf


def cells_of(section, operation):
    return [cell for cell in section.cells.values() if cell.operation == operation]


def clean(value):
    """The value without characters that no page may hold."""
    if isinstance(value, str):
        return FORBIDDEN.sub(" ", value)
    if isinstance(value, list):
        return [clean(each) for each in value]
    if isinstance(value, dict):
        return {clean(name): clean(each) for name, each in value.items()}
    return value


def objects_of(path):
    """The objects of a file, one a line."""
    try:
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
    except OSError as error:
        raise Refused(f"{path}: {error.strerror or error}") from None
    for index, line in enumerate(lines, 1):
        if not line.strip():
            continue
        refused = f"{path}:{index}: not a result"
        try:
            value = clean(json.loads(line.decode("utf-8")))
        except UnicodeDecodeError:
            raise Refused(f"{refused}: not UTF-8") from None
        except (ValueError, RecursionError) as error:
            reason = f": {error.msg}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
            raise Refused(f"{refused}: not JSON{reason}") from None
        if not isinstance(value, dict) or not isinstance(value.get("operation"), str):
            raise Refused(f'{refused}: expected an object with a string "operation"')
        yield value


def threads_of(row):
    count = number(row, "threads")
    return int(count) if count is not None else 0


def section_of(row, run, sections):
    """A row that failed before it met a machine is its run's. A peer or ceiling on other threads stays beside xpose."""
    device = text(row, "device") or text(run, "device") or "unknown machine"
    policy = text(row, "policy") or text(run, "policy")
    run_threads = threads_of(run) if policy == text(run, "policy") else 0
    threads = threads_of(row) or run_threads
    if text(row, "role") in ("peer", "ceiling") and run_threads:
        threads = run_threads
    key = (device, policy, threads)
    return sections.setdefault(key, Section(*key))


def is_random(row):
    return text(row, "suite") in RANDOM_SUITES


def cell_key(row):
    drawn = [text(row, name) if is_random(row) else "" for name in ("suite", "seed", "case")]
    return (*(text(row, name) for name in ("operation", "table", "type", "shape", "layout")), *drawn, text(row, "state"))


def keep_latest(section, attempts):
    """A cell that several runs measured is the latest run's, whole: ratios hold within a run."""
    for key, cells in attempts.items():
        latest = max(reversed(list(cells.values())), key=lambda cell: text(cell.run, "date"))
        (section.random_cells if latest.suite else section.cells)[key] = latest
        section.repeated_cells += len(cells) - 1


def read_sections(paths):
    """The sections of all files, in the order in which they first appear. Throws Refused."""
    sections = {}
    attempts = {}  # of each section: of each cell: of each run
    for path in paths:
        run = {}
        run_of_policy = {}
        for value in objects_of(path):
            if value["operation"] == "run":
                run = run_of_policy[text(value, "policy")] = value
                continue
            its_run = run_of_policy.get(text(value, "policy"), run)
            section = section_of(value, its_run, sections)
            if its_run and its_run not in section.runs:
                section.runs.append(its_run)
            key = cell_key(value)
            cells = attempts.setdefault(id(section), {}).setdefault(key, {})
            cells.setdefault(id(its_run), Cell(*key, its_run)).rows.append(value)
    if not attempts:
        raise Refused(f"{', '.join(map(str, paths))}: no rows, so there is nothing to report")
    for section in sections.values():
        keep_latest(section, attempts[id(section)])
    return list(sections.values())
