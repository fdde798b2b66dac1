"""A real headless Chromium, driven over its DevTools pipe, and a loopback server for what it shows.

The pipe is Chromium's own (`--remote-debugging-pipe`): JSON messages that end in a zero byte, commands into descriptor
3, answers and events out of 4. That needs no package and no port.
"""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import tempfile
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SECONDS = 60
"""Longer than any page here takes on a slow machine; a hang is told, not waited for."""

_NAMES = ("chromium", "google-chrome", "chromium-browser")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


#: The numbers that Windows gave to keys, which Chromium goes by.
_KEYS = {"Tab": 9, "Enter": 13, " ": 32}


@dataclass(frozen=True, slots=True)
class Box:
    """Where something was drawn, in CSS pixels from the top left of the page."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class Drawn:
    """A run of text as it was drawn, in one line; generated content is drawn text like any other."""

    text: str
    box: Box


class Page:
    """One tab."""

    def __init__(self, chromium: Chromium, target: str) -> None:
        self._chromium = chromium
        attached = chromium.command("Target.attachToTarget", {"targetId": target, "flatten": True})
        self._session = attached["sessionId"]
        self._has_scripts = True
        self.command("Page.enable")

    def command(self, method: str, parameters: Mapping[str, object] | None = None) -> dict[str, Any]:
        return self._chromium.command(method, parameters, self._session)

    def look(self, *, width: int = 1200, height: int = 800, dark: bool = False, media: str = "screen") -> None:
        """How the tab looks at pages: how large it is, and what its reader prefers."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.command("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", {"media": media, "features": [scheme]})

    def stop_scripts(self) -> None:
        """Lets no page run scripts from now on."""
        self.command("Emulation.setScriptExecutionDisabled", {"value": True})
        self._has_scripts = False

    def load(self, url: str) -> str | None:
        """Goes to an address and waits for its load. Returns Chromium's word for what went wrong, where it did."""
        error = self.command("Page.navigate", {"url": url}).get("errorText")
        if error is None:
            self._chromium.event("Page.loadEventFired", self._session)
            if self._has_scripts:
                self.draw()
        return error

    def draw(self) -> None:
        """Waits until it has been drawn as it is now. Before that counters of CSS may not have been counted."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))")

    def evaluate(self, script: str) -> Any:
        """The value of an expression of JavaScript; a promise is awaited."""
        asked = {"expression": script, "returnByValue": True, "awaitPromise": True}
        answer = self.command("Runtime.evaluate", asked)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def events(self, *methods: str) -> list[dict[str, Any]]:
        """What the tab has told so far of some kinds, which a domain that was enabled tells."""
        self.evaluate("0")  # its answer comes after what was told before
        return [each for each in self._chromium.told(self._session) if each["method"] in methods]

    def press(self, key: str, *, code: str | None = None, text: str = "") -> None:
        """Presses a key, such as `Tab` or `Enter`, for whatever has the focus."""
        named = {"key": key, "code": code or key, "windowsVirtualKeyCode": _KEYS.get(key, 0)}
        self.command("Input.dispatchKeyEvent", {"type": "keyDown", "text": text, **named})
        self.command("Input.dispatchKeyEvent", {"type": "keyUp", **named})

    def drawn(self) -> list[Drawn]:
        """All text that is laid out, in the order of the document; what `content-visibility` skips is not."""
        answer = self.command("DOMSnapshot.captureSnapshot", {"computedStyles": []})
        document = answer["documents"][0]
        texts = document["layout"]["text"]
        boxes = document["textBoxes"]
        runs = []
        for layout, bounds, start, length in zip(
            boxes["layoutIndex"], boxes["bounds"], boxes["start"], boxes["length"], strict=True
        ):
            # Places in a text are counted in UTF-16.
            units = answer["strings"][texts[layout]].encode("utf-16-le", "surrogatepass")
            text = units[2 * start : 2 * (start + length)].decode("utf-16-le", "replace")
            runs.append(Drawn(text, Box(*bounds)))
        return runs

    def screenshot(self, path: Path) -> None:
        """Writes a PNG of the window."""
        path.write_bytes(base64.b64decode(self.command("Page.captureScreenshot", {"format": "png"})["data"]))

    def pixel(self, x: int, y: int) -> tuple[int, ...]:
        """Red, green and blue of one place in the window."""
        clip = {"x": x, "y": y, "width": 1, "height": 1, "scale": 1}
        png = base64.b64decode(self.command("Page.captureScreenshot", {"format": "png", "clip": clip})["data"])
        # Behind its signature a PNG is chunks, each a length, a name, data and a checksum. Those of IDAT together are
        # one deflated text: here a filter's number and one pixel's colours.
        data, at = b"", 8
        while at < len(png):
            length = int.from_bytes(png[at : at + 4])
            if png[at + 4 : at + 8] == b"IDAT":
                data += png[at + 8 : at + 8 + length]
            at += 12 + length
        return tuple(zlib.decompress(data)[1:4])


class Chromium:
    """A browser in a process of its own, with a new profile."""

    def __init__(self, pipe: socket.socket) -> None:
        self._pipe = pipe
        self._number = 0
        self._read = bytearray()
        self._events: list[dict[str, Any]] = []

    @classmethod
    @contextmanager
    def start(cls) -> Iterator[Chromium]:
        """Runs it for as long as the block does."""
        found = next(filter(None, map(shutil.which, _NAMES)), None)
        assert found is not None, "this test needs a real Chromium: apt-get install chromium"
        ours, theirs = socket.socketpair()
        ours.settimeout(SECONDS)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            pipes = f"3<&{theirs.fileno()} 4>&{theirs.fileno()}"
            process = subprocess.Popen(
                ["bash", "-c", f'exec "$0" "$@" {pipes}', found, *_FLAGS, f"--user-data-dir={profile}", "about:blank"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )
            theirs.close()
            try:
                chromium = cls(ours)
                chromium.command("Browser.setDownloadBehavior", {"behavior": "deny"})
                yield chromium
                chromium.command("Browser.close")
                process.wait(SECONDS)
            finally:
                process.kill()
                process.wait()
                ours.close()

    @property
    def version(self) -> str:
        return str(self.command("Browser.getVersion")["product"])

    @contextmanager
    def page(self) -> Iterator[Page]:
        """A new tab for as long as the block runs."""
        target = self.command("Target.createTarget", {"url": "about:blank"})["targetId"]
        try:
            yield Page(self, target)
        finally:
            self.command("Target.closeTarget", {"targetId": target})

    def command(
        self, method: str, parameters: Mapping[str, object] | None = None, session: str | None = None
    ) -> dict[str, Any]:
        """What the browser answers. Raises AssertionError where that is an error."""
        self._number += 1
        asked = {"id": self._number, "method": method, "params": dict(parameters or {})}
        self._pipe.sendall(json.dumps(asked if session is None else asked | {"sessionId": session}).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == self._number:
                assert "error" not in message, f"{method}: {message['error']}"
                result: dict[str, Any] = message["result"]
                return result
            self._events.append(message)

    def event(self, method: str, session: str) -> dict[str, Any]:
        """The first event of a name since the last such call, waited for where it has not come yet."""
        while True:
            for at, message in enumerate(self._events):
                if message.get("method") == method and message.get("sessionId") == session:
                    return self._events.pop(at)
            self._events.append(self._message())

    def told(self, session: str) -> list[dict[str, Any]]:
        """The events of a tab that nobody has waited for."""
        return [each for each in self._events if each.get("sessionId") == session]

    def _message(self) -> dict[str, Any]:
        while (end := self._read.find(0)) < 0:
            piece = self._pipe.recv(1 << 20)
            assert piece, "Chromium ended"
            self._read += piece
        message: dict[str, Any] = json.loads(self._read[:end])
        del self._read[: end + 1]
        return message


@dataclass(frozen=True, slots=True)
class Served:
    """What a path answers."""

    body: bytes
    headers: Mapping[str, str]


@contextmanager
def serving(files: Mapping[str, Served]) -> Iterator[str]:
    """Serves files by name at the root of a free loopback port, and yields the root's address with its slash."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served = files.get(self.path.removeprefix("/"))
            self.send_response(404 if served is None else 200)
            body = b"" if served is None else served.body
            for name, value in ({} if served is None else served.headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the name that the base has)
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
