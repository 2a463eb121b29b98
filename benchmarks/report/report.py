# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""One page of figures from result files of xpose-bench. `xpose-bench report` runs it, in a Python with NumPy and Matplotlib.

usage: report.py results.json [more.json ...] [-o report.html] [--figures FOLDER]
"""

import argparse
import os
import sys

sys.dont_write_bytecode = True  # the sources may be read-only, and stay clean


def fail(reason):
    print(f"xpose-bench: {reason}", file=sys.stderr)
    return 1


def write_figures(sections, figures, folder):
    import figure
    import ladder
    import machines
    os.makedirs(folder, exist_ok=True)
    for section, drawn, name in zip(sections, figures, machines.name_sections(sections)):
        subtitle = " \N{MIDDLE DOT} ".join([section.device] + machines.provenance(section))
        whole = ladder.whole_ladder(section)
        for each in sum(drawn.values(), [whole] if whole else []):
            figure.write_whole(os.path.join(folder, f"{name}-{each.name}.svg"), figure.standalone(each, name, subtitle))


def main(words):
    parser = argparse.ArgumentParser(prog="xpose-bench report", description="A page of figures from result files.")
    parser.add_argument("results", nargs="+", help="JSON files of runs")
    parser.add_argument("-o", "--output", default="report.html", help="the page: one HTML file (report.html)")
    parser.add_argument("--figures", metavar="FOLDER", help="a folder to write the figures to, as SVG files")
    chosen = parser.parse_args(words)
    try:
        import figure
        import machines
        import page
        import results
    except ImportError as error:
        return fail(f"the report needs Python with NumPy and Matplotlib: {error}")
    try:
        sections = machines.in_order(results.read_sections(chosen.results))
        figures = [page.figures_of(section) for section in sections]
        figure.write_whole(chosen.output, page.page(sections, figures))
        if chosen.figures:
            write_figures(sections, figures, chosen.figures)
    except results.Refused as error:
        return fail(error)
    except OSError as error:
        return fail(f"{error.filename or chosen.output}: cannot be written: {error.strerror or error}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
