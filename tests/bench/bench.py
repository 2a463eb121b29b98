# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose-bench as the tests run it."""

import json
import os
import subprocess

BINARY = os.environ["XPOSE_BENCH"]
MISBEHAVING = os.environ["XPOSE_MISBEHAVING"]
QUICK = ["--repeat", "3", "--warmup", "1", "--seconds", "0.01"]


def run(*arguments, environment=None):
    """The finished process, its output as text."""
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **(environment or {})})


def rows_of(path):
    """The run's description and its rows: one JSON object a line."""
    with open(path, encoding="utf-8") as file:
        objects = [json.loads(line) for line in file]
    return objects[0], objects[1:]
