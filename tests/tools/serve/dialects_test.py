"""What clients of other servers write, beside OpenAI's own.

    python3 tests/tools/serve/dialects_test.py build/release/rondo ../shared/data [TEST ...]
"""

import unittest

from serve_bodies import CHAT, COMPLETIONS, masked, user
from serve_process import Server, chatting, run_tests


def setUpModule():
    global server
    server = Server("chat=" + chatting(), "--context", 1024)


def tearDownModule():
    assert server.stop() == 0


class DialectsTest(unittest.TestCase):
    def test_paths_without_their_version(self):
        self.assertEqual(server.get("/models").json(), server.get("/v1/models").json())
        self.assertEqual(server.get("/models/chat").json()["id"], "chat")
        for path, body in ((COMPLETIONS, {"prompt": "Once", "seed": 1}),
                           (CHAT, {"messages": user("Hi"), "seed": 1, "max_tokens": 20}),
                           ("/v1/messages/count_tokens", {"messages": user("Hi")})):
            told = [server.post(at, body) for at in (path, path.removeprefix("/v1"))]
            self.assertEqual([one.status for one in told], [200, 200])
            self.assertEqual(masked(told[0].json()), masked(told[1].json()))
        self.assertEqual(server.get("/v1/health").status, 404)
        self.assertEqual(server.get("/v1/v1/models").status, 404)


if __name__ == "__main__":
    run_tests()
