# SPDX-License-Identifier: Apache-2.0
"""Charts as Vega-Lite specifications: plain data that the page's script draws, or that becomes an
SVG.

A datum's `config` is the page's selection key. The page shows the datum's `note` at the pointer.
The colours of the modes are those of Okabe and Ito, which people with any colour vision can
distinguish.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hypbench.model import number
from hypbench.records import Data

MODES = {"native": "#0072B2", "direct": "#009E73", "trapped": "#D55E00", "trapped-sw": "#CC79A7",
         "hypbench": "#0072B2"}
OTHERS = ["#E69F00", "#56B4E9", "#8C8C8C", "#B8A800", "#6A51A3", "#A6761D", "#E7298A", "#66A61E",
          "#1B4F9C", "#F781BF"]
FRAMES = {"guest": "#9ecae1", "EL2": "#fdae6b"}
LETTER = 6.5  # width of a letter in pixels
ROW = 30  # height of a bar or a line of dots in pixels
CONFIG = json.loads(Path(__file__).with_name("vega.json").read_text())


def axis(field: str, title: str | None, log: bool = False, **more: Any) -> Data:
    """Return a quantitative channel. No chart with bars has a logarithmic axis."""
    scale = {"type": "log"} if log else {}
    return {"field": field, "type": "quantitative", "title": title,
            "scale": scale | more.pop("scale", {})} | more


def names(field: str, values: Iterable[str], title: str | None = None, **more: Any) -> Data:
    """Return a channel of names, in the order of the data."""
    lines = "split(replace(datum.label, ', ', ': '), ': ')"  # the lines of a label
    return {"field": field, "type": "nominal", "sort": list(dict.fromkeys(values)),
            "title": title, "axis": {"labelPadding": 6, "labelExpr": lines, "labelLineHeight": 13}
            | more.pop("axis", {})} | more


def colour(configs: Iterable[str]) -> Data:
    """Return the colour of a mode, the same in every chart of the page."""
    known = list(dict.fromkeys(configs))
    colours = iter(OTHERS * (1 + len(known) // len(OTHERS)))
    return {"field": "config", "type": "nominal", "title": None, "sort": known,
            "scale": {"domain": known, "range": [MODES.get(name) or next(colours)
                                                 for name in known]}}


TIP = {"field": "note", "type": "nominal"}


def words(field: str, x: Data, y: Data, **more: Any) -> Data:
    """Return a layer of text in the middle of each mark. The text lies above the mark, so it
    carries the mark's note."""
    return {"mark": {"type": "text", "color": "#111111"} | more,
            "encoding": {"x": x, "y": y, "text": {"field": field}, "tooltip": TIP}}


def chart(values: list[Data], height: int, **more: Any) -> Data:
    return {"$schema": "https://vega.github.io/schema/vega-lite/v6.json", "config": CONFIG,
            "width": "container", "height": height,
            "autosize": {"type": "fit-x", "contains": "padding"},
            "data": {"values": values}} | more


def phases(values: list[Data], unit: str, sums: bool = True) -> Data:
    """Return bars one after the other, from the data's `config`, `phase`, `start`, `end` and
    `order`, with their sum."""
    rows = list(dict.fromkeys(value["config"] for value in values))
    y = names("config", rows)
    widest = max(value["end"] for value in values)
    for value in values:
        value["text"] = number(value["end"] - value["start"])
        value["shown"] = (value["end"] - value["start"]) > widest * 0.04
    order = list(dict.fromkeys(value["phase"] for value in
                               sorted(values, key=lambda value: value["order"])))
    return chart(values, 40 * len(rows) + 10, layer=[
        {"mark": {"type": "bar", "height": 28}, "encoding": {
            "x": axis("start", unit), "x2": {"field": "end"}, "y": y, "tooltip": TIP,
            "color": {"field": "phase", "type": "nominal", "title": None, "sort": order,
                      "scale": {"domain": order, "scheme": "tableau10"}}}},
        {"transform": [{"filter": "datum.shown"},
                       {"calculate": "(datum.start + datum.end) / 2", "as": "middle"}],
         **words("text", axis("middle", unit), y)},
        *([{"transform": [{"aggregate": [{"op": "max", "field": "end", "as": "sum"}],
                           "groupby": ["config"]}],
            "mark": {"type": "text", "align": "left", "dx": 4, "fontWeight": 600},
            "encoding": {"x": axis("sum", unit), "y": y,
                         "text": {"field": "sum", "format": ",.0f"}}}] if sums else [])])


def icicle(values: list[Data], title: str) -> Data:
    """Return a rectangle for each `name`, from `start` to `end` at its `depth`, with the name if it
    fits."""
    depth, widest = (max(value[name] for value in values) for name in ("depth", "end"))
    y = {"field": "depth", "type": "ordinal", "axis": None, "scale": {"padding": 0.04}}
    letters = f"floor((datum.end - datum.start) / {widest} * width / {LETTER})"
    return chart(values, 20 * (depth + 1), layer=[
        {"mark": {"type": "rect", "stroke": "white", "strokeWidth": 0.5}, "encoding": {
            "x": axis("start", title, scale={"nice": False, "domain": [0, widest]}),
            "x2": {"field": "end"}, "y": y, "tooltip": TIP, "color": {
                "field": "kind", "type": "nominal", "legend": None,
                "scale": {"domain": list(FRAMES), "range": list(FRAMES.values())}}}},
        {"transform": [{"calculate": f"{letters} > 2 ? truncate(datum.name, {letters}) : ''",
                        "as": "text"},
                       {"calculate": "(datum.start + datum.end) / 2", "as": "middle"}],
         **words("text", axis("middle", title), y, fontSize=11)}])


def ecdf(values: list[Data], unit: str) -> Data:
    """Return steps of the share of samples up to a value. A point marks the largest sample."""
    configs = [value["config"] for value in values]
    x = axis("value", unit, log=all(value["value"] > 0 for value in values),
             scale={"nice": False, "zero": False})
    y = axis("share", "share of the samples", axis={"format": "%"})
    return chart(values, 240, layer=[
        {"mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2},
         "encoding": {"x": x, "y": y, "color": colour(configs), "tooltip": TIP}},
        {"transform": [{"filter": "datum.last"}],
         "mark": {"type": "point", "filled": True, "size": 70},
         "encoding": {"x": x, "y": y, "color": colour(configs), "tooltip": TIP}}])


def curves(values: list[Data], x_title: str, y_title: str, log: bool = False,
           marks: Mapping[str, float] | None = None, dashes: bool = False) -> Data:
    """Return a curve for each `config` over `x` and `y`; `dashes` adds a line for each `shape`."""
    encoding = {"x": axis("x", x_title, log=log, scale={"nice": False}), "y": axis("y", y_title),
                "color": colour(value["config"] for value in values), "tooltip": TIP}
    if dashes:
        encoding["strokeDash"] = {"field": "shape", "type": "nominal", "title": None,
                                  "legend": {"symbolType": "stroke", "symbolSize": 300,
                                             "symbolStrokeColor": "currentColor"},
                                  "sort": list(dict.fromkeys(value["shape"] for value in values))}
    lines = [{"mark": {"type": "line", "point": {"size": 24}, "strokeWidth": 1.8},
              "encoding": encoding}]
    edges = [{"at": at, "name": name} for name, at in (marks or {}).items()]
    x = axis("at", x_title, log=log)
    return chart(values, 300, layer=[
        *lines, *([{"data": {"values": edges}, "mark": {"type": "rule", "strokeDash": [3, 3],
                                                        "opacity": 0.6}, "encoding": {"x": x}},
                   {"data": {"values": edges},
                    "mark": {"type": "text", "align": "left", "dx": 3, "y": 6},
                    "encoding": {"x": x, "text": {"field": "name"}}}] if edges else [])])


def dots(values: list[Data], title: str, log: bool, with_rule: bool = True) -> Data:
    """Return a line for each `what`, with a dot for each `config` at its `factor` and a rule at
    1."""
    rows = list(dict.fromkeys(value["what"] for value in values))
    rule = {"data": {"values": [{"one": 1}]}, "mark": {"type": "rule", "strokeDash": [2, 2]},
            "encoding": {"x": axis("one", title, log=log)}}
    points = {"mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
              "encoding": {"x": axis("factor", title, log=log, scale={
                  "zero": False, "nice": not log, "padding": 12}),
                           "y": names("what", rows, axis={"grid": True}), "tooltip": TIP,
                           "color": colour(value["config"] for value in values)}}
    return chart(values, ROW * len(rows) + 10, layer=[rule, points] if with_rule else [points])


def bars(values: list[Data], title: str) -> Data:
    """Return signed bars from 0, a `value` for each `what`, in the order of the data."""
    rows = list(dict.fromkeys(value["what"] for value in values))
    return chart(values, ROW * len(rows) + 10, mark={"type": "bar", "height": 16}, encoding={
        "x": axis("value", title), "y": names("what", rows), "tooltip": TIP,
        "color": {"value": MODES["hypbench"]}})


def matrix(values: list[Data], x_title: str, y_title: str | None) -> Data:
    """Return a cell for each `x` and `y`, with its `factor`."""
    x = names("x", (value["x"] for value in values), x_title,
              axis={"orient": "top", "labelAngle": 0})
    y = names("y", (value["y"] for value in values), y_title)
    return chart(values, 34 * len({value["y"] for value in values}) + 10, layer=[
        {"mark": "rect", "encoding": {"x": x, "y": y, "tooltip": TIP, "color": axis(
            "factor", "times as long", log=True, scale={
                "domain": [1, 1000], "clamp": True,
                "scheme": {"name": "oranges", "extent": [0, 0.6]}})}},
        words("text", x, y)])


def picture(spec: Data) -> str:
    """Return the chart as a file of its own, on white, for the documentation."""
    import vl_convert

    legend = {"legend": CONFIG["legend"] | {"columns": 2}}  # at this width no label is cut
    fixed = spec | {"width": 560, "background": "white", "padding": 8, "config": CONFIG | legend}
    svg = vl_convert.vegalite_to_svg(fixed)
    return svg.replace("currentColor", "#222222") + "\n"
