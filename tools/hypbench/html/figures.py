# SPDX-License-Identifier: Apache-2.0
"""The plots: each takes numbers that are ready and returns a drawn figure."""

from math import ceil

from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

from hypbench.analysis.phases import Waterfall
from hypbench.analysis.programs import ProgramRow
from hypbench.analysis.tlb import Curves, TlbCell
from hypbench.axes import axes as axes_known
from hypbench.html import style
from hypbench.html.data import Group
from hypbench.html.style import Look, look_of, new_figure
from hypbench.html.units import number

ROW = 0.21  # inches a bar takes
BINS = 60
SPIKES = 24  # so many values at most are drawn as single lines
HEAT = LinearSegmentedColormap.from_list("refs", ["#f4f8fb", "#8ccaf0", "#4ba6dd"])
PHASE_LABELS = {"el2-vector": "EL2 vector", "acknowledged": "acknowledged",
                "injected": "in a list register", "eret": "ERET", "el1-vector": "EL1 vector",
                "handler": "handler", "eoi": "EOI", "task": "EL0 task"}


def legend_above(figure: Figure, axes, columns: int = 4) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside upper left", ncols=min(columns, len(labels)))


def grouped(axis) -> None:
    """Numbers of an axis as in the text: groups of three from five digits on."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    axis.set_minor_formatter(NullFormatter())


def bars(groups: list[Group], looks: dict[str, Look], axis: str, log: bool = False,
         signed: bool = False) -> Figure:
    """Horizontal bars, a group of them for each label, each with its number at its end."""
    rows = sum(len(group.values) for group in groups)
    figure, (axes,) = new_figure(0.9 + ROW * rows + 0.12 * len(groups))
    place, ticks, shown = 0.0, [], set()
    for group in groups:
        names = [name for name in looks if name in group.values]
        ticks.append((place + (len(names) - 1) / 2, group.label))
        for name in names:
            value = group.values[name]
            axes.barh(place, value, height=0.86, label=None if name in shown else name,
                      **looks[name].bar)
            text = (("+" if value > 0 else "") if signed else "") + number(value)
            axes.annotate(text, (max(value, 0), place), xytext=(3, 0), va="center", fontsize=8.5,
                          textcoords="offset points")
            shown.add(name)
            place += 1
        place += 0.6
    axes.set_yticks([at for at, _ in ticks], [label for _, label in ticks])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(axis)
    if log:
        axes.set_xscale("log")
        axes.set_xlim(left=10)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.axvline(0, color=style.INK, linewidth=0.8)
    grouped(axes.xaxis)
    axes.margins(x=0.16, y=0.02)
    order_legend(figure, axes, [name for name in looks if name in shown])
    return figure


def patch_legend(figure: Figure, looks: dict[str, Look]) -> None:
    handles = [Patch(label=name, facecolor=look.colour, hatch=look.hatch, edgecolor="white")
               for name, look in looks.items()]
    figure.legend(handles=handles, loc="outside upper left", ncols=min(4, len(handles)),
                  columnspacing=1.2)


def order_legend(figure: Figure, axes, names: list[str]) -> None:
    found = dict(zip(*reversed(axes.get_legend_handles_labels())))
    if len(names) > 1:
        columns = 4 if max(map(len, names)) < 12 else 3 if max(map(len, names)) < 18 else 2
        figure.legend([found[name] for name in names], names, loc="outside upper left",
                      ncols=columns, columnspacing=1.2)


def waterfall(falls: list[Waterfall], axis: str) -> Figure:
    """One panel a configuration; each bar begins where the phase before it ended."""
    return waterfalls([falls], [axis])


def waterfalls(runs: list[list[Waterfall]], units: list[str]) -> Figure:
    """A column for each run, all with the same configurations and phases."""
    heights = [len(fall.phases) + 1.2 for fall in runs[0]]
    figure, panels = new_figure(0.6 + 0.225 * sum(heights), style.WIDTH * (1 + len(runs)) / 2,
                                len(heights), len(runs), sharex="col", sharey="row",
                                gridspec_kw={"height_ratios": heights})
    for axes, fall in zip(panels, (fall for falls in zip(*runs) for fall in falls)):
        look = look_of(fall.config.removesuffix("-probes"))
        ends = [phase.end for phase in fall.phases]
        for place, phase in enumerate(fall.phases):
            axes.barh(place, phase.mean, left=phase.start, height=0.8, **look.bar)
            axes.annotate(f"+{number(phase.mean)}", (phase.end, place), xytext=(3, 0),
                          va="center", textcoords="offset points", fontsize=8.5)
        axes.vlines(ends[:-1], [at + 0.4 for at in range(len(ends) - 1)],
                    [at + 0.6 for at in range(len(ends) - 1)], color="#666666", linewidth=0.8)
        axes.set_yticks(range(len(ends)), [PHASE_LABELS.get(phase.name, phase.name)
                                           for phase in fall.phases])
        axes.set_ylim(len(ends) - 0.4, -0.6)
        axes.grid(axis="y", visible=False)
        axes.set_title(f"{fall.config.removesuffix('-probes')}: {number(fall.sum)} in all",
                       fontsize=9.5)
    for axes, unit in zip(panels[-len(runs):], units):
        axes.set_xlabel(unit)
        axes.margins(x=0.1 * len(runs))
        axes.set_xlim(left=0)
        grouped(axes.xaxis)
    return figure


def rebin(values: list[tuple[int, int]], low: int, high: int, log: bool) -> list[tuple[float, int]]:
    """(lower edge, count) of BINS bins from low to high, even or even in their ratio."""
    def edge(index: int) -> float:
        share = index / BINS
        return low * (high / low) ** share if log else low + (high - low) * share

    edges = [edge(index) for index in range(BINS + 1)]
    counts, at = [0] * BINS, 0
    for value, count in values:
        while at < BINS - 1 and value >= edges[at + 1]:
            at += 1
        counts[at] += count
    return list(zip(edges, counts)) + [(edges[-1], 0)]


def histograms(panels: dict[str, dict[str, list[tuple[int, int]]]], axis: str) -> Figure:
    """Panel → configuration → [(value, count)]; counts on a logarithmic axis.

    Few values are drawn as single lines, many as outlines of a histogram."""
    figure, all_axes = new_figure(0.7 + 1.45 * len(panels), panels=len(panels), sharex=True)
    everything = [value for panel in panels.values() for values in panel.values()
                  for value, _ in values]
    low, high = max(min(everything), 1), max(everything)
    log = high > 30 * low
    for axes, (title, panel) in zip(all_axes, panels.items()):
        for config, values in panel.items():
            look, size = look_of(config), max(9.5 - 2 * list(panel).index(config), 3)
            if len(values) <= SPIKES:  # what lies on one another stays visible: ever smaller
                axes.vlines([value for value, _ in values], 0.5, [count for _, count in values],
                            color=look.colour, linewidth=size / 2)
                axes.plot([value for value, _ in values], [count for _, count in values],
                          label=config, **(look.curve | {"linestyle": "none", "markersize": size}))
            else:
                steps = rebin(values, low, high + 1, log)
                axes.step([edge for edge, _ in steps], [max(count, 0.5) for _, count in steps],
                          where="post", color=look.colour, linestyle=look.line, label=config)
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.5)
        grouped(axes.yaxis)
        axes.set_title(title, fontsize=9.5)
        axes.set_ylabel("samples")
    if log:
        all_axes[-1].set_xscale("log")
    else:
        all_axes[-1].xaxis.set_major_locator(MaxNLocator(6, integer=True))
        all_axes[-1].margins(x=0.05)
    grouped(all_axes[-1].xaxis)
    all_axes[-1].set_xlabel(axis)
    widest = max(all_axes, key=lambda axes: len(axes.get_legend_handles_labels()[1]))
    legend_above(figure, widest)
    return figure


def ranges(rows: list[tuple[str, dict[str, int]]], looks: dict[str, Look], axis: str) -> Figure:
    """A line from the smallest to the largest sample; marks at p50 and p99. Logarithmic."""
    figure, (axes,) = new_figure(1.0 + 0.3 * len(rows))
    for place, (label, numbers) in enumerate(rows):
        look = looks[label]
        axes.plot([numbers["min"], numbers["max"]], [place, place], color=look.colour,
                  linewidth=4, solid_capstyle="butt", alpha=0.55)
        for name, marker in (("p50", "o"), ("p99", "|")):
            if name in numbers:
                axes.plot(numbers[name], place, marker=marker, color=look.colour, markersize=8,
                          markeredgecolor=style.INK, linestyle="none",
                          label=name if place == 0 else None)
        axes.annotate(number(numbers["max"]), (numbers["max"], place), xytext=(6, 0),
                      textcoords="offset points", va="center", fontsize=8.5)
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), [label for label, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.margins(x=0.14)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(f"{axis}\n● median, ┃ p99, line from min to max")
    grouped(axes.xaxis)
    return figure


def storm(curves: dict[str, list[tuple[int, int]]], lr_count: int, axis: str) -> Figure:
    """Time to each handler by its position, with the number of list registers marked."""
    figure, (axes,) = new_figure(3.1)
    for config, points in curves.items():
        size = max(6 - 0.7 * list(curves).index(config), 2.5)
        axes.plot([at for at, _ in points], [ticks for _, ticks in points], label=config,
                  **(look_of(config).curve | {"markersize": size}))
    axes.axvline(lr_count + 0.5, color=style.INK, linestyle=":", linewidth=1.2)
    axes.annotate(f"{lr_count} list\nregisters", (lr_count + 0.5, 1), xytext=(4, -4), va="top",
                  xycoords=("data", "axes fraction"), textcoords="offset points", fontsize=8.5)
    axes.set_xlabel("position of the handler")
    axes.set_ylabel(axis)
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    axes.set_ylim(bottom=0)
    grouped(axes.yaxis)
    legend_above(figure, axes, 3)
    return figure


def curves(series: dict[str, Curves], shapes: tuple[str, str], marks: dict[str, float], x: str,
           y: str) -> Figure:
    """A colour for each configuration over a logarithmic axis of sizes: the first shape as a line
    with markers, the second dotted. `marks`: sizes of TLBs and caches."""
    figure, (axes,) = new_figure(3.6)
    for place, ((name, found), look) in enumerate(zip(series.items(), style.SERIES)):
        size = max(8 - 2 * place, 2)  # what lies on one another stays visible: ever smaller
        line = look.curve | {"linestyle": "-", "markersize": size, "linewidth": 0.6 + size / 4}
        dots = {"color": look.colour, "linestyle": ":", "linewidth": 0.6 + size / 4}
        for shape, kind, label in zip(shapes, (line, dots), (name, None)):
            points = found.get(shape, [])
            axes.plot([at for at, _ in points], [value for _, value in points], label=label, **kind)
    axes.set_xscale("log", base=2)
    low, high = axes.get_xlim()
    for name, at in marks.items():
        if low <= at <= high:
            axes.axvline(at, color=style.GREY, linestyle="--", linewidth=0.9, zorder=1)
            axes.annotate(name, (at, 1), xycoords=("data", "axes fraction"), xytext=(-2, 3),
                          textcoords="offset points", rotation=35, fontsize=8)
    grouped(axes.xaxis)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_ylim(bottom=0)
    legend_above(figure, axes)
    return figure


def heat_map(cells: dict[tuple[str, str], float], texts: dict[tuple[str, str], str],
             label: str) -> Figure:
    """Stage-1 grain by stage-2 grain."""
    rows = [grain for grain in axes_known()["stage1"] if any(s1 == grain for s1, _ in cells)]
    columns = [grain for grain in axes_known()["stage2"] if any(s2 == grain for _, s2 in cells)]
    figure, (axes,) = new_figure(0.9 + 0.55 * len(rows))
    top = max(cells.values())
    for y, s1 in enumerate(rows):
        for x, s2 in enumerate(columns):
            if (s1, s2) not in cells:
                axes.text(x, y, "lost", ha="center", va="center", color="#666666")
                continue
            share = cells[s1, s2] / top if top > 0 else 0
            axes.fill([x - .5, x + .5, x + .5, x - .5], [y - .5, y - .5, y + .5, y + .5],
                      facecolor=HEAT(share), edgecolor="white", linewidth=2)
            axes.text(x, y, texts[s1, s2], ha="center", va="center", fontsize=9)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("stage 2")
    axes.set_ylabel("stage 1")
    axes.set_title(label, fontsize=9.5)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(length=0)
    return figure


def walk_texts(walks: dict[tuple[str, str], TlbCell]) -> dict[tuple[str, str], str]:
    return {key: f"{walk.walk_refs}\n({walk.s1_levels}+1)({walk.s2_levels}+1)−1"
            for key, walk in walks.items()}


def split_bars(splits: list[tuple[str, ProgramRow]], study: dict[str, tuple[str, float]]) -> Figure:
    """Each program's slowdown as 100 %: exit handling and the rest, with the study's below."""
    rows: list[tuple[str, float | None, bool]] = []
    for label, split in splits:
        rows.append((label, split.share, False))
        if split.bench in study:
            name, share = study[split.bench]
            rows.append((f"study: {name}", share, True))
    figure, (axes,) = new_figure(1.0 + 0.27 * len(rows))
    here, rest = Look(style.VERMILION, "\\\\\\\\"), Look(style.SKY, "")
    for place, (_, share, theirs) in enumerate(rows):
        if share is None:
            axes.annotate("no slowdown", (1, place), va="center", fontsize=8.5)
            continue
        part = min(max(share, 0), 1)
        alpha = 0.55 if theirs else 1
        axes.barh(place, 100 * part, height=0.8, alpha=alpha, **here.bar)
        axes.barh(place, 100 * (1 - part), left=100 * part, height=0.8, alpha=alpha, **rest.bar)
        axes.annotate(f"{100 * share:.0f} %" if share <= 2 else "> 200 %", (100, place),
                      xytext=(3, 0), textcoords="offset points", va="center", fontsize=8.5)
    axes.set_yticks(range(len(rows)), [label for label, _, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(0, 114)
    axes.set_xticks(range(0, 101, 25))
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("share of the slowdown, %; number: exit handling")
    patch_legend(figure, {"exit handling": here, "the rest": rest})
    return figure


def shares(rows: list[tuple[str, dict[str, float]]], axis: str) -> Figure:
    """Each row's parts as shares of it, told apart by colour and hatch; its sum after it."""
    names = list(dict.fromkeys(name for _, parts in rows for name in parts))
    looks = dict(zip(names, style.SERIES * ceil(len(names) / len(style.SERIES) or 1)))
    figure, (axes,) = new_figure(1.0 + 0.3 * len(rows) + 0.2 * (len(names) // 4))
    for place, (_, parts) in enumerate(rows):
        left, total = 0.0, sum(parts.values())
        for name, value in parts.items():
            share = 100 * value / total if total else 0
            axes.barh(place, share, left=left, height=0.76, **looks[name].bar)
            left += share
        axes.annotate(number(total), (100, place), xytext=(3, 0), textcoords="offset points",
                      va="center", fontsize=8.5)
    axes.set_yticks(range(len(rows)), [label for label, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(0, 122)
    axes.set_xticks(range(0, 101, 25))
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(axis)
    patch_legend(figure, looks)
    return figure
