# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""Every colour of the report: by name, on light and on dark. Figures are drawn in the light colours, which are all different;
the page puts a CSS variable in their place and a figure file a rule for dark. tests/bench/test_report.py checks contrasts."""

import zlib

COLOURS = {
    # Name: on light, on dark.
    "page": ("#faf8f4", "#14161a"),
    "surface": ("#ffffff", "#1b1e24"),
    "ink": ("#1f2328", "#e8e6e1"),
    "muted": ("#5b636e", "#a3abb6"),
    "line": ("#e2ded6", "#343a43"),
    "band": ("#f3efe7", "#23272e"),
    "accent": ("#c9430d", "#ff8a4c"),
    "loss": ("#9c1c4a", "#f58cb4"),
    "ceiling": ("#767b83", "#8f97a2"),
    "rung": ("#4a6584", "#8fb0d4"),
    "source": ("#a38b5f", "#c2aa7d"),
    # Peers: cool, so that only xpose is orange.
    "openblas": ("#2563b0", "#6ea8f0"),
    "blis": ("#0b7f77", "#43c9bc"),
    "mkl": ("#5a48c4", "#a99cff"),
    "eigen": ("#4b7f1f", "#93cf63"),
    "onednn": ("#ad3090", "#f089d6"),
    "fftw": ("#7a5a35", "#d3ab7b"),
    "libxsmm": ("#76730a", "#cfca52"),
    "numpy": ("#44576d", "#b2c3d8"),
    "cublas": ("#2a5fa5", "#70aaf2"),
    "cublaslt": ("#0d7a70", "#45cbbe"),
    "cutensor": ("#5846bd", "#ab9eff"),
    "torch": ("#a92d8c", "#f28bd8"),
    "hptt": ("#0f6b3c", "#4fc98a"),
    "self": ("#8a6a1c", "#dcb95c"),
    "other0": ("#1d6f8f", "#62c2e6"),
    "other1": ("#6b4fa0", "#bda3f0"),
    "other2": ("#3d7a4f", "#84cb9a"),
    "other3": ("#8d4d5d", "#e3a1b2"),
    # Types, where one figure has a curve for each.
    "type0": ("#1764ab", "#5aa9ef"),
    "type1": ("#11815a", "#3fd09a"),
    "type2": ("#7a3fb8", "#c08bff"),
    "type3": ("#c02f86", "#f57fbf"),
    "type4": ("#946800", "#e8b93a"),
    "type5": ("#0a8a9c", "#38c9e0"),
    "type6": ("#5c5c5c", "#bdbdbd"),
    # Shares of a ceiling in tenths, from none to all of it and more; text on the lower and the upper ones.
    "heat0": ("#f6f2ea", "#22262c"),
    "heat1": ("#fbeedd", "#2d2a2a"),
    "heat2": ("#fbe5cb", "#3b2f29"),
    "heat3": ("#fbd9b4", "#4a3529"),
    "heat4": ("#facb99", "#5b3c28"),
    "heat5": ("#f8bb7d", "#6e4428"),
    "heat6": ("#f4a862", "#834d28"),
    "heat7": ("#ef9549", "#c56b30"),
    "heat8": ("#e98033", "#db783a"),
    "heat9": ("#e36e20", "#f08443"),
    "heat10": ("#dd5d12", "#ffa06b"),
    "on_heat": ("#2a2019", "#f1e9e2"),
    "on_heat_high": ("#1a0d05", "#1d1008"),
}
LAST_LOW_HEAT = 6
MARKERS = {"xpose": "o", "openblas": "s", "blis": "^", "mkl": "D", "eigen": "v", "onednn": "P", "fftw": "X", "libxsmm": ">",
           "numpy": "<", "cublas": "s", "cublaslt": "^", "cutensor": "D", "torch": "v", "hptt": "p", "self": "P"}
DASHES = {"memcpy": (5, 2.5), "nontemporal_copy": (1.5, 2), "cudaMemcpy": (5, 2.5), "copy_kernel": (1.5, 2),
          "stream_add": (5, 2.5), "nontemporal_add": (1.5, 2),
          "fma_peak": (7, 2, 1.5, 2)}

# (colour, dashes): the same type has the same line in every figure. No two types of gemm, and no two element sizes, look alike.
TYPE_LINES = {"f32": (0, 0), "tf32": (0, 1), "f64": (1, 0), "c128": (2, 0), "c64": (2, 1), "i8": (3, 0), "i32": (3, 1),
              "bf16": (4, 0), "f16": (4, 1), "bf16_f32": (5, 0), "f16_f32": (5, 1), "min_plus_f32": (6, 0), "max_plus_f32": (6, 1),
              "b1": (3, 0), "b2": (4, 0), "b3": (6, 0), "b12": (5, 0), "f32:bf16": (0, 0), "f32:f16": (2, 0), "bf16:f32": (4, 0),
              "f16:f32": (3, 0), "f32:f64": (5, 0), "f64:f32": (1, 0)}
TYPE_DASHES = ((), (4, 1.4), (1.3, 1.3))


def type_line(name):
    """The name of a type's colour, and its dashes."""
    chance = zlib.crc32(name.encode())
    colour, dashes = TYPE_LINES.get(name, (chance % 7, 2))
    return f"type{colour}", TYPE_DASHES[dashes]


def light(name):
    return COLOURS[name][0]


def name_of(implementation, role):
    """The palette's name for an implementation: the same in every figure and run."""
    if role == "xpose":
        return "accent"
    if role in ("ceiling", "rung"):
        return role
    if implementation in MARKERS:
        return implementation
    return f"other{zlib.crc32(implementation.encode()) % 4}"


def marker_of(implementation):
    if implementation in MARKERS:
        return MARKERS[implementation]
    return "*hpd"[zlib.crc32(implementation.encode()) // 4 % 4]


def dashes_of(ceiling):
    return DASHES.get(ceiling, (3, 2))


def heat(share):
    """The palette's names for a share's colour and for text on it."""
    step = max(0, min(10, int(share * 10)))
    return f"heat{step}", "on_heat" if step <= LAST_LOW_HEAT else "on_heat_high"


def css_variables():
    """The colours as variables that follow the reader's scheme."""
    def rules(scheme):
        return "".join(f"--{name}:{pair[scheme]};" for name, pair in COLOURS.items())
    return f":root{{{rules(0)}}}\n@media (prefers-color-scheme: dark){{:root{{{rules(1)}}}}}\n"


def as_variables(svg):
    """Light colours of a figure become variables."""
    for name, (on_light, _) in COLOURS.items():
        svg = svg.replace(on_light, f"var(--{name})")
    return svg


def dark_rules(svg):
    """For a figure that stands alone: its light colours, swapped on dark. Renderers without media queries show light."""
    rules = ""
    for on_light, on_dark in COLOURS.values():
        for use in ("fill", "stroke"):
            if f"{use}: {on_light}" in svg:
                rules += f'[style*="{use}: {on_light}"]{{{use}: {on_dark} !important}}'
    return f"@media (prefers-color-scheme: dark){{{rules}}}"
