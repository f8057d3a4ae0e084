# SPDX-License-Identifier: Apache-2.0
"""One system on one board, twice: the same lines both times, or it is not measured."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from hypbench.peers.machine import HZ, Peer
from hypbench.peers.probe import LAST, Expected, NotMeasured, Probe, result
from hypbench.peers.systems import LIMIT_S, Identity, System
from hypbench.qemu import Qemu

# After the probe's last line Xen idles for ever; others end by themselves.
RUNS = 2


@dataclass(frozen=True)
class Measured:
    system: System
    identity: Identity
    probe: Probe
    log: bytes = b""
    command: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        return self.identity.version


def measure(system: System, peer: Peer, folder: Path, limit_s: float = LIMIT_S) -> Measured:
    """The logs are folder/1.log and 2.log."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    words = system.prepare(peer, folder)
    logs = [folder / f"{number}.log" for number in range(1, RUNS + 1)]
    runs = [judged(follow(words, log, limit_s), system, peer) for log in logs]
    if runs[0].probe.lines != runs[1].probe.lines:
        raise NotMeasured(f"two runs differ: {' and '.join(map(str, logs))}")
    return replace(runs[0], log=logs[0].read_bytes(), command=tuple(words))


def follow(words: list[str], path: Path, limit_s: float) -> bytes:
    """QEMU's output up to the probe's last line, or to its own end."""
    qemu = Qemu(words, limit_s)
    lines = qemu.lines()
    with path.open("wb") as log:
        for line in lines:
            log.write(line)
            if LAST.search(line):
                break
    lines.close()
    if qemu.stuck:
        raise NotMeasured(f"QEMU executed no instruction any more: {path}")
    if qemu.timed_out:
        raise NotMeasured(f"not at its end after {limit_s:g} s: {path}")
    text = path.read_bytes()
    if not text:
        raise NotMeasured(f"QEMU printed nothing but the error: {qemu.stderr}")
    return text


def judged(log: bytes, system: System, peer: Peer) -> Measured:
    """First whether the system ran as it should, then whether the probe's lines can be true."""
    identity = system.check(log, peer)
    return Measured(system, identity, result(log, expected_of(system, peer)))


def expected_of(system: System, peer: Peer) -> Expected:
    # QEMU's own PSCI, which is there where no hypervisor is, knows no SMCCC_VERSION.
    calls = ("psci",) if system.key == "native" else ("psci", "smccc")
    words = dict(word.split("=", 1) for word in peer.arguments.split())
    return Expected(peer.bits, peer.gic, HZ, calls, int(words.get("samples", 1000)),
                    int(words.get("delay", 0)))
