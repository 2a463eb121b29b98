# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The report of made-up results: complete, self-contained, escaped, the same twice, and looked at in a browser."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import sample_results as sample

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "benchmarks", "report")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
CAN_DRAW = all(importlib.util.find_spec(name) for name in ("numpy", "matplotlib"))
EVERYWHERE = "random worst transpose copy gemm losses failed rows runs".split()
PLACES = {"sample-b-processor-b-co-omp": [*EVERYWHERE, "transpose_inplace", "transpose_cast", "permute", "add", "copy_cast"],
          "sample-gpu-80gb-cuda": [*EVERYWHERE, "ladder"]}
needs_matplotlib = unittest.skipUnless(CAN_DRAW, "no NumPy and Matplotlib in this Python")
needs_browser = unittest.skipUnless(BROWSER, "no chromium on the path")
DARK, LIGHT = 0, 1  # of the browser's preferredColorScheme

if CAN_DRAW:
    import matplotlib.image
    import numpy
    sys.path.insert(0, SCRIPTS)
    import palette


def report(*arguments):
    """xpose-bench report; without a build the script alone."""
    command = [os.environ["XPOSE_BENCH"], "report"] if "XPOSE_BENCH" in os.environ else [sys.executable, "-B", os.path.join(SCRIPTS, "report.py")]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=300)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def rgb(colour):
    return numpy.array([int(colour[start:start + 2], 16) for start in (1, 3, 5)]) / 255


def luminance(colours):
    linear = numpy.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    return linear @ numpy.array([0.2126, 0.7152, 0.0722])


def contrast(one, other):
    darker, lighter = sorted((float(luminance(one)), float(luminance(other))))
    return (lighter + 0.05) / (darker + 0.05)


class RefusalTest(unittest.TestCase):
    """What is wrong with the input is said in one line."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name, content=None):
        path = os.path.join(self.folder, name)
        if content is not None:
            with open(path, "wb") as file:
                file.write(content)
        return path

    def refused(self, *arguments):
        done = report(*arguments)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("xpose-bench: "), done.stderr)
        return done.stderr

    @needs_matplotlib
    def test_bad_input_gets_one_line_with_its_place(self):
        run = b'{"operation":"run","device":"d"}\n'
        row = b'{"operation":"copy","device":"d"}\n'
        output = self.path("page.html")
        for content, words in ((b"", "no rows"), (run, "no rows"), (run + b"not json\n", "bad.json:2: not a result: not JSON"),
                               (row + b"\n[1]\n", "bad.json:3: not a result"), (b"{}\n", "bad.json:1: not a result"),
                               (b'{"operation":"\xff"}\n', "bad.json:1: not a result: not UTF-8"),
                               (b"[" * 100000, "bad.json:1: not a result")):
            with self.subTest(words=words):
                self.assertIn(words, self.refused(self.path("bad.json", content), "-o", output))
                self.assertFalse(os.path.exists(output))
        self.assertIn("missing.json: No such file", self.refused(self.path("missing.json"), "-o", output))

    @needs_matplotlib
    def test_a_page_that_cannot_be_written_is_one_line_and_leaves_nothing(self):
        results = self.path("rows.json", b'{"operation":"copy","device":"d"}\n')
        self.assertIn("no_folder/page.html: cannot be written: No such file", self.refused(results, "-o", self.path("no_folder/page.html")))
        os.mkdir(self.path("folder"))
        self.assertIn("folder", self.refused(results, "-o", self.path("folder")))
        self.assertEqual(sorted(os.listdir(self.folder)), ["folder", "rows.json"])


@needs_matplotlib
class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="xpose-report-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.files = [sample.write(cls.path("processor.json"), sample.processor_lines()),
                     sample.write(cls.path("gpu.json"), sample.gpu_lines())]
        done = report(*cls.files, "-o", cls.path("page.html"), "--figures", cls.path("figures"))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done.stderr
        cls.page = read(cls.path("page.html"))

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def test_nothing_is_loaded_from_elsewhere_and_no_script_runs(self):
        for pattern in (r"https?://", r"<script", r"<link", r"<img", r"<iframe", r"@import", r"\bsrc\s*=", r"\burl\((?!#)",
                        r"\bhref=\"(?!#)", r"\bon\w+\s*="):
            self.assertIsNone(re.search(pattern, self.page, re.I), pattern)

    def test_every_section_is_there_and_every_link_leads_somewhere(self):
        names = re.findall(r'\bid="([^"]+)"', self.page)
        self.assertEqual(len(names), len(set(names)), "ids are unique")
        for machine, places in PLACES.items():
            for place in places:
                self.assertIn(f"{machine}-{place}", names)
        self.assertEqual([link for link in re.findall(r'(?:href="#|url\(#)([^")]+)', self.page) if link not in names], [])

    def test_the_rest_of_the_family_has_its_figures_and_tensors_their_permutation(self):
        names = os.listdir(self.path("figures"))
        for name in ("permute-share", "permute-peers", "transpose-in-place-share", "transpose-cast-share", "copy-cast-share", "add-bandwidth"):
            self.assertIn(f"sample-b-processor-b-co-omp-{name}.svg", names)
        figure = read(self.path("figures/sample-b-processor-b-co-omp-permute-share.svg"))
        self.assertIn("384\N{MULTIPLICATION SIGN}355\N{MULTIPLICATION SIGN}384 210", figure)
        self.assertIn("tensors whose fastest dimension stays", figure)

    def test_what_was_not_measured_is_said(self):
        for words in ("Not measured in this run: transpose in place;", "skipped: not enough memory", "crashed: signal 11", "not found when xpose was configured"):
            self.assertIn(words, self.page)

    def test_words_from_the_files_are_escaped(self):
        self.assertIn("element &lt;b&gt;(0, 1)&lt;/b&gt; &lt;script&gt;alert(1)&lt;/script&gt;", self.page)
        self.assertIn("Sample &lt;b&gt;Processor&lt;/b&gt; &amp; Co", self.page)
        self.assertNotIn("<b>Processor", self.page)
        self.assertNotIn("\x07", self.page)

    def test_each_figure_has_a_caption_a_description_and_xpose(self):
        figures = re.findall(r"<figure .*?</figure>", self.page, re.S)
        self.assertGreater(len(figures), 15)
        for figure in figures:
            self.assertIn("<figcaption>", figure)
            self.assertRegex(figure, r'<svg viewBox="[^"]*" role="img" aria-label="[^"]{20,}"')
            self.assertRegex(figure, r"var\(--(accent|loss|heat\d+)\)")
            self.assertNotRegex(figure, r"#[0-9a-f]{6}\b", "a colour outside the palette")

    def test_numbers_are_not_cut(self):
        texts = set(re.findall(r"<text[^>]*>([^<]*)<", self.page))
        shares = [line["ratio_to_ceiling"] for line in sample.processor_lines() if line.get("role") == "xpose" and line["verified"]]
        self.assertEqual([share for share in shares if share < 0.09 and f"{share:.3f}" not in texts], [])
        self.assertTrue(any(share < 0.09 for share in shares))
        for source in ("83.4", "4.01 ms", "\N{ALMOST EQUAL TO} 86.9", "260\N{NARROW NO-BREAK SPACE}046\N{NARROW NO-BREAK SPACE}848"):
            self.assertIn(source, self.page)

    def test_an_unverified_row_is_marked_and_counts_nowhere(self):
        self.assertRegex(self.page, r'<tr class="(?:first )?peer failed">.*?misbehaving')
        figures = "".join(re.findall(r"<figure .*?</figure>", self.page, re.S))
        self.assertNotIn("misbehaving", figures)

    def test_the_same_results_give_the_same_bytes(self):
        done = report(*self.files, "-o", self.path("again.html"), "--figures", self.path("again"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.page, read(self.path("again.html")))
        self.assertEqual(sorted(os.listdir(self.path("figures"))), sorted(os.listdir(self.path("again"))))
        for name in os.listdir(self.path("figures")):
            self.assertEqual(read(self.path(f"figures/{name}")), read(self.path(f"again/{name}")), name)

    def test_figure_files_stand_alone_in_both_schemes(self):
        names = os.listdir(self.path("figures"))
        self.assertIn("sample-gpu-80gb-cuda-transpose-bandwidth.svg", names)
        for name in names:
            figure = read(self.path(f"figures/{name}"))
            xml.etree.ElementTree.fromstring(figure)
            self.assertIn("@media (prefers-color-scheme: dark)", figure)
            self.assertNotRegex(figure, r"var\(|xlink|<script|<image")

    def test_a_repeated_cell_is_the_latest_runs(self):
        lines = list(sample.gpu_lines())
        later = [dict(line, date="2026-11-22T00:00:00Z", commit="fed4321") if line["operation"] == "run" else line for line in lines]
        path = sample.write(self.path("twice.json"), later + lines)
        done = report(path, "-o", self.path("twice.html"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("repeated cells: the latest run is shown", read(self.path("twice.html")))

    def test_a_row_with_nothing_but_its_operation_is_reported(self):
        with open(self.path("bare.json"), "w", encoding="utf-8") as file:
            file.write('{"operation":"transpose"}\n{"operation":"gemm","shape":7,"type":null,"median_s":"x","verified":"no","threads":1e999}\n')
        done = report(self.path("bare.json"), "-o", self.path("bare.html"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("No cell was measured against a peer", read(self.path("bare.html")))

    def browse(self, page, scheme, width, *more):
        with tempfile.TemporaryDirectory() as profile:
            done = subprocess.run(
                [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}",
                 f"--blink-settings=preferredColorScheme={scheme}", f"--window-size={width},4000", *more, f"file://{page}"],
                capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def picture(self, page, scheme, width):
        path = self.path(f"{scheme}-{width}.png")
        self.browse(page, scheme, width, f"--screenshot={path}")
        return matplotlib.image.imread(path)[..., :3]

    @needs_browser
    def test_it_is_to_be_seen_in_light_and_in_dark(self):
        for scheme, index in ((LIGHT, 0), (DARK, 1)):
            for width in (1200, 500):
                with self.subTest(scheme="dark" if index else "light", width=width):
                    picture = self.picture(self.path("page.html"), scheme, width)
                    ground = rgb(palette.COLOURS["page"][index])
                    numpy.testing.assert_allclose(picture[3, 3], ground, atol=0.01)
                    self.assertLess(luminance(ground), 0.02) if index else self.assertGreater(luminance(ground), 0.8)

                    def share(name):
                        return (abs(picture - rgb(palette.COLOURS[name][index])).max(axis=-1) < 0.02).mean()
                    self.assertGreater(share("ink"), 0.002, "headings and text")
                    self.assertTrue(0.001 < share("accent") < 0.2, f"xpose's colour covers {share('accent'):.4f}")
                    self.assertGreater(share("surface"), 0.1, "figures and cards")
                    edge = abs(picture[:, -6:] - ground).max(axis=-1)
                    self.assertLess((edge > 0.05).mean(), 0.001, "something reaches over the right edge")

    @needs_browser
    def test_a_figure_file_is_to_be_seen_in_light_and_in_dark(self):
        figure = self.path("figures/sample-gpu-80gb-cuda-transpose-bandwidth.svg")
        for scheme, index in ((LIGHT, 0), (DARK, 1)):
            picture = self.picture(figure, scheme, 1200)
            for name, least in (("surface", 0.05), ("accent", 0.0003), ("ink", 0.0001)):
                found = (abs(picture - rgb(palette.COLOURS[name][index])).max(axis=-1) < 0.02).mean()
                self.assertGreater(found, least, (name, "dark" if index else "light"))

    @needs_browser
    def test_the_page_is_no_wider_than_the_window_and_no_text_leaves_its_figure(self):
        # The page runs no script; this copy of it measures itself.
        measure = """<script>addEventListener("load", () => {
          const out = [...document.querySelectorAll("figure svg text")].filter(t => {
            const a = t.getBoundingClientRect(), b = t.ownerSVGElement.getBoundingClientRect();
            return a.width && (a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1 || a.bottom > b.bottom + 1) });
          document.body.dataset.measured = [document.documentElement.scrollWidth - innerWidth, out.length,
            out.slice(0, 3).map(t => t.textContent).join("|")].join(";") })</script></body>"""
        with open(self.path("measured.html"), "w", encoding="utf-8") as file:
            file.write(self.page.replace("</body>", measure))
        for width in (1200, 500):
            dumped = self.browse(self.path("measured.html"), LIGHT, width, "--dump-dom")
            found = re.search(r'data-measured="(-?\d+);(\d+);([^"]*)"', dumped)
            self.assertIsNotNone(found, "the browser did not measure")
            self.assertLessEqual(int(found[1]), 0, f"wider than a window of {width}")
            self.assertEqual(int(found[2]), 0, f"text outside its figure: {found[3]}")


@needs_matplotlib
class PaletteTest(unittest.TestCase):
    def test_colours_are_distinct_and_legible_in_both_schemes(self):
        lights = [pair[0] for pair in palette.COLOURS.values()]
        self.assertEqual(len(lights), len(set(lights)))
        text = {"ink", "muted", "accent", "loss"}
        grounds = {"page", "surface", "band", "line"}
        for scheme in (0, 1):
            colour = {name: rgb(pair[scheme]) for name, pair in palette.COLOURS.items()}
            for name in colour:
                if name in grounds or name.startswith(("heat", "on_heat")):
                    continue
                for ground in ("page", "surface"):
                    self.assertGreater(contrast(colour[name], colour[ground]), 4.5 if name in text else 3, (name, ground, scheme))
            for tenth in range(11):
                ground, ink = palette.heat(tenth / 10 + 0.01)
                self.assertGreater(contrast(colour[ground], colour[ink]), 4.5, (ground, scheme))


if __name__ == "__main__":
    unittest.main()
