# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""python -m xpose: the xpose command, which the package brings."""

import os
import sys


def main():
    command = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "xpose")
    if not os.path.exists(command):
        sys.exit("python -m xpose: this package was built without the xpose command (CLI11 was missing then)")
    os.execv(command, ["xpose", *sys.argv[1:]])


if __name__ == "__main__":
    main()
