# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose-bench as the tests run it."""

import json
import os
import pathlib
import subprocess

BINARY = os.environ["XPOSE_BENCH"]
MISBEHAVING = os.environ["XPOSE_MISBEHAVING"]
QUICK = ["--repeat", "3", "--warmup", "1", "--seconds", "0.01"]
SLOWS_OPENBLAS = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def run(*arguments, environment=None):
    """The finished process, its output as text. Without the variables of a machine that the bench has notes about: a test that wants
    one names it in `environment`."""
    own = {name: value for name, value in os.environ.items() if name not in SLOWS_OPENBLAS}
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=300, env={**own, **(environment or {})})


def build_folder_with(folder, scripts=(), package=None):
    """The environment of a bench whose build folder is that one: with scripts of its own beside or instead of the peers in Python,
    and with the text of a package xpose, if any."""
    peers = pathlib.Path(folder, "benchmarks", "peers")
    peers.mkdir(parents=True)
    for name, text in scripts:
        (peers / name).write_text(text, encoding="utf-8")
    for script in pathlib.Path(BINARY).parent.joinpath("peers").glob("*.py"):
        if not (peers / script.name).exists():
            (peers / script.name).symlink_to(script.resolve())
    if package is not None:
        package_folder = pathlib.Path(folder, "python", "xpose")
        package_folder.mkdir(parents=True)
        (package_folder / "__init__.py").write_text(package, encoding="utf-8")
    return {"XPOSE_BENCH_PEERS": str(peers)}


def rows_of(path):
    """The run's description and its rows: one JSON object a line."""
    with open(path, encoding="utf-8") as file:
        objects = [json.loads(line) for line in file]
    return objects[0], objects[1:]
