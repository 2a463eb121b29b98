# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""xpose-bench report RESULTS... -o PAGE [--figures FOLDER]: a page of figures from result files."""

import argparse
import os
import sys
import tempfile

import results

try:
    import figures
    import page
except ImportError as error:
    sys.exit(f"xpose-bench: the report needs matplotlib (Debian and Ubuntu: apt-get install python3-matplotlib): {error}")


def write(path, content):
    """Whole or not at all."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        handle, unfinished = tempfile.mkstemp(dir=folder)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(content)
        os.chmod(unfinished, 0o644)
        os.replace(unfinished, path)
    except OSError as error:
        raise results.Refused(f"{path}: {error.strerror}") from None


def main():
    parser = argparse.ArgumentParser(prog="xpose-bench report")
    parser.add_argument("results", nargs="+")
    parser.add_argument("-o", "--output", default="report.html")
    parser.add_argument("--figures")
    arguments = parser.parse_args()
    try:
        sites = results.read(arguments.results)
        drawn = {site: figures.of_site(site) for site in sites}
        write(arguments.output, page.whole(sites, drawn))
        if arguments.figures:
            os.makedirs(arguments.figures, exist_ok=True)
            for figure in (figure for site in sites for figure in drawn[site]):
                write(os.path.join(arguments.figures, figure.name + ".svg"), figure.standalone())
    except results.Refused as refused:
        sys.exit(f"xpose-bench: {refused}")


main()
