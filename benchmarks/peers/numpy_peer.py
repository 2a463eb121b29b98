# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""NumPy as a peer: copyto of a transposed view, add and matmul."""

import numpy as np

import protocol
from array_peer import ArrayPeer, serve

# Integers have no BLAS behind them: the loops take minutes where this is exceeded.
MOST_INTEGER_PRODUCTS = 1 << 30
ALIGNMENT = 4096  # of the bench's own operands; large arrays of NumPy begin 16 bytes behind such an address


def aligned(array):
    """A copy of bytes."""
    memory = np.empty(array.size + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    copy = memory[start:start + array.size]
    copy[:] = array
    return copy


class NumPyPeer(ArrayPeer):
    types = {name: np.dtype(dtype) for name, dtype in {
        "f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128, "f16": np.float16, "i8": np.int8,
        "u8": np.uint8, "i32": np.int32, "i64": np.int64}.items()}
    moved = {1: np.dtype(np.uint8), 2: np.dtype(np.uint16), 4: np.dtype(np.uint32), 8: np.dtype(np.uint64),
             16: np.dtype(np.complex128)}
    version = np.__version__
    module = np

    def load(self, file):
        return aligned(np.fromfile(file, np.uint8))

    def duplicate(self, memory):
        return aligned(memory)

    def poisoned(self, count):
        return aligned(np.broadcast_to(np.uint8(protocol.POISON), count))

    def view(self, memory, dtype, extents, strides):
        return np.ndarray(extents, dtype, memory, 0, [stride * dtype.itemsize for stride in strides])

    def permuted(self, array, axes):
        return array.transpose(axes)

    def store(self, memory, file):
        memory.tofile(file)

    def moved_type(self, case):
        dtype = super().moved_type(case)
        return np.dtype(f"V{case['bytes']}") if dtype is None else dtype

    def copying(self, case, axes):
        def copy(out, source):
            self.module.copyto(out, source, casting="unsafe")
        return f"{self.module.__name__}.copyto", copy

    def adding(self, case):
        alpha, beta = map(self.types[case["type"]].type, (case["alpha"], case["beta"]))

        def add(a, b, c):
            self.module.add(alpha * a, beta * b, out=c)
        return f"{self.module.__name__}.add", add

    def multiplying(self, case):
        if case["c_type"] != case["type"] or case["type"] == "f16":
            return "no matmul of these types"
        if case["type"].startswith("i") and case["batch"] * case["m"] * case["n"] * case["k"] > MOST_INTEGER_PRODUCTS:
            return "integers are multiplied without BLAS"

        def multiply(a, b, c):
            self.module.matmul(a, b, out=c)
        return f"{self.module.__name__}.matmul", multiply


if __name__ == "__main__":
    serve(lambda _: NumPyPeer())
