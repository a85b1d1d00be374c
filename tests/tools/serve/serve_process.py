"""A process `rondo serve` for tests, the models that it serves, and OpenAI's schema of its replies.

Tests are started as TEST.py RONDO SHARED_DATA [TEST ...]; without jsonschema, or without the schema,
replies are not validated: this is told, and the test ends with 77, but with 1 with RONDO_NO_SKIP.
"""

import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

SOURCES = pathlib.Path(__file__).resolve().parents[3]
PATIENCE = 60  # seconds: what takes longer hangs, however busy the machine is
RONDO = sys.argv[1] if len(sys.argv) > 1 else ""
SHARED = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ".")
SHED = tempfile.TemporaryDirectory()  # what tests write
FOLDER = pathlib.Path(SHED.name)


def wait_for(condition, what, seconds=PATIENCE):
    """The seconds that it took until `condition()` was true."""
    begin = time.monotonic()
    while not condition():
        if time.monotonic() - begin > seconds:
            raise AssertionError(f"after {seconds} s still not: {what}")
        time.sleep(0.005)
    return time.monotonic() - begin


# ---- Models ------------------------------------------------------------------------------------


def convert(source, name, *arguments):
    path = FOLDER / f"{name}.rondo"
    if not path.exists():
        command = [RONDO, "convert", source, "-o", path, *arguments]
        made = subprocess.run(command, capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
    return str(path)


def tiny():
    return convert(SOURCES / "tests/data/tiny", "tiny", "--weights", "q8")


def chatting(thinks=True):
    """The tiny model with a template that has calls, and thoughts where it `thinks`."""
    name = "chat" if thinks else "thoughtless"
    folder = FOLDER / f"{name}_checkpoint"
    if not folder.exists():
        shutil.copytree(SOURCES / "tests/data/tiny", folder)
        template = pathlib.Path(__file__).with_name("calling.jinja").read_text()
        if not thinks:
            template = template.replace("message.reasoning_content", "false")
        (folder / "chat_template.jinja").write_text(template)
    return convert(folder, name, "--weights", "q8")


def reading():
    return convert(SOURCES / "tests/data/reading", "reading", "--weights", "q8")


def embedders():
    """One that makes vectors, and one that scores pairs."""
    if not (FOLDER / "embedder").exists():
        script = SOURCES / "c_api/bindings/tiny_embedders.py"
        command = [sys.executable, "-B", script, SOURCES / "tests/data/tiny", FOLDER]
        subprocess.run(command, check=True)
    return [convert(FOLDER / name, name, "--weights", "q8") for name in ("embedder", "scorer")]


def adapter():
    return convert(SOURCES / "tests/data/tiny_adapter", "adapter", "--adapter-for", tiny())


# ---- The schema --------------------------------------------------------------------------------


def _prepared(value):
    """What OpenAPI 3.0 calls nullable, as JSON Schema says it."""
    if isinstance(value, list):
        return [_prepared(one) for one in value]
    if not isinstance(value, dict):
        return value
    made = {key: _prepared(one) for key, one in value.items() if key != "nullable"}
    return {"anyOf": [made, {"type": "null"}]} if value.get("nullable") is True else made


class Schema:
    """Validates by the names of OpenAI's components, and counts what it validated."""

    def __init__(self, folder):
        self.counts, self._validators, self._events = {}, {}, {}
        path = folder / "openapi" / "openapi.json"
        self.why_not = "no jsonschema here" if jsonschema is None else ""
        if not path.exists():
            self.why_not = "no openapi/openapi.json in the shared data"
        if self.why_not:
            return
        self.components = _prepared(json.loads(path.read_text())["components"])
        for name, schema in self.components["schemas"].items():
            kinds = schema.get("properties", {}).get("type", {}).get("enum", [])
            if len(kinds) == 1 and "sequence_number" in schema["properties"]:
                self._events[kinds[0]] = name

    def _inlined(self, value, within):
        """Without references, which take long to follow, but to what it is itself a part of."""
        if isinstance(value, list):
            return [self._inlined(one, within) for one in value]
        if not isinstance(value, dict):
            return value
        made = {key: self._inlined(one, within) for key, one in value.items() if key != "$ref"}
        name = value.get("$ref", "").rpartition("/")[2]
        if name in within:
            return value
        if name:
            made |= self._inlined(self.components["schemas"][name], (*within, name))
        return made

    def check(self, name, value):
        if self.why_not:
            return value
        if name == "ResponseStreamEvent":  # an anyOf of many, of which its type names one
            assert value.get("type") in self._events, f"an event of no known type: {value}"
            name = self._events[value["type"]]
        if name not in self._validators:
            root = self._inlined(self.components["schemas"][name], ())
            kind = jsonschema.Draft202012Validator
            self._validators[name] = kind(root | {"components": self.components})
        error = jsonschema.exceptions.best_match(self._validators[name].iter_errors(value))
        if error is not None:
            where = "/".join(map(str, error.absolute_path))
            raise AssertionError(f"{name}: at /{where}: {error.message[:500]}\nof {value}"[:3000])
        self.counts[name] = self.counts.get(name, 0) + 1
        return value


SCHEMA = Schema(SHARED)

# ---- The process -------------------------------------------------------------------------------


def without_pings(text):
    """A stream, or another reply, without the signs of life that it has where it waits long."""
    return re.sub(r'^(: ping|event: ping\ndata: {"type":"ping"})\n\n', "", text, flags=re.M)


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.body = status, body
        self.headers = {name.lower(): value for name, value in headers}

    def json(self):
        return json.loads(self.body)

    def error(self):
        """The error object, whose form is checked."""
        body = self.json()
        assert body["type"] == "error", body
        error = body["error"]
        assert {"message", "type", "param", "code"} <= set(error), error
        assert isinstance(error["message"], str) and error["message"], error
        return error

    def events(self):
        """Of a stream that has ended: pairs of an event's name and its data, [DONE] as text."""
        assert self.headers["content-type"].startswith("text/event-stream"), self.headers
        events = []
        text = without_pings(self.body.decode())  # whole characters
        assert text.endswith("\n\n"), text[-200:]
        for block in text[:-2].split("\n\n"):
            name, data = None, []
            for line in block.split("\n"):
                key, _, value = line.partition(": ")
                assert key in ("event", "data"), line
                if key == "event":
                    name = value
                else:
                    data.append(value)
            data = "\n".join(data)
            events.append((name, data if data == "[DONE]" else json.loads(data)))
        return events


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(self.path)


class Server:
    def __init__(self, *arguments, before=(), **more):
        """`before`: a command that starts it; `more` is subprocess's."""
        where = [] if "--unix" in arguments else ["--port", "0"]
        self.process = subprocess.Popen(
            [*before, RONDO, "serve", *map(str, arguments), *where],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            **more,
        )
        self.log = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        wait_for(lambda: self.event("listening") or self.ended(), "the server listens")
        if self.ended():
            self.reader.join()
            raise AssertionError(f"it ended: {self.log}")
        self.address = self.event("listening")["address"]
        self.unix = self.address.removeprefix("unix:") if "unix:" in self.address else None
        port = self.address.rpartition(":")[2]
        self.port = int(port) if port.isdigit() else None

    def _read(self):
        for line in self.process.stderr:
            try:
                self.log.append(json.loads(line))
            except ValueError:
                self.log.append(line)  # a note, or a sanitizer's report

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def event(self, name):
        found = [one for one in self.log if isinstance(one, dict) and one.get("event") == name]
        return found[-1] if found else None

    def ended(self):
        return self.process.poll() is not None

    def stop(self):
        """Its exit code."""
        if not self.ended():
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self.reader.join()
        self.process.stderr.close()
        return code

    def connect(self):
        """A bare socket."""
        if self.unix:
            made = socket.socket(socket.AF_UNIX)
            made.settimeout(PATIENCE)
            made.connect(self.unix)
            return made
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE)

    def connection(self):
        if self.unix:
            return UnixConnection(self.unix)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def send(self, method, path, body=None, headers={}, connection=None):
        its = connection or self.connection()
        sent = {"Content-Type": "application/json"} if body is not None else {}
        its.request(method, path, body, sent | headers)
        got = its.getresponse()
        reply = Reply(got.status, got.getheaders(), got.read())
        if connection is None:
            its.close()
        return reply

    def get(self, path, **headers):
        return self.send("GET", path, headers=headers)

    def post(self, path, body, headers={}, connection=None):
        if not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        return self.send("POST", path, body, headers, connection)

    def bytes_of(self, path, body):
        """A whole request, for bare sockets."""
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body

    def metric(self, name):
        """The sum of its lines."""
        total = 0.0
        for line in self.get("/metrics").body.decode().splitlines():
            if line.startswith((name + " ", name + "{")):
                total += float(line.rpartition(" ")[2])
        return total

    def is_idle(self):
        return self.metric("rondo_requests_running") + self.metric("rondo_requests_waiting") == 0

    def whole(self, path, schema, **body):
        """The reply to a good request."""
        reply = self.post(path, body)
        assert reply.status == 200, reply.body
        assert reply.headers["content-type"].startswith("application/json"), reply.headers
        value = reply.json()
        return SCHEMA.check(schema, value) if schema else value

    def streamed(self, path, schema, **body):
        """The events of the stream that answers a good request, without [DONE]."""
        reply = self.post(path, body | {"stream": True})
        assert reply.status == 200, reply.body
        events = reply.events()
        if path in ("/v1/chat/completions", "/v1/completions"):
            assert events.pop() == (None, "[DONE]"), reply.body
        for _, data in events:
            assert data != "[DONE]" and "error" not in data or data["error"] is None, data
            if schema:
                SCHEMA.check(schema, data)
        return events


def run_tests():
    """Runs the tests of the program that calls it, and ends it."""
    program = unittest.main(argv=[sys.argv[0], *sys.argv[3:]], exit=False)
    if SCHEMA.counts:
        print("validated:", sum(SCHEMA.counts.values()), json.dumps(SCHEMA.counts))
    if not program.result.wasSuccessful():
        sys.exit(1)
    if SCHEMA.why_not:
        print(f"SKIPPED: replies are not validated: {SCHEMA.why_not}")
        sys.exit(1 if os.environ.get("RONDO_NO_SKIP") else 77)
