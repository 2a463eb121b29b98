# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Figures as SVG that follow the page: text and axes in its colour, readable on light and on dark."""

import io
import re

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)

INK = "#0a0b0c"  # stands for the page's text colour until the SVG is written
XPOSE = "#e4572e"
CEILING = "#8c8c8c"
PEERS = {"openblas": "#3a86c8", "mkl": "#2a9d8f", "onednn": "#9b6dd7", "eigen": "#b3872b", "blis": "#d1609f",
         "fftw": "#6a994e", "libxsmm": "#3fa7c4", "numpy": "#a0694a", "cublas": "#3a9d5d", "cublaslt": "#2f7fc1",
         "cutensor": "#b3872b", "torch": "#c95f9d", "self": "#7a7acb"}
TYPES = ["#3a86c8", "#2a9d8f", "#9b6dd7", "#b3872b", "#d1609f", "#6a994e", "#3fa7c4", "#a0694a", "#c44e52"]

matplotlib.rcParams.update({
    "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10, "text.color": INK, "axes.edgecolor": INK,
    "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK, "axes.facecolor": "none",
    "figure.facecolor": "none", "legend.frameon": False, "axes.spines.top": False, "axes.spines.right": False,
    "axes.titlesize": 11, "axes.titleweight": "bold", "axes.titlelocation": "left", "lines.linewidth": 1.8,
})


class Figure:
    def __init__(self, name, title, caption, svg):
        self.name, self.title, self.caption, self.svg = name, title, caption, svg

    def standalone(self):
        """A file of its own, whose text follows the reader's colour scheme."""
        style = ("<style>svg{color:#222;background:none}"
                 "@media (prefers-color-scheme:dark){svg{color:#ddd}}</style>")
        return '<?xml version="1.0" encoding="utf-8"?>\n' + re.sub(r"(<svg[^>]*>)", r"\1" + style, self.svg, count=1)


def colour_of(row):
    if row["role"] == "xpose":
        return XPOSE
    if row["role"] == "ceiling":
        return CEILING
    return PEERS.get(row["implementation"], "#5a8f9c")


def to_svg(figure, name):
    """The same bytes for the same figure: no dates, no random names."""
    matplotlib.rcParams["svg.hashsalt"] = name
    stream = io.StringIO()
    figure.savefig(stream, format="svg", transparent=True, bbox_inches="tight", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    svg = stream.getvalue()
    svg = svg[svg.index("<svg"):].replace(INK, "currentColor")
    svg = re.sub(r'(id="|url\(#|xlink:href="#)', rf"\g<1>{name}-", svg)  # names are unique in a page
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r"'DejaVu Sans'[^;\"]*", "system-ui, 'DejaVu Sans', sans-serif", svg)
    # As wide as it was drawn, or as the page.
    width = float(re.search(r' width="([\d.]+)pt"', svg).group(1)) * 4 / 3
    svg = re.sub(r' (width|height)="[\d.]+pt"', "", svg, count=2)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{name}" style="max-width:{width:.0f}px" ', 1)


def faint_grid(axes, axis="both"):
    axes.grid(True, axis=axis, color=INK, alpha=0.12, linewidth=0.7)
    axes.set_axisbelow(True)
