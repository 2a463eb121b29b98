# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Checks that files which documents name exist.

usage: check_paths.py ROOT DOCUMENT...

A name is what stands in backquotes and begins with a folder of the tree, such as `backends/cuda/gemm/driver.cu`, and the
target of a link. {a,b} stands for both names, * and <name> for any. A file that a diff of the document makes need not
exist. A link's part behind # is a heading of its document.
"""

import glob
import itertools
import os
import re
import sys

FOLDERS = ("backends", "benchmarks", "cmake", "docs", "examples", "include", "mpi", "scripts", "tests", "tools")
NAME = re.compile(r"`((?:%s)/[^`\s]*)`" % "|".join(FOLDERS))
LINK = re.compile(r"\]\(([^)\s]+)\)")


def alternatives(name):
    """The names that {a,b} stands for."""
    parts = [part.split(",") for part in re.split(r"[{}]", name)[1::2]]
    fixed = re.split(r"\{[^}]*\}", name)
    for chosen in itertools.product(*parts):
        yield "".join(itertools.chain.from_iterable(itertools.zip_longest(fixed, chosen, fillvalue="")))


def anchors_of(document):
    with open(document, encoding="utf-8") as text:
        headings = re.findall(r"^#+ (.*)$", text.read(), re.MULTILINE)
    seen = {}
    for heading in headings:
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        seen[anchor] = seen.get(anchor, -1) + 1
        yield anchor if seen[anchor] == 0 else f"{anchor}-{seen[anchor]}"


def faults(root, document):
    with open(document, encoding="utf-8") as stream:
        text = stream.read()
    for name in NAME.findall(text):
        for path in alternatives(re.sub(r"<[^>]*>", "*", name)):
            if not glob.glob(os.path.join(root, path.rstrip("/"))) and f"\n+++ b/{path}\n" not in text:
                yield f"{document} names {path}, which does not exist"
    for target in LINK.findall(text):
        path, _, anchor = target.partition("#")
        if "://" in target or path.startswith("mailto:"):
            continue
        file = os.path.normpath(os.path.join(os.path.dirname(document), path)) if path else document
        if not os.path.exists(file):
            yield f"{document} links to {target}, which does not exist"
        elif anchor and file.endswith(".md") and anchor not in anchors_of(file):
            yield f"{document} links to {target}, but {file} has no such heading"


def main():
    root, *documents = sys.argv[1:]
    found = [fault for document in documents for fault in faults(root, document)]
    print("\n".join(found) or f"{len(documents)} documents name what exists")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
