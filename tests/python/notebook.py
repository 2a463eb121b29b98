# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Runs docs/python_in_ten_minutes.md as the notebook that jupytext makes of it, and looks at what its cells print.

usage: notebook.py TREE [FOLDER]

Writes the figures to FOLDER (docs/figures in the tree has those that the page shows). Ends with 77, which ctest takes for skipped, where
jupytext, nbclient or matplotlib are missing.
"""

import base64
import os
import sys

FIGURES = ("python-flights.png", "python-int8.png")
PRINTED = ("266 airports, 3800 routes", "squarings; the farthest two airports are", "(16, 3, 240, 320) True True",
           "backend='omp'", "float32 [", "int32 largest error")


def main():
    try:
        import jupytext
        import matplotlib
        import nbclient
    except ImportError as missing:
        print(f"skipped: {missing}")
        sys.exit(77)
    assert matplotlib
    tree, *folder = sys.argv[1:]
    notebook = jupytext.read(os.path.join(tree, "docs", "python_in_ten_minutes.md"))
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tree}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    text = "".join(output.get("text", "") for output in outputs)
    for expected in PRINTED:
        if expected not in text:
            sys.exit(f"'{expected}' is not in what the notebook prints:\n{text}")
    pictures = [output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    if len(pictures) != len(FIGURES):
        sys.exit(f"the notebook draws {len(pictures)} figures, not {len(FIGURES)}")
    for name, picture in zip(FIGURES, pictures):
        if folder:
            with open(os.path.join(folder[0], name), "wb") as file:
                file.write(base64.b64decode(picture))
    print(text)


if __name__ == "__main__":
    main()
