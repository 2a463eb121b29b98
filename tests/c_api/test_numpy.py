# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""NumPy arrays through the C interface on omp, judged by NumPy."""

import ctypes
import unittest

import numpy as np
import xpose_ctypes as xp

NUMBERS = [d for d in xp.DTYPES if d not in ("raw", "bool", "bfloat16")]
MOVED = NUMBERS + ["bool", ">f4", "S3", "M8[ns]", [("a", "i4"), ("b", "f8", (2,))], ">c16", "V1"]
OMP = xp.policy()


def filled(random, shape, dtype):
    """Random bytes for moves: NaN payloads and padding included."""
    dtype = np.dtype(dtype)
    if dtype == bool:
        return random.integers(0, 2, shape).astype(bool)
    size = int(np.prod(shape)) * dtype.itemsize
    return np.frombuffer(bytearray(random.bytes(size)), dtype).reshape(shape)


def small(random, shape, dtype):
    """Small numbers, whose sums and products every dtype holds exactly."""
    array = random.integers(0, 4, shape).astype(dtype)
    return array + 1j * random.integers(0, 4, shape).astype(dtype) if array.dtype.kind == "c" else array


def bits(array):
    return np.ascontiguousarray(array.view(f"V{array.dtype.itemsize}")).tobytes()


class NumPyArrays(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(1)

    def assert_same_bits(self, found, expected):
        self.assertEqual(found.shape, expected.shape)
        self.assertEqual(bits(found), bits(expected))

    def test_transpose_and_copy_of_every_dtype_and_layout(self):
        for dtype in MOVED:
            whole = filled(self.random, (31, 46), dtype)
            for view in (whole, whole.T, whole[::2, 1::3], whole[::-1, :7], whole[4:5]):
                with self.subTest(dtype=dtype, shape=view.shape, strides=view.strides):
                    out = np.zeros(view.shape[::-1], view.dtype)
                    xp.call("transpose", OMP, xp.matrix(view), xp.matrix(out), xp.IDENTITY)
                    self.assert_same_bits(out, view.T)
                    out = np.zeros(view.shape, view.dtype, order="F")
                    xp.call("copy", OMP, xp.matrix(view), xp.matrix(out), xp.IDENTITY)
                    self.assert_same_bits(out, view)

    def test_raw_elements_at_odd_addresses(self):
        data = filled(self.random, (1 + 8 * 35,), "u1")
        odd = data[1:].view("V8").reshape(5, 7)
        out = np.zeros((7, 5), "V8")
        xp.call("transpose", OMP, xp.matrix(odd), xp.matrix(out), xp.IDENTITY)
        self.assert_same_bits(out, odd.T)

    def test_batches_and_a_batch_stride_of_zero(self):
        for dtype in MOVED:
            with self.subTest(dtype=dtype):
                stack = filled(self.random, (5, 9, 14), dtype)
                out = np.zeros((5, 14, 9), stack.dtype)
                xp.call("transpose_batch", OMP, xp.batch(stack), xp.batch(out), xp.IDENTITY)
                self.assert_same_bits(out, stack.swapaxes(1, 2))
                repeated = np.broadcast_to(stack[0], stack.shape)
                out = np.zeros((5, 9, 14), stack.dtype)
                xp.call("copy_batch", OMP, xp.batch(repeated), xp.batch(out), xp.IDENTITY)
                self.assert_same_bits(out, repeated)

    def test_permute_of_one_to_eight_dimensions(self):
        for dtype in ("float32", "uint8", "complex128", "V3"):
            for rank in range(1, 9):
                permutation = [int(p) for p in self.random.permutation(rank)]
                with self.subTest(dtype=dtype, permutation=permutation):
                    array = filled(self.random, (3, 2, 4, 2, 3, 1, 2, 3)[:rank], dtype)
                    expected = array.transpose(permutation)
                    out = np.zeros(expected.shape, array.dtype)
                    xp.call(
                        "permute",
                        OMP,
                        xp.tensor(array),
                        xp.tensor(out),
                        (ctypes.c_int32 * rank)(*permutation),
                        xp.IDENTITY,
                    )
                    self.assert_same_bits(out, expected)

    def test_transpose_inplace_turns_the_description_too(self):
        for dtype in MOVED:
            for shape in ((13, 13), (6, 25), (1, 8)):
                with self.subTest(dtype=dtype, shape=shape):
                    array = filled(self.random, shape, dtype)
                    expected = bits(array.T)
                    view = xp.matrix(array)
                    xp.call("transpose_inplace", OMP, view)
                    self.assertEqual((view.rows, view.cols), shape[::-1])
                    turned = np.lib.stride_tricks.as_strided(
                        array,
                        (view.rows, view.cols),
                        (view.row_stride * array.itemsize, view.col_stride * array.itemsize),
                    )
                    self.assertEqual(bits(turned), expected)

    def test_casts_between_all_dtypes(self):
        for source in NUMBERS:
            for target in NUMBERS:
                if (np.dtype(source).kind == "c") != (np.dtype(target).kind == "c"):
                    continue
                with self.subTest(source=source, target=target):
                    array = small(self.random, (17, 22), source)
                    out = np.zeros((22, 17), target)
                    xp.call("transpose", OMP, xp.matrix(array), xp.matrix(out), xp.CAST)
                    self.assert_same_bits(out, np.ascontiguousarray(array.T.astype(target)))

    def test_conjugation_by_the_flag_and_by_the_function(self):
        for dtype in ("complex64", "complex128"):
            array = small(self.random, (8, 5), dtype)
            for flag, function, expected in (
                (False, xp.CONJUGATE, array.conj()),
                (True, xp.IDENTITY, array.conj()),
                (True, xp.CONJUGATE, array),
            ):
                with self.subTest(dtype=dtype, flag=flag, function=function):
                    out = np.zeros_like(array)
                    xp.call("copy", OMP, xp.matrix(array, flag), xp.matrix(out), function)
                    self.assert_same_bits(out, expected)

    def test_add_with_and_without_scalars(self):
        for dtype in NUMBERS:
            with self.subTest(dtype=dtype):
                scalar = np.dtype("float32" if dtype == "float16" else dtype).type
                a, b = small(self.random, (12, 19), dtype), small(self.random, (19, 12), dtype)
                out = np.zeros_like(a)
                view = xp.matrix(out)
                xp.call("add", OMP, scalar(2), xp.matrix(a), scalar(3), xp.matrix(b.T), view)
                np.testing.assert_array_equal(out, (2 * a + 3 * b.T).astype(dtype))
                xp.call("add", OMP, None, xp.matrix(a), None, xp.matrix(b.T), view)
                np.testing.assert_array_equal(out, (a + b.T).astype(dtype))
                # Scaled in place: what beta = 0 multiplies is not read.
                xp.call("add", OMP, scalar(2), view, scalar(0), view, view)
                np.testing.assert_array_equal(out, (2 * (a + b.T)).astype(dtype))

    def test_gemm_of_every_dtype(self):
        rows = [(d, d, d) for d in ("float32", "float64", "complex64", "complex128", "int32", "int64")]
        rows += [("float16", "float16", "float32"), ("float16", "float32", "float32")]
        rows += [("int8", "int32", "int32"), ("uint8", "int32", "int32")]
        for given, result, accumulate in rows:
            with self.subTest(given=given, result=result):
                a, b = small(self.random, (21, 15), given), small(self.random, (15, 18), given)
                c = small(self.random, (21, 18), result)
                scalar = np.dtype(accumulate).type
                product = a.astype(accumulate) @ b.astype(accumulate)
                expected = (2 * product - c.astype(accumulate)).astype(result)
                xp.call(
                    "gemm", OMP, scalar(2), xp.matrix(a), xp.matrix(b), scalar(-1), xp.matrix(c), None
                )
                np.testing.assert_array_equal(c, expected)
                fortran = np.zeros(c.shape, result, order="F")
                xp.call("gemm", OMP, None, xp.matrix(a), xp.matrix(b), None, xp.matrix(fortran), None)
                np.testing.assert_array_equal(fortran, product.astype(result))

    def test_gemm_over_min_plus_of_a_batch_with_one_b(self):
        options = xp.GemmOptions(ctypes.sizeof(xp.GemmOptions), 0, xp.MIN_PLUS, 0, 0)
        a, b = small(self.random, (4, 6, 7), "float64"), small(self.random, (7, 5), "float64")
        out = np.zeros((4, 6, 5))
        one_b = xp.batch(np.broadcast_to(b, (4, 7, 5)))
        xp.call("gemm_batch", OMP, None, xp.batch(a), one_b, None, xp.batch(out), options)
        np.testing.assert_array_equal(out, (a[:, :, :, None] + b[None, None]).min(axis=2))

    def test_errors_are_statuses_with_messages(self):
        a, out = np.zeros((3, 2), "f4"), np.zeros((3, 2), "f4")
        with self.assertRaisesRegex(xp.XposeError, "^shape_error: transpose: out is 3x2, expected 2x3$"):
            xp.call("transpose", OMP, xp.matrix(a), xp.matrix(out), xp.IDENTITY)
        with self.assertRaisesRegex(xp.XposeError, "^alias_error: copy: out "):
            xp.call("copy", OMP, xp.matrix(a), xp.matrix(a), xp.IDENTITY)
        self.assertRegex(xp.LIBRARY.xpose_version().decode(), r"^\d+\.\d+\.\d+$")


if __name__ == "__main__":
    unittest.main()
