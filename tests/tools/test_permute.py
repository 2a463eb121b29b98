# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose permute gives numpy.transpose(a, axes), bit for bit."""

import itertools
import unittest

import numpy as np

from command import CommandTest, random_bits, sampled


class Permute(CommandTest):
    def check(self, array, axes, *options, text=None):
        source, target = self.saved("in.npy", array), self.path("out.npy")
        if axes is not None:
            options = ["--axes=" + (text or ",".join(map(str, axes))), *options]
        self.succeeds("permute", source, target, *options)
        found = np.load(target)
        self.assert_same_array(found, np.transpose(array, axes))
        self.assertTrue(found.flags["F_CONTIGUOUS" if "F" in options else "C_CONTIGUOUS"])

    def test_all_permutations_of_three_and_four_axes_in_both_orders(self):
        orders = (("C", "C"), ("F", "C"), ("C", "F"))
        permutations = [*itertools.permutations(range(3)), *itertools.permutations(range(4))]
        for axes, (order_in, order_out) in sampled(permutations, orders):
            shape = (5, 7, 3) if len(axes) == 3 else (2, 3, 5, 4)
            with self.subTest(shape=shape, axes=axes, order_in=order_in, order_out=order_out):
                self.check(random_bits(self.random, shape, "<f4", order_in), axes, "--order", order_out)

    def test_one_to_eight_dimensions_of_every_element_size(self):
        dtypes = ("u1", "?", "<i2", ">f4", "<c16", "S3", [("x", "<f8"), ("y", "u1")])
        for count, dtype in sampled(range(1, 9), dtypes):
            shape = tuple(self.random.integers(1, 5, count))
            with self.subTest(shape=shape, dtype=dtype):
                self.check(random_bits(self.random, shape, dtype), tuple(self.random.permutation(count)))

    def test_without_axes_they_are_reversed(self):
        for shape in ((3, 4), (2, 3, 4), (2, 1, 3, 2, 2), (6,), (), (0, 3, 2)):
            with self.subTest(shape=shape):
                self.check(random_bits(self.random, shape, "<u2"), None)

    def test_negative_axes_count_from_the_last(self):
        self.check(random_bits(self.random, (2, 3, 4), "<u2"), (2, 0, 1), text="-1,0,-2")

    def test_larger_than_a_panel(self):
        self.check(random_bits(self.random, (301, 4, 99, 103), "<f8"), (3, 1, 0, 2))

    def test_axes_that_stay_only_change_the_order(self):
        self.check(random_bits(self.random, (20, 30, 5), "<f4"), (0, 1, 2), "--order", "F")


if __name__ == "__main__":
    unittest.main()
