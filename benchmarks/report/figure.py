# SPDX-FileCopyrightText: 2026 The xpose authors
# SPDX-License-Identifier: Apache-2.0

"""A figure: panels that Matplotlib draws, a key, a caption. Inline in the page the panels flow with its width; as a file they
stand in a grid on a ground of their own. The same input gives the same bytes."""

import html
import io
import os
import re
import warnings
from dataclasses import dataclass, field

import matplotlib

matplotlib.use("Agg")
from matplotlib.figure import Figure as Canvas  # noqa: E402
from matplotlib.font_manager import FontProperties  # noqa: E402
from matplotlib.textpath import TextToPath  # noqa: E402

import palette  # noqa: E402

FACE = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
STYLE = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "DejaVu Sans",  # the widest of the faces a reader may have: what fits in it fits in all
    "font.size": 10,
    "axes.titlesize": 11.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 9,
    "axes.labelsize": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
    "xtick.minor.bottom": False,
    "ytick.minor.left": False,
    "text.color": palette.light("ink"),
    "axes.titlecolor": palette.light("ink"),
    "axes.labelcolor": palette.light("muted"),
    "axes.edgecolor": palette.light("line"),
    "xtick.color": palette.light("muted"),
    "ytick.color": palette.light("muted"),
    "grid.color": palette.light("line"),
    "grid.linewidth": 0.7,
    "axes.axisbelow": True,
    "figure.constrained_layout.h_pad": 0.06,
    "figure.constrained_layout.w_pad": 0.06,
}
# In a box of 10x10 about the origin.
MARKER_SHAPES = {
    "o": '<circle r="3.4"/>', "s": '<rect x="-3.2" y="-3.2" width="6.4" height="6.4"/>', "^": '<path d="M0-4 4 3.4H-4z"/>',
    "v": '<path d="M0 4 4-3.4H-4z"/>', ">": '<path d="M4 0-3.4 4V-4z"/>', "<": '<path d="M-4 0 3.4 4V-4z"/>',
    "D": '<path d="M0-4.4 4.4 0 0 4.4-4.4 0z"/>', "P": '<path d="M-1.4-4H1.4V-1.4H4V1.4H1.4V4H-1.4V1.4H-4V-1.4H-1.4z"/>',
    "X": '<path transform="rotate(45)" d="M-1.4-4H1.4V-1.4H4V1.4H1.4V4H-1.4V1.4H-4V-1.4H-1.4z"/>',
}


@dataclass
class Panel:
    """One drawing: paint(axes) fills it. Sizes in the page's pixels."""
    title: str
    width: int
    height: int
    paint: callable
    content: str = ""  # once drawn


@dataclass
class Figure:
    """name is the end of its file's name; alt says what a reader would see."""
    name: str
    title: str
    caption: str
    alt: str
    panels: list
    key: list = field(default_factory=list)  # (label, colour's name, "line" | "curve" | "dash" | "dot" | "ring" | "bar", detail)
    columns: int = 2  # in a file


def draw(panel, identity):
    """The content of an SVG element of the panel's width and height, every id in it starting with identity."""
    if panel.content:
        return panel.content
    settings = {**STYLE, "svg.hashsalt": identity}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # characters that the measuring face lacks
        canvas = Canvas(figsize=(panel.width / 72, panel.height / 72), layout="constrained")
        axes = canvas.add_subplot()
        axes.set_title(panel.title)
        panel.paint(axes)
        stream = io.StringIO()
        canvas.savefig(stream, format="svg", transparent=True,
                       metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    panel.content = tidy(stream.getvalue(), identity)
    return panel.content


def tidy(svg, identity):
    """The content of Matplotlib's file without its prologue, unused ids, comments and fonts."""
    body = svg[svg.index("<defs>"):svg.rindex("</svg>")]
    body = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", body, count=1, flags=re.S)
    body = re.sub(r"<!--.*?-->", "", body, flags=re.S)
    body = re.sub(r"<(path|rect|g|use|text)( [^>]*)?>", lambda tag: tag[0].replace("stroke: #000000", "stroke: none"), body)
    used = set(re.findall(r"""(?:href="#|url\(#)([^")]+)""", body))
    body = re.sub(r' id="([^"]*)"', lambda found: f' id="{identity}-{found[1]}"' if found[1] in used else "", body)
    body = re.sub(r'xlink:href="#', f'href="#{identity}-', body)
    body = body.replace("url(#", f"url(#{identity}-")
    body = re.sub(r"font: ((?:[\w.]+ )*?)([\d.]+px) [^;\"]*sans-serif|font: ((?:[\w.]+ )*?)([\d.]+px) [^;\"]*",
                  lambda found: font(found[1] or found[3] or "", found[2] or found[4]), body)
    body = re.sub(r' transform="rotate\(-?0 [^)]*\)"', "", body)
    # Hundredths of a pixel do; the words between the tags stay as they are.
    body = re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\d\.\d\d)\d+", r"\1", tag[0]), body)
    body = re.sub(r"\s*\n\s*", " ", body)
    return body.strip()


def font(words, size):
    weight = "font-weight: 700; " if "700" in words or "bold" in words else ""
    style = "font-style: italic; " if "italic" in words else ""
    return f"{weight}{style}font-size: {size}"


def swatch(label, colour, kind, detail=""):
    """A key's sign in a box of 28x12."""
    paint = palette.light(colour)
    line = f'style="fill: none; stroke: {paint}"'
    if kind == "bar":
        return f'<rect x="5" y="1" width="18" height="10" rx="2" style="fill: {paint}"/>'
    if kind == "dash":
        pattern = " ".join(str(1.6 * step) for step in palette.dashes_of(detail))
        return f'<path d="M1 6H27" stroke-width="1.6" stroke-dasharray="{pattern}" {line}/>'
    if kind == "curve":
        dashes = f' stroke-dasharray="{" ".join(f"{1.9 * step:g}" for step in detail)}"' if detail else ""
        return f'<path d="M1 6H27" stroke-width="2.2"{dashes} {line}/>'
    if kind == "ring":
        return f'<circle cx="14" cy="6" r="3.6" stroke-width="1.6" {line}/>'
    shape = MARKER_SHAPES.get(palette.marker_of(detail or label), MARKER_SHAPES["o"])
    marker = f'<g transform="translate(14 6)" style="fill: {paint}">{shape}</g>'
    if kind == "dot":
        return marker
    width = 2.4 if colour == "accent" else 1.4
    return f'<path d="M1 6H27" stroke-width="{width}" {line}/>{marker}'


def clipped(words, most=24):
    """Names are short; one that is not must not push a figure apart."""
    return words if len(words) <= most else words[:most - 1] + "\N{HORIZONTAL ELLIPSIS}"


def inline(figure, section_slug):
    """The figure as HTML."""
    identity = f"{section_slug}-{figure.name}"
    parts = [f'<figure id="{identity}"><h4>{html.escape(figure.title)}</h4>']
    if figure.key:
        parts.append('<ul class="key">')
        for label, colour, kind, *detail in figure.key:
            sign = palette.as_variables(swatch(label, colour, kind, *detail))
            parts.append(f'<li><svg width="28" height="12" viewBox="0 0 28 12" aria-hidden="true">{sign}</svg>{html.escape(clipped(label, 60))}</li>')
        parts.append("</ul>")
    widest = max(panel.width for panel in figure.panels)
    kind = "panel" if len(figure.panels) == 1 else "panels"
    parts.append(f'<div class="{kind}" style="--least:{min(widest, 320 if widest < 400 else 400)}px;--most:{round(widest * 1.25)}px">')
    for index, panel in enumerate(figure.panels):
        content = palette.as_variables(draw(panel, f"{identity}-{index}"))
        alt = html.escape(f"{figure.alt} {panel.title}" if panel.title else figure.alt, quote=True)
        parts.append(f'<svg viewBox="0 0 {panel.width} {panel.height}" role="img" aria-label="{alt}">{content}</svg>')
    parts.append(f"</div><figcaption>{html.escape(figure.caption)}</figcaption></figure>")
    return "".join(parts)


def text_width(words, size, weight="normal"):
    face = FontProperties(family="DejaVu Sans", size=size, weight=weight)
    return TextToPath().get_text_width_height_descent(words, face, ismath=False)[0]


def wrapped(words, size, width):
    lines = [""]
    for word in words.split():
        candidate = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(candidate, size) > width:
            lines.append(word)
        else:
            lines[-1] = candidate
    return lines


def standalone(figure, section_slug, subtitle):
    """The figure as an SVG file, on a ground that follows the reader's scheme."""
    margin, gap = 18, 14
    columns = min(figure.columns, len(figure.panels))
    rows = [figure.panels[start:start + columns] for start in range(0, len(figure.panels), columns)]
    width = max(max(sum(panel.width for panel in row) + gap * (len(row) - 1) for row in rows), 520) + 2 * margin
    ink, muted = palette.light("ink"), palette.light("muted")
    parts, y = [], margin + 14

    def write(x, y, words, size, colour, weight=""):
        parts.append(f'<text x="{x:g}" y="{y:g}" style="font-size: {size}px;{weight} fill: {colour}">{html.escape(words)}</text>')

    write(margin, y, figure.title, 16, ink, " font-weight: 700;")
    for line in wrapped(subtitle, 10.5, width - 2 * margin):
        y += 17
        write(margin, y, line, 10.5, muted)
    x = margin
    y += 24 if figure.key else 4
    for label, colour, kind, *detail in figure.key:
        label = clipped(label, 60)
        needed = 34 + text_width(label, 10.5) + 16
        if x > margin and x + needed > width - margin:
            x, y = margin, y + 19
        parts.append(f'<g transform="translate({x:g} {y - 9.5:g})">{swatch(label, colour, kind, *detail)}</g>')
        write(x + 34, y, label, 10.5, ink)
        x += round(needed)
    y += 16
    identities = (f"{section_slug}-{figure.name}-{index}" for index in range(len(figure.panels)))
    for row in rows:
        x = margin
        for panel in row:
            size = f'width="{panel.width}" height="{panel.height}" viewBox="0 0 {panel.width} {panel.height}"'
            parts.append(f'<svg x="{x}" y="{y:g}" {size}>{draw(panel, next(identities))}</svg>')
            x += panel.width + gap
        y += max(panel.height for panel in row) + gap
    height = round(y - gap + margin)
    ground = f'<rect width="{width}" height="{height}" rx="10" style="fill: {palette.light("surface")}"/>'
    body = ground + "".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
            f'aria-label="{html.escape(figure.alt, quote=True)}" font-family="{FACE}" stroke-linejoin="round">\n'
            f"<style>{palette.dark_rules(body)}</style>\n{body}\n</svg>\n")


def write_whole(path, content):
    """Writes the file at once: a reader sees the old one or the new one."""
    unfinished = f"{path}.{os.getpid()}.unfinished"
    try:
        with open(unfinished, "w", encoding="utf-8") as file:
            file.write(content)
        os.replace(unfinished, path)
    except OSError as error:
        if os.path.lexists(unfinished):
            os.unlink(unfinished)
        error.filename = path  # what the user named
        raise
