# SPDX-License-Identifier: Apache-2.0
"""How plots look: one colour, hatch and marker for a mode everywhere; SVG without a date.

The colours are Okabe and Ito's, which people with any colour vision can tell apart; hatches and
markers do so in grey print.
"""

import io
import re
import zlib
from dataclasses import dataclass

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
GREY = "#8C8C8C"
INK = "#222222"

WIDTH = 4.8  # inches: what a column of a desktop page and, at three quarters, a phone can show
RC = {
    "svg.fonttype": "none", "text.parse_math": False, "svg.hashsalt": "hypbench", "font.size": 9.5,
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
    "axes.titlesize": 10, "axes.labelsize": 9.5, "legend.fontsize": 9, "xtick.labelsize": 9,
    "ytick.labelsize": 9, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.6, "axes.axisbelow": True,
    "axes.edgecolor": "#666666", "text.color": INK, "axes.labelcolor": INK, "hatch.linewidth": 0.8,
    "legend.frameon": False, "axes.titlelocation": "left", "legend.handlelength": 1.8,
}
matplotlib.rcParams.update(RC)
METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


@dataclass(frozen=True)
class Look:
    colour: str
    hatch: str = ""
    marker: str = "o"
    line: str = "-"
    hollow: bool = False

    @property
    def bar(self) -> dict:
        return {"color": self.colour, "hatch": self.hatch, "edgecolor": "white", "linewidth": 0.4}

    @property
    def curve(self) -> dict:
        return {"color": self.colour, "marker": self.marker, "linestyle": self.line,
                "markersize": 4.5, "linewidth": 1.6,
                "markerfacecolor": "white" if self.hollow else self.colour}


# Lines only: a hatch of dots takes a hundred kilobytes of path.
MODES = {
    "native": Look(BLUE, "", "o", "-"),
    "direct": Look(GREEN, "////", "s", "--"),
    "trapped": Look(VERMILION, "\\\\\\\\", "^", "-."),
    "trapped-sw": Look(PURPLE, "xxxx", "D", ":"),
    "alone": Look(VERMILION, "\\\\\\\\", "^", "-."),  # trapped, with the core to itself
    "slice": Look(ORANGE, "||||", "v", "--"),
    "priority": Look(SKY, "----", "P", "-"),
}
SERIES = [Look(BLUE, "", "o", "-"), Look(ORANGE, "////", "s", "--"),
          Look(GREEN, "\\\\\\\\", "^", "-."), Look(PURPLE, "xxxx", "D", ":"),
          Look(SKY, "||||", "v", "--"), Look(BLACK, "++++", "P", "-"),
          Look(YELLOW, "----", "X", "-."), Look(GREY, "", "*", ":")]
TWIN_HATCHES = ("||||", "----", "++++")


def look_of(config: str) -> Look:
    """A configuration named after a mode, `trapped-split`, has its colour and another hatch."""
    if config in MODES:
        return MODES[config]
    for mode in sorted(MODES, key=len, reverse=True):
        if config.startswith(f"{mode}-"):
            base, pick = MODES[mode], zlib.crc32(config.encode())
            return Look(base.colour, TWIN_HATCHES[pick % len(TWIN_HATCHES)], base.marker, ":",
                        hollow=True)
    return SERIES[zlib.crc32(config.encode()) % len(SERIES)]


def new_figure(height: float, width: float = WIDTH, panels: int = 1, columns: int = 1, **more):
    """A figure and its axes, row by row."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasSVG(figure)
    return figure, figure.subplots(panels, columns, squeeze=False, **more).ravel()


def to_svg(figure: Figure, name: str, label: str) -> str:
    """Inline SVG, the same bytes for the same figure: ids of its own, no size but its shape."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata=METADATA)
    text = out.getvalue()
    text = text[text.index("<svg"):]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'<svg [^>]*?viewBox="([^"]+)"[^>]*>',
                  lambda found: f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink='
                                f'"http://www.w3.org/1999/xlink" viewBox="{found[1]}" role="img"'
                                f' aria-label="{attribute(label)}">', text, count=1)
    return own_ids(re.sub(r"[ \t]*\n\s*", "\n", text), name)


def own_ids(svg: str, name: str) -> str:
    """Ids that something refers to get the figure's name; the others go."""
    used = set(re.findall(r'(?:url\(#|href="#)([^")]+)', svg))

    def define(found: re.Match) -> str:
        return f' id="{name}-{found[1]}"' if found[1] in used else ""

    svg = re.sub(r' id="([^"]+)"', define, svg)
    return re.sub(r'(url\(#|href="#)', rf"\g<1>{name}-", svg)


def attribute(text: str) -> str:
    for char, name in (("&", "&amp;"), ("<", "&lt;"), ('"', "&quot;")):
        text = text.replace(char, name)
    return text
