# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Result files: one JSON object a line, a run's description and then its rows."""

import json
import math


class Refused(Exception):
    """What the user reads: one line."""


class Site:
    """Everything that was measured on one device under one policy with one number of threads."""

    def __init__(self, device, policy, threads):
        self.device, self.policy, self.threads = device, policy, threads
        self.runs, self.rows = [], []

    def name(self):
        return f"{self.device}, {self.policy}" + (f", {self.threads} threads" if self.threads else "")

    def slug(self):
        words = "".join(c.lower() if c.isalnum() else " " for c in f"{self.device} {self.policy}").split()
        return "-".join(words)

    def of(self, operation, role=None):
        return [row for row in self.rows if row["operation"] == operation and role in (None, row["role"])]


def read(files):
    """The sites of the files, in the order of their first row."""
    sites = {}
    for file in files:
        try:
            with open(file, encoding="utf-8") as stream:
                lines = stream.read().splitlines()
        except OSError as error:
            raise Refused(f"{file}: {error.strerror}") from None
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                item = json.loads(line)
                key = (item["device"], item["policy"], item["threads"])
                is_run = item["operation"] == "run"
                if not is_run:
                    item["implementation"], item["role"], item["median_s"]  # every row has them
            except (ValueError, KeyError, TypeError):
                raise Refused(f"{file}:{number}: not a result of xpose-bench") from None
            if not item["device"]:
                continue  # a case that was skipped before there was a device to name
            site = sites.setdefault(key, Site(*key))
            (site.runs if is_run else site.rows).append(item)
    found = [site for site in sites.values() if site.rows]
    if not found:
        raise Refused(f"{', '.join(files)}: no rows of a run")
    return found


def rate(row):
    """GB/s or TFLOP/s; None if it was not measured."""
    return row.get("tflops") if "tflops" in row else row.get("gbps")


def square_side(row):
    """Of a packed square matrix, or of a product of three such; else None."""
    if row["layout"] not in ("packed", "NN") or "*" in row["shape"]:
        return None
    extents = set(row["shape"].split("x"))
    return int(extents.pop()) if len(extents) == 1 else None


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def in_order(values):
    """Each once, in the order of their first appearance."""
    return list(dict.fromkeys(values))
