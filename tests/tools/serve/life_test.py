"""How a server lives: sockets, several models, its end.

    python3 tests/tools/serve/life_test.py build/release/rondo ../shared/data [TEST ...]
"""

import concurrent.futures
import signal
import socket
import subprocess
import sys
import unittest

from serve_bodies import COMPLETIONS
from serve_process import FOLDER, PATIENCE, RONDO, Server, chatting, run_tests, tiny, wait_for

ONCE = {"prompt": "Once", "max_tokens": 3}
ENDLESS = {"prompt": "Once", "max_tokens": 30000, "ignore_eos": True, "stream": True}


def begin_stream(server, **more):
    client = server.connect()
    client.sendall(server.bytes_of(COMPLETIONS, ENDLESS | more))
    assert b"200 OK" in client.recv(4096)
    return client


def read_on(client):
    """Reads it to its end, and tells the last bytes."""
    last = b""
    while more := client.recv(65536):
        last = (last + more)[-100:]
    return last


def read_on_to_done(client):
    """Of a connection that is kept: what came, with [DONE]."""
    got = b""
    while b"[DONE]" not in got:
        more = client.recv(65536)
        assert more, got[-200:]
        got = (got + more)[-1000:]
    return got


class EndTest(unittest.TestCase):
    def test_streams_end_first(self):
        with Server(tiny(), "--context", 32768) as server:
            client = begin_stream(server, max_tokens=6000)
            kept = server.connection()
            server.process.send_signal(signal.SIGTERM)
            wait_for(lambda: server.event("draining"), "it drains")
            try:
                self.assertEqual(server.send("GET", "/ready", connection=kept).status, 503)
                self.assertEqual(server.get("/health").status, 200)
                reply = server.post(COMPLETIONS, ONCE)
                self.assertEqual((reply.status, reply.error()["code"]), (503, "shutting_down"))
            finally:
                last = read_on_to_done(client)
            self.assertIn(b"data: [DONE]\n\n", last)
            self.assertEqual(server.process.wait(PATIENCE), 0)

    def test_not_longer_than_asked(self):
        for stop in (signal.SIGTERM, signal.SIGINT):
            with Server(tiny(), "--context", 65536, "--drain", 0) as server:
                client = begin_stream(server, max_tokens=60000)
                server.process.send_signal(stop)
                self.assertEqual(server.process.wait(PATIENCE), 0)
                self.assertNotIn(b"[DONE]", read_on(client))

    def test_at_once_where_nothing_runs(self):
        with Server(tiny()) as server:
            idle = server.connect()
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.process.wait(PATIENCE), 0)
            idle.close()


class SocketsTest(unittest.TestCase):
    def test_a_path(self):
        path = FOLDER / "s"
        for end in (signal.SIGKILL, signal.SIGTERM):  # one that was killed leaves its file
            with Server(tiny(), "--unix", path) as server:
                self.assertEqual(server.address, f"unix:{path}")
                self.assertEqual(server.post(COMPLETIONS, ONCE).status, 200)
                self.assertEqual(len(server.streamed(COMPLETIONS, "", **ONCE)), 4)
                taken = subprocess.run([RONDO, "serve", tiny(), "--unix", path],
                                       capture_output=True, text=True, timeout=PATIENCE)
                self.assertNotEqual(taken.returncode, 0)
                self.assertEqual(server.get("/health").status, 200, "its socket was taken away")
                server.process.send_signal(end)
                server.process.wait(PATIENCE)
        (FOLDER / "file").write_text("kept")
        refused = subprocess.run([RONDO, "serve", tiny(), "--unix", FOLDER / "file"],
                                 capture_output=True, text=True, timeout=PATIENCE)
        self.assertNotEqual(refused.returncode, 0)
        self.assertEqual((FOLDER / "file").read_text(), "kept")

    def test_a_port_that_is_taken(self):
        with Server(tiny()) as server:
            command = [RONDO, "serve", tiny(), "--port", str(server.port)]
            made = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
            self.assertNotEqual(made.returncode, 0)
            self.assertIn("cannot listen", made.stderr)


# As the system's manager: a socket as descriptor 3, and who is meant in the environment.
GIVE = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_PID=sys.argv[2] or str(os.getpid()), LISTEN_FDS=sys.argv[3])
os.execv(sys.argv[4], sys.argv[4:])
"""


def giving(listening, pid="", count="1"):
    before = [sys.executable, "-c", GIVE, str(listening.fileno()), pid, count]
    return {"before": before, "pass_fds": [listening.fileno()]}


class GivenSocketTest(unittest.TestCase):
    def test_a_port(self):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
            early = socket.create_connection(("127.0.0.1", port), PATIENCE)
            early.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            for _ in range(2):  # a second one goes on with it
                with Server(tiny(), **giving(listening)) as server:
                    self.assertIn("LISTEN_FDS", server.address)
                    server.port = port
                    self.assertIn(b"200 OK", early.recv(4096))
                    self.assertEqual(server.post(COMPLETIONS, ONCE).status, 200)
                    self.assertEqual(len(server.streamed(COMPLETIONS, "", **ONCE)), 4)
                    self.assertEqual(server.stop(), 0)
                early.close()
                early = socket.create_connection(("127.0.0.1", port), PATIENCE)
                early.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            early.close()

    def test_a_path(self):
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(FOLDER / "given"))
            listening.listen()
            with Server(tiny(), **giving(listening)) as server:
                server.unix = str(FOLDER / "given")
                self.assertEqual(server.post(COMPLETIONS, ONCE).status, 200)

    def test_for_another(self):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            with Server(tiny(), **giving(listening, pid="1")) as server:
                self.assertNotEqual(server.port, listening.getsockname()[1])
                self.assertEqual(server.get("/health").status, 200)

    def test_more_than_one(self):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            with self.assertRaisesRegex(AssertionError, "one socket is expected"):
                Server(tiny(), **giving(listening, count="2"))


class ModelsTest(unittest.TestCase):
    def loaded(self, server):
        return [one["id"] for one in server.get("/v1/models").json()["data"] if one["loaded"]]

    def test_take_turns(self):
        models = ("a=" + tiny(), "b=" + chatting(), "--context", 4096)
        with Server(*models) as server:
            bytes_ = [one["arena_bytes"] for one in server.get("/v1/models").json()["data"]]
            self.assertEqual(self.loaded(server), ["a", "b"])
        with Server(*models, "--memory", max(bytes_)) as server:
            self.assertEqual(self.loaded(server), ["a"])
            texts = {}
            for _ in range(3):
                for name in ("a", "b"):
                    body = {"model": name, "prompt": "Once", "seed": 1}
                    text = server.whole(COMPLETIONS, "CreateCompletionResponse", **body)
                    self.assertEqual(self.loaded(server), [name])
                    first = texts.setdefault(name, text["choices"][0]["text"])
                    self.assertEqual(first, text["choices"][0]["text"])
            # One in use is not taken away: the other waits for it.
            client = begin_stream(server, model="b", max_tokens=1500)
            with concurrent.futures.ThreadPoolExecutor() as pool:
                other = pool.submit(server.post, COMPLETIONS, {"model": "a", "prompt": "Once"})
                self.assertIn(b"[DONE]", read_on_to_done(client))
                self.assertEqual(other.result().status, 200)
            client.close()
            with concurrent.futures.ThreadPoolExecutor(16) as pool:
                bodies = [{"model": "ab"[i % 2], "prompt": "Once", "seed": 1} for i in range(32)]
                replies = list(pool.map(lambda body: server.post(COMPLETIONS, body), bodies))
            self.assertEqual({reply.status for reply in replies}, {200})
            for body, reply in zip(bodies, replies):
                self.assertEqual(reply.json()["choices"][0]["text"], texts[body["model"]])

    def test_that_cannot_be_served(self):
        for arguments, said in (
            ((tiny(), tiny()), "two models"), ((FOLDER / "none.rondo",), "none.rondo"),
            ((tiny(), "--memory", 1000), "--memory"), ((FOLDER,), str(FOLDER)),
        ):
            command = [RONDO, "serve", *map(str, arguments), "--port", "0"]
            made = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
            self.assertNotEqual(made.returncode, 0)
            self.assertIn(said, made.stderr)


if __name__ == "__main__":
    run_tests()
