"""Messages, as clients of Anthropic write them.

    python3 tests/tools/serve/messages_test.py build/release/rondo ../shared/data [TEST ...]
"""

import json
import unittest

from serve_bodies import WEATHER, masked, user
from serve_process import Server, chatting, run_tests

MESSAGES = "/v1/messages"


def setUpModule():
    global server
    server = Server("chat=" + chatting(), "--context", 1024)


def tearDownModule():
    assert server.stop() == 0


def refused(case, path, body, status, pointer):
    reply = server.post(path, body)
    case.assertEqual(reply.status, status, reply.body)
    case.assertEqual(reply.error()["param"], pointer, reply.body)
    return reply.error()


class MessagesTest(unittest.TestCase):
    def both(self, **body):
        body = {"model": "chat", "max_tokens": 40, "temperature": 1} | body
        whole = server.whole(MESSAGES, None, **body)
        events = server.streamed(MESSAGES, None, **body)
        self.assertTrue(all(name == data["type"] for name, data in events))
        self.assertEqual(events[0][0], "message_start")
        self.assertEqual([name for name, _ in events[-2:]], ["message_delta", "message_stop"])
        content = []
        for name, data in events[1:-2]:
            if name == "content_block_start":
                self.assertEqual(data["index"], len(content))
                content.append(dict(data["content_block"]))
                given = ""
                continue
            self.assertEqual(data["index"], len(content) - 1)
            delta = data.get("delta", {})
            if name == "content_block_stop" and content[-1]["type"] == "tool_use":
                content[-1]["input"] = json.loads(given or "{}")
            elif delta.get("type") == "input_json_delta":
                given += delta["partial_json"]
            elif name == "content_block_delta":
                kind = delta["type"].removesuffix("_delta")
                content[-1][kind] += delta[kind]
        self.assertEqual(masked(content), masked(whole["content"]))
        end = events[-2][1]
        self.assertEqual(end["delta"]["stop_reason"], whole["stop_reason"])
        self.assertEqual(end["delta"]["stop_sequence"], whole["stop_sequence"])
        self.assertEqual(end["usage"]["output_tokens"], whole["usage"]["output_tokens"])
        self.assertIn("input_tokens", events[0][1]["message"]["usage"])
        return whole

    def test_texts(self):
        whole = self.both(messages=user("Tell a story."), system="Be kind.", seed=1)
        self.assertEqual((whole["stop_reason"], whole["type"]), ("max_tokens", "message"))
        text = whole["content"][0]["text"]
        stop = text[10:14]
        cut = self.both(messages=user("Tell a story."), seed=1, stop_sequences=[stop],
                        system=[{"type": "text", "text": "Be kind.", "cache_control": {"type": "x"}}])
        self.assertEqual((cut["stop_reason"], cut["stop_sequence"]), ("stop_sequence", stop))
        self.assertEqual(cut["content"][0]["text"], text[: text.find(stop)])

    def test_functions(self):
        tools = [{"name": "weather", "description": "Tells.", "input_schema": WEATHER}]
        for choice in ({"type": "any", "disable_parallel_tool_use": True},
                       {"type": "tool", "name": "weather"}):
            whole = self.both(messages=user("Rain?"), tools=tools, tool_choice=choice, seed=1,
                              max_tokens=300)
            calls = [one for one in whole["content"] if one["type"] == "tool_use"]
            self.assertEqual(whole["stop_reason"], "tool_use")
            self.assertIn(calls[0]["input"]["days"], [1, 2, 3])
        messages = user("Rain?") + [
            {"role": "assistant", "content": [{"type": "text", "text": "I look."}, *calls]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": calls[0]["id"], "content": "Sun."},
                {"type": "text", "text": "And then?"}]},
        ]
        whole = self.both(messages=messages, tools=tools, seed=1)
        count = server.post("/v1/messages/count_tokens",
                            {"model": "chat", "messages": messages, "tools": tools}).json()
        usage = whole["usage"]
        self.assertEqual(count["input_tokens"],
                         usage["input_tokens"] + usage["cache_read_input_tokens"])

    def test_a_form(self):
        form = {"format": {"type": "json_schema", "schema": WEATHER}, "effort": "low"}
        body = {"messages": user("Rain?"), "output_config": form,
                "thinking": {"type": "enabled", "budget_tokens": 1}}
        whole = self.both(**body, seed=1, max_tokens=200)
        said = [block["text"] for block in whole["content"] if block["type"] == "text"]
        self.assertIn(json.loads("".join(said))["city"], ["Paris", "Rome"])
        count = server.post("/v1/messages/count_tokens", {"model": "chat", **body})
        self.assertEqual(count.status, 200, count.body)
        wrong = {"format": {"type": "json_schema", "schema": {"type": "nothing"}}}
        refused(self, MESSAGES, {"model": "chat", "max_tokens": 4, **body, "output_config": wrong},
                400, "/output_config/format/schema")

    def test_what_does_nothing_here(self):
        tool = {"name": "weather", "input_schema": WEATHER, "eager_input_streaming": True}
        body = {"messages": user("Hi"), "tools": [tool], "cache_control": {"type": "ephemeral"}}
        self.both(**body, max_tokens=4, seed=1)
        count = server.post("/v1/messages/count_tokens", {"model": "chat", **body})
        self.assertEqual(count.status, 200, count.body)

    def test_wrong_bodies(self):
        good = {"model": "chat", "messages": user("Hi"), "max_tokens": 4}
        for wish, pointer in (
            ({"max_tokens": None}, "/max_tokens"), ({"max_tokens": 0}, "/max_tokens"),
            ({"messages": []}, "/messages"), ({"surprise": 1}, "/surprise"),
            ({"messages": user([])}, "/messages"),
            ({"messages": user([]), "system": "a"}, "/messages"),
            ({"messages": [{"role": "wizard", "content": "a"}]}, "/messages/0/role"),
            ({"messages": [{"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "1", "content": {"source": {}}}]}]},
             "/messages/0/content/0/content"),
            ({"tools": [{"name": "f"}]}, "/tools/0/input_schema"),
            ({"tool_choice": {"type": "any"}}, "/tool_choice/type"),
        ):
            error = refused(self, MESSAGES, good | wish, 400, pointer)
            self.assertEqual(error["type"], "invalid_request_error")


if __name__ == "__main__":
    run_tests()
