# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Random suites, the states of operands, and the summary, as a user runs them."""

import json
import math
import os
import tempfile
import unittest

import bench


def cell(ratio, ceiling=None, **members):
    """A verified row of xpose."""
    row = {"operation": "gemm", "policy": "omp", "type": "f32", "shape": "8x8x8", "layout": "NN", "implementation": "xpose",
           "role": "xpose", "kernel": "k", "verified": True, "median_s": 1.0, "best_peer": "mkl", "ratio_to_best_peer": ratio,
           "ceiling_name": "fma_peak", "ratio_to_ceiling": ceiling, "state": "cold", "suite": "random", "seed": 5, "case": 1,
           "class": "odd, large"}
    return {**row, **members}


class RandomTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.json = os.path.join(folder.name, "rows.json")

    def xpose_rows(self, *arguments, longest_call="0.05"):
        done = bench.run(*arguments, *bench.QUICK, "--longest-call", longest_call, "--json", self.json, "--peers", "none")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [row for row in bench.rows_of(self.json)[1] if row["implementation"] == "xpose"], done.stdout

    def test_a_row_of_a_random_suite_says_how_it_is_drawn_again(self):
        rows, _ = self.xpose_rows("gemm", "--suite", "small", "--seed", "9", "--cases", "6", "--types", "f32,f64", "--states", "by-size",
                                  longest_call="60")
        self.assertEqual(len(rows), 12)
        for wanted in (rows[3], rows[10]):
            self.assertEqual(wanted["seed"], 9)
            again, _ = self.xpose_rows("gemm", "--suite", "small", "--seed", str(wanted["seed"]), "--case", str(wanted["case"]),
                                       "--types", wanted["type"], "--states", "by-size", longest_call="60")
            self.assertEqual([[row[name] for name in ("shape", "layout", "class", "case")] for row in again],
                             [[wanted[name] for name in ("shape", "layout", "class", "case")]])

    def test_a_case_is_timed_cold_warm_and_just_written_where_it_can_be(self):
        states = lambda shape: [row["state"] for row in self.xpose_rows(
            "transpose", "--types", "f32", "--shapes", shape, "--states", "cold,warm,written")[0]]
        self.assertEqual(states("700x701"), ["cold", "warm", "written"])
        self.assertEqual(states("4x4"), ["warm", "written"])  # thousands of them fit the cache

    def test_the_time_of_a_written_case_holds_the_loops_around_the_call(self):
        rows, _ = self.xpose_rows("transpose", "--types", "f64", "--shapes", "1x200000", "--states", "warm,written", "--threads", "1")
        times = {row["state"]: row["min_s"] for row in rows}
        self.assertGreater(times["written"], times["warm"])

    def test_a_named_suite_keeps_the_state_that_its_size_gives(self):
        rows, _ = self.xpose_rows("transpose", "--types", "f32", "--shapes", "64x64")
        self.assertEqual([(row["state"], row["cache"], "seed" in row) for row in rows], [("warm", "resident", False)])

    def test_a_gemm_is_bounded_by_reading_its_operands_too(self):
        # One thread: a team waits for its slowest member, and on a busy machine that takes longer than either ceiling.
        rows, _ = self.xpose_rows("gemm", "--types", "f32", "--shapes", "3000x1x3000", "--threads", "1")
        self.assertEqual(set(rows[0]["ceilings"]), {"fma_peak", "read_operands"})
        self.assertEqual(rows[0]["ceiling_name"], "read_operands")
        self.assertEqual(rows[0]["ceiling"], min(rows[0]["ceilings"].values()))

    def test_a_sustained_row_says_so_and_holds_samples_of_its_second_half(self):
        rows, _ = self.xpose_rows("gemm", "--types", "f32", "--shapes", "64x64x64", "--states", "sustained")
        self.assertEqual([row["state"] for row in rows], ["sustained"])
        self.assertGreaterEqual(rows[0]["repeats"], 3)
        self.assertLess(rows[0]["repeats"] * rows[0]["calls"] * rows[0]["median_s"], 1.5)

    def test_the_arithmetic_ceiling_of_a_written_gemm_holds_the_loops_around_it_too(self):
        rows, _ = self.xpose_rows("gemm", "--types", "f32", "--shapes", "1x400x400", "--states", "warm,written", "--threads", "1")
        warm, written = (row["ceilings"] for row in rows)
        self.assertEqual(sorted(warm), ["fma_peak", "read_operands"])
        self.assertEqual(sorted(written), sorted(warm))
        self.assertLess(written["fma_peak"], 0.5 * warm["fma_peak"])  # writing 640 KB takes longer than 320000 operations

    def summary(self, rows):
        with open(self.json, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        done = bench.run("summary", self.json)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_the_summary_has_means_tails_and_shares(self):
        ratios = [0.5, 0.8, 1.0, 1.25, 2.0]
        line = self.summary([cell(ratio, 0.25) for ratio in ratios])[0]
        mean = math.exp(sum(math.log(ratio) for ratio in ratios) / 5)
        self.assertTrue(line.startswith("gemm omp random f32 cold "), line)
        self.assertIn(f"5 cases  best peer: mean {mean:.2f} median 1.00 p10 0.62,  60 % at 1.0", line)
        self.assertIn("ceiling: mean 0.25 median 0.25 p10 0.25,   0 % at 1.0", line)

    def test_states_and_types_are_summarised_apart_and_what_failed_is_not_counted(self):
        lines = self.summary([cell(0.5), cell(2, state="warm"), cell(3, type="f64"), cell(9, verified=False), cell(9, median_s=None)])
        self.assertEqual([line.split("  ")[0] for line in lines[:3]],
                         ["gemm omp random f32 cold", "gemm omp random f32 warm", "gemm omp random f64 cold"])
        self.assertTrue(all(" 1 cases" in line for line in lines[:3]))

    def test_a_cell_above_its_ceiling_is_counted_and_left_out(self):
        line = self.summary([cell(1, 0.5), cell(1, 1.5)])[0]
        self.assertIn("ceiling: mean 0.50", line)
        self.assertIn("(1 above what was no ceiling)", line)

    def test_the_worst_cells_come_worst_first_with_their_class_and_case(self):
        lines = self.summary([cell(ratio, case=number) for number, ratio in enumerate([0.9, 0.3, 0.6] + 10 * [2.0])])
        worst = lines[lines.index("worst of gemm omp") + 1:]
        self.assertEqual(len(worst), 10)
        self.assertEqual([line.split()[0] for line in worst[:3]], ["0.30", "0.60", "0.90"])
        self.assertIn("[odd, large]  --suite random --seed 5 --case 1", worst[0])


if __name__ == "__main__":
    unittest.main()
