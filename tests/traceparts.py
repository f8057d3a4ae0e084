# SPDX-License-Identifier: Apache-2.0
"""Parse a trace for the Perfetto UI back into its slices and its flows."""

from collections import defaultdict
from typing import NamedTuple

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent


class Slice(NamedTuple):
    track: tuple[str, ...]  # names of the groups, the outermost first
    name: str
    start: int  # in ns
    end: int
    flows: tuple[int, ...]  # flows that begin here
    ends: tuple[int, ...]
    category: str
    args: tuple[tuple[str, int | str], ...]  # arguments by name

    def arg(self, name: str) -> int | str | None:
        return dict(self.args).get(name)


def tracks_of(trace: Trace) -> dict[int, tuple[str, ...]]:
    tracks: dict[int, tuple[str, ...]] = {}
    for packet in trace.packet:
        track = packet.track_descriptor
        if packet.HasField("track_descriptor"):
            assert track.uuid not in tracks
            tracks[track.uuid] = (*tracks.get(track.parent_uuid, ()), track.name)
    return tracks


def slices_of(content: bytes) -> list[Slice]:
    """Return the slices, which must nest: each end closes the last open begin of its track, and no
    begin stays open."""
    trace = Trace.FromString(content)
    names = tracks_of(trace)
    opened: dict[int, list] = defaultdict(list)
    last: dict[int, int] = {}
    slices = []
    for packet in trace.packet:
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        assert packet.timestamp >= last.get(event.track_uuid, 0), names[event.track_uuid]
        last[event.track_uuid] = packet.timestamp
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            opened[event.track_uuid].append((packet.timestamp, event))
        else:
            start, begin = opened[event.track_uuid].pop()
            slices.append(Slice(names[event.track_uuid], begin.name, start, packet.timestamp,
                                tuple(begin.flow_ids), tuple(begin.terminating_flow_ids),
                                *begin.categories, args_of(begin)))
    assert not any(opened.values())
    return slices


def args_of(event: TrackEvent) -> tuple[tuple[str, int | str], ...]:
    return tuple((note.name, getattr(note, note.WhichOneof("value")))
                 for note in event.debug_annotations)


def flows_of(content: bytes) -> list[tuple[Slice, Slice]]:
    """Return the flows. Each flow has one begin and one end, and the end is not before the
    begin."""
    slices = slices_of(content)
    begins = {flow: slice_ for slice_ in slices for flow in slice_.flows}
    ends = {flow: slice_ for slice_ in slices for flow in slice_.ends}
    assert begins.keys() == ends.keys()
    assert len(begins) == sum(len(slice_.flows) for slice_ in slices)
    assert len(ends) == sum(len(slice_.ends) for slice_ in slices)
    assert all(begins[flow].start < ends[flow].start for flow in begins)
    return [(begins[flow], ends[flow]) for flow in begins]
