# SPDX-License-Identifier: Apache-2.0
"""A program for the Python environment that has labgrid; it imports nothing else of hypbench.

    attend.py list ADDRESS          prints the coordinator's places, as JSON
    attend.py release ADDRESS NAME  releases a place whose attendant was killed
    attend.py run                   reads a job as JSON from stdin, acquires the place, starts the
                                    image, copies the console to stdout until SIGTERM, switches
                                    the board off, and releases the place

Events go to stderr, one JSON object a line. An error event has a kind: `busy` (another user has
the place, or the place's exporter is away), `coordinator` (the coordinator does not answer),
`board` (the board did not respond), `lie` (the place is not what its tags say), `setup` (the place
lacks a resource)."""

import argparse
import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import attr
import grpc
import serial
from labgrid import Target, target_factory
from labgrid.exceptions import NoDriverFoundError
from labgrid.remote.client import ServerError, UserError, start_session
from labgrid.resource.remote import RemotePlace, RemotePlaceManager
from labgrid.strategy import Strategy, StrategyError, never_retry
from pexpect import TIMEOUT

# The drivers of each class of a resource, in the order in which they bind.
DRIVERS = {
    "NetworkPowerPort": ["NetworkPowerDriver"],
    "PDUDaemonPort": ["PDUDaemonDriver"],
    "TasmotaPowerPort": ["TasmotaPowerDriver"],
    "NetworkUSBPowerPort": ["USBPowerDriver"],
    "NetworkSiSPMPowerPort": ["SiSPMPowerDriver"],
    "NetworkYKUSHPowerPort": ["YKUSHPowerDriver"],
    "NetworkSysfsGPIO": ["GpioDigitalOutputDriver", "DigitalOutputPowerDriver"],
    "NetworkSerialPort": ["SerialDriver"],
    "NetworkUSBSDMuxDevice": ["USBSDMuxDriver"],
    "NetworkUSBSDWireDevice": ["USBSDWireDriver"],
    "NetworkUSBSDWire3Device": ["USBSDWire3Driver"],
    "NetworkUSBMassStorage": ["USBStorageDriver"],
    "RemoteTFTPProvider": ["TFTPProviderDriver"],
    "RemoteHTTPProvider": ["HTTPProviderDriver"],
}
PROMPT = r"(?:=>|U-Boot>|ZynqMP>|Versal>|\w+ #) "
LOGIN_S = 90  # seconds until U-Boot has its prompt
COMMAND_S = 120  # seconds of a command at that prompt, such as one that loads a file
CHUNK, WAIT_S = 4096, 0.1


class Lie(Exception):
    """The place is not what its tags say."""


class Lacking(Exception):
    """The place lacks a resource."""


def tell(**event: Any) -> None:
    print(json.dumps(event), file=sys.stderr, flush=True)


@target_factory.reg_driver
@attr.s(eq=False)
class HypbenchStrategy(Strategy):
    """The states of a place. From `off` the place goes to `u-boot`, where the board shows its
    prompt, and then to `hypbench`, where the image runs."""

    bindings = {"power": "PowerProtocol", "console": "ConsoleProtocol",
                "uboot": {"UBootDriver", None}}
    job: dict[str, Any] = attr.ib(factory=dict)
    status: str = attr.ib(default="unknown")
    names: dict[str, str] = attr.ib(factory=dict)  # names of the staged files at the board

    @never_retry
    def transition(self, status: str) -> None:
        if status != self.status:
            {"off": self.off, "u-boot": self.to_prompt, "hypbench": self.to_image}[status]()
            self.status = status
            tell(state=status)

    def force(self, status: str) -> None:
        self.status = status

    def off(self) -> None:
        self.target.deactivate(self.console)
        self.target.activate(self.power)
        self.power.off()

    def to_prompt(self) -> None:
        self.switch_on()
        self.target.activate(self.uboot)

    def to_image(self) -> None:
        if not self.uboot:
            self.switch_on()
            return
        self.transition("u-boot")
        check_serial(self.uboot, self.job)
        *first, last = (with_names(line, self.names) for line in self.job["lines"])
        for line in first:
            self.uboot.run_check(line, timeout=COMMAND_S)
        self.console.sendline(last)

    def switch_on(self) -> None:
        """Start the board anew, with the files in their place, and listen to its console."""
        self.transition("off")
        self.names = deliver_files(self.target, self.job)
        self.target.activate(self.console)
        self.power.on()


def with_names(line: str, names: dict[str, str]) -> str:
    return " ".join(names.get(word, word) for word in line.split(" "))


def check_serial(uboot: Any, job: dict[str, Any]) -> None:
    """Check the serial number, which U-Boot knows for many boards."""
    lines, _, status = uboot.run("printenv serial#")
    number = lines[0].partition("=")[2].strip() if not status and lines else ""
    if number and job["serial"] and number != job["serial"]:
        raise Lie(f"the board's serial number is {number}, and the place's tag is serial="
                  f"{job['serial']}")
    if number:
        tell(serial=number)


def deliver_files(target: Target, job: dict[str, Any]) -> dict[str, str]:
    """Write the card, or give the files to the place's server. Return the files' names at the
    server."""
    if job["way"] == "card":
        card, storage = driver_with(target, "set_mode"), driver_with(target, "write_image")
        card.set_mode("host")
        storage.write_image(job["files"][0])
        card.set_mode("dut")
        return {}
    server = driver_with(target, "stage")
    return {os.path.basename(path): server.stage(path) for path in job["files"]}


def driver_with(target: Target, function: str) -> Any:
    """Return the place's driver that has this function."""
    for driver in target.drivers:
        if hasattr(driver, function) and not isinstance(driver, Strategy):
            target.activate(driver)
            return driver
    raise Lacking(f"the place has no resource for {function}")


def import_drivers(path: str) -> None:
    """Import a file of the farm's own, with classes for labgrid. DRIVERS of that file extends the
    table here."""
    spec = importlib.util.spec_from_file_location("farm_drivers", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    DRIVERS.update(getattr(module, "DRIVERS", {}))


def bindings_to(resource: Any, driver: str) -> dict[str, str]:
    """Return the bindings of a driver to this resource. labgrid's driver of USB storage also
    accepts the card's multiplexer, and refuses to choose."""
    kind = type(resource).__name__
    bindings = target_factory.class_from_string(driver).bindings
    return {name: resource.name for name, kinds in bindings.items()
            if isinstance(kinds, set) and kind in kinds}


def strategy_of(target: Target, job: dict[str, Any]) -> HypbenchStrategy:
    for resource in list(target.resources):
        for driver in DRIVERS.get(type(resource).__name__, []):
            target.set_binding_map(bindings_to(resource, driver))
            target_factory.make_driver(target, driver, None, {})
    if job["lines"]:
        target_factory.make_driver(target, "UBootDriver", None, {
            "prompt": job["prompt"] or PROMPT, "login_timeout": LOGIN_S})
    try:
        strategy = target_factory.make_driver(target, "HypbenchStrategy", None, {"job": job})
    except NoDriverFoundError as error:
        raise Lacking(f"the place lacks power or a serial line: {error}") from error
    assert isinstance(strategy, HypbenchStrategy)
    return strategy


def copy_console(console: Any) -> None:
    while True:
        try:
            data = console.read(size=CHUNK, timeout=WAIT_S, max_size=CHUNK)
        except TIMEOUT:
            continue
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


# ---- the coordinator

def call(session: Any, function: str, place: str) -> None:
    """Call a function of labgrid's client with a place."""
    session.args = argparse.Namespace(place=place, allow_unmatched=False, kick=False)
    session.loop.run_until_complete(getattr(session, function)())


@contextmanager
def acquired(session: Any, place: str) -> Iterator[None]:
    """Hold the place during the block. A coordinator that restarted has forgotten the place, which
    then is not released."""
    call(session, "acquire", place)
    tell(state="acquired")
    try:
        yield
    finally:
        if not session.stopping.is_set():
            call(session, "release", place)
            tell(state="released")


def target_of(session: Any, place: str) -> Target:
    """Return the place's resources. RemotePlace takes this session, because a coordinator refuses a
    second session of one process."""
    manager = RemotePlaceManager.get()
    manager.session, manager.loop, manager.env = session, session.loop, None
    target = Target(place)
    RemotePlace(target, name=place)
    return target


def attend(job: dict[str, Any]) -> None:
    if job["drivers"]:
        import_drivers(job["drivers"])
    session = start_session(job["coordinator"])
    with acquired(session, job["place"]):
        target = target_of(session, job["place"])
        strategy = strategy_of(target, job)
        try:
            strategy.transition("hypbench")
            copy_console(strategy.console)
        finally:
            if strategy.status != "unknown":
                target.activate(strategy.power)
                strategy.power.off()


def list_places(address: str) -> list[dict[str, Any]]:
    session = start_session(address)
    return [{"name": place.name, "tags": dict(place.tags), "acquired": place.acquired or "",
             "resources": resources_of(session, place)} for place in session.places.values()]


def resources_of(session: Any, place: Any) -> list[str]:
    """Return the classes of the resources that the exporters have for a place at present."""
    return sorted({resource.cls for exporter, groups in session.resources.items()
                   for group, resources in groups.items() for name, resource in resources.items()
                   if resource.data and place.getmatch((exporter, group, resource.cls, name))})


KINDS: list[tuple[type | tuple[type, ...], str]] = [
    (Lie, "lie"), (Lacking, "setup"), (UserError, "busy"),
    ((ServerError, grpc.RpcError, ConnectionError), "coordinator"),
    (serial.SerialException, "board")]


def kind_of(error: BaseException) -> tuple[str, str]:
    """Return the kind of an error. labgrid's strategies wrap the cause once for each state that
    they pass."""
    while isinstance(error, StrategyError) and error.__cause__:
        error = error.__cause__
    kind = next((kind for types, kind in KINDS if isinstance(error, types)), "board")
    return kind, text_of(error)


def text_of(error: BaseException) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        lines = (error.output or b"").decode(errors="replace").strip().splitlines()
        return f"{error}: {lines[-1]}" if lines else str(error)
    text = " ".join(str(part) for part in error.args) or type(error).__name__
    return text.splitlines()[0] if text else type(error).__name__


def exit_status_of(action: Callable[[], Any]) -> int:
    try:
        action()
    except Exception as error:  # a driver may raise anything
        kind, text = kind_of(error)
        tell(error=text, kind=kind)
        return 1
    return 0


def main(words: list[str]) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    if words[:1] == ["list"]:
        return exit_status_of(lambda: print(json.dumps(list_places(words[1]))))
    if words[:1] == ["release"]:
        return exit_status_of(lambda: call(start_session(words[1]), "release", words[2]))
    return exit_status_of(lambda: attend(json.load(sys.stdin)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
