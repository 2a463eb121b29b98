# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The site of documents and API reference: it builds without a warning, each link leads somewhere, and a browser shows it.

Ends with 77, which ctest takes for skipped, where doxygen or Sphinx is missing: scripts/site --prepare installs them.
"""

import glob
import html.parser
import os
import re
import subprocess
import sys
import unittest
import urllib.parse

import site_in_browser

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SITE = os.path.join(ROOT, "build", "site", "html")
needs_browser = unittest.skipUnless(site_in_browser.BROWSER, "no chromium on the path")


class Page(html.parser.HTMLParser):
    """Ids of a page, and what it links to."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.targets = set(), []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids.update(filter(None, (values.get("id"), values.get("name") if tag == "a" else None)))
        self.targets += filter(None, (values.get("href"), values.get("src")))


def read(*names):
    with open(os.path.join(*names), encoding="utf-8") as file:
        return file.read()


def pages():
    return sorted(glob.glob(os.path.join(SITE, "**", "*.html"), recursive=True))


def setUpModule():
    done = subprocess.run([os.path.join(ROOT, "scripts", "site"), "--offline"], capture_output=True, text=True, timeout=600)
    if done.returncode == 77:
        print(done.stdout.strip(), flush=True)
        os._exit(77)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)


class SiteTest(unittest.TestCase):
    def test_each_link_within_the_site_leads_to_a_file_and_an_anchor(self):
        parsed = {path: Page(path) for path in pages()}
        self.assertGreater(len(parsed), 30)
        lost = []
        for path, page in parsed.items():
            for target in page.targets:
                address = urllib.parse.urlsplit(target)
                if address.scheme or address.netloc:
                    continue
                file = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(address.path))) if address.path else path
                anchor = urllib.parse.unquote(address.fragment)
                if not os.path.isfile(file) or (anchor and file in parsed and anchor not in parsed[file].ids):
                    lost.append(f"{os.path.relpath(path, SITE)}: {target}")
        self.assertEqual(lost, [])

    def test_nothing_is_loaded_from_elsewhere(self):
        for path in pages():
            loaded = re.findall(r'<(?:script|img|iframe)[^>]*\bsrc="(https?:[^"]*)"|<link[^>]*rel="(?!canonical)[^>]*href="(https?:[^"]*)"',
                                read(path))
            self.assertEqual(loaded, [], path)

    def test_each_public_declaration_is_in_the_reference(self):
        text = "".join(read(path) for path in glob.glob(os.path.join(SITE, "docs", "api", "*.html")))
        declared = []
        for path in glob.glob(os.path.join(ROOT, "build", "site", "xml", "group__*.xml")):
            declared += re.findall(r'<(?:memberdef kind="\w+" id|innerclass refid)="(\w+)"', read(path))
        self.assertGreater(len(declared), 80)
        self.assertEqual([name for name in declared if f'id="{name}"' not in text], [])

    def test_the_reference_has_contracts_and_no_inner_namespace(self):
        operations = read(SITE, "docs", "api", "operations.html")
        for name in ("transpose", "copy", "permute", "transpose_inplace", "add", "gemm"):
            self.assertTrue(f'class="sig-name descname"><span class="n"><span class="pre">{name}</span>' in operations, name)
        self.assertTrue("<strong>Throws</strong> shape_error, layout_error" in operations)
        for path in glob.glob(os.path.join(SITE, "docs", "api", "*.html")):
            self.assertIsNone(re.search(r'id="[^"]*(?:detail|v0E)', read(path)), path)
        self.assertTrue('id="c.xpose_gemm"' in read(SITE, "docs", "api", "c.html"))

    def test_each_page_says_the_version(self):
        version = re.search(r"^project\(xpose VERSION (\S+)", read(ROOT, "CMakeLists.txt"), re.MULTILINE)[1]
        for path in pages():
            if path != os.path.join(SITE, "index.html"):
                self.assertTrue(f"xpose {version}" in read(path), path)


@needs_browser
class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        names = [os.path.relpath(path, SITE) for path in pages() if path != os.path.join(SITE, "index.html")]
        cls.light = site_in_browser.visit(SITE, names, widths=(1280, 500), scheme="light")
        cls.dark = site_in_browser.visit(SITE, names, widths=(1280,), scheme="dark")
        cls.count = len(names)

    def test_no_page_is_wider_than_its_window(self):
        self.assertEqual(len(self.light["pages"]), 2 * self.count)
        self.assertEqual([page for page in self.light["pages"] + self.dark["pages"] if page["over"]], [])

    def test_no_page_has_an_error_in_its_console(self):
        self.assertEqual([page for page in self.light["pages"] + self.dark["pages"] if page["problems"]], [])

    def test_the_ground_is_light_or_dark_as_the_system_is(self):
        self.assertTrue(all(page["luminance"] > 0.8 for page in self.light["pages"]))
        self.assertTrue(all(page["luminance"] < 0.05 for page in self.dark["pages"]))

    def test_the_search_finds_transpose(self):
        for visit in (self.light, self.dark):
            self.assertGreater(len(visit["found"]), 5)
            self.assertTrue(any("docs/api/operations.html" in address for address in visit["found"]), visit["found"])


if __name__ == "__main__":
    sys.exit(unittest.main())
