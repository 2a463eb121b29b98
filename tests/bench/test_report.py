# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The report: complete, self-contained, readable in light and dark; looked at in a browser."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import bench

try:
    import matplotlib.image
except ImportError:
    matplotlib = None

XPOSE_LIGHT = (0xE4, 0x57, 0x2E)  # xpose's colour in the figures
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


def row(operation, policy, kind, shape, who, role, value, **more):
    unit = "tflops" if operation == "gemm" or more.get("table", "").endswith("gemm") else "gbps"
    made = {"operation": operation, "policy": policy, "device": "Test <b>board</b>", "threads": 2, "type": kind, "shape": shape,
            "layout": "NN" if operation == "gemm" else "packed", "implementation": who, "role": role, "kernel": "k", "suite": "s",
            "median_s": 1e-3 / value, "min_s": 0.9e-3 / value, "mean_s": 1e-3 / value, "stddev_s": 1e-5 / value, "repeats": 9,
            "calls": 1, unit: value, "ceiling": 100.0, "ceiling_name": "memcpy", "ratio_to_ceiling": value / 100,
            "verified": True, "verified_by": "reference", "cache": "beyond", "drift": 0.0, "bytes": 1 << 20}
    if role == "xpose":
        made.update(best_peer="openblas", ratio_to_best_peer=value / 40)
    return {**made, **more}


def sample():
    """A run with every kind of row: good, wrong, failed, skipped; the ladder with and without figures of its source."""
    rows = [{"operation": "run", "date": "2026-11-21T00:00:00Z", "commit": "abc1234", "version": "0.1.0", "device": "Test <b>board</b>",
             "policy": "omp", "threads": 2, "software": "compiler", "last_level_cache_bytes": 1 << 25, "command": "xpose-bench",
             "peers": {"openblas": "0.3"}, "peers_absent": {"mkl": "not found"}}]
    for operation in ("transpose", "gemm", "copy"):
        for kind in ("f32", "f64"):
            for step, side in enumerate((512, 1000, 4096)):
                shape = f"{side}x{side}x{side}" if operation == "gemm" else f"{side}x{side}"
                for who, role, value in (("xpose", "xpose", 30.0 + 20 * step), ("openblas", "peer", 40.0), ("memcpy", "ceiling", 100.0)):
                    rows.append(row(operation, "omp", kind, shape, who, role, value))
    rows.append(row("transpose", "omp", "f32", "100*8x8", "xpose", "xpose", 3.0, note="a <script>alert(1)</script> note"))
    rows.append(row("transpose", "omp", "f32", "100*8x8", "blis", "peer", 3.0, verified=False, note="crashed: Segmentation fault"))
    rows.append(row("transpose", "omp", "f32", "9x9", "xpose", "xpose", 1.0, verified=False, note="skipped: needs 9 GiB",
                    **dict.fromkeys(("median_s", "min_s", "mean_s", "stddev_s", "gbps", "ceiling", "ratio_to_ceiling",
                                     "best_peer", "ratio_to_best_peer"))))
    for who, role, value in (("naive_row", "rung", 20.0), ("xpose", "xpose", 60.0), ("memcpy", "ceiling", 100.0)):
        more = {"idea": "reads rows", "source": {"seconds": 0.004, "gbps": 33.5},
                "metrics": {"load_gbps": 1.5, "store_gbps": 2.5, "shared_load_requests": 5, "shared_store_requests": 5,
                            "shared_load_conflicts": 12345, "shared_store_conflicts": None}} if role == "rung" else {}
        rows.append(row("ladder", "omp", "f32", "4096x4096", who, role, value, table="000", table_title="From naive on",
                        source_board="GTX 1050 Ti", reading="What it shows.", **more))
    return rows


def brightness(picture):
    return float(picture[..., :3].mean())


@unittest.skipIf(matplotlib is None, "no matplotlib in this python3")
class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.results = self.path("rows.json")
        with open(self.results, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(item) + "\n" for item in sample())

    def path(self, name):
        return os.path.join(self.folder, name)

    def report(self, *arguments):
        return bench.run("report", *arguments)

    def page(self):
        done = self.report(self.results, "-o", self.path("page.html"), "--figures", self.path("figures"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.path("page.html"), encoding="utf-8") as file:
            return file.read()

    def test_the_page_needs_nothing_else(self):
        page = self.page()
        self.assertNotIn("<script", page)
        for loads in (r"<link", r"<img", r"@import", r"src=", r"url\((?!#)"):
            self.assertIsNone(re.search(loads, page), loads)
        self.assertIsNone(re.search(r'href="(?!#)', page))

    def test_every_part_is_there(self):
        page = self.page()
        for title in ("Copies: what the memory allows", "Transpose against size", "Transpose: share of the ceiling",
                      "Transpose against the fastest peer", "gemm against size", "gemm below its roofline", "The ladder",
                      "Where xpose loses", "What failed"):
            self.assertIn(title, page)
        self.assertEqual(page.count("<svg "), page.count("<figcaption>"))
        self.assertIn(XPOSE_LIGHT_HEX, page)
        for value in ("33.5", "0.004", "12,345", "crashed: Segmentation fault", "skipped: needs 9 GiB", "mkl"):
            self.assertIn(value, page)

    def test_what_a_file_says_is_text(self):
        page = self.page()
        self.assertIn("Test &lt;b&gt;board&lt;/b&gt;", page)
        self.assertNotIn("<b>board</b>", page)
        self.assertNotIn("<script>alert", page)

    def test_names_inside_the_figures_are_unique(self):
        names = re.findall(r'\bid="([^"]+)"', self.page())
        self.assertEqual(len(names), len(set(names)))

    def test_the_same_results_make_the_same_bytes(self):
        self.assertEqual(self.page(), self.page())

    def test_figures_are_files_too_and_follow_the_colour_scheme(self):
        self.page()
        files = os.listdir(self.path("figures"))
        self.assertGreaterEqual(len(files), 8)
        for name in files:
            with open(os.path.join(self.path("figures"), name), encoding="utf-8") as file:
                text = file.read()
            self.assertIn("prefers-color-scheme", text)
            self.assertIn("currentColor", text)

    def test_bad_input_is_one_clear_line(self):
        broken = self.path("broken.json")
        with open(broken, "w", encoding="utf-8") as file:
            file.write(json.dumps(sample()[0]) + "\nnot json\n")
        empty = self.path("empty.json")
        open(empty, "w", encoding="utf-8").close()
        for arguments, words in (((self.path("none.json"),), "none.json: No such file"), ((broken,), "broken.json:2: not a result"),
                                 ((empty,), "empty.json: no rows"), ((self.results, "-o", "/nonexistent/p.html"), "/nonexistent/p.html: ")):
            done = self.report(*arguments)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("xpose-bench: "), done.stderr)
            self.assertIn(words, done.stderr)

    @unittest.skipIf(BROWSER is None, "no chromium here")
    def test_a_browser_shows_it_in_light_and_dark_and_narrow(self):
        self.page()
        pictures = {}
        for name, scheme, width in (("dark", 0, 1200), ("light", 1, 1200), ("narrow", 1, 500)):
            file = self.path(name + ".png")
            subprocess.run([BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={self.folder}/b",
                            f"--blink-settings=preferredColorScheme={scheme}", f"--window-size={width},3000",
                            f"--screenshot={file}", "file://" + self.path("page.html")], capture_output=True, timeout=120, check=True)
            pictures[name] = matplotlib.image.imread(file)[..., :3]
        self.assertGreater(brightness(pictures["light"]), 0.8)
        self.assertLess(brightness(pictures["dark"]), 0.3)
        for name, picture in pictures.items():
            with self.subTest(name):
                distance = abs(picture * 255 - XPOSE_LIGHT).max(axis=-1)
                self.assertGreater(int((distance < 12).sum()), 300, "xpose's lines and bars are not to be seen")
                ink = abs(picture - picture[2, 2]).max(axis=-1) > 0.5  # what stands out from the paper
                self.assertGreater(ink.mean(), 0.01, "the page is blank")
                self.assertLess(ink[:, -4:].mean(), 0.01, "something is cut off at the right edge")


XPOSE_LIGHT_HEX = "#%02x%02x%02x" % XPOSE_LIGHT

if __name__ == "__main__":
    unittest.main()
