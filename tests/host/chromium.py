# SPDX-License-Identifier: Apache-2.0
"""A page in headless Chromium, driven by its DevTools protocol over a pair of pipes. playwright
would be 50 MB with a Node.js, and selenium needs a driver beside the browser."""

import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

import pytest

WORDS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--no-first-run", "--hide-scrollbars", "--disable-extensions",
         "--disable-background-networking", "--remote-debugging-pipe"]
LIMIT_S = 60
TURNS, TURN = 250, "new Promise(done => setTimeout(done, 20))"
DRAWN = "document.documentElement.dataset.drawn"
SHOWN = "article:not([hidden])"


class Chromium:
    """A browser, used as a context: open() a page, then read it."""

    def __init__(self, profile: Path):
        program = shutil.which("chromium")
        if not program:
            raise RuntimeError("chromium is missing: `tools/setup.sh report` installs it")
        self.words = [program, *WORDS, f"--user-data-dir={profile}", "about:blank"]
        self.number, self.pending, self.session = 0, b"", ""
        self.events: list[dict] = []

    def __enter__(self) -> Self:
        mine_in, theirs_out = os.pipe()
        theirs_in, mine_out = os.pipe()
        # Chromium reads commands from descriptor 3 and writes answers to 4; the shell opens both.
        os.set_inheritable(theirs_in, True)
        os.set_inheritable(theirs_out, True)
        script = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", *self.words], pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(theirs_in)
        os.close(theirs_out)
        self.input, self.output = mine_in, mine_out
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.input)
        os.close(self.output)

    def call(self, method: str, **params) -> dict:
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def receive(self) -> dict:
        """Return the next message. Keep a message that is no answer as an event, too."""
        deadline = time.monotonic() + LIMIT_S
        while b"\0" not in self.pending:
            ready, _, _ = select.select([self.input], [], [], deadline - time.monotonic())
            part = os.read(self.input, 1 << 20) if ready else b""
            if not part:
                raise RuntimeError("chromium does not answer")
            self.pending += part
        text, self.pending = self.pending.split(b"\0", 1)
        message = json.loads(text)
        if "method" in message:
            self.events.append(message)
        return message

    def open(self, url: str, width: int, height: int = 900) -> None:
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.call("Page.navigate", url=url)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.receive()

    def value(self, script: str):
        """Return the value of an expression, as JSON."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["text"])
        return result["result"].get("value")

    def wait_for(self, script: str, condition: Callable[[object], object] = bool):
        """Return the script's value as soon as `condition` holds for it. The limit of the wait is a
        number of turns of the page's own event loop: a page that works gets its time, however slow
        the machine is, and an idle page does not."""
        for _ in range(TURNS):
            if condition(value := self.value(script)):
                return value
            self.call("Runtime.evaluate", expression=TURN, awaitPromise=True)
        raise AssertionError(f"{script} is {value!r}: {self.errors()}")

    def prefer(self, mode: str, **more: str) -> None:
        """Set the colours that the user prefers."""
        self.call("Emulation.setEmulatedMedia", **more,
                  features=[{"name": "prefers-color-scheme", "value": mode}] if mode else [])

    def errors(self) -> list[str]:
        """Return script errors, console errors, and errors that the browser itself logs."""
        events = [event["params"] for event in self.events
                  if event["method"] == "Runtime.exceptionThrown"
                  or event["method"] == "Runtime.consoleAPICalled"
                  and event["params"]["type"] == "error"
                  or event["method"] == "Log.entryAdded"
                  and event["params"]["entry"]["level"] == "error"]
        return [json.dumps(params) for params in events]

    def requests(self) -> list[str]:
        """Return every request, except for contents of the page itself."""
        urls = [event["params"]["request"]["url"] for event in self.events
                if event["method"] == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith("data:")]


@pytest.fixture(scope="module", name="browser")
def running_browser(tmp_path_factory) -> Iterator[Chromium]:
    with Chromium(tmp_path_factory.mktemp("profile")) as running:
        yield running
