# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose gemm gives what numpy.matmul gives: exactly for integers, closely for real numbers."""

import unittest

import numpy as np

from command import ON_GPU, CommandTest, sampled, with_header

REALS = {"<f2": 2e-3, "<f4": 1e-5, "<f8": 1e-13, "<c8": 1e-5, "<c16": 1e-13}
INTEGERS = {"i1": "<i4", "u1": "<i4", "<i4": "<i4", "<i8": "<i8"}


class Gemm(CommandTest):
    def matrix(self, shape, dtype, order="C"):
        dtype = np.dtype(dtype)
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            array = self.random.integers(max(info.min, -1000), min(info.max, 1000), shape)
        elif dtype.kind == "c":
            array = self.random.standard_normal(shape) + 1j * self.random.standard_normal(shape)
        else:
            array = self.random.standard_normal(shape)
        return np.array(array, dtype, order=order)

    def multiply(self, a, b, *options, environment=None):
        arguments = [self.saved("a.npy", a), self.saved("b.npy", b), self.path("out.npy")]
        self.succeeds("gemm", *arguments, *options, environment=environment)
        return np.load(self.path("out.npy"))

    def check(self, found, expected, dtype):
        dtype = np.dtype(dtype)
        self.assertEqual(found.shape, expected.shape)
        self.assertEqual(found.dtype.str, INTEGERS.get(dtype.str.strip("|"), dtype.newbyteorder("<").str))
        if dtype.kind in "iu":
            np.testing.assert_array_equal(found, expected)
        else:
            scale = max(1.0, np.abs(expected).max(initial=0))
            error = np.abs(found.astype(expected.dtype) - expected).max(initial=0)
            self.assertLessEqual(error, REALS[dtype.newbyteorder("<").str] * scale)

    @staticmethod
    def wide(array):
        """As numbers in which NumPy's own product is better than the one that is tested."""
        kind = array.dtype.kind
        return array.astype(np.int64 if kind in "iu" else np.complex128 if kind == "c" else np.float64)

    def test_every_dtype_order_and_byte_order(self):
        for dtype, byte_order, order_a, order_b in sampled([*REALS, *INTEGERS], "<>", "CF", "CF"):
            with self.subTest(dtype=dtype, byte_order=byte_order, a=order_a, b=order_b):
                stored = np.dtype(dtype).newbyteorder(byte_order)
                a = self.matrix((33, 47), stored, order_a)
                b = self.matrix((47, 29), stored, order_b)
                self.check(self.multiply(a, b), self.wide(a) @ self.wide(b), stored)

    def test_transposed_and_conjugated_operands(self):
        either = (False, True)
        for operands in sampled(("<f4", "<c16", "i1", ">c8"), either, either, either, either):
            self.check_operands(*operands)

    def check_operands(self, dtype, transpose_a, transpose_b, conjugate_a, conjugate_b):
        a = self.matrix((11, 7) if transpose_a else (7, 11), dtype)
        b = self.matrix((5, 11) if transpose_b else (11, 5), dtype)
        options, x, y = [], self.wide(a), self.wide(b)
        if transpose_a:
            options, x = [*options, "--transpose-a"], x.T
        if transpose_b:
            options, y = [*options, "--transpose-b"], y.T
        if conjugate_a:
            options, x = [*options, "--conjugate-a"], x.conj()
        if conjugate_b:
            options, y = [*options, "--conjugate-b"], y.conj()
        with self.subTest(dtype=dtype, options=options):
            self.check(self.multiply(a, b, *options), x @ y, dtype)

    def test_alpha_beta_and_c(self):
        cases = [("<f4", "-1.5", "0.25"), ("<f8", "1e1", "-2"), ("<c16", "1+2j", "-3j"), ("<f2", "2", "-1")]
        cases += [("<c8", "2", "1-1e0j"), ("i1", "-3", "2"), ("<i8", "7", "-1"), ("<f4", "0", "1"), ("<f4", "2", "0")]
        for (dtype, alpha, beta), order, byte_order in sampled(cases, "CF", "<>"):
            with self.subTest(dtype=dtype, alpha=alpha, beta=beta, order=order, byte_order=byte_order):
                a, b = self.matrix((9, 20), dtype), self.matrix((20, 6), dtype)
                c_type = np.dtype(INTEGERS.get(dtype, dtype)).newbyteorder(byte_order)
                c = self.matrix((9, 6), c_type, order)
                found = self.multiply(
                    a, b, "--alpha=" + alpha, "--beta=" + beta, "--c", self.saved("c.npy", c)
                )
                number = complex if np.dtype(dtype).kind == "c" else float if "f" in dtype else int
                expected = number(alpha) * (self.wide(a) @ self.wide(b)) + number(beta) * self.wide(c)
                self.check(found, expected, dtype)

    def test_c_alone_is_added(self):
        a, b, c = (self.matrix((4, 4), "<i4") for _ in range(3))
        found = self.multiply(a, b, "--c", self.saved("c.npy", c))
        np.testing.assert_array_equal(found, a @ b + c)

    def test_beta_zero_does_not_read_c(self):
        a, b = self.matrix((4, 4), "<f4"), self.matrix((4, 4), "<f4")
        c = self.saved("c.npy", np.full((4, 4), np.nan, "<f4"))
        self.check(self.multiply(a, b, "--beta", "0", "--c", c), self.wide(a) @ self.wide(b), "<f4")

    def test_batches_and_broadcast(self):
        shapes = [((3, 5, 7), (3, 7, 4)), ((5, 7), (3, 7, 4)), ((3, 5, 7), (7, 4)), ((1, 5, 7), (3, 7, 4))]
        shapes += [((3, 5, 7), (1, 7, 4)), ((1, 5, 7), (1, 7, 4)), ((1, 5, 7), (7, 4))]
        for dtype, shapes_of_both, order, panel in sampled(("<f8", "<i4", "u1"), shapes, "CF", (None, "1", "200")):
            shape_a, shape_b = shapes_of_both
            with self.subTest(dtype=dtype, a=shape_a, b=shape_b, order=order, panel=panel):
                a, b = self.matrix(shape_a, dtype, order), self.matrix(shape_b, dtype, order)
                environment = {"XPOSE_PANEL_BYTES": panel} if panel else None
                found = self.multiply(a, b, environment=environment)
                self.check(found, self.wide(a) @ self.wide(b), dtype)

    def test_batch_with_c_in_panels(self):
        a, b, c = self.matrix((4, 6, 5), "<i4"), self.matrix((4, 5, 3), "<i4"), self.matrix((4, 6, 3), ">i4", "F")
        for panel in ("1", "100", "1000000"):
            found = self.multiply(
                a, b, "--c", self.saved("c.npy", c), "--beta=-2", environment={"XPOSE_PANEL_BYTES": panel}
            )
            np.testing.assert_array_equal(found, a @ b - 2 * c)

    def test_many_panels_give_the_same_bits_as_one(self):
        a, b = self.matrix((100, 60), "<f4"), self.matrix((60, 70), "<f4")
        whole = self.multiply(a, b)
        for panel in ("1", "1000", "20000"):
            parts = self.multiply(a, b, environment={"XPOSE_PANEL_BYTES": panel})
            self.check(parts, self.wide(a) @ self.wide(b), "<f4")
            if not ON_GPU:  # there the order of a sum depends on a piece's extents (docs/across.md)
                self.assert_same_array(parts, whole)

    def test_many_panels_are_exact_where_sums_are(self):
        a, b = self.matrix((100, 60), "i1").astype("<f4"), self.matrix((60, 70), "i1").astype("<f4")
        for panel in ("1", "1000", "20000"):
            parts = self.multiply(a, b, environment={"XPOSE_PANEL_BYTES": panel})
            self.assert_same_array(parts, a @ b)

    def test_extents_of_zero(self):
        for m, k, n in ((0, 3, 4), (3, 0, 4), (3, 4, 0), (0, 0, 0)):
            with self.subTest(m=m, k=k, n=n):
                found = self.multiply(np.empty((m, k), "<f4"), np.empty((k, n), "<f4"))
                self.assert_same_array(found, np.zeros((m, n), "<f4"))
        c = self.matrix((3, 4), "<f4")
        found = self.multiply(
            np.empty((3, 0), "<f4"), np.empty((0, 4), "<f4"), "--beta", "2", "--c", self.saved("c.npy", c)
        )
        self.assert_same_array(found, 2 * c)

    def test_batches_without_elements_whose_other_extents_multiply_beyond_64_bits(self):
        a, b, out = self.path("a.npy"), self.path("b.npy"), self.path("out.npy")
        for path, shape in ((a, (1 << 62, 8, 0)), (b, (1 << 62, 0, 0))):
            with_header(path, f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}".encode())
        self.succeeds("gemm", a, b, out)
        with open(out, "rb") as file:
            self.assertIn(b"'shape': (4611686018427387904, 8, 0), ", file.read())

    def test_policies_agree(self):
        a, b = self.matrix((70, 80), "<i8"), self.matrix((80, 90), "<i8")
        for policy in ("reference", "seq", "omp", "automatic"):
            np.testing.assert_array_equal(self.multiply(a, b, "--policy", policy, "--threads", 2), a @ b)

    def test_data_that_are_not_aligned(self):
        a, b = self.matrix((8, 9), "<f8"), self.matrix((9, 7), "<f8")
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (8, 9), }"
        for padding in range(9):
            with_header(self.path("odd.npy"), header + b" " * padding + b"\n", a.tobytes())
            self.succeeds("gemm", self.path("odd.npy"), self.saved("b.npy", b), self.path("out.npy"))
            self.check(np.load(self.path("out.npy")), a @ b, "<f8")

    def test_the_output_may_be_an_input(self):
        a, b, c = (self.matrix((6, 6), "<i4") for _ in range(3))
        for name in "abc":
            paths = {n: self.saved(n + ".npy", m) for n, m in zip("abc", (a, b, c))}
            self.succeeds("gemm", paths["a"], paths["b"], paths[name], "--c", paths["c"])
            np.testing.assert_array_equal(np.load(paths[name]), a @ b + c)


if __name__ == "__main__":
    unittest.main()
