# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose cast gives numpy.ndarray.astype; bfloat16 and the 8-bit floats, which NumPy lacks, are judged by their bits."""

import unittest

import numpy as np

from command import CommandTest, sampled

REALS = ["i1", "u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8"]


def bf16_of(array):
    """Bits of the nearest bfloat16, ties to even."""
    bits = array.astype("<f4").view("<u4").astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")


class Cast(CommandTest):
    def cast(self, array, to, *options):
        target = self.path("out.npy")
        self.succeeds("cast", self.saved("in.npy", array), target, "--to", to, *options)
        return np.load(target)

    def test_every_pair_of_real_types(self):
        for stored, to in sampled(REALS, REALS):
            with self.subTest(stored=stored, to=to):
                array = self.random.integers(0, 120, (13, 31)).astype(stored)
                self.assert_same_array(self.cast(array, to.lstrip("<")), array.astype(to))

    def test_fractions_and_signs(self):
        array = self.random.standard_normal((20, 7)) * 50
        for to in ("f2", "f4", "i1", "i4", "i8"):
            self.assert_same_array(self.cast(array, to), array.astype(np.float32 if to == "f2" else "f8").astype(to))
        self.assert_same_array(self.cast(array + 1j, "c8"), (array + 1j).astype("c8"))

    def test_shapes_orders_and_byte_orders(self):
        shapes = ((), (5,), (3, 0, 2), (4, 5), (3, 4, 5), (2, 1, 3, 2, 1, 2, 1, 2))
        for shape, order, stored in sampled(shapes, "CF", ("<i4", ">i4")):
            with self.subTest(shape=shape, order=order, stored=stored):
                array = np.array(self.random.integers(-99, 99, shape), stored, order=order)
                self.assert_same_array(self.cast(array, "f8"), array.astype("f8", order="C"))
        array = self.random.integers(-99, 99, (4, 6)).astype("i2")
        found = self.cast(array, "f4", "--order", "F")
        self.assertTrue(found.flags["F_CONTIGUOUS"])
        np.testing.assert_array_equal(found, array)

    def test_long_names_and_the_same_type(self):
        array = self.random.standard_normal((3, 5)).astype(">f4")
        self.assert_same_array(self.cast(array, "float64"), array.astype("<f8"))
        self.assert_same_array(self.cast(array, "float32"), array.astype("<f4"))

    def test_bools(self):
        array = self.random.integers(0, 2, (9, 5)).astype(bool)
        self.assert_same_array(self.cast(array, "f4"), array.astype("f4"))

    def test_bfloat16_goes_and_comes_back(self):
        array = self.random.standard_normal((33, 17)).astype("<f4")
        short = self.cast(array, "bf16")
        self.assertEqual(short.dtype, np.dtype("V2"))  # as ml_dtypes spells it
        np.testing.assert_array_equal(short.view("<u2"), bf16_of(array))
        expected = (bf16_of(array).astype("<u4") << 16).view("<f4")
        np.testing.assert_array_equal(self.cast(short, "f4", "--type", "bf16"), expected)
        np.testing.assert_array_equal(self.cast(short.view("<u2"), "f8", "--type", "bfloat16"), expected)

    def test_eight_bit_floats(self):
        array = np.array([[0, 1, -2, 0.5, 448, 3.25], [1.125, -0.25, 96, 1e-3, -7, 14]], "<f4")
        bits = {"e4m3": [[0x00, 0x38, 0xC0, 0x30, 0x7E, 0x45], [0x39, 0xA8, 0x6C, 0x01, 0xCE, 0x56]],
                "e5m2": [[0x00, 0x3C, 0xC0, 0x38, 0x5F, 0x42], [0x3C, 0xB4, 0x56, 0x14, 0xC7, 0x4B]]}
        for to, expected in bits.items():
            with self.subTest(to=to):
                found = self.cast(array, to)
                self.assertEqual(found.dtype, np.dtype("V1"))
                np.testing.assert_array_equal(found.view("u1"), np.array(expected, "u1"))
                back = self.cast(found, "f4", "--type", to)
                self.assertLessEqual(np.abs(back - array).max(), 64)
                np.testing.assert_array_equal(self.cast(back, to).view("u1"), found.view("u1"))


if __name__ == "__main__":
    unittest.main()
