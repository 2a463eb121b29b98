# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose-bench replay: what a program logged under XPOSE_LOG is timed, and the table says what it is worth."""

import os
import re
import subprocess
import tempfile
import unittest

import bench

PROGRAM = os.environ["XPOSE_TRACED_PROGRAM"]
TRANSPOSE = "xpose-bench transpose --policy omp --threads 2 --types f32 --shapes"


class ReplayTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = os.path.join(folder.name, "log")
        self.json = os.path.join(folder.name, "rows.json")

    def write(self, *lines):
        with open(self.log, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)

    def replay(self, *arguments):
        done = bench.run("replay", self.log, *bench.QUICK, "--peers", "none", "--json", self.json, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout.splitlines()

    def table(self, *arguments):
        """The summary's lines: share, calls, and the case, worst first; then what they say together."""
        lines = self.replay(*arguments)
        lines = lines[next(number for number, line in enumerate(lines) if line.startswith("  share")) + 1:]
        cases = [re.match(r" *([0-9.]+) % +(\d+) .*?(not replayable: .*|[a-z]+ --.*)", line) for line in lines[:-2]]
        return [(float(case[1]), int(case[2]), case[3]) for case in cases], lines[-2:]

    def test_every_case_that_a_program_logs_is_timed_and_right(self):
        subprocess.run([PROGRAM, "operations"], check=True, env={**os.environ, "XPOSE_LOG": f"bench:{self.log}"})
        with open(self.log, encoding="utf-8") as file:
            logged = [line for line in file if line.startswith("xpose-bench")]
        self.assertGreater(len(logged), 12)
        cases, _ = self.table()
        self.assertEqual(sorted(case for _, _, case in cases if not case.startswith("not")),
                         sorted(line.split("  #")[0].removeprefix("xpose-bench ") for line in logged))
        self.assertEqual([case for _, _, case in cases if case.startswith("not")],
                         ["not replayable: transpose f32 5x7 on omp with threads 2: user function"])
        self.assertAlmostEqual(sum(share for share, _, _ in cases), 100, delta=1)
        rows = [row for row in bench.rows_of(self.json)[1] if row["implementation"] == "xpose"]
        self.assertEqual(len(rows), len(logged))
        self.assertEqual([row for row in rows if not row["verified"]], [])
        self.assertEqual({row["operation"] for row in rows},
                         {"transpose", "transpose_inplace", "transpose_cast", "copy", "copy_cast", "permute", "add", "gemm"})

    def test_cases_are_weighed_by_their_time_in_the_program(self):
        self.write(f"{TRANSPOSE} 5x7  # calls 10, seconds 1",
                   "# not replayable: gemm f32 9x9x9 on omp with threads 2: user function  # calls 4, seconds 2",
                   f"{TRANSPOSE} 9x7  # calls 30, seconds 5; a remark")
        cases, total = self.table()
        self.assertEqual(cases, [(62.5, 30, "transpose --policy omp --threads 2 --types f32 --shapes 9x7"),
                                 (25.0, 4, "not replayable: gemm f32 9x9x9 on omp with threads 2: user function"),
                                 (12.5, 10, "transpose --policy omp --threads 2 --types f32 --shapes 5x7")])
        self.assertIn("44 calls, 8.00 s in the program; timed here: 75.0 % of it", total[0])

    def test_equal_lines_and_lines_of_several_files_are_one_case(self):
        self.write(f"{TRANSPOSE} 5x7  # calls 1, seconds 1", f"{TRANSPOSE} 5x7  # calls 2, seconds 3")
        cases, _ = self.table(self.log)
        self.assertEqual([calls for _, calls, _ in cases], [6])

    def test_comments_are_skipped_and_a_line_without_a_count_is_one_call(self):
        self.write("# a comment", "", f"{TRANSPOSE} 5x7", f"{TRANSPOSE} 5x7 # another")
        cases, _ = self.table()
        self.assertEqual(cases, [(100.0, 2, "transpose --policy omp --threads 2 --types f32 --shapes 5x7")])

    def test_a_faster_peer_is_what_could_be_gained(self):
        self.write(f"{TRANSPOSE} 211x307  # calls 100000, seconds 1")
        case, _, total = self.replay("--peers", "self")[-3:]
        times = {row["implementation"]: row["median_s"] for row in bench.rows_of(self.json)[1]}
        self.assertRegex(case, f" self +{times['self'] / times['xpose']:.2f} ")
        if times["self"] >= times["xpose"]:
            self.assertEqual(total, "no peer is faster in any of the 1 cases that one has")
            return
        gain = re.match(r"to gain: ([0-9.]+) (s|ms|us|ns) \(([0-9.]+) %\) in 1 of 1 cases", total)
        unit = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[gain[2]]
        self.assertAlmostEqual(float(gain[1]) * unit / (100000 * (times["xpose"] - times["self"])), 1, delta=0.1)
        self.assertAlmostEqual(float(gain[3]), 100 * (1 - times["self"] / times["xpose"]), delta=0.1)

    def test_a_line_that_is_no_case_is_an_error_that_names_it(self):
        for line, reason in ((f"{TRANSPOSE} 5x", "shape '5x': '' is not an integer"),
                             ("xpose-bench transpose --types q8 --shapes 5x7", "unknown type 'q8'"),
                             ("xpose-bench transpose --shape 5x7", "--shape"),
                             ("xpose-bench report 5x7", "report"),
                             ("xpose-bench ladder", "expected transpose, copy, permute, add or gemm"),
                             (f"{TRANSPOSE} 5x7,7x9", "a line is one case, and this one has 2"),
                             (f"{TRANSPOSE} 5x7  # calls 0, seconds 1", "no count of calls"),
                             ("ls -l", "expected a command line of xpose-bench")):
            self.write(f"{TRANSPOSE} 5x7", line)
            done = bench.run("replay", self.log, *bench.QUICK)
            self.assertEqual((done.returncode, done.stdout), (1, ""), line)
            self.assertTrue(done.stderr.startswith(f"xpose-bench: {self.log}:2: "), done.stderr)
            self.assertIn(reason, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_a_log_that_is_not_there_or_is_empty_is_an_error(self):
        done = bench.run("replay", self.log)
        self.assertEqual((done.returncode, done.stderr), (1, f"xpose-bench: {self.log}: cannot be read\n"))
        self.write("# nothing")
        done = bench.run("replay", self.log)
        self.assertEqual((done.returncode, done.stderr), (1, f"xpose-bench: nothing to replay: {self.log} holds no call\n"))

    def test_a_replay_under_xpose_log_leaves_the_log_as_it_is(self):
        self.write(f"{TRANSPOSE} 5x7  # calls 3, seconds 1")
        done = bench.run("replay", self.log, *bench.QUICK, "--peers", "none", environment={"XPOSE_LOG": f"bench:{self.log}"})
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.log, encoding="utf-8") as file:
            self.assertEqual(file.read(), f"{TRANSPOSE} 5x7  # calls 3, seconds 1\n")

    def test_the_log_runs_as_a_shell_script(self):
        self.write(f"{TRANSPOSE} 5x7 --peers none --seconds 0.01  # calls 3, seconds 1; the call read C, too")
        folder = os.path.dirname(bench.BINARY)
        done = subprocess.run(["sh", self.log], capture_output=True, text=True, timeout=300,
                              env={**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"]})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("transpose omp f32 5x7", done.stdout)


if __name__ == "__main__":
    unittest.main()
