# SPDX-License-Identifier: Apache-2.0
"""Run one system on one board twice. The system counts as measured only if both runs have the same
lines of the probe."""

import shutil
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from hypbench.peers.machine import HZ, Peer
from hypbench.peers.pair import pair_result
from hypbench.peers.probe import LAST, Expected, Figure, NotMeasured, Probe, result
from hypbench.peers.systems import LIMIT_S, Identity, System
from hypbench.qemu import Qemu
from hypbench.records import printable

# Xen idles without end after the probe's last line; other systems end by themselves.
RUNS = 2
PAIR_SAMPLES = 200  # as in guest/probe/pair.h
LAST_LINES = 4  # number of a stopped console's last lines in a message


@dataclass(frozen=True)
class Measurement:
    system: System
    identity: Identity
    probe: Probe
    log: bytes = b""
    command: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        return self.identity.version


@dataclass(frozen=True)
class PairMeasurement:
    figures: dict[str, Figure]
    absent: dict[str, str]
    log: bytes = b""
    command: tuple[str, ...] = ()


def measure(system: System, peer: Peer, folder: Path, limit_s: float = LIMIT_S) -> Measurement:
    """Measure a system. The logs are folder/1.log and 2.log."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    words = system.prepare(peer, folder)
    logs = twice(words, folder, 1, limit_s)
    runs = [judge(log, system, peer) for log in logs]
    if runs[0].probe.lines != runs[1].probe.lines:
        raise NotMeasured(f"two runs differ: {folder}/1.log and 2.log")
    return replace(runs[0], log=logs[0], command=tuple(words))


def measure_pair(system: System, peer: Peer, folder: Path, limit_s: float = LIMIT_S
                 ) -> PairMeasurement:
    """Measure two VMs on one core."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    words = system.prepare_pair(peer, folder)
    logs = twice(words, folder, 2, limit_s)
    for log in logs:
        system.check(log, peer)
    runs = [pair_result(log, pair_expected(peer)) for log in logs]
    if runs[0] != runs[1]:
        raise NotMeasured(f"two runs differ: {folder}/1.log and 2.log")
    return PairMeasurement(*runs[0], logs[0], tuple(words))


def twice(words: list[str], folder: Path, probes: int, limit_s: float) -> list[bytes]:
    return [follow(words, folder / f"{number}.log", probes, limit_s)
            for number in range(1, RUNS + 1)]


def follow(words: list[str], path: Path, probes: int, limit_s: float) -> bytes:
    """Return QEMU's output up to the last line of each probe, or to QEMU's own end. `probes`: the
    number of probes."""
    qemu = Qemu(words, limit_s)
    with path.open("wb") as log, closing(qemu.lines()) as lines:
        for line in lines:
            log.write(line)
            probes -= bool(LAST.search(line))
            if not probes:
                break
    text = path.read_bytes()
    if qemu.stuck:
        raise NotMeasured(f"QEMU executed no instruction any more: {path}\n{end_of(text)}")
    if qemu.timed_out:
        raise NotMeasured(f"not at its end after {limit_s:g} s: {path}\n{end_of(text)}")
    if not text:
        raise NotMeasured(f"QEMU printed nothing but the error: {qemu.stderr}")
    return text


def end_of(text: bytes) -> str:
    """Return the console's last lines, where a hypervisor reports why it stopped."""
    lines = [line.strip() for line in text.replace(b"\0", b"").splitlines() if line.strip()]
    return "its console ends with: " + " | ".join(
        printable(line)[:100] for line in lines[-LAST_LINES:]) if lines else "it printed nothing"


def judge(log: bytes, system: System, peer: Peer) -> Measurement:
    """Return the measured system. Refuse a system that did not run as it should, and a probe whose
    lines are not credible."""
    identity = system.check(log, peer)
    return Measurement(system, identity, result(log, expected_of(peer)))


def expected_of(peer: Peer) -> Expected:
    words = dict(word.split("=", 1) for word in peer.arguments.split())
    return Expected(peer.bits, peer.gic, HZ, int(words.get("samples", 1000)),
                    int(words.get("delay", 0)))


def pair_expected(peer: Peer) -> Expected:
    words = dict(word.split("=", 1) for word in peer.arguments.split())
    return Expected(peer.bits, peer.gic, HZ, int(words.get("samples", PAIR_SAMPLES)),
                    int(words.get("delay", 0)))
