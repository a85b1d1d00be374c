"""The same request and seed give the same bytes alone and beside 31 others, streamed or not.

    python3 tests/tools/serve/company_test.py build/release/rondo ../shared/data [TEST ...]
"""

import concurrent.futures
import json
import re
import unittest

from serve_bodies import CHAT, COMPLETIONS, RESPONSES, TOOLS, WEATHER, user
from serve_process import Server, adapter, chatting, run_tests, tiny, without_pings

OTHERS = 31
LONG = "Once upon a time there was a little girl who liked to play in the park. " * 12


def requests():
    """Of many kinds and lengths, all with seeds: pairs of a path and a body."""
    made = []
    form = {"type": "json_schema", "json_schema": {"name": "w", "schema": WEATHER}}
    flat = [{"type": "function", "name": "weather", "parameters": WEATHER}]
    anthropic = [{"name": "weather", "input_schema": WEATHER}]
    for seed in range(2):
        more = {"seed": seed, "temperature": 1}
        chat = {"model": "chat", "messages": user(f"Tell story {seed}.")} | more
        made += [
            (CHAT, chat | {"max_tokens": 50}),
            (CHAT, chat | {"max_tokens": 30, "messages": user(LONG)}),
            (CHAT, chat | {"max_tokens": 40, "tools": TOOLS}),
            (CHAT, chat | {"max_tokens": 90, "tools": TOOLS, "tool_choice": "required"}),
            (CHAT, chat | {"response_format": form, "thinking_budget": 5, "max_tokens": 60}),
            (CHAT, chat | {"max_tokens": 25, "logprobs": True, "top_logprobs": 5}),
            (CHAT, chat | {"max_tokens": 25, "n": 3}),
            (CHAT, chat | {"max_tokens": 40, "stop": ["the", "."], "top_k": 20, "min_p": 0.01}),
            (CHAT, chat | {"max_tokens": 40, "frequency_penalty": 1, "repetition_penalty": 1.2}),
            (CHAT, chat | {"max_tokens": 40,
                           "prediction": {"type": "content", "content": LONG}}),
            (COMPLETIONS, {"model": "tiny", "prompt": LONG, "max_tokens": 40, "logprobs": 2} | more),
            (COMPLETIONS, {"model": "poet", "prompt": "Once", "max_tokens": 60} | more),
            (COMPLETIONS, {"model": "tiny", "prompt": "A", "max_tokens": 60, "echo": True} | more),
            (RESPONSES, {"model": "chat", "input": "Rain?", "max_output_tokens": 40} | more),
            (RESPONSES, {"model": "chat", "input": "Rain?", "tools": flat, "max_output_tokens": 90,
                         "tool_choice": "required"} | more),
            ("/v1/messages", {"model": "chat", "messages": user("Rain?"), "tools": anthropic,
                              "tool_choice": {"type": "any"}, "max_tokens": 90} | more),
        ]
    return made


def bytes_of(server, path, body):
    reply = server.post(path, body)
    assert reply.status == 200, reply.body
    text = without_pings(reply.body.decode())
    text = re.sub(r'"(id|item_id|call_id)":"[a-z]+[_-]\w+"', r'"\1":""', text)
    text = re.sub(r'"created(_at)?":\d+', r'"created\1":0', text)
    text = re.sub(r'"timings":\{[^}]*\}', '"timings":{}', text)
    # What the prefix cache had is no part of the answer; Anthropic's input_tokens are the rest.
    return re.sub(r'"(cached_tokens|cache_read_input_tokens|input_tokens)":\d+', r'"\1":0', text)


class CompanyTest(unittest.TestCase):
    def compare(self, sessions, *flags):
        asked = requests()
        asked += [(path, body | {"stream": True}) for path, body in asked]
        models = (tiny(), "chat=" + chatting(), "--adapter", "poet=" + adapter())
        with Server(*models, "--sessions", sessions, "--context", 1024, *flags) as server:
            alone = [bytes_of(server, *one) for one in asked]
            self.assertEqual(alone[3], bytes_of(server, *asked[3]), "it is not itself again")
            with concurrent.futures.ThreadPoolExecutor(OTHERS + 1) as pool:
                company = list(pool.map(lambda one: bytes_of(server, *one), asked))
                backwards = list(pool.map(lambda one: bytes_of(server, *one), asked[::-1]))[::-1]
            drafts = server.metric("rondo_drafts_proposed_total")
        equal = 0
        for one, *texts in zip(asked, alone, company, backwards):
            with self.subTest(sessions=sessions, path=one[0], body=json.dumps(one[1])[:400]):
                self.assertEqual(texts[0], texts[1])
                self.assertEqual(texts[0], texts[2])
                equal += 1
        print(f"{sessions} sessions: {equal} of {len(asked)} requests equal beside {OTHERS} others")
        return alone, drafts

    def test_all_at_once(self):
        self.compare(32)

    def test_in_turns_and_with_drafts(self):
        without, of_predictions = self.compare(3)
        for flags in (("--speculate", "lookup"), ("--draft", tiny())):
            texts, drafts = self.compare(3, *flags)
            self.assertEqual(texts, without)
            self.assertGreater(drafts, of_predictions)


if __name__ == "__main__":
    run_tests()
