# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Times calls of the Python package that make their results, as most programs write them, among NumPy and PyTorch.

The allocation of each result is in the times, and products of other types than NumPy's BLAS has are compared too. Calls that write to an
array that exists, beside the same call from C++ and on a GPU, are rows of xpose-bench: --peers python.

usage: compare.py [--seconds S] [--threads N] [NAME...]

Candidates of a case take turns in rounds, in rotating order; figures are medians of the rounds' times. A round of a short call is
a loop of many. Large cases rotate over sets of operands, so that these come from memory. Each result is compared with NumPy's first.
NAME selects cases whose name holds it. Prints a row a case: xpose's time, and that of each peer over it (above 1: xpose is faster).
"""

import argparse
import statistics
import time

import numpy as np
import xpose

try:
    import torch
except ImportError:
    torch = None

ROTATED_BYTES = 400 << 20  # past the last-level caches that we have met
SHORTEST_SAMPLE = 2e-4     # seconds; a round of a shorter call is a loop
RESTS = 0.01               # seconds before a sample: threads of another candidate spin on for milliseconds


def random_array(random, shape, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        return random.integers(0, 100, shape).astype(dtype)
    values = random.standard_normal(shape)
    return (values + 1j * random.standard_normal(shape) if dtype.kind == "c" else values).astype(dtype)


def moves():
    """(name, shape, axes, dtype) of what numpy.ascontiguousarray(a.transpose(axes)) does."""
    for dtype in ("uint8", "float16", "float32", "float64", "complex128"):
        yield f"transpose {dtype} 4096x4096", (4096, 4096), (1, 0), dtype
    yield "transpose float32 1000x1000", (1000, 1000), (1, 0), "float32"
    yield "transpose float32 300x200", (300, 200), (1, 0), "float32"
    yield "transpose float32 4x4", (4, 4), (1, 0), "float32"
    yield "NHWC to NCHW uint8 32x224x224x3", (32, 224, 224, 3), (0, 3, 1, 2), "uint8"
    yield "NHWC to NCHW float32 32x56x56x64", (32, 56, 56, 64), (0, 3, 1, 2), "float32"
    yield "heads float16 8x1024x16x64", (8, 1024, 16, 64), (0, 2, 1, 3), "float16"


def products():
    """(name, shape of a, shape of b, dtype, semiring)"""
    for dtype in ("float32", "float64", "complex64", "float16", "int8", "int32"):
        yield f"matmul {dtype} 1000x1000x1000", (1000, 1000), (1000, 1000), dtype, "plus_times"
    yield "matmul float32 300x300x300", (300, 300), (300, 300), "float32", "plus_times"
    yield "matmul float32 4x4x4", (4, 4), (4, 4), "float32", "plus_times"
    yield "matmul float64 1000 of 16x16x16", (1000, 16, 16), (1000, 16, 16), "float64", "plus_times"
    yield "min_plus float32 300x300x300", (300, 300), (300, 300), "float32", "min_plus"


def min_plus_of_numpy(a, b):
    return np.stack([(row[:, None] + b).min(0) for row in a])


def cases(random):
    """(name, [sets of operands], {candidate: call of a set}); sets hold NumPy's arrays and, behind them, PyTorch's."""
    for name, shape, axes, dtype in moves():
        sets = rotated(random, [shape], dtype)
        yield name, with_tensors(sets), {
            "xpose": lambda a, *_, axes=axes: xpose.permute(a, axes),
            "numpy": lambda a, *_, axes=axes: np.ascontiguousarray(a.transpose(axes)),
            "torch": lambda _, t, axes=axes: t.permute(axes).contiguous(),
        }
    for name, a_shape, b_shape, dtype, semiring in products():
        sets = rotated(random, [a_shape, b_shape], dtype)
        result = "int32" if dtype == "int8" else None
        numpy = min_plus_of_numpy if semiring == "min_plus" else \
            (lambda a, b: np.matmul(a, b, dtype=np.int32)) if result else np.matmul
        candidates = {
            "xpose": lambda a, b, *_, semiring=semiring: xpose.matmul(a, b, semiring=semiring),
            "numpy": lambda a, b, *_, numpy=numpy: numpy(a, b),
        }
        if semiring == "plus_times":
            candidates["torch"] = (lambda a, b, s, t: torch._int_mm(s, t)) if result else lambda a, b, s, t: s @ t
        yield name, with_tensors(sets), candidates


def rotated(random, shapes, dtype):
    bytes_of_set = sum(int(np.prod(shape)) for shape in shapes) * np.dtype(dtype).itemsize
    count = 1 if bytes_of_set < ROTATED_BYTES // 100 else max(2, ROTATED_BYTES // bytes_of_set)
    first = [random_array(random, shape, dtype) for shape in shapes]
    return [first, *([a.copy() for a in first] for _ in range(count - 1))]


def with_tensors(sets):
    return [(*s, *map(torch.from_numpy, s)) if torch is not None else tuple(s) for s in sets]


def seconds_of(call, sets, number, loops):
    begin = time.perf_counter()
    for loop in range(loops):
        call(*sets[(number + loop) % len(sets)])
    return (time.perf_counter() - begin) / loops


def close(result, expected):
    result = np.asarray(result)
    if expected.dtype.kind in "iub":
        return np.array_equal(result, expected)
    scale = np.abs(expected).max() if expected.size else 1
    return np.allclose(result, expected, rtol=0, atol=float(scale) * 64 * np.finfo(expected.dtype).eps)


def time_case(sets, candidates, seconds):
    """Median seconds of each candidate; None for one that cannot do the case or gives another result."""
    expected = np.asarray(candidates["numpy"](*sets[0]))
    loops = {}
    for name, call in candidates.items():
        try:
            is_right = close(call(*sets[0]), expected)
        except (RuntimeError, TypeError):
            is_right = False
        once = min(seconds_of(call, sets, k, 1) for k in range(3)) if is_right else None
        loops[name] = None if once is None else max(1, int(SHORTEST_SAMPLE / once))
    timed = [name for name, count in loops.items() if count]
    samples = {name: [] for name in timed}
    end = time.perf_counter() + seconds
    number = 0
    while time.perf_counter() < end or number < 3:
        for k in range(len(timed)):
            name = timed[(k + number) % len(timed)]
            time.sleep(RESTS)
            samples[name].append(seconds_of(candidates[name], sets, number, loops[name]))
        number += 1
    return {name: statistics.median(samples[name]) if name in samples else None for name in candidates}


def main():
    parser = argparse.ArgumentParser(description="Times the Python package among NumPy and PyTorch.")
    parser.add_argument("--seconds", type=float, default=2, help="time for all candidates of a case")
    parser.add_argument("--threads", type=int, default=0, help="of each candidate; NumPy's are set by its library's variables")
    parser.add_argument("names", nargs="*", help="parts of the names of cases to time")
    options = parser.parse_args()
    if options.threads:
        xpose.set_threads(options.threads)
        if torch is not None:
            torch.set_num_threads(options.threads)
    random = np.random.default_rng(0)
    print(f"xpose {xpose.__version__}, NumPy {np.__version__}, PyTorch {torch.__version__ if torch else 'absent'}")
    print(f"{'case':36} {'xpose':>10}  {'NumPy':>7} {'PyTorch':>7}   over xpose's time")
    for name, sets, candidates in cases(random):
        if options.names and not any(part in name for part in options.names):
            continue
        if torch is None:
            candidates.pop("torch", None)
        times = time_case(sets, candidates, options.seconds)
        ratios = ["-" if times.get(peer) is None else f"{times[peer] / times['xpose']:.2f}" for peer in ("numpy", "torch")]
        print(f"{name:36} {times['xpose'] * 1e6:8.1f} us  {ratios[0]:>7} {ratios[1]:>7}", flush=True)


if __name__ == "__main__":
    main()
