# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Checks that a Markdown document quotes programs exactly.

usage: check_quotes.py DOCUMENT PROGRAM...

Every ```cpp, ```cuda and ```python block of the document must be a run of lines of one of the programs, indentation
aside. The programs are compiled, run and checked by tests of their own, so what the document shows has run.
"""

import sys
import textwrap

from check_code import blocks


def is_quoted(block, program):
    """Both are lists of lines."""
    return any(
        textwrap.dedent("".join(program[first:first + len(block)])) == "".join(block)
        for first in range(len(program) - len(block) + 1)
        if program[first].strip() == block[0].strip()
    )


def main():
    document, *names = sys.argv[1:]
    programs = []
    for name in names:
        with open(name, encoding="utf-8") as file:
            programs.append(file.readlines())
    found = [(line, text.splitlines(keepends=True))
             for language in ("cpp", "cuda", "python") for line, text in blocks(document, language)]
    strangers = [line for line, block in found if not any(is_quoted(block, program) for program in programs)]
    for line in strangers:
        print(f"{document}:{line}: no program has these lines")
    if not found:
        print(f"{document}: no code")
    return 1 if strangers or not found else 0


if __name__ == "__main__":
    sys.exit(main())
