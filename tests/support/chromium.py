"""Drives a headless Chromium by its DevTools protocol, over a pipe: the standard library has no
WebSockets, and a pipe needs none.

    browser = Chromium(folder)
    page = browser.open("http://localhost:8080/")
    page.until("document.title === 'Rondo'")
    browser.close()
"""
import base64
import contextlib
import fcntl
import json
import os
import re
import select
import shutil
import subprocess
import time
from pathlib import Path

SECONDS = 60
KEYS = {"Enter": (13, "\r"), "Escape": (27, ""), "Tab": (9, ""), "ArrowDown": (40, "")}
SHIFT = 8


def program():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Chromium:
    def __init__(self, folder):
        self.folder = Path(folder)
        shutil.rmtree(self.folder / "profile", ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [program(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                   "--disable-background-networking", "--hide-scrollbars",
                   "--remote-debugging-pipe", f"--user-data-dir={self.folder}/profile", "about:blank"]
        to_read, self.to_write = os.pipe()
        self.to_read, to_write = os.pipe()
        # Beyond those that it wants them to be, so that none is lost.
        ours = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_read, to_write)]

        def place():
            os.dup2(ours[0], 3)
            os.dup2(ours[1], 4)
        with open(self.folder / "browser.log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, close_fds=False,
                                            preexec_fn=place)
        for fd in (to_read, to_write, *ours):
            os.close(fd)
        self.id, self.rest, self.events = 0, b"", []

    def close(self):
        with contextlib.suppress(OSError):  # it is gone, or goes while it answers
            self.call("Browser.close")
        for fd in (self.to_read, self.to_write):
            os.close(fd)
        try:
            self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def call(self, method, session=None, **parameters):
        self.id += 1
        message = {"id": self.id, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        whole = json.dumps(message).encode() + b"\0"
        while whole:
            whole = whole[os.write(self.to_write, whole):]
        end = time.monotonic() + SECONDS
        while True:
            answer = self.next_message(end)
            if answer.get("id") != self.id:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def next_message(self, end):
        while b"\0" not in self.rest:
            if not select.select([self.to_read], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"Chromium says nothing, see {self.folder}/browser.log")
            piece = os.read(self.to_read, 1 << 16)
            if not piece:
                raise OSError(f"Chromium ended, see {self.folder}/browser.log")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def open(self, address):
        return Page(self, address)


class Page:
    """A tab with a profile of its own."""

    def __init__(self, browser, address):
        self.browser = browser
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        target = browser.call("Target.createTarget", url="about:blank",
                              browserContextId=self.context)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target,
                                    flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(f"{domain}.enable")
        self.call("Page.bringToFront")
        self.size(1100, 800)
        self.load("Page.navigate", url=address)

    def load(self, method="Page.reload", **parameters):
        """Has a document begun, and waits for the end of that."""
        loaded = len(self.events("Page.loadEventFired"))
        self.call(method, **parameters)
        end = time.monotonic() + SECONDS
        while len(self.events("Page.loadEventFired")) == loaded:
            self.browser.events.append(self.browser.next_message(end))

    def close(self):
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def run(self, expression):
        """The value of a JavaScript expression, which may be a promise."""
        done = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                         returnByValue=True, userGesture=True)
        if "exceptionDetails" in done:
            raise RuntimeError(done["exceptionDetails"])
        return done["result"].get("value")

    def until(self, expression):
        end = time.monotonic() + SECONDS
        while not (value := self.run(expression)):
            if time.monotonic() > end:
                raise TimeoutError(expression)
            time.sleep(0.01)
        return value

    def press(self, key, modifiers=0):
        code, text = KEYS[key]
        its = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        self.call("Input.dispatchKeyEvent", type="keyDown", **its, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **its)

    def write(self, text):
        self.call("Input.insertText", text=text)

    def choose_files(self, selector, *paths):
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(path) for path in paths])

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)

    def media(self, **features):
        """prefers_color_scheme="dark" and the like."""
        named = [{"name": name.replace("_", "-"), "value": value}
                 for name, value in features.items()]
        self.call("Emulation.setEmulatedMedia", features=named)

    def slow(self, bytes_a_second):
        """What comes from the net comes so fast; -1: as fast as it can."""
        self.call("Network.emulateNetworkConditions", offline=False, latency=0,
                  downloadThroughput=bytes_a_second, uploadThroughput=-1)

    def reply_to(self, pattern, act, body, kind):
        """Does what asks for an address of the pattern, and replies in the server's place."""
        seen = len(self.events("Fetch.requestPaused"))
        self.call("Fetch.enable", patterns=[{"urlPattern": pattern}])
        act()
        end = time.monotonic() + SECONDS
        while len(self.events("Fetch.requestPaused")) == seen:
            self.browser.events.append(self.browser.next_message(end))
        self.call("Fetch.fulfillRequest", responseCode=200, body=base64.b64encode(body).decode(),
                  requestId=self.events("Fetch.requestPaused")[-1]["requestId"],
                  responseHeaders=[{"name": "Content-Type", "value": kind}])
        self.call("Fetch.disable")

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        Path(path).write_bytes(base64.b64decode(data))

    def events(self, method):
        """The parameters of each that came."""
        return [event["params"] for event in self.browser.events
                if event.get("sessionId") == self.session and event.get("method") == method]

    def faults(self):
        """What the console has of errors, but for requests that fail as they should."""
        expected = re.compile(r"status of 40[01] |net::ERR_CONNECTION_REFUSED")
        thrown = [event["exceptionDetails"] for event in self.events("Runtime.exceptionThrown")]
        said = [event["args"] for event in self.events("Runtime.consoleAPICalled")
                if event["type"] in ("error", "assert")]
        logged = [event["entry"]["text"] for event in self.events("Log.entryAdded")
                  if event["entry"]["level"] in ("warning", "error") and
                  not expected.search(event["entry"]["text"])]
        return thrown + said + logged
