# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""NumPy as a peer: copyto of a transposed view, and matmul."""

import itertools
import time

import numpy as np

import protocol

TYPES = {"f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128, "f16": np.float16,
         "i8": np.int8, "u8": np.uint8, "i32": np.int32, "i64": np.int64}
# Integers have no BLAS behind them: the loops take minutes where this is exceeded.
MOST_INTEGER_PRODUCTS = 1 << 30


def element_type(name, size):
    plain = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64, 16: np.complex128}
    return np.dtype(TYPES.get(name) or plain.get(size) or f"V{size}")


def matrices(memory, dtype, batch, rows, cols, ld, batch_stride):
    """A view of a batch in raw memory."""
    size = dtype.itemsize
    view = np.ndarray((batch, rows, cols), dtype, memory, 0, (batch_stride * size, ld * size, size))
    return view[0] if batch == 1 else view


def poisoned(count, dtype):
    return np.full(count * dtype.itemsize, protocol.POISON, np.uint8)


def timed(slots, call):
    """run(calls) over the slots in turn."""
    turns = itertools.cycle(slots)

    def run(calls):
        start = time.perf_counter()
        for _ in range(calls):
            call(*next(turns))
        return time.perf_counter() - start

    return run


def copied(slots, memory, case):
    """What prepare returns for copies of slots (out, source, ...); memory holds the first output."""
    def call(out, source, *_):
        np.copyto(out, source, casting="unsafe")

    call(*slots[0])
    memory.tofile(case["out_file"])
    return timed(slots, call), "numpy.copyto", np.__version__


def prepare_moved(case, dtype, out_dtype, is_copy):
    batch, rows, cols = case["batch"], case["rows"], case["cols"]
    out_rows, out_cols = (rows, cols) if is_copy else (cols, rows)
    data = np.fromfile(case["in_file"], np.uint8)
    slots = []
    for slot in range(case["slots"]):
        source = matrices(data if slot == 0 else data.copy(), dtype, batch, rows, cols, case["in_ld"],
                          case["in_batch_stride"])
        memory = poisoned(batch * out_rows * case["out_ld"], out_dtype)
        out = matrices(memory, out_dtype, batch, out_rows, out_cols, case["out_ld"], case["out_batch_stride"])
        slots.append((out, source if is_copy else source.swapaxes(-1, -2), memory))

    return copied(slots, slots[0][2], case)


def prepare_transpose(case):
    dtype = element_type(case["type"], case["bytes"])
    return prepare_moved(case, dtype, dtype, is_copy=False)


def prepare_cast(case):
    names = case["type"], case["out_type"]
    if not all(name in TYPES for name in names):
        return "no such type"
    return prepare_moved(case, *(np.dtype(TYPES[name]) for name in names), case["is_copy"])


def prepare_permute(case):
    dtype = element_type(case["type"], case["bytes"])
    data = np.fromfile(case["in_file"], np.uint8)
    slots = []
    for slot in range(case["slots"]):
        source = (data if slot == 0 else data.copy()).view(dtype).reshape(case["extents"]).transpose(case["permutation"])
        slots.append((np.empty(source.shape, dtype), source))
    return copied(slots, slots[0][0], case)


def prepare_gemm(case):
    if case["type"] not in TYPES or case["c_type"] != case["type"] or case["type"] == "f16":
        return "no matmul of these types"
    dtype = np.dtype(TYPES[case["type"]])
    batch, m, n, k = case["batch"], case["m"], case["n"], case["k"]
    if dtype.kind == "i" and batch * m * n * k > MOST_INTEGER_PRODUCTS:
        return "integers are multiplied without BLAS"
    def multiply(a, b, c, _):
        np.matmul(a, b, out=c)

    return combined(case, dtype, batch, (m, k), (k, n), multiply, "numpy.matmul")


def prepare_add(case):
    dtype = np.dtype(TYPES[case["type"]])
    alpha, beta = dtype.type(case["alpha"]), dtype.type(case["beta"])
    extents = case["rows"], case["cols"]

    def add(a, b, c, _):
        np.add(alpha * a, beta * b, out=c)

    return combined(case, dtype, 1, extents, extents, add, "numpy.add")


def combined(case, dtype, batch, a_extents, b_extents, call, kernel):
    """What prepare returns for call(A, B, C, C's memory)."""
    files = np.fromfile(case["a_file"], np.uint8), np.fromfile(case["b_file"], np.uint8)
    rows, cols = a_extents[0], b_extents[1]

    def operand(memory, name, extents):
        transposed = case["transposed_" + name]
        view = matrices(memory, dtype, batch, *(extents[::-1] if transposed else extents), case["ld" + name],
                        case.get(name + "_batch_stride", 0))
        return view.swapaxes(-1, -2) if transposed else view

    slots = []
    for slot in range(case["slots"]):
        a, b = (file if slot == 0 else file.copy() for file in files)
        memory = poisoned(batch * rows * case["ldc"], dtype)
        c = matrices(memory, dtype, batch, rows, cols, case["ldc"], case.get("c_batch_stride", 0))
        slots.append((operand(a, "a", a_extents), operand(b, "b", b_extents), c, memory))
    call(*slots[0])
    slots[0][3].tofile(case["out_file"])
    return timed(slots, call), kernel, np.__version__


protocol.serve({"transpose": prepare_transpose, "cast": prepare_cast, "permute": prepare_permute, "add": prepare_add, "gemm": prepare_gemm})
