# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Runs the xpose command on matrices from NumPy, on every policy, and compares each result with NumPy's.

usage: demo_matrices.py XPOSE_COMMAND FOLDER
"""

import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np

POLICIES = ("seq", "omp", "cuda", "automatic")

# Element type, order of the input file, order of the output file.
TRANSPOSES = (
    ("float32", "C", "C"),
    ("float32", "F", "C"),
    ("float64", "C", "F"),
    ("complex64", "F", "F"),
    ("float16", "C", "C"),
    ("int8", "F", "C"),
    ("uint8", "C", "C"),
    ("rgb", "C", "C"),
)
STRUCTURED = {"rgb": np.dtype([("r", "u1"), ("g", "u1"), ("b", "u1")])}

# Element type; rows, k and columns; further arguments of the command.
GEMMS = (
    ("float32", (1201, 809, 1103), {}),
    ("float32", (1201, 809, 1103), {"alpha": 1.5, "beta": -0.5, "transpose_a": True, "transpose_b": True}),
    ("float64", (1201, 809, 1103), {}),
    ("complex64", (701, 503, 607), {}),
    ("int8", (1201, 809, 1103), {}),
    ("float16", (701, 503, 607), {}),
)


def last_level_cache_bytes():
    sizes = [os.sysconf(name) for name in ("SC_LEVEL4_CACHE_SIZE", "SC_LEVEL3_CACHE_SIZE", "SC_LEVEL2_CACHE_SIZE")
             if name in os.sysconf_names]
    return max(sizes + [0])


def gpus():
    """Names of the GPUs that the driver lists."""
    try:
        done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return re.findall(r"^GPU \d+: (.*?)(?: \(UUID.*)?$", done.stdout, re.MULTILINE) if done.returncode == 0 else []


def transpose_bytes(folder):
    """Size of one matrix: twice the last-level cache, if the folder has room for a few of that size."""
    wanted = max(64 << 20, 2 * last_level_cache_bytes())
    return min(wanted, 1 << 30, shutil.disk_usage(folder).free // 8)


def run(command, operation, inputs, output, policy, options):
    """Runs the xpose command; returns what it reports as a dict, or None if it failed."""
    arguments = [command, operation, *inputs, output, "--policy", policy, "--json", *options]
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode != 0:
        sys.stderr.write(f"{' '.join(arguments)}\n  exit {done.returncode}: {done.stderr}\n")
        return None
    return json.loads(done.stdout)


def as_bytes(matrix):
    """The elements as bytes in a third dimension, so that NaNs and structures compare bit for bit."""
    packed = np.ascontiguousarray(matrix)
    return packed.view(np.uint8).reshape(*packed.shape, packed.dtype.itemsize)


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(as_bytes(a), as_bytes(b))


class Table:
    columns = ("operation", "dtype", "shape", "policy", "backend", "seconds", "equals NumPy")
    widths = (10, 18, 14, 10, 10, 9, 12)

    def __init__(self, cuda):
        """cuda: what `xpose info` says of that backend."""
        self.rows = []
        self.why_no_cuda = cuda.get("reason")
        # Files are host memory, so automatic is omp.
        self.backends = {"seq": "omp", "omp": "omp", "automatic": "omp",
                         "cuda": "cuda" if cuda["available"] else "omp"}

    def add(self, operation, dtype, shape, policy, report, is_equal):
        backend, seconds, verdict = "-", "-", "yes" if is_equal else "NO"
        if report is not None:
            backend, seconds = report["backend"], f"{report['seconds']:.4f}"
            if backend != self.backends[policy]:
                verdict = f"NO: expected {self.backends[policy]} to run"
        self.rows.append((operation, dtype, shape, policy, backend, seconds, verdict))
        sys.stderr.write(f"\r{len(self.rows)} results" if sys.stderr.isatty() else "")

    def print(self):
        sys.stderr.write("\r" if sys.stderr.isatty() else "")
        for row in (self.columns, tuple("-" * width for width in self.widths), *self.rows):
            print("  ".join(text.ljust(width) for text, width in zip(row, self.widths)).rstrip())
        print("seconds: the whole command, reading and writing files included")
        if self.why_no_cuda:
            print(f"policy cuda ran on omp here: {self.why_no_cuda}")

    def warn_of_idle_gpus(self, names):
        """Says in capitals that policy cuda did not run on a GPU, if this machine has one."""
        if not names or all(row[4] == "cuda" for row in self.rows if row[3] == "cuda"):
            return
        frame = "*" * 80
        print(f"\n{frame}\nCUDA DID NOT RUN ON A GPU, although this machine has {', '.join(names)}.")
        print(f"Why: {self.why_no_cuda or 'see the column backend'}")
        print(f"Is nvcc on PATH, and does it know this GPU (nvcc --list-gpu-arch)? See the summary of scripts/build.\n{frame}")

    def failures(self):
        return sum(row[-1] != "yes" for row in self.rows)


def transposes(command, folder, random, table):
    size = transpose_bytes(folder)
    for name, order, out_order in TRANSPOSES:
        dtype = STRUCTURED.get(name) or np.dtype(name)
        cols = 4001
        rows = size // (cols * dtype.itemsize) | 1
        # Any bytes: a transpose moves bits, those of NaNs too.
        matrix = np.frombuffer(random.bytes(rows * cols * dtype.itemsize), dtype).reshape((rows, cols), order=order)
        in_file, out_file = os.path.join(folder, "in.npy"), os.path.join(folder, "out.npy")
        np.save(in_file, matrix)
        expected = np.ascontiguousarray(matrix.T)
        for policy in POLICIES:
            report = run(command, "transpose", [in_file], out_file, policy, ["--order", out_order])
            is_equal = False
            if report is not None:
                out = np.load(out_file)
                is_order = out.flags.c_contiguous if out_order == "C" else out.flags.f_contiguous
                is_equal = is_order and same_bits(out, expected)
                os.remove(out_file)
            table.add("transpose", f"{name} {order} to {out_order}", f"{rows}x{cols}", policy, report, is_equal)
        os.remove(in_file)


def random_matrix(random, dtype, shape):
    if dtype.kind == "i":
        return random.integers(-128, 128, shape).astype(dtype)
    matrix = random.standard_normal(shape)
    if dtype.kind == "c":
        matrix = matrix + 1j * random.standard_normal(shape)
    return matrix.astype(dtype)


def gemm_error_bound(a, b, c, alpha, beta, dtype):
    """Largest difference that rounding explains: gamma_k |A||B| in the accumulate type (twice: NumPy rounds too),
    and the rounding of the stored result."""
    accumulate = np.finfo(np.float32 if dtype == np.float16 else dtype)
    unit = accumulate.eps / 2
    sums = a.shape[1] + 4
    if dtype.kind == "c":
        sums *= 2
    gamma = sums * unit / (1 - sums * unit)
    magnitude = abs(alpha) * (np.abs(a) @ np.abs(b)) + abs(beta) * np.abs(c)
    stored = np.finfo(dtype).eps / 2 if dtype == np.float16 else 0.0
    return (2 * gamma + stored * (1 + gamma)) * magnitude


def gemms(command, folder, random, table):
    for name, (rows, k_extent, cols), options in GEMMS:
        dtype = np.dtype(name)
        exact = dtype.kind == "i"
        wide = np.complex128 if dtype.kind == "c" else np.float64  # int8 sums are below 2^53, so exact in it
        alpha, beta = options.get("alpha", 1.0), options.get("beta", 0.0)
        a, b = random_matrix(random, dtype, (rows, k_extent)), random_matrix(random, dtype, (k_extent, cols))
        c = random_matrix(random, dtype, (rows, cols))
        files = [os.path.join(folder, f"{file}.npy") for file in ("a", "b", "c", "out")]
        np.save(files[0], a.T if options.get("transpose_a") else a)
        np.save(files[1], np.asfortranarray(b.T if options.get("transpose_b") else b))
        np.save(files[2], c)
        arguments = []
        if "alpha" in options:
            arguments += [f"--alpha={alpha}"]
        if "beta" in options:
            arguments += [f"--beta={beta}", "--c", files[2]]
        arguments += ["--transpose-a"] * options.get("transpose_a", False)
        arguments += ["--transpose-b"] * options.get("transpose_b", False)

        a, b, c = a.astype(wide), b.astype(wide), c.astype(wide)
        expected = alpha * (a @ b) + (beta * c if beta else 0.0)
        bound = 0.0 if exact else gemm_error_bound(a, b, c, alpha, beta, dtype)
        for policy in POLICIES:
            report = run(command, "gemm", files[:2], files[3], policy, arguments)
            is_equal = False
            if report is not None:
                out = np.load(files[3])
                is_equal = out.shape == expected.shape and bool(np.all(np.abs(out.astype(wide) - expected) <= bound))
                os.remove(files[3])
            scaled = " alpha beta" if "alpha" in options else ""
            table.add("gemm", name + scaled, f"{rows}x{k_extent}x{cols}", policy, report, is_equal)


def main():
    command, folder = sys.argv[1:]
    random = np.random.default_rng(2)
    info = subprocess.run([command, "info", "--json"], capture_output=True, text=True, check=True)
    table = Table(json.loads(info.stdout)["backends"]["cuda"])
    transposes(command, folder, random, table)
    gemms(command, folder, random, table)
    table.print()
    failures = table.failures()
    print(f"{len(table.rows) - failures} of {len(table.rows)} results equal NumPy's "
          "(transpose and int8: the same bits; other gemm: within the rounding error bound)")
    table.warn_of_idle_gpus(gpus())
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
