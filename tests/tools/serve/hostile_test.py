"""Damaged and hostile requests: an error object or a closed connection, and nobody else notices.

    python3 tests/tools/serve/hostile_test.py build/release/rondo ../shared/data [TEST ...]
"""

import json
import os
import random
import socket
import unittest

from serve_bodies import CHAT, COMPLETIONS, RESPONSES, TOOLS, WEATHER, user
from serve_process import Server, adapter, chatting, run_tests, tiny, wait_for

ROUNDS = int(os.environ.get("RONDO_FUZZ_RUNS", 4000))
GOOD = {"model": "chat", "messages": user("Hi"), "max_tokens": 2, "seed": 1}
PARTS = [{"type": "text", "text": "a \u00e9\u2603\U0001f600 b"}]
CALL = {"id": "c", "type": "function",
        "function": {"name": "clock", "arguments": '{"zone": "UTC"}'}}
BODIES = [
    (CHAT, {
        "model": "chat", "messages": [
            {"role": "system", "content": "Be \u00fc \" \\ kind.", "name": "x"},
            {"role": "user", "content": PARTS},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c", "content": "1"},
        ],
        "tools": TOOLS, "tool_choice": "auto", "parallel_tool_calls": True, "max_tokens": 3,
        "temperature": 0.7, "top_p": 0.9, "seed": 5, "stop": ["x", "yz"], "n": 2, "stream": True,
        "stream_options": {"include_usage": True}, "logprobs": True, "top_logprobs": 2,
        "logit_bias": {"5": -3.5}, "presence_penalty": 0.1, "frequency_penalty": -0.1,
        "chat_template_kwargs": {"a": [1, {"b": None}]}, "reasoning_effort": "low",
        "prediction": {"type": "content", "content": "abc"}, "user": "u"}),
    (CHAT, GOOD | {"response_format": {
        "type": "json_schema", "json_schema": {"name": "w", "schema": WEATHER}}}),
    (CHAT, GOOD | {"grammar": 'root ::= [a-z]{2} ("x" | root)'}),
    (CHAT, GOOD | {"regex": "(a|b[c-e]{1,3})+\\d?"}),
    (COMPLETIONS, {"model": "poet", "prompt": [5, 6, 7], "max_tokens": 3, "logprobs": 2, "n": 2,
                   "echo": False, "suffix": "", "stream": False, "stop": "q", "best_of": 1,
                   "min_p": 0.1, "top_k": 5, "repetition_penalty": 1.1, "ignore_eos": True}),
    (RESPONSES, {"model": "chat", "instructions": "Be kind.", "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "Rain?"}]},
        {"type": "function_call", "call_id": "1", "name": "clock", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": "Sun."}],
        "tools": [{"type": "function", "name": "clock", "parameters": {"type": "object"}}],
        "tool_choice": "none", "max_output_tokens": 3, "reasoning": {"effort": "low"},
        "text": {"format": {"type": "text"}}, "stream": True}),
    ("/v1/messages", {"model": "chat", "system": [{"type": "text", "text": "Be kind."}],
                      "messages": [{"role": "user", "content": [
                          {"type": "tool_result", "tool_use_id": "1", "content": "Sun."},
                          {"type": "text", "text": "And then?"}]}],
                      "tools": [{"name": "clock", "input_schema": {"type": "object"}}],
                      "tool_choice": {"type": "auto"}, "max_tokens": 3, "stop_sequences": ["x"],
                      "thinking": {"type": "enabled", "budget_tokens": 5}}),
    ("/tokenize", {"content": "Hi \u2603", "add_special": False}),
    ("/detokenize", {"tokens": [1, 2, 3]}),
    ("/apply-template", {"model": "chat", "messages": user("Hi")}),
    ("/v1/embeddings", {"input": ["a"], "dimensions": 3}),
]
ODD = [None, True, False, 0, -1, 1.5, 2**31, 2**32, 2**53, 2**63, 2**64, -(2**63) - 1, 1e300, 1e-300,
       "", "a", "\0", "\ud800", "\uffff", "x" * 5000, [], {}, [[]], [None], {"": 0}, {"type": "text"},
       "auto", "none", "required", "root ::= root", "(a*)*b", "[", "{{", "$ref", {"$ref": "#"},
       {"type": ["object", "array"]}, {"anyOf": []}, {"allOf": [{"$ref": "#/a"}]},
       {"pattern": "(?=a)"}, {"enum": []}, {"minItems": 10**9}, {"minimum": 1e300}]


def setUpModule():
    global server
    server = Server(tiny(), "chat=" + chatting(), "--adapter", "poet=" + adapter())


def tearDownModule():
    assert server.stop() == 0
    assert all(isinstance(line, dict) for line in server.log), server.log  # no report


def places(value, at=()):
    """The ways to all that a JSON value has."""
    yield at
    if isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in items:
            yield from places(one, (*at, key))


def changed(value, at, make):
    """A copy with another value at one place."""
    if not at:
        return make(value)
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[at[0]] = changed(value[at[0]], at[1:], make)
    return copy


def mutated(body, dice):
    """Bytes like those of a body."""
    for _ in range(dice.choice((0, 1, 1, 1, 2, 3))):
        at = dice.choice(list(places(body)))
        kind = dice.randrange(4)
        if kind == 0:
            body = changed(body, at, lambda _: dice.choice(ODD))
        elif kind == 1:
            other = dice.choice(BODIES)[1]
            there = dice.choice(list(places(other)))
            for key in there:
                other = other[key]
            body = changed(body, at, lambda _, other=other: other)
        elif kind == 2:
            body = changed(body, at, lambda v: {**v, dice.choice("abcxyz"): dice.choice(ODD)}
                           if isinstance(v, dict) else [v, v])
        elif isinstance(body, dict) and body and at:
            body = {key: v for key, v in body.items() if key != at[0]}
        if not isinstance(body, (dict, list)):
            break
    text = bytearray(json.dumps(body, ensure_ascii=dice.random() < 0.5).encode(errors="surrogatepass"))
    if dice.random() < 0.3:
        for _ in range(dice.randint(1, 3)):
            at = dice.randrange(len(text))
            if dice.random() < 0.5:
                text[at] = dice.randrange(256)
            else:
                del text[at : at + dice.randint(1, 9)]
            if not text:
                return b"{"
    return bytes(text)


class HostileTest(unittest.TestCase):
    def tearDown(self):
        self.assertFalse(server.ended(), server.log)
        reply = server.whole(CHAT, "CreateChatCompletionResponse", **GOOD)
        self.assertTrue(reply["choices"])

    def refuse(self, path, body, status=400):
        reply = server.post(path, body)
        self.assertEqual(reply.status, status, (body[:200], reply.body[:500]))
        return reply.error()

    def raw(self, data):
        """What comes for bare bytes, until the server closes or waits for more."""
        client = server.connect()
        client.settimeout(1)
        got = b""
        try:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            while more := client.recv(65536):
                got += more
        except OSError:
            pass
        client.close()
        return got

    def test_prefixes(self):
        connection, counts = server.connection(), {}
        for path, body in BODIES:
            text = json.dumps(body, ensure_ascii=False).encode()
            for size in range(len(text)):
                reply = server.post(path, text[:size], connection=connection)
                counts[reply.status] = counts.get(reply.status, 0) + 1
                self.assertEqual(reply.status, 400, (path, size, reply.body))
                self.assertEqual(reply.error()["code"], "invalid_json")
        print("prefixes:", counts)

    def test_what_is_no_json(self):
        for text in (b"", b" ", b"{", b"nul", b"NaN", b"{'a': 1}", b'{"a": NaN}', b'{"a": Infinity}',
                     b'{"a": 01}', b'{"a": 1,}', b'{"a": "\xff"}', b'{"a": "\xc3"}', b'\xef\xbb\xbf',
                     b'{"a": "\xed\xa0\x80"}', b'{"\xf5\x80\x80\x80": 1}', b'{"a": "\\ud800"}',
                     b'{"a": "\\udc00\\ud800"}', b'{"a": "\\u12"}', b'{"a": "\n"}', b"{}{}", b"{} x",
                     b"\0", b'{"a": 1e999}', b"\xff\xfe{\0}\0"):
            for path in (CHAT, COMPLETIONS, "/v1/messages"):
                self.refuse(path, text)
        for text in (b"[]", b"3", b'"a"', b"null", b"true", b"1e5"):
            self.assertEqual(self.refuse(CHAT, text)["param"], None)

    def test_numbers(self):
        for name in ("max_tokens", "temperature", "top_p", "seed", "n", "top_k", "presence_penalty"):
            for number in ("1e999", "-1e999", "NaN", "-Infinity", "1" * 400, "-" + "9" * 30, "-1e300",
                           "1e-400x", "0x10", "1.7976931348623157e308"):
                text = json.dumps({"model": "chat", "messages": user("Hi")})[:-1]
                text += f', "{name}": {number}}}'
                self.refuse(CHAT, text)

    def test_depth(self):
        for count in (129, 10_000, 1_000_000):
            for begin, end in (("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")):
                for text in (begin * count, begin * count + "1" + end * count):
                    self.refuse(CHAT, '{"messages": ' + text + "}")
                    self.refuse("/v1/messages", text)
        deep = {"type": "object"}
        for _ in range(40):
            deep = {"type": "object", "properties": {"a": deep}, "required": ["a"]}
        form = {"type": "json_schema", "json_schema": {"name": "d", "schema": deep}}
        reply = server.post(CHAT, GOOD | {"response_format": form})
        self.assertIn(reply.status, (200, 400))

    def test_long_names_and_texts(self):
        self.refuse(CHAT, json.dumps(GOOD | {"x" * 100_000: 1}))
        self.refuse(CHAT, json.dumps(GOOD | {"model": "x" * 100_000}), 404)
        self.refuse(CHAT, json.dumps(GOOD | {"stop": ["x"] * 10_000}))
        self.refuse(CHAT, json.dumps(GOOD | {"logit_bias": {str(i): 1 for i in range(2000)}}))
        self.refuse(CHAT, json.dumps({"messages": [{"role": "user", "content": ""}] * 20_000,
                                      "model": "chat"}))
        result = {"role": "tool", "tool_call_id": "c", "content": ""}
        self.refuse(CHAT, json.dumps({"messages": [result] * 20_000, "model": "chat"}))
        self.refuse(CHAT, json.dumps({"messages": user("a" * 3_000_000), "model": "chat"}))

    def test_twice_the_same_name(self):
        text = json.dumps(GOOD)[:-1] + ', "max_tokens": 3, "max_tokens": "a"}'
        self.refuse(CHAT, text)

    def test_hostile_grammars(self):
        nested = "(" * 2000 + "a" + ")" * 2000
        for wish in (
            {"regex": nested}, {"regex": "(a{1000}){1000}"}, {"regex": "(a|a)*" * 50 + "b"},
            {"regex": "[\\d-z"}, {"regex": "\\"}, {"regex": "(?R)"}, {"regex": "a{99999999999}"},
            {"grammar": "root ::= root"}, {"grammar": "root ::= root root | root"},
            {"grammar": "a ::= b"}, {"grammar": "root ::= " + "(" * 5000},
            {"grammar": "root ::= " + '"a"{100000}'}, {"grammar": "root ::= [^\\"},
            {"grammar": "\n".join(f"r{i} ::= r{i + 1} r{i + 1}" for i in range(60))
             + '\nr60 ::= "a"\nroot ::= r0'},
            {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {
                "$ref": "#"}}}},
            {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {
                "$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}}}},
            {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {
                "type": "array", "minItems": 10**9, "maxItems": 10**9}}}},
            {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {
                "type": "string", "pattern": "((a+)+)+$" * 50}}}},
            {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "x"}}}]},
            {"tools": [{"type": "function", "function": {"name": ""}}], "tool_choice": "required"},
            {"tools": [{"type": "function", "function": {"name": "\0"}}], "tool_choice": "required"},
            {"tools": TOOLS * 200, "tool_choice": "required"},
        ):
            reply = server.post(CHAT, GOOD | wish)
            self.assertIn(reply.status, (200, 400), (str(wish)[:200], reply.body))
            if reply.status == 400:
                reply.error()

    def test_mutated_bodies(self):
        dice, counts = random.Random(int(os.environ.get("RONDO_FUZZ_SEED", 1))), {}
        connection = server.connection()
        for i in range(ROUNDS):
            path, body = dice.choice(BODIES)
            text = mutated(body, dice)
            try:
                reply = server.post(path, text, connection=connection)
            except Exception as error:
                raise AssertionError(f"mutation {i}: {path} {text!r}: {error!r}") from error
            counts[reply.status] = counts.get(reply.status, 0) + 1
            self.assertIn(reply.status, (200, 400, 404), (i, path, text, reply.body))
            if reply.status != 200:
                reply.error()
        print("mutated:", counts)
        self.assertGreater(counts[200], ROUNDS // 100)
        wait_for(server.is_idle, "nothing runs")

    def test_headers(self):
        line = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
        for head in (b"X: " + b"a" * 100_000 + b"\r\n", b"X: 1\r\n" * 20_000, b"a" * 200_000,
                     b"".join(b"X%d: 1\r\n" % i for i in range(5000))):
            got = self.raw(line + head + b"\r\n")
            self.assertTrue(got == b"" or got.startswith((b"HTTP/1.1 4", b"HTTP/1.0 4")), got[:200])
        got = self.raw(b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertTrue(got == b"" or got.startswith(b"HTTP/1.1 4"), got[:200])

    def test_garbage(self):
        dice = random.Random(1)
        good = server.bytes_of(CHAT, GOOD)
        for data in (b"\r\n" * 1000, b"\0" * 1000, b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03", b"GET",
                     b"GET / HTTP/9.9\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b" / HTTP/1.1\r\n\r\n",
                     b"GET  HTTP/1.1\r\n\r\n", b"get /health http/1.1\r\n\r\n", b"GET /health\r\n\r\n",
                     *(dice.randbytes(2000) for _ in range(50)), *(good[:i] for i in range(len(good)))):
            got = self.raw(data)
            self.assertTrue(got == b"" or got.startswith(b"HTTP/1."), (data[:100], got[:200]))

    def test_lengths(self):
        head = (b"POST /tokenize HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\n")
        body = b'{"content": "a"}'
        other = b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n"
        chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        for lines, data in (
            (b"Content-Length: 16\r\nTransfer-Encoding: chunked\r\n", chunked),
            (b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", chunked),
            (b"Content-Length: 16\r\nContent-Length: 3\r\n", body), (b"Content-Length: -1\r\n", body),
            (b"Content-Length: 0x10\r\n", body), (b"Content-Length: +16\r\n", body),
            (b"Content-Length: 16, 16\r\n", body), (b"Content-Length: \r\n", body),
            (b"Content-Length: 99999999999999999999999\r\n", body),
            (b"Transfer-Encoding: gzip\r\n", body), (b"Transfer-Encoding: chunked, chunked\r\n", chunked),
            (b"Transfer-Encoding: chunked\r\n", b"zz\r\n" + body), (b"", body),
            (b"Transfer-Encoding: chunked\r\n", b"-1\r\n" + body + b"\r\n0\r\n\r\n"),
            (b"Transfer-Encoding: chunked\r\n", b"fffffffffffffffffff\r\n" + body),
        ):
            got = self.raw(head + lines + b"\r\n" + data + other)
            # Nothing behind what is ambiguous may pass for a request of its own.
            self.assertFalse(b'"version"' in got and b"200 OK" in got.split(b"\r\n")[0], (lines, got))
            self.assertNotIn(b'"abi"', got, (lines, got))

    def test_pipelined_requests(self):
        one = server.bytes_of("/tokenize", {"content": "a"})
        client = server.connect()
        client.sendall(one * 20 + b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        got = b""
        while got.count(b"HTTP/1.1 200 OK") < 21 or not got.endswith(b"}"):
            more = client.recv(65536)
            self.assertTrue(more, f"closed behind {got.count(b'200 OK')} replies")
            got += more
        client.close()
        self.assertLess(got.rfind(b'"tokens"'), got.find(b'"status"'))

    def test_dribbled_requests(self):
        data = server.bytes_of("/tokenize", {"content": "a"})
        client = server.connect()
        for i in range(len(data)):
            client.sendall(data[i : i + 1])
        self.assertIn(b"200 OK", client.recv(4096))
        client.close()


if __name__ == "__main__":
    run_tests()
