# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Sphinx's settings for the site: every guide as it stands in the tree, and the API reference from the headers.

scripts/site runs Sphinx with the root of the repository as its source folder, so links among documents, and from them
to source files, are those of the tree.
"""

import glob
import os
import re

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


version = release = re.search(r"^project\(xpose VERSION (\S+)", read(os.path.join(ROOT, "CMakeLists.txt")), re.MULTILINE)[1]

project = "xpose"
author = "The xpose authors"
copyright = "2026 " + author
language = "en"

extensions = ["breathe", "myst_parser"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**.md", "packaging/README.md", "examples/data/README.md"]
# python/README.md is the page of the package on PyPI, where links are addresses.
exclude_patterns = ["docs/site"]

myst_heading_anchors = 4

breathe_projects = {project: os.environ["XPOSE_DOXYGEN_XML"]}
breathe_default_project = project
breathe_domain_by_extension = {"h": "c"}
breathe_default_members = ("members", "undoc-members")
breathe_show_include = False

html_theme = "furo"
html_title = f"xpose {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_extra_path = ["start"]  # index.html of the site, which leads to docs/index.html
pygments_style = "tango"
pygments_dark_style = "monokai"


def contents():
    """Tables of contents for the side bar; documents that contents.md does not name come last."""
    tables = read(os.path.join(os.path.dirname(__file__), "contents.md"))
    documents = sorted(name[:-3] for name in os.listdir(os.path.join(ROOT, "docs")) if name.endswith(".md"))
    others = [name for name in documents if name != "index" and name not in tables.split()]
    if others:
        tables += "\n```{toctree}\n:hidden:\n:caption: More\n\n" + "\n".join(others) + "\n```\n"
    return tables


def other_headers():
    """Sections for the public headers that no page of docs/api names."""
    pages = glob.glob(os.path.join(ROOT, "docs", "api", "*.md"))
    named = set(re.findall(r"^```\{doxygengroup\} (\w+)$", "".join(map(read, pages)), re.MULTILINE))
    index = read(os.path.join(os.environ["XPOSE_DOXYGEN_XML"], "index.xml"))
    groups = re.findall(r'kind="group"><name>(\w+)</name>', index)
    return "".join(f"\n## xpose/{group}.hpp\n\n```{{doxygengroup}} {group}\n:content-only:\n```\n"
                   for group in groups if group not in named)


def with_generated_parts(app, docname, source):
    """The side bar exists only on the site, so its tables are no part of docs/index.md."""
    if docname == root_doc:
        source[0] += contents()
    elif docname == "docs/api/interop":
        source[0] += other_headers()


def setup(app):
    app.connect("source-read", with_generated_parts)
