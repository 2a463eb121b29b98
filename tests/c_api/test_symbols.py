# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""The C symbols of the library are exactly the functions that xpose.h declares.

usage: test_symbols.py NM LIBRARY HEADER
"""

import re
import subprocess
import sys


def exported(nm, library):
    lines = subprocess.run(
        [nm, "--dynamic", "--defined-only", "--format=posix", library], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    names = {line.split()[0].partition("@")[0] for line in lines}
    # Not those of C++, of linkers and of sanitizers.
    return {name for name in names if not name.startswith("_")}


def declared(header):
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"//.*", "", file.read())
    return set(re.findall(r"^XPOSE_C_EXPORT\b[^;(]*?(\w+)\(", text, re.MULTILINE))


def main():
    nm, library, header = sys.argv[1:]
    in_library, in_header = exported(nm, library), declared(header)
    if len(in_header) < 10:
        sys.exit(f"{header}: found only {len(in_header)} declarations")
    for name in sorted(in_library - in_header):
        print(f"{name} is exported, but {header} does not declare it")
    for name in sorted(in_header - in_library):
        print(f"{name} is declared, but {library} does not export it")
    print(f"{len(in_header)} functions")
    return in_library != in_header


if __name__ == "__main__":
    sys.exit(main())
