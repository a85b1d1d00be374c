"""What clients of other servers write, and read, beside OpenAI's own.

    python3 tests/tools/serve/dialects_test.py build/release/rondo ../shared/data [TEST ...]
"""

import json
import re
import unittest

from serve_bodies import CHAT, COMPLETIONS, WEATHER, masked, user
from serve_process import Server, chatting, run_tests


def setUpModule():
    global server
    server = Server("chat=" + chatting(), "--context", 1024)


def tearDownModule():
    assert server.stop() == 0


class DialectsTest(unittest.TestCase):
    def refused(self, body, pointer):
        reply = server.post(CHAT, {"messages": user("Hi")} | body)
        self.assertEqual((reply.status, reply.error()["param"]), (400, pointer), reply.body)

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

    def test_a_stream_ends_with_times(self):
        for path, body in ((COMPLETIONS, {"prompt": "Once"}), (CHAT, {"messages": user("Hi")})):
            body |= {"max_tokens": 5, "ignore_eos": True, "stream_options": {"include_usage": True}}
            events = server.streamed(path, None, **body)
            self.assertEqual(events[-1][1]["usage"]["completion_tokens"], 5)
            self.assertEqual(events[-1][1]["timings"]["predicted_n"], 5)
            self.assertTrue(all("timings" not in data for _, data in events[:-1]))

    def test_the_first_token_has_no_time_of_its_own(self):
        for most in (1, 2, 17):
            body = {"prompt": "Once", "max_tokens": most, "ignore_eos": True}
            timings = server.whole(COMPLETIONS, None, **body)["timings"]
            self.assertEqual(timings["predicted_n"], most)
            self.assertAlmostEqual(timings["predicted_per_second"] * timings["predicted_ms"],
                                   1e3 * (most - 1), 3)

    def test_what_computes_has_a_name(self):
        version = server.get("/version").json()["version"]
        for path, body in ((COMPLETIONS, {"prompt": "Once"}), (CHAT, {"messages": user("Hi")})):
            body |= {"max_tokens": 2}
            name = server.whole(path, None, **body)["system_fingerprint"]
            self.assertRegex(name, f"^rondo-{re.escape(version)}-[a-z0-9_]+$")
            told = {data["system_fingerprint"] for _, data in server.streamed(path, None, **body)}
            self.assertEqual(told, {name})

    def test_schemas(self):
        for wish in ({"response_format": {"type": "json_object", "schema": WEATHER}},
                     {"json_schema": WEATHER}):
            reply = server.post(CHAT, {"messages": user("Rain?"), "seed": 1, "temperature": 1,
                                       "thinking_budget": 0} | wish)
            self.assertEqual(reply.status, 200, reply.body)
            content = reply.json()["choices"][0]["message"]["content"]
            self.assertEqual(set(json.loads(content)), {"city", "days"})
        wrong = {"type": "json_object", "schema": {"type": 1}}
        self.refused({"response_format": wrong}, "/response_format/schema")
        self.refused({"json_schema": {"type": 1}}, "/json_schema")

    def test_prompts_end_with_the_last_message(self):
        def prompt(messages, **body):
            return server.post("/apply-template", {"messages": messages} | body).json()["prompt"]

        asked = prompt(user("Hi"))
        self.assertEqual(prompt(user("Hi"), add_generation_prompt=True), asked)
        ended = prompt(user("Hi"), add_generation_prompt=False)
        self.assertTrue(asked.startswith(ended), (asked, ended))
        self.assertIn("assistant", asked[len(ended):])
        body = {"messages": user("Hi") + [{"role": "assistant", "content": "Once"}],
                "continue_final_message": True}
        self.assertTrue(prompt(**body, add_generation_prompt=False).endswith("Once"))
        self.refused(body | {"add_generation_prompt": True}, "/add_generation_prompt")


if __name__ == "__main__":
    run_tests()
