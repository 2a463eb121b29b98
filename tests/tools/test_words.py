# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""What the command says of itself: help, and what a mistyped word may have been meant for."""

import os
import re
import unittest

from command import BINARY, CommandTest, run

SUBCOMMANDS = ["info", "transpose", "permute", "cast", "add", "gemm", "verify", "tune", "help", "completion"]


class Words(CommandTest):
    def test_alone_it_prints_its_help(self):
        help_ = self.succeeds("--help").stdout
        for arguments in ([], ["help"], ["-h"]):
            self.assertEqual(self.succeeds(*arguments).stdout, help_)
        self.assertEqual(re.findall(r"^  ([a-z]+) ", help_, re.MULTILINE), SUBCOMMANDS)
        self.assertRegex(self.succeeds("--version").stdout, r"^xpose \d+\.\d+\.\d+\n$")

    def test_help_of_subcommands(self):
        for name in SUBCOMMANDS:
            help_ = self.succeeds(name, "--help").stdout
            self.assertEqual(self.succeeds("help", name).stdout, help_)
            self.assertIn(f"\nUsage: xpose {name} [OPTIONS]", help_)
        self.assertIn("where to run; without a CUDA device", self.succeeds("help", "gemm").stdout)
        self.assertIn("IN.shape[AXES[k]]", self.succeeds("help", "permute").stdout)

    def test_help_fits_80_columns_and_breaks_no_word(self):
        words = set()
        for name in ["", *SUBCOMMANDS]:
            lines = self.succeeds(*([name] if name else []), "--help").stdout.splitlines()
            self.assertLessEqual(max(map(len, lines)), 80, name)
            self.assertFalse(any(line.endswith((" ", "-")) for line in lines), lines)
            words.update(" ".join(lines).split())
        self.assertLessEqual({"swapaxes(1,", "numpy.transpose(IN,", "reference"}, words)

    def test_help_names_the_command_and_not_its_path(self):
        for name in SUBCOMMANDS:
            self.assertNotIn(os.path.dirname(BINARY), self.succeeds(name, "--help").stdout)

    def refuses(self, *arguments, says):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        self.assertIn(says, done.stderr)

    def test_subcommands_that_do_not_exist(self):
        self.refuses("bogus", says="xpose: there is no subcommand 'bogus' (see xpose --help)")
        for word, meant in (("tranpose", "transpose"), ("gem", "gemm"), ("veryfi", "verify"), ("permut", "permute"),
                            ("hlep", "help"), ("Gemm", "gemm"), ("trans", "transpose"), ("ifno", "info")):
            self.refuses(word, "a.npy", says=f"no subcommand '{word}'; did you mean {meant}? (see xpose --help)")

    def test_options_that_do_not_exist(self):
        for word, meant in (("--polcy", "--policy"), ("--ploicy=omp", "--policy"), ("--thread", "--threads"),
                            ("--jsno", "--json"), ("--oder", "--order")):
            option = word.split("=")[0]
            says = f"xpose: transpose has no option {option}; did you mean {meant}? (see xpose transpose --help)"
            self.refuses("transpose", "a.npy", "b.npy", word, "omp", says=says)
        self.refuses("transpose", "a.npy", "b.npy", "--nonsense", says="no option --nonsense (see xpose transpose --help)")
        self.refuses("--versoin", says="there is no option --versoin; did you mean --version?")
        self.refuses("gemm", "a", "b", "c", "--transposea", says="did you mean --transpose-a?")

    def test_arguments_that_miss_or_are_too_many(self):
        self.refuses("transpose", "a.npy", says="transpose: OUT is required (see xpose transpose --help)")
        self.refuses("gemm", "a.npy", "b.npy", says="gemm: OUT is required")
        self.refuses("transpose", "a.npy", "b.npy", "c.npy", says="c.npy (see xpose transpose --help)")
        self.refuses("cast", "a.npy", "b.npy", says="--to is required")
        self.refuses("transpose", "a", "b", "--policy", "gpu", says="gpu not in {automatic,seq,omp,cuda,reference}")
        self.refuses("help", "bogus", says="bogus not in {")


if __name__ == "__main__":
    unittest.main()
