# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The top of the report: numbers computed by hand, the order of lists, what is no ceiling, which rows are stale."""

import html
import os
import re
import stat
import subprocess
import tempfile
import unittest
import unittest.mock

import sample_results as sample
from test_report import needs_matplotlib, read, report

MACHINE = (sample.GPU, "cuda", 0)
OMP = ("Sample Xeon", "omp", 2)


def words_of(part):
    """The text of HTML, a space for each tag."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", part))).strip()


def rows_of(part, kind):
    return re.findall(rf'<tr class="{kind}">.*?</tr>', part, re.S)


class RandomPage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        environment = unittest.mock.patch.dict(os.environ, XPOSE_BENCH_SOURCE=self.folder)  # no checkout, unless a test makes one
        environment.start()
        self.addCleanup(environment.stop)

    def path(self, name):
        return os.path.join(self.folder, name)

    def page_of(self, lines):
        sample.write(self.path("rows.json"), lines)
        done = report(self.path("rows.json"), "-o", self.path("page.html"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return read(self.path("page.html"))

    def tiny(self):
        return self.page_of([sample.run_line(*MACHINE, "xpose-bench gemm --suite random"), *sample.random_lines(MACHINE)])


@needs_matplotlib
class TableTest(RandomPage):
    def test_the_random_suites_come_before_everything_else_and_gpus_before_processors(self):
        lines = [sample.run_line(*OMP, "omp", date="2026-11-29T00:00:00Z"), *sample.random_lines(OMP),
                 sample.run_line("Old GPU", "cuda", 0, "cuda", date="2026-11-01T00:00:00Z"), *sample.random_lines(("Old GPU", "cuda", 0)),
                 sample.run_line(*MACHINE, "cuda"), *sample.random_lines(MACHINE)]
        headings = [words_of(found) for found in re.findall(r"<h2>(.*?)</h2>", self.page_of(lines))]
        self.assertEqual(headings[:3], [f"{name} random shapes" for name in (sample.GPU, "Old GPU", "Sample Xeon")])
        self.assertEqual(headings[3:], [f"{name} rows and runs" for name in (sample.GPU, "Old GPU", "Sample Xeon")])

    def test_a_table_has_the_means_medians_and_percentiles_of_its_cells(self):
        table = re.search(r'<h3>Product \(gemm\)</h3>.*?<table class="spread">(.*?)</table>', self.tiny(), re.S)[1]
        lines = [words_of(line) for line in re.findall(r"<tr>.*?</tr>", table.split("<tbody>")[1], re.S)]
        self.assertEqual(lines, [
            "bf16 warm small 1 1 0.400 0.400 0.400 0 % 1 0.900 0.900 0.900",  # where xpose loses comes first
            "f32 cold random 5 5 1.000 1.000 0.620 60 % 4 0.500 0.500 0.325 1"])

    def test_operations_come_in_the_order_of_their_means_and_those_without_a_peer_last(self):
        part = self.tiny().split('<section class="random"')[1].split("</section>")[0]
        titles = re.findall(r"<h3[^>]*>(.*?)</h3>", part)
        self.assertEqual(titles[:3], ["Product (gemm)", "Transpose", "Transpose in place"])
        self.assertIn("A peer is faster in 3 of 12 cells", words_of(part))

    def test_the_worst_ten_are_listed_from_the_slowest_up_and_the_best_after_them(self):
        lists = re.findall(r'<table class="cells">.*?</table>', self.tiny(), re.S)
        ratios = [[words_of(row).split()[0] for row in rows_of(table, "cell")] for table in lists]
        worst, alone, best = ratios
        self.assertEqual(worst, "0.400 0.500 0.800 1.000 1.250 2.000 3.000 4.000 5.000 6.000".split())
        self.assertEqual(best, ["8.000", "7.000"])
        self.assertEqual(alone, ["0.300", "0.600"])

    def test_a_cell_of_the_list_says_what_it_is_and_how_to_measure_it_again(self):
        page = self.tiny()
        lists = re.findall(r'<table class="cells">.*?</table>', page, re.S)
        first, how = words_of(rows_of(lists[0], "cell")[1]), words_of(rows_of(lists[0], "how")[1])
        self.assertTrue(first.startswith("0.500 samplepeer Product (gemm) f32 11\N{MULTIPLICATION SIGN}70\N{MULTIPLICATION SIGN}90 NN "
                                         "few columns, aligned cold 0.250"), first)
        self.assertEqual(how, "xpose-bench gemm --policy cuda --suite random --seed 7 --case 0 --types f32 kernel of xpose")
        self.assertIn("xpose-bench transpose --policy cuda --suite random-inplace --seed 7 --case 1 --types f32", words_of(lists[1]))

    def test_a_ceiling_that_xpose_exceeds_is_none_and_is_counted(self):
        page = self.tiny()
        self.assertIn("In 1 of 14 cells xpose is faster than what was to be the ceiling", page)
        self.assertIn("not a ceiling here (1.10)", page)
        self.assertNotRegex(words_of(page.split("</style>")[1]), r"1\.100|1\.10(?!\))", "the ratio stands somewhere as a share")

    def test_each_curve_is_of_a_type_and_each_panel_of_a_state(self):
        figures = re.findall(r'<figure id="[^"]*random-gemm-peers">.*?</figure>', self.tiny(), re.S)
        self.assertEqual(len(figures), 1)
        for words in ("random, cold", "small, warm", ">f32<", ">bf16<", "the best peer is faster"):
            self.assertIn(words, figures[0])

    def test_every_card_has_a_number_and_no_operation_stands_there_empty(self):
        nothing = dict.fromkeys(("ceiling", "ratio_to_ceiling", "best_peer", "ratio_to_best_peer"))
        lines = [sample.run_line(*MACHINE, "xpose-bench"),
                 sample.row(MACHINE, "add", "f32", "512x512", "xpose", "xpose", 3.0, **nothing),
                 *sample.comparison(MACHINE, "copy", "f32", "512x512", {"cudaMemcpy": 9.0}, {"torch": 0.5}, 0.9)]
        page = self.page_of(lines)
        cards = re.findall(r'<div class="card">.*?</p></div>', page, re.S)
        self.assertEqual([re.search("<h4>(.*?)</h4>", card)[1] for card in cards], ["Copy"])
        self.assertTrue(all("<b>" in card for card in cards))
        self.assertNotIn("-permute\">", page)
        self.assertNotIn('class="random"', page)

    def test_a_peer_has_one_line_with_its_version_and_threads(self):
        run = sample.run_line(*OMP, "xpose-bench", peers={"mkl": "2025.2", "hptt": "1.0.5"})
        alone = sample.row(OMP, "transpose", "f32", "512x512", "hptt", "peer", 3.0, threads=1)
        page = self.page_of([run, alone, sample.row(OMP, "transpose", "f32", "512x512", "xpose", "xpose", 3.0)])
        table = re.search(r'<table class="peers">.*?<tbody>(.*?)</table>', page, re.S)[1]
        self.assertEqual([words_of(line) for line in re.findall("<tr>.*?</tr>", table)], ["hptt 1.0.5 1", "mkl 2025.2 2"])
        self.assertEqual(page.count("<section"), 1, "a peer on fewer threads stays beside xpose")

    def test_sizes_stand_at_their_bytes(self):
        import matplotlib.figure
        import results
        import size_figures
        lines = [line for side in (512, 1000, 1024, 4096) for line in
                 sample.comparison(MACHINE, "copy", "f32", f"{side}x{side}", {"cudaMemcpy": 9.0}, {}, 0.9)]
        sample.write(self.path("rows.json"), lines)
        cells = list(results.read_sections([self.path("rows.json")])[0].cells.values())
        axes = matplotlib.figure.Figure().add_subplot()
        size_figures.paint_lines(cells, "GB/s", is_log=True)(axes)
        self.assertEqual(axes.get_xscale(), "log")
        for place, side in zip(axes.lines[-1].get_xdata(), (512, 1000, 1024, 4096)):
            self.assertAlmostEqual(place, 2 * 4 * side**2, delta=1)


@needs_matplotlib
class StaleTest(RandomPage):
    """In a checkout of its own, whose commits change one file each."""

    def setUp(self):
        super().setUp()
        # A hook of git runs tests with GIT_DIR set, by which these commits would be the user's.
        without = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        patched = unittest.mock.patch.dict(os.environ, without, clear=True)
        patched.start()
        self.addCleanup(patched.stop)
        self.git("init", "-q")
        self.first = self.commit("backends/cuda/kernel", "backends/omp/kernel", "backends/core/check")

    def git(self, *words):
        name = ("-c", "user.name=t", "-c", "user.email=t@t")
        return subprocess.run(["git", "-C", self.folder, *name, *words], check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, *files, content=None):
        for file in files:
            os.makedirs(os.path.dirname(self.path(file)), exist_ok=True)
            with open(self.path(file), "a" if content is None else "w", encoding="utf-8") as opened:
                opened.write(content or "more\n")
        self.git("add", *files)
        self.git("commit", "-q", "-m", "a change")
        return self.git("rev-parse", "--short=7", "HEAD")

    def marks(self, *runs):
        """Of each (machine, commit): what stands beside it in the contents."""
        lines = []
        for machine, commit in runs:
            lines += [sample.run_line(*machine, "xpose-bench", commit=commit), *sample.random_lines(machine)]
        page = self.page_of(lines)
        entries = re.findall(r'<a class="machine".*?<br>', page)
        return {words_of(re.search("<a.*?</a>", entry)[0]): words_of(" ".join(re.findall("<b.*?</b>", entry))) for entry in entries}

    def test_rows_are_stale_if_their_backend_or_the_core_has_changed_since(self):
        self.commit("backends/cuda/kernel")
        self.commit("README/text")
        second = self.commit("backends/cuda/other")
        runs = ((MACHINE, self.first), (OMP, self.first), (("GPU 2", "cuda", 0), second))
        self.assertEqual(self.marks(*runs), {sample.GPU: "stale: 2 commits", "Sample Xeon": "", "GPU 2": ""})
        self.commit("backends/core/check")
        self.assertEqual(self.marks(*runs), {sample.GPU: "stale: 3 commits", "Sample Xeon": "stale: 1 commit", "GPU 2": "stale: 1 commit"})

    def test_a_change_that_was_taken_back_is_none(self):
        self.commit("backends/omp/kernel")
        self.commit("backends/omp/kernel", content="more\n")
        self.assertEqual(self.marks((OMP, self.first)), {"Sample Xeon": ""})

    def test_an_unknown_commit_says_so(self):
        for commit in ("unknown", "0123abc", "--help", ""):
            self.assertEqual(self.marks((OMP, commit)), {"Sample Xeon": "commit unknown"}, commit)

    def test_a_commit_with_changes_of_its_own_counts_as_the_commit(self):
        self.commit("backends/omp/kernel")
        self.assertEqual(self.marks((OMP, f"{self.first}-dirty")), {"Sample Xeon": "stale: 1 commit"})

    def test_outside_a_checkout_nothing_is_said(self):
        os.rename(self.path(".git"), self.path("gone"))
        with unittest.mock.patch.dict(os.environ, GIT_CEILING_DIRECTORIES=os.path.dirname(self.folder)):
            self.assertEqual(self.marks((OMP, self.first)), {"Sample Xeon": ""})

    def test_git_is_asked_once_for_each_commit_and_once_for_all(self):
        second = self.commit("backends/cuda/kernel")
        self.commit("backends/core/check")
        os.mkdir(self.path("bin"))
        with open(self.path("bin/git"), "w", encoding="utf-8") as script:
            real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
            script.write(f'#!/bin/sh\necho call >>"{self.path("calls")}"\nexec {real} "$@"\n')
        os.chmod(self.path("bin/git"), stat.S_IRWXU)
        with unittest.mock.patch.dict(os.environ, PATH=f"{self.path('bin')}:{os.environ['PATH']}"):
            found = self.marks((MACHINE, self.first), (("GPU 2", "cuda", 0), second), (OMP, second))
        self.assertEqual(sorted(found.values()), ["stale: 1 commit", "stale: 1 commit", "stale: 2 commits"])
        self.assertEqual(read(self.path("calls")).count("call"), 3)


if __name__ == "__main__":
    unittest.main()
