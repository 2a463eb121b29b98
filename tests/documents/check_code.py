# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Compiles the code blocks of Markdown documents.

usage: check_code.py c|cpp|cuda DOCUMENT... -- COMPILER FLAG...

A block that includes a header or has a main() is a file of its own. All other blocks go into one file, each as the
body of a function, behind preamble.hpp (preamble.h for ```c, preamble.cuh for ```cuda), which declares the names that
the documents use. Compiler messages name the document and its line. Blocks for Eigen are left out where no flag names its
folder.
"""

import os
import re
import subprocess
import sys
import tempfile

PREAMBLE = {"c": "preamble.h", "cpp": "preamble.hpp", "cuda": "preamble.cuh"}
SUFFIX = {"c": ".c", "cpp": ".cpp", "cuda": ".cu"}


def blocks(document, language):
    """(line number of the first line, text) of every block in the language."""
    first, lines = None, []
    with open(document, encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            if first is None and line.rstrip() == f"```{language}":
                first, lines = number + 1, []
            elif first is not None and line.rstrip() == "```":
                yield first, "".join(lines)
                first = None
            elif first is not None:
                lines.append(line)
    if first is not None:
        sys.exit(f"{document}:{first - 1}: this block has no end")


def is_whole_file(text):
    return re.search(r"^\s*#include|\bint main\(", text, re.MULTILINE)


def sources(documents, language, has_eigen):
    """The text of every file to compile."""
    bodies = []
    for document in documents:
        for line, text in blocks(document, language):
            if "<xpose/eigen.hpp>" in text and not has_eigen:
                continue
            numbered = f'#line {line} "{document}"\n{text}'
            if is_whole_file(text):
                yield numbered
            else:
                bodies.append(f"void block_{len(bodies)}(void) {{\n{numbered}}}\n")
    if bodies:
        yield f'#include "{PREAMBLE[language]}"\n' + "".join(bodies)


def main():
    separator = sys.argv.index("--")
    language, *documents = sys.argv[1:separator]
    compiler = sys.argv[separator + 1:]
    has_eigen = any("eigen" in flag for flag in compiler)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(sources(documents, language, has_eigen)):
            source = os.path.join(folder, f"{number}{SUFFIX[language]}")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            failures += subprocess.run([*compiler, "-c", source, "-o", source + ".o"]).returncode != 0
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
