# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose-bench's rows, files and refusals."""

import csv
import json
import os
import pty
import subprocess
import tempfile
import unittest

import bench

MEMBERS = ("operation policy device threads type shape layout implementation kernel median_s min_s mean_s stddev_s repeats "
           "ceiling ceiling_name ratio_to_ceiling verified verified_by cache").split()


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.json = os.path.join(folder.name, "rows.json")
        self.csv = os.path.join(folder.name, "rows.csv")

    def rows(self, *arguments):
        done = bench.run(*arguments, *bench.QUICK, "--json", self.json)
        self.assertEqual(done.returncode, 0, done.stderr)
        return bench.rows_of(self.json)[1]

    def test_a_transpose_has_rows_of_xpose_and_the_ceilings_with_every_member(self):
        rows = self.rows("transpose", "--types", "f32,b3", "--shapes", "97x201,30x41:ld=43/33:offset=1", "--peers", "none")
        self.assertEqual({row["implementation"] for row in rows} - {"nontemporal_copy"}, {"xpose", "memcpy"})
        self.assertEqual({(row["type"], row["shape"], row["layout"]) for row in rows},
                         {(t, s, l) for t in ("f32", "b3") for s, l in (("97x201", "packed"), ("30x41", "ld=43/33 offset=1"))})
        for row in rows:
            self.assertEqual([name for name in MEMBERS if name not in row], [])
            self.assertTrue(row["verified"], row)
            self.assertGreater(row["median_s"], 0)
            self.assertEqual(row["repeats"], 3)
        xpose = [row for row in rows if row["implementation"] == "xpose"]
        self.assertTrue(all(row["gbps"] > 0 and row["kernel"] for row in xpose))

    def test_the_bandwidth_counts_bytes_read_and_written(self):
        row = self.rows("transpose", "--types", "f64", "--shapes", "97x201", "--peers", "none")[0]
        self.assertAlmostEqual(row["gbps"] * 1e9 * row["median_s"], 2 * 97 * 201 * 8, delta=1)

    def test_a_gemm_counts_two_operations_and_a_complex_one_eight(self):
        for name, operations in (("f32", 2), ("c64", 8)):
            row = self.rows("gemm", "--types", name, "--shapes", "31x43x57:TN", "--peers", "none")[0]
            self.assertAlmostEqual(row["tflops"] * 1e12 * row["median_s"], operations * 31 * 43 * 57, delta=1)
            self.assertEqual(row["layout"], "TN")

    def test_every_type_of_gemm_and_every_size_of_transpose_is_right(self):
        listed = bench.run("--list").stdout.splitlines()
        transposes = listed[listed.index("types of transpose, copy and permute") + 1].replace(" ", "")
        gemms = listed[listed.index("types of gemm") + 1].replace(" ", "")
        rows = self.rows("transpose", "--types", transposes, "--shapes", "33x65,7*5x9", "--peers", "none")
        rows += self.rows("copy", "--types", transposes, "--shapes", "33x65:ld=70", "--peers", "none")
        rows += self.rows("gemm", "--types", gemms, "--shapes", "33x65x17:TT,3*9x8x7", "--peers", "none")
        self.assertEqual([row for row in rows if not row["verified"]], [])

    def test_a_permutation_has_rows_of_xpose_and_the_ceilings(self):
        rows = self.rows("permute", "--types", "b1,b3,f64,c128", "--shapes", "9x8x7:201,5x40x3x2:3102:offset=1,33x65:10,2x3x4x5x6x7x2x3:76543210",
                         "--peers", "self")
        self.assertEqual([row for row in rows if not row["verified"]], [])
        self.assertEqual({row["implementation"] for row in rows} - {"nontemporal_copy"}, {"xpose", "memcpy", "self"})
        self.assertEqual((rows[0]["operation"], rows[0]["shape"], rows[0]["layout"]), ("permute", "9x8x7", "201"))
        self.assertAlmostEqual(rows[0]["gbps"] * 1e9 * rows[0]["median_s"], 2 * 9 * 8 * 7, delta=1)

    def test_a_cast_has_rows_of_xpose_its_copy_of_as_many_bytes_and_the_ceilings(self):
        for operation in ("transpose", "copy"):
            casts = [f"{one}:{other}" for one in ("f16", "bf16", "f32", "f64") for other in ("f16", "bf16", "f32", "f64") if one != other]
            rows = self.rows(operation, "--cast", ",".join(casts), "--shapes", "33x65,30x41:ld=47/49:offset=1,5*9x8", "--peers", "none")
            self.assertEqual([row for row in rows if not row["verified"]], [])
            self.assertEqual({row["implementation"] for row in rows} - {"nontemporal_copy"}, {"xpose", "memcpy", "xpose_copy"})
            self.assertEqual({row["type"] for row in rows}, set(casts))
            self.assertEqual({row["operation"] for row in rows}, {operation + "_cast"})
            row = next(row for row in rows if row["type"] == "f32:bf16" and row["shape"] == "33x65")
            self.assertAlmostEqual(row["gbps"] * 1e9 * row["median_s"], 6 * 33 * 65, delta=1)

    def test_a_cast_that_does_not_exist_is_refused(self):
        for cast in ("f32:b3", "f32:f32", "f32", "f32:", "x9:f32"):
            done = bench.run("transpose", "--cast", cast, "--shapes", "9x9")
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1 if ":" in cast else 2, 1), done.stderr)
        self.assertEqual(bench.run("transpose", "--in-place", "--cast", "f32:f16", "--shapes", "9x9").returncode, 1)

    def test_an_add_has_rows_of_xpose_and_the_ceilings_and_counts_three_matrices(self):
        shapes = ",".join(f"33x65:{orders},30x41:{orders}:ld=47/48/49:offset=1" for orders in ("NN", "NT", "TN", "TT"))
        rows = self.rows("add", "--types", "f32,f64,c64,c128", "--shapes", shapes, "--peers", "self")
        self.assertEqual([row for row in rows if not row["verified"]], [])
        self.assertEqual({row["implementation"] for row in rows} - {"nontemporal_add"}, {"xpose", "stream_add", "self"})
        self.assertEqual({row["layout"][:2] for row in rows}, {"NN", "NT", "TN", "TT"})
        self.assertAlmostEqual(rows[0]["gbps"] * 1e9 * rows[0]["median_s"], 3 * 33 * 65 * 4, delta=1)
        for words in (("--types", "b3", "--shapes", "9x9"), ("--shapes", "5*9x9"), ("--shapes", "9x9:NX")):
            self.assertEqual(bench.run("add", *words).returncode, 1)

    def test_in_place_xpose_has_a_row_beside_what_a_user_could_do_instead(self):
        rows = self.rows("transpose", "--in-place", "--types", "b1,b3,f32,b12,c128", "--shapes", "64x64,97x201,5*9x8,33x33:offset=1",
                         "--peers", "self")
        self.assertEqual({row["operation"] for row in rows}, {"transpose_inplace"})
        self.assertEqual({row["implementation"]: row["role"] for row in rows if row["role"] != "ceiling"},
                         {"xpose": "xpose", "copy_back": "alternative", "self": "peer"})
        self.assertEqual([row for row in rows if not row["verified"]], [])
        self.assertAlmostEqual(rows[0]["gbps"] * 1e9 * rows[0]["median_s"], 2 * 64 * 64, delta=1)

    def test_a_suite_in_place_needs_no_option(self):
        rows = self.rows("transpose", "--suite", "transpose-inplace-short", "--types", "b1", "--peers", "none")
        self.assertEqual({row["operation"] for row in rows}, {"transpose_inplace"})

    def test_xpose_against_itself_is_a_peer(self):
        rows = self.rows("transpose", "--shapes", "97x201", "--peers", "self")
        xpose = next(row for row in rows if row["implementation"] == "xpose")
        self.assertEqual(xpose["best_peer"], "self")
        self.assertGreater(xpose["ratio_to_best_peer"], 0)

    def test_omp_after_seq_has_all_its_threads(self):
        alone = self.rows("transpose", "--policy", "omp", "--shapes", "9x9", "--peers", "none")[0]["threads"]
        rows = self.rows("transpose", "--policy", "seq,omp", "--shapes", "9x9", "--peers", "none")
        self.assertEqual({row["policy"]: row["threads"] for row in rows if "policy" in row and row["operation"] == "transpose"},
                         {"seq": 1, "omp": alone})

    def test_a_case_beyond_the_cache_says_so_and_a_small_one_too(self):
        rows = self.rows("transpose", "--types", "u8", "--shapes", "64x64", "--peers", "none")
        self.assertEqual({row["cache"] for row in rows}, {"resident"})

    def test_the_ladder_of_the_processor_is_right_at_any_size(self):
        rows = self.rows("ladder", "--shapes", "97x201,1x1,33x35x31", "--peers", "none")
        rungs = [row for row in rows if row["role"] == "rung"]
        self.assertGreater(len(rungs), 8)
        self.assertEqual([row for row in rungs if not row["verified"]], [])
        self.assertTrue(all(row["table"] and row["idea"] for row in rungs))

    def test_csv_has_a_line_for_each_row(self):
        done = bench.run("transpose", "--shapes", "97x201", "--peers", "none", *bench.QUICK, "--json", self.json,
                         "--csv", self.csv)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.csv, encoding="utf-8", newline="") as file:
            table = list(csv.DictReader(file))
        rows = bench.rows_of(self.json)[1]
        self.assertEqual([line["implementation"] for line in table], [row["implementation"] for row in rows])
        self.assertEqual(float(table[0]["median_s"]), rows[0]["median_s"])

    def test_results_are_stored_of_a_commit_only(self):
        for commit, code in (("1234567", 0), ("1234567-dirty", 1), ("unknown", 1)):
            done = bench.run("transpose", "--shapes", "9x9", "--peers", "none", *bench.QUICK, "--json", self.json, "--store",
                             environment={"XPOSE_BENCH_COMMIT": commit})
            self.assertEqual(done.returncode, code, done.stderr)
            if code:
                self.assertIn(f"this tree is {commit}", done.stderr)
            else:
                self.assertEqual(bench.rows_of(self.json)[0]["commit"], commit)

    def test_the_run_describes_itself(self):
        self.rows("transpose", "--shapes", "9x9", "--peers", "none")
        run, _ = bench.rows_of(self.json)
        for member in ("date", "commit", "version", "device", "threads", "software", "command", "last_level_cache_bytes"):
            self.assertIn(member, run)

    def test_unknown_words_cost_one_line_each_and_the_rest_runs(self):
        done = bench.run("transpose", "--types", "f32,x9", "--shapes", "9x9,5x", "--peers", "foo", "--suite", "bar",
                         *bench.QUICK, "--json", self.json)
        self.assertEqual(done.returncode, 1)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 4, lines)
        for word in ("'x9'", "'5x'", "'foo'", "'bar'"):
            self.assertEqual(sum(word in line for line in lines), 1, lines)
        _, rows = bench.rows_of(self.json)
        self.assertTrue(any(row["implementation"] == "xpose" and row["verified"] for row in rows))

    def test_variables_that_slow_openblas_down_are_unset_with_a_note_each(self):
        done = bench.run("transpose", "--shapes", "9x9", "--peers", "none", *bench.QUICK,
                         environment={name: "1" for name in bench.SLOWS_OPENBLAS})
        self.assertEqual(done.returncode, 0)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 2, lines)
        for name, line in zip(bench.SLOWS_OPENBLAS, lines):
            self.assertIn(f"{name} is set", line)

    def test_a_file_that_cannot_be_written_is_refused_before_anything_runs(self):
        done = bench.run("transpose", "--shapes", "9x9", "--json", "/nonexistent/rows.json")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "xpose-bench: /nonexistent/rows.json: cannot be written\n")
        self.assertEqual(done.stdout, "")

    def test_a_shape_that_does_not_fit_is_skipped_and_the_next_one_runs(self):
        done = bench.run("transpose", "--shapes", "10000000x10000000,9x9", "--peers", "none", *bench.QUICK, "--json", self.json)
        self.assertEqual(done.returncode, 0, done.stderr)
        _, rows = bench.rows_of(self.json)
        self.assertTrue(rows[0]["note"].startswith("skipped: needs"), rows[0])
        self.assertIsNone(rows[0]["median_s"])
        self.assertTrue(rows[1]["verified"])

    def test_a_gemm_by_a_plan_says_so_and_is_verified(self):
        for shape in ("9x7x5", "9x7x5:TN", "1x30x20", "3*8x5x4", "90x80x70"):
            rows = self.rows("gemm", "--shapes", shape, "--types", "f32", "--peers", "none", "--policy", "seq", "--planned")
            self.assertTrue(rows[0]["verified"], rows[0])
            self.assertTrue(rows[0]["kernel"].endswith(", planned"), rows[0])
        rows = self.rows("gemm", "--shapes", "9x7x5", "--types", "f32", "--peers", "none", "--policy", "seq")
        self.assertNotIn("planned", rows[0]["kernel"])

    def test_a_gemm_that_takes_too_long_at_the_peak_is_skipped(self):
        rows = self.rows("gemm", "--shapes", "4000x4000x4000", "--peers", "none", "--longest-call", "0.001")
        self.assertTrue(rows[0]["note"].startswith("skipped: one call takes"), rows[0])

    def test_a_comparison_says_what_got_slower_beyond_the_noise(self):
        self.rows("transpose", "--shapes", "97x201,55x44", "--peers", "none")
        with open(self.json, encoding="utf-8") as file:
            lines = file.readlines()
        changed = self.json + ".old"
        for factor, code, word in ((4.0, 3, "SLOWER"), (0.25, 0, "faster"), (1.0, 0, None)):
            with open(changed, "w", encoding="utf-8") as file:
                for line in lines:
                    row = json.loads(line)
                    if row.get("role") == "xpose" and row["shape"] == "55x44":
                        # The earlier run was this much faster.
                        row["ratio_to_ceiling"] *= factor
                        for member in ("median_s", "min_s", "mean_s", "stddev_s"):
                            row[member] /= factor
                    file.write(json.dumps(row) + "\n")
            done = bench.run("compare", changed, self.json)
            self.assertEqual(done.returncode, code, done.stdout)
            flagged = [line for line in done.stdout.splitlines() if line.startswith(("SLOWER", "faster"))]
            self.assertEqual([line.split()[0] for line in flagged], [word] if word else [], done.stdout)
            self.assertTrue(all("55x44" in line for line in flagged))

    def test_a_comparison_does_not_blame_xpose_for_what_the_machine_did(self):
        self.rows("transpose", "--shapes", "55x44", "--peers", "none")
        with open(self.json, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        changed = self.json + ".old"
        with open(changed, "w", encoding="utf-8") as file:
            for row in lines:
                if row.get("implementation") in ("xpose", "nontemporal_copy"):
                    row["ratio_to_ceiling"] *= 4  # a peer or ceiling moved as far
                file.write(json.dumps(row) + "\n")
        if not any(row.get("implementation") == "nontemporal_copy" for row in lines):
            self.skipTest("one ceiling only on this processor")
        done = bench.run("compare", changed, self.json)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("1 within the noise", done.stdout)

    def test_a_file_that_holds_no_rows_is_no_run_to_compare_with(self):
        with open(self.json, "w", encoding="utf-8") as file:
            file.write("{}\nnot json\n")
        done = bench.run("compare", self.json, self.json)
        self.assertEqual((done.returncode, done.stderr), (1, f"xpose-bench: {self.json}:2: not a JSON object\n"))

    def test_without_a_device_cuda_is_one_clear_line(self):
        if os.path.exists("/dev/nvidia0"):
            self.skipTest("this machine has a device")
        done = bench.run("transpose", "--policy", "cuda", "--shapes", "9x9", *bench.QUICK, "--json", self.json)
        self.assertEqual(done.returncode, 1)
        with open(self.json, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        self.assertRegex(rows[-1]["note"], "no CUDA")

    def test_progress_is_shown_on_a_terminal(self):
        parent, child = pty.openpty()
        self.addCleanup(os.close, parent)
        with subprocess.Popen([bench.BINARY, "transpose", "--shapes", "999x1001", "--seconds", "0.8", "--peers", "none"],
                              stdout=subprocess.DEVNULL, stderr=child) as process:
            process.wait(120)
        os.close(child)
        self.assertIn(b"1 of 1", os.read(parent, 1 << 16))


if __name__ == "__main__":
    unittest.main()
