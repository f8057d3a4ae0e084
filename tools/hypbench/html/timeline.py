# SPDX-License-Identifier: Apache-2.0
"""Draw a picture of a trace: a request over a doorbell and its answer. The picture has a track for
each core and each VM, and an arrow from each ring to the interrupt that the ring causes."""

from hypbench import charts
from hypbench.model import Clock
from hypbench.plan_model import Plan
from hypbench.plan_vms import Link
from hypbench.records import Data, Log
from hypbench.trace import Exit, doorbells_of, exits_of, handles, rings_of, turns_of, vcpu_name

BEFORE, AFTER = 150, 300  # ticks before and after the request and its answer
PLACES = {"VM on the core": "#9ecae1", "guest": "#c7e9c0", "EL2": "#fdae6b"}
HEIGHT = 46  # pixels of a track
LETTER = 6.2


def picture_of(log: Log, plan: Plan, board: dict[str, int]) -> str:
    """Return an SVG of the first step that has a request over a doorbell and its answer, or ""."""
    doorbells = doorbells_of(plan, board)
    clock = Clock(log.run["platform"], log.run["hz"])
    for exits in exits_of(log, plan).values():
        if span := round_trip(exits, doorbells):
            return charts.picture(timeline(exits, doorbells, span, clock.axis))
    return ""


def round_trip(exits: list[Exit], doorbells: dict[int, Link]) -> tuple[int, int] | None:
    """Return the begin and the end of the shortest round trip without another exit in between. A
    round trip has four exits: the ring, its arrival, the answer's ring and the answer's arrival."""
    rings = rings_of(exits, doorbells)
    spans = [(ring.start, answer_arrival.end)
             for (ring, arrival), (answer, answer_arrival) in zip(rings, rings[1:])
             if [ring, arrival, answer, answer_arrival] == [
                 exit for exit in exits if ring.start <= exit.start <= answer_arrival.start
                 and exit.kind != "maintenance"]]
    return min(spans, key=lambda span: span[1] - span[0], default=None)


def timeline(exits: list[Exit], doorbells: dict[int, Link], span: tuple[int, int], unit: str
             ) -> Data:
    """Draw the exits of a step in the order of their times. 0 is the begin of the span."""
    start, end = span
    rings = dict(rings_of(exits, doorbells))
    first, last = start - BEFORE, end + AFTER
    cores = sorted({exit.core for exit in exits})
    vms = list(dict.fromkeys(vcpu_name(exit.place) for exit in exits))
    tracks = [*(f"core {core}" for core in cores), *sorted(vms)]
    slices: list[Data] = []

    def add_slice(track: str, place: str, name: str, begin: int, stop: int) -> None:
        if begin < last and stop > first:
            at, until = max(begin, first) - start, min(stop, last) - start
            slices.append({"track": tracks.index(track), "place": place, "name": name, "from": at,
                           "to": until, "middle": (at + until) / 2, "note": f"{track}: {name}"})
    for core in cores:
        core_exits = [exit for exit in exits if exit.core == core]
        for turn in turns_of(core_exits):
            add_slice(f"core {core}", "VM on the core", vcpu_name(turn.place), turn.start, turn.end)
        for exit, following in zip(core_exits, core_exits[1:]):
            add_slice(vcpu_name(exit.place), "EL2", "ring" if exit in rings else exit.name,
                      exit.start, exit.end)
            add_slice(vcpu_name(following.place), "guest", f"handles {exit.name}"
                      if handles(exit, following) else "guest", exit.end, following.start)
    arrows = [{"from": ring.end - start, "to": arrival.start - start,
               "track": tracks.index(vcpu_name(ring.place)) + 0.5,
               "end": tracks.index(vcpu_name(arrival.place)) + 0.5}
              for ring, arrival in rings.items() if start <= ring.start < end]
    return draw(tracks, slices, arrows, (first - start, last - start), unit)


def draw(tracks: list[str], slices: list[Data], arrows: list[Data], span: tuple[int, int],
         unit: str) -> Data:
    x = charts.axis("from", unit, scale={"domain": list(span), "nice": False})
    labels = f"[{','.join(repr(track) for track in tracks)}][floor(datum.value)]"
    y = {"field": "low", "type": "quantitative", "title": None,
         "scale": {"domain": [len(tracks), 0], "nice": False},
         "axis": {"values": [i + 0.5 for i in range(len(tracks))], "labelExpr": labels,
                  "grid": False}}
    fits = f"(datum.to - datum.from) / {span[1] - span[0]} * width > {LETTER} * length(datum.name)"
    ends = [arrow | {"shape": "triangle-down" if arrow["end"] > arrow["track"] else "triangle-up"}
            for arrow in arrows]
    return charts.chart(slices, HEIGHT * len(tracks), layer=[
        {"transform": [{"calculate": "datum.track + 0.12", "as": "low"},
                       {"calculate": "datum.track + 0.88", "as": "high"}],
         "mark": {"type": "rect", "stroke": "white", "strokeWidth": 0.7}, "encoding": {
             "x": x, "x2": {"field": "to"}, "y": y, "y2": {"field": "high"},
             "tooltip": charts.TIP, "color": {
                 "field": "place", "type": "nominal", "title": None,
                 "scale": {"domain": list(PLACES), "range": list(PLACES.values())}}}},
        {"transform": [{"filter": fits}, {"calculate": "datum.track + 0.5", "as": "low"}],
         **charts.words("name", x | {"field": "middle"}, y, fontSize=11)},
        {"data": {"values": ends}, "mark": {"type": "rule", "strokeWidth": 1.6},
         "encoding": {"x": x, "x2": {"field": "to"}, "y": y | {"field": "track"},
                      "y2": {"field": "end"}}},
        {"data": {"values": ends}, "mark": {"type": "point", "filled": True, "size": 70},
         "encoding": {"x": x | {"field": "to"}, "y": y | {"field": "end"},
                      "shape": {"field": "shape", "type": "nominal", "scale": None},
                      "color": {"value": "#222222"}}}])
