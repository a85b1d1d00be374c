"""A client that reads nothing is cut after a minute; streams behind it have a sign of life.

    python3 tests/tools/serve/silence_test.py build/release/rondo ../shared/data [TEST ...]
"""

import concurrent.futures
import re
import socket
import time
import unittest

from serve_bodies import CHAT, COMPLETIONS, RESPONSES, user
from serve_process import PATIENCE, Server, chatting, run_tests, wait_for

STALL, PING = 60, 15  # seconds
COMMENT, EVENT = ": ping", 'event: ping\ndata: {"type":"ping"}'
LONG = {"prompt": "Once", "max_tokens": 8000, "ignore_eos": True, "stream": True, "logprobs": 20}
MORE = {"stream": True, "seed": 1}
ASKED = [
    (CHAT, {"messages": user("Hi"), "max_tokens": 3} | MORE, COMMENT),
    (COMPLETIONS, {"prompt": "Once", "max_tokens": 3} | MORE, COMMENT),
    (RESPONSES, {"input": "Hi", "max_output_tokens": 3} | MORE, COMMENT),
    ("/v1/messages", {"messages": user("Hi"), "max_tokens": 3} | MORE, EVENT),
]


def blocks(reply):
    """Events as they are written, without what differs from one answer to the next."""
    assert reply.status == 200, reply.body
    assert reply.headers["content-type"] == "text/event-stream", reply.headers
    text = re.sub(r'"(id|item_id)":"\w+[_-]\w+"', "", reply.body.decode())
    counts = "created|created_at|cached_tokens|cache_read_input_tokens|input_tokens"
    text = re.sub(rf'"({counts})":\d+', "", text)
    assert text.endswith("\n\n"), text[-200:]
    return text[:-2].split("\n\n")


class SilenceTest(unittest.TestCase):
    def test_a_minute(self):
        with Server("chat=" + chatting(), "--sessions", 1, "--context", 8192) as server:
            alone = [blocks(server.post(path, body)) for path, body, _ in ASKED]
            holder = socket.socket()
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            holder.connect(("127.0.0.1", server.port))
            holder.sendall(server.bytes_of(COMPLETIONS, LONG))
            passes = [0.0]

            def rests():
                passes.append(server.metric("rondo_passes_total"))
                time.sleep(1)
                return passes[-1] == passes[-2] > 100

            wait_for(rests, "it is paused")
            begin = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(len(ASKED)) as pool:
                behind = list(pool.map(lambda one: server.post(*one[:2]), ASKED))
            seconds = time.monotonic() - begin
            print(f"the client that read nothing was cut after {seconds:.1f} s")
            self.assertTrue(STALL - 10 < seconds < STALL + 10, seconds)
            for (path, _, ping), known, reply in zip(ASKED, alone, behind):
                told = blocks(reply)
                pings = told.count(ping)
                self.assertTrue(STALL // PING - 1 <= pings <= seconds // PING, (path, pings))
                self.assertEqual(told, pings * [ping] + known, path)
            holder.close()
            wait_for(server.is_idle, "nothing runs")
            self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    run_tests()
