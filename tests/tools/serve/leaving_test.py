"""Clients that go, that close one half, and that do not read: others do not notice.

    python3 tests/tools/serve/leaving_test.py build/release/rondo ../shared/data [TEST ...]
"""

import concurrent.futures
import socket
import struct
import unittest

from serve_bodies import COMPLETIONS
from serve_process import PATIENCE, Server, run_tests, tiny, wait_for

SESSIONS = 4
SOON = 1.0  # seconds; 0.1 is promised on a machine that does nothing else
ENDLESS = {"prompt": "Once", "max_tokens": 60000, "ignore_eos": True, "seed": 1}


def setUpModule():
    global server
    server = Server(tiny(), "--context", 65536, "--sessions", SESSIONS, "--kv", "k4v4",
                    "--speculate", "lookup")


def tearDownModule():
    assert server.stop() == 0


def running():
    return server.metric("rondo_requests_running")


def waiting():
    return server.metric("rondo_requests_waiting")


def ask(body):
    made = server.connect()
    made.sendall(server.bytes_of(COMPLETIONS, body))
    return made


def reset(client):
    """Closed as by a process that was killed with unread bytes."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


class LeavingTest(unittest.TestCase):
    def setUp(self):
        wait_for(server.is_idle, "nothing runs")

    def tearDown(self):
        self.assertEqual(server.get("/health").status, 200)
        text = server.whole(COMPLETIONS, "CreateCompletionResponse", prompt="Once", max_tokens=4)
        self.assertTrue(text["choices"][0]["text"])

    def goes(self, what, begin, close, generations=1):
        seconds = []
        for _ in range(3):
            client = begin()
            left = server.metric("rondo_generations_left_total")
            close(client)
            seconds.append(wait_for(lambda: running() + waiting() == 0, what))
            wait_for(lambda: server.metric("rondo_generations_left_total") == left + generations,
                     "it counts")
        print(f"{what}: free after {1000 * min(seconds):.0f} to {1000 * max(seconds):.0f} ms")
        self.assertLess(min(seconds), SOON)

    def streaming(self):
        client = ask(ENDLESS | {"stream": True})
        self.assertIn(b"200 OK", client.recv(4096))
        return client

    def whole(self):
        client = ask(ENDLESS)
        wait_for(lambda: running() == 1, "it runs")
        return client

    def prefilling(self):
        client = ask(ENDLESS | {"prompt": [5 + i % 2000 for i in range(60000)]})
        wait_for(lambda: running() == 1, "it runs")
        return client

    def test_while_it_streams(self):
        self.goes("left a stream", self.streaming, socket.socket.close)

    def test_while_it_streams_rudely(self):
        self.goes("reset a stream", self.streaming, reset)

    def test_while_it_waits_for_the_whole(self):
        self.goes("left a whole reply", self.whole, socket.socket.close)

    def test_in_its_prompt(self):
        self.goes("left in its prompt", self.prefilling, socket.socket.close)

    def test_with_several_answers(self):
        def begin():
            client = ask(ENDLESS | {"n": 3, "stream": True})
            self.assertIn(b"200 OK", client.recv(4096))
            return client

        self.goes("left 3 answers", begin, socket.socket.close)

    def test_with_several_prompts(self):
        def begin():
            client = ask(ENDLESS | {"prompt": ["A", "B", "C", "D", "E", "F"], "stream": True})
            self.assertIn(b"200 OK", client.recv(4096))
            return client

        self.goes("left 6 prompts", begin, socket.socket.close, generations=6)

    def test_half_closed(self):
        half = lambda client: client.shutdown(socket.SHUT_WR)  # noqa: E731
        self.goes("half closed a stream", self.streaming, half)
        self.goes("half closed a whole reply", self.whole, half)

    def test_in_the_queue(self):
        holders = [self.streaming() for _ in range(SESSIONS)]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for holder in holders:
                pool.submit(self.drain, holder)
            queued = [ask(ENDLESS) for _ in range(3)]
            wait_for(lambda: waiting() == 3, "three wait")
            queued[1].close()
            seconds = wait_for(lambda: waiting() == 2, "one waits no more")
            print(f"left the queue: after {1000 * seconds:.0f} ms")
            self.assertLess(seconds, SOON)
            self.assertEqual(running(), SESSIONS)
            queued[0].close()
            queued[2].close()
            wait_for(lambda: waiting() == 0, "nobody waits")
            self.assertEqual(running(), SESSIONS, "others were ended")
            for holder in holders:
                holder.shutdown(socket.SHUT_RDWR)
        wait_for(server.is_idle, "all have gone")

    @staticmethod
    def drain(client):
        try:
            while client.recv(65536):
                pass
        except OSError:
            pass

    def test_all_at_once(self):
        clients = [ask(ENDLESS | {"stream": i % 2 == 0}) for i in range(60)]
        wait_for(lambda: running() == SESSIONS, "all sessions are taken")
        for client in clients:
            client.close()
        print(f"60 left at once: after {1000 * wait_for(server.is_idle, 'nothing runs'):.0f} ms")

    def test_behind_half_a_request(self):
        whole = server.bytes_of(COMPLETIONS, ENDLESS)
        connections = lambda: server.metric("rondo_connections")  # noqa: E731
        for leaves in (socket.socket.close, reset, lambda one: one.shutdown(socket.SHUT_WR)):
            clients = []
            for size in range(len(whole)):
                clients.append(server.connect())
                clients[-1].sendall(whole[:size])
                leaves(clients[-1])
            seconds = wait_for(lambda: connections() <= 1, "they are forgotten")
            self.assertLess(seconds, 5 * SOON)
            for client in clients:
                client.close()

    def test_slow_readers(self):
        slow = []
        for _ in range(SESSIONS - 1):
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.settimeout(PATIENCE)
            client.connect(("127.0.0.1", server.port))
            client.sendall(server.bytes_of(COMPLETIONS, ENDLESS | {"stream": True}))
            slow.append(client)
        wait_for(lambda: running() == SESSIONS - 1, "they run")
        generated = lambda: server.metric("rondo_passes_total")  # noqa: E731
        counts = [generated()]

        def rests():
            counts.append(generated())
            return counts[-1] == counts[-2] and counts[-1] > 100

        wait_for(rests, "they are paused")
        for i in range(5):
            self.assertEqual(server.get("/health").status, 200)
            text = server.whole(COMPLETIONS, "CreateCompletionResponse", prompt="Once", seed=i,
                                max_tokens=50)
            self.assertTrue(text["choices"][0]["text"])
        wait_for(lambda: running() == SESSIONS - 1, "the others are still there")
        # One that reads again goes on from where it was.
        before = len(slow[0].recv(1 << 16))
        wait_for(lambda: generated() > counts[-1] + 100 or slow[0].recv(1 << 16) == b"",
                 "it goes on")
        self.assertGreater(before, 0)
        for client in slow:
            client.close()
        wait_for(server.is_idle, "nothing runs")


if __name__ == "__main__":
    run_tests()
