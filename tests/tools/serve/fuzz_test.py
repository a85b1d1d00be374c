"""Requests that hypothesis makes up, by several clients of one server, beside a good one.

    python3 tests/tools/serve/fuzz_test.py build/release/rondo ../shared/data [TEST ...]

RONDO_FUZZ_RUNS says how many, RONDO_FUZZ_SEED which.
"""

import collections
import contextlib
import json
import multiprocessing
import os
import pathlib
import sys
import threading
import time
import unittest

try:
    import hypothesis
except ImportError:
    print("SKIPPED: there is no hypothesis here")
    sys.exit(1 if os.environ.get("RONDO_NO_SKIP") else 77)

import company_test
import damaged_bodies
from serve_process import (
    FOLDER,
    Server,
    adapter,
    chatting,
    embedders,
    reading,
    run_tests,
    tiny,
    wait_for,
)

RUNS = int(os.environ.get("RONDO_FUZZ_RUNS", 3000))
SEED = int(os.environ.get("RONDO_FUZZ_SEED", 1))
CLIENTS = 4
MOST_GROWTH = 256 << 20  # bytes; most is there after some thousand requests
hypothesis.configuration.set_hypothesis_home_dir(FOLDER / "hypothesis")


def setUpModule():
    global server
    embedder, scorer = embedders()
    server = Server(tiny(), "chat=" + chatting(), "reading=" + reading(), "embedder=" + embedder,
                    "scorer=" + scorer, "--adapter", "poet=" + adapter(), "--image-rows", 64,
                    "--context", 1024)


def tearDownModule():
    code, reports = server.stop(), [line for line in server.log if not isinstance(line, dict)]
    assert (code, reports) == (0, []), (code, reports)


def held():
    """Bytes that the server has of the machine's memory."""
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) << 10


def strict(text):
    """JSON that has nothing but JSON."""
    def refuse(token):
        raise AssertionError(f"{token} is no JSON")
    return json.loads(text, parse_constant=refuse)


def judge(reply):
    assert reply.status in (200, 400, 404, 429, 503), (reply.status, reply.body[:2000])
    if reply.status != 200:
        strict(reply.body)
        error = reply.error()
        assert isinstance(error["type"], str) and error["type"] != "api_error", error
        assert all(isinstance(error[name], (str, type(None))) for name in ("param", "code")), error
        assert reply.status < 429 or int(reply.headers["retry-after"]) > 0, reply.headers
    elif reply.headers["content-type"].startswith("application/json"):
        assert isinstance(strict(reply.body), dict), reply.body
    else:
        reply.events()


def fuzz(number):
    """What one client had: how often which status, the slowest request, and what went wrong: at
    first, as where the server is gone, and at last, in the smallest request that does it."""
    counts, slowest, wrong, connection = collections.Counter(), (0, None), [], server.connection()

    @hypothesis.seed(SEED * CLIENTS + number)
    @hypothesis.settings(max_examples=RUNS // CLIENTS, deadline=None, database=None,
                         phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
                         suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(damaged_bodies.requests())
    def run(request):
        nonlocal slowest
        begin = time.monotonic()
        try:
            reply = server.post(*request, connection=connection)
            judge(reply)
        except Exception as error:
            connection.close()
            wrong.append((request, error))
            raise
        slowest = max(slowest, (time.monotonic() - begin, request))
        counts[reply.status] += 1

    with contextlib.suppress(Exception):  # it is in `wrong`
        run()
    return counts, slowest, "".join(f"{one!r}\n" for one in wrong[:1] + wrong[-1:])


class GoodClient(threading.Thread):
    """Asks what it knows the answers to, again and again."""

    def __init__(self):
        super().__init__()
        self.asked = company_test.requests()
        self.asked += [(path, body | {"stream": True}) for path, body in self.asked]
        self.known = [company_test.bytes_of(server, *one) for one in self.asked]
        self.seconds, self.wrong, self.ended = [], [], threading.Event()

    def run(self):
        while not self.ended.is_set():
            for one, known in zip(self.asked, self.known):
                begin = time.monotonic()
                try:
                    if company_test.bytes_of(server, *one) != known:
                        self.wrong.append(one)
                except Exception as error:
                    self.wrong.append((one, error))
                self.seconds.append(time.monotonic() - begin)
                if self.ended.is_set():
                    break


class FuzzTest(unittest.TestCase):
    def test_one_server_answers_all(self):
        paths = {path for path, _ in damaged_bodies.GOOD}
        self.assertEqual(len(paths), 13, "a path of POST has no body here")
        for path, body in damaged_bodies.GOOD:
            reply = server.post(path, body)
            refused = (path, body) in (("/v1/embeddings", {"input": ["a"], "dimensions": 3}),)
            self.assertEqual(reply.status, 400 if refused else 200, (path, body, reply.body))
        with multiprocessing.get_context("fork").Pool(CLIENTS) as pool:
            good = GoodClient()
            before, begin = held(), time.monotonic()
            good.start()
            told = pool.map(fuzz, range(CLIENTS), chunksize=1)
            good.ended.set()
            good.join()
        failures = [failure for _, _, failure in told if failure]
        self.assertFalse(failures, "\n".join(failures))
        self.assertEqual(good.wrong, [])
        seconds, took = time.monotonic() - begin, sorted(good.seconds)
        counts = sum((one for one, _, _ in told), collections.Counter())
        longest, request = max(one for _, one, _ in told)
        print(f"{sum(counts.values())} requests in {seconds:.0f} s: {dict(counts)}; {len(took)} "
              f"good ones between them, half in {took[len(took) // 2]:.3f} s, 99 % in "
              f"{took[len(took) * 99 // 100]:.3f} s; {before >> 20} MiB before, {held() >> 20} "
              f"behind; {longest:.2f} s took {str(request)[:500]}")
        self.assertGreater(counts[200], RUNS // 20)
        wait_for(server.is_idle, "nothing runs")
        self.assertLess(held() - before, MOST_GROWTH)


if __name__ == "__main__":
    run_tests()
