# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Man pages and completions, as built: they name what help names, and the shells take them."""

import os
import re
import shutil
import subprocess
import unittest

from command import CommandTest
from test_words import SUBCOMMANDS

PAGES = os.environ["XPOSE_PAGES"]


def page(name):
    with open(os.path.join(PAGES, name)) as file:
        return file.read()


class Pages(CommandTest):
    def options_of(self, subcommand):
        return set(re.findall(r"^  (--[a-z-]+)", self.succeeds(subcommand, "--help").stdout, re.MULTILINE))

    def test_a_man_page_for_each_subcommand(self):
        built = {name for name in os.listdir(PAGES) if name.endswith(".1")}
        self.assertEqual(built, {"xpose.1"} | {f"xpose-{name}.1" for name in SUBCOMMANDS})
        for name in SUBCOMMANDS:
            text = page(f"xpose-{name}.1").replace("\\-", "-")
            self.assertEqual(set(re.findall(r"^\\fB(--[a-z-]+)", text, re.MULTILINE)), self.options_of(name))
            self.assertIn(f"xpose-{name}", page("xpose.1").replace("\\-", "-"))

    @unittest.skipUnless(shutil.which("mandoc"), "no mandoc here")
    def test_mandoc_finds_nothing_wrong(self):
        pages = [os.path.join(PAGES, name) for name in sorted(os.listdir(PAGES)) if name.endswith(".1")]
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages], capture_output=True, text=True)
        self.assertEqual([line for line in done.stdout.splitlines() if "missing date" not in line], [])

    @unittest.skipUnless(shutil.which("man"), "no man here")
    def test_man_shows_them_without_a_complaint(self):
        done = subprocess.run(["man", "--warnings", "-l", os.path.join(PAGES, "xpose-gemm.1")], capture_output=True,
                              text=True, env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--semiring SEMIRING", done.stdout)
        self.assertIn("  xpose gemm a.npy b.npy out.npy --alpha 2", done.stdout)

    def bash(self, *words):
        """What bash offers for the last word."""
        script = f"""
            source {PAGES}/xpose
            compopt() {{ :; }}  # which only works while a line is completed
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
            _xpose
            printf '%s\n' "${{COMPREPLY[@]}}"
        """
        done = subprocess.run(["bash", "-euc", script, "bash", "xpose", *words], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split("\n")[:-1] if done.stdout.strip() else []

    def test_bash_completes_subcommands_options_and_values(self):
        self.assertEqual(self.bash("tr"), ["transpose"])
        self.assertEqual(self.bash(""), [*SUBCOMMANDS, "--version", "--help"])
        for name in SUBCOMMANDS:
            self.assertEqual(set(self.bash(name, "--")), self.options_of(name))
        self.assertEqual(self.bash("gemm", "a.npy", "--semi"), ["--semiring"])
        self.assertEqual(self.bash("gemm", "--semiring", "m"), ["min_plus", "max_plus"])
        self.assertEqual(self.bash("gemm", "--policy", ""), ["automatic", "seq", "omp", "cuda", "reference"])
        self.assertEqual(self.bash("gemm", "--policy", "="), ["automatic", "seq", "omp", "cuda", "reference"])
        self.assertEqual(self.bash("gemm", "--policy", "=", "o"), ["omp"])
        self.assertEqual(self.bash("verify", "--policy", "a"), ["all"])
        self.assertEqual(self.bash("cast", "--to", "b"), ["bool", "bf16"])
        self.assertEqual(self.bash("gemm", "--threads", ""), [])
        self.assertEqual(self.bash("completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.bash("help", "ge"), ["gemm"])

    def test_bash_completes_files(self):
        for name in ("a.npy", "a b.npy", "other.txt"):
            open(self.path(name), "w").close()
        os.mkdir(self.path("folder"))
        self.assertEqual(sorted(self.bash("transpose", "")), ["a b.npy", "a.npy", "folder"])
        self.assertEqual(sorted(self.bash("gemm", "x", "y", "z", "--c", "a")), ["a b.npy", "a.npy"])

    @unittest.skipUnless(shutil.which("shellcheck"), "no shellcheck here")
    def test_shellcheck_of_bash(self):
        done = subprocess.run(["shellcheck", "-s", "bash", os.path.join(PAGES, "xpose")], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    @unittest.skipUnless(shutil.which("zsh"), "no zsh here")
    def test_zsh_takes_its_completion(self):
        done = subprocess.run(["zsh", "-n", os.path.join(PAGES, "_xpose")], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # compsys needs a terminal; what _arguments and _describe are given can be seen without.
        script = f"""
            _describe() {{ print -l -- ${{(P)2}} }}
            _arguments() {{ print -l -- "$@" }}
            words=("$@") CURRENT=$#
            source {PAGES}/_xpose
        """

        def given(*words):
            done = subprocess.run(["zsh", "-fc", script, "zsh", "xpose", *words], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout.splitlines()

        self.assertEqual([line.split(":")[0] for line in given("")], SUBCOMMANDS)
        for name in SUBCOMMANDS:
            options = {re.split(r"[=\[]", line)[0] for line in given(name, "") if line.startswith("--")}
            self.assertEqual(options, self.options_of(name))
        self.assertIn("--semiring=[what adds and multiplies]:SEMIRING:(plus_times min_plus max_plus or_and)", given("gemm", ""))

    @unittest.skipUnless(shutil.which("fish"), "no fish here")
    def test_fish_completes(self):
        def offers(line):
            script = f"source {PAGES}/xpose.fish; complete -C '{line}'"
            done = subprocess.run(["fish", "--no-config", "-c", script], cwd=self.folder, capture_output=True, text=True,
                                  env={**os.environ, "HOME": self.folder})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return [offer.split("\t")[0] for offer in done.stdout.splitlines()]

        self.assertEqual(set(offers("xpose ")), set(SUBCOMMANDS))
        self.assertEqual(offers("xpose tr"), ["transpose"])
        for name in SUBCOMMANDS:
            self.assertEqual(set(offers(f"xpose {name} --")), self.options_of(name))
        self.assertEqual(set(offers("xpose gemm --policy ")), {"automatic", "seq", "omp", "cuda", "reference"})
        self.assertEqual(offers("xpose gemm --semiring or"), ["or_and"])
        open(self.path("a.npy"), "w").close()
        self.assertIn("a.npy", offers("xpose transpose "))

    def test_they_are_installed_where_the_shells_look(self):
        build = os.path.dirname(os.path.dirname(PAGES))
        done = subprocess.run(["cmake", "--install", build, "--component", "tools", "--prefix", self.folder],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("man/man1/xpose.1", "man/man1/xpose-permute.1", "bash-completion/completions/xpose",
                     "zsh/site-functions/_xpose", "fish/vendor_completions.d/xpose.fish"):
            self.assertEqual(open(self.path("share/" + name)).read(), page(os.path.basename(name)))

    def test_what_is_printed_is_what_is_built(self):
        for shell, name in (("bash", "xpose"), ("zsh", "_xpose"), ("fish", "xpose.fish")):
            self.assertEqual(self.succeeds("completion", shell).stdout, page(name))


if __name__ == "__main__":
    unittest.main()
