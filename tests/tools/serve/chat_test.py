"""Chat completions: what is in a reply, and that a stream says the same.

    python3 tests/tools/serve/chat_test.py build/release/rondo ../shared/data [TEST ...]
"""

import json
import math
import unittest

from serve_bodies import CHAT, COMPLETIONS, TOOLS, WEATHER, function, joined, masked, read, user
from serve_process import Server, chatting, run_tests

SEEDS = range(1, 7)


def setUpModule():
    global server
    server = Server("chat=" + chatting(), "--context", 4096, "--sessions", 8)


def tearDownModule():
    assert server.stop() == 0


def whole(temperature=1, **body):
    body["temperature"] = temperature  # the model's makers recommend none: that is greedy
    return server.whole(CHAT, "CreateChatCompletionResponse", **body)


def streamed(temperature=1, **body):
    body["temperature"] = temperature
    return server.streamed(CHAT, "CreateChatCompletionStreamResponse", **body)


def both(**body):
    """The choices, which a stream has, too."""
    told = read(whole(**body))
    assert joined(streamed(**body)) == told, (joined(streamed(**body)), told)
    return told


def one(**body):
    (choice,) = both(**body)
    return choice


class ChatTest(unittest.TestCase):
    def test_a_stream_has_the_text_of_the_whole(self):
        texts = set()
        for seed in SEEDS:
            choice = one(messages=user("Tell a story."), seed=seed, max_tokens=60)
            self.assertTrue(choice["content"])
            texts.add(choice["content"])
        self.assertEqual(len(texts), len(SEEDS), "seeds make no difference")

    def test_names_its_model(self):
        for name in ({}, {"model": "chat"}):
            reply = whole(messages=user("Hi"), max_tokens=2, **name)
            self.assertEqual(reply["model"], "chat")

    def test_without_a_seed_answers_differ(self):
        texts = {read(whole(messages=user("Hi"), max_tokens=30))[0]["content"] for _ in range(4)}
        self.assertGreater(len(texts), 1)

    def test_greedy_answers_are_the_same(self):
        for wish in ({"temperature": 0}, {"top_p": 0}, {"top_k": 1}):
            texts = {
                read(whole(messages=user("Hi"), max_tokens=20, **wish))[0]["content"]
                for _ in range(3)
            }
            self.assertEqual(len(texts), 1, wish)

    def test_finish_reasons(self):
        body = {"messages": user("Hi"), "seed": 1}
        self.assertEqual(one(max_tokens=3, **body)["finish"], "length")
        self.assertEqual(one(max_completion_tokens=3, **body)["finish"], "length")
        self.assertEqual(one(**body)["finish"], "stop")
        self.assertEqual(one(stop=["a"], max_tokens=300, **body)["finish"], "stop")

    def test_max_completion_tokens_goes_before(self):
        reply = whole(messages=user("Hi"), max_tokens=9, max_completion_tokens=4, ignore_eos=True)
        self.assertEqual(reply["usage"]["completion_tokens"], 4)

    def test_usage(self):
        body = {"messages": user("Count us."), "seed": 2, "max_tokens": 7, "ignore_eos": True}
        usage = whole(**body)["usage"]
        self.assertEqual(usage["completion_tokens"], 7)
        self.assertEqual(usage["total_tokens"], 7 + usage["prompt_tokens"])
        count = server.post("/tokenize", {"messages": user("Count us.")}).json()["count"]
        self.assertEqual(usage["prompt_tokens"], count)
        events = streamed(stream_options={"include_usage": True}, **body)
        last = events[-1][1]
        self.assertEqual(last["choices"], [])
        self.assertEqual(last["usage"] | {"prompt_tokens_details": 0},
                         usage | {"prompt_tokens_details": 0})
        self.assertTrue(all(chunk["usage"] is None for _, chunk in events[:-1]))
        self.assertTrue(all("usage" not in chunk for _, chunk in streamed(**body)))

    def test_the_second_turn_takes_over_the_first(self):
        messages = user("Remember these words: " + "apple pear plum " * 30)
        first = whole(messages=messages, seed=5, max_tokens=80)
        self.assertEqual(first["usage"]["prompt_tokens_details"]["cached_tokens"], 0)
        answer = first["choices"][0]["message"]["content"]
        turn = [{"role": "assistant", "content": answer}, *user("And now?")]
        usage = whole(messages=messages + turn, max_tokens=2)["usage"]
        cached = usage["prompt_tokens_details"]["cached_tokens"]
        self.assertGreater(cached, first["usage"]["prompt_tokens"] // 2)
        self.assertLess(cached, usage["prompt_tokens"])

    def test_stops_are_cut_out_wherever_tokens_end(self):
        body = {"messages": user("Tell a story."), "seed": 3, "max_tokens": 60}
        text = one(**body)["content"]
        for size in (1, 3, 9, 17):
            for at in range(0, len(text) - size, 19):
                stop = text[at : at + size]
                choice = one(stop=stop, **body)
                self.assertEqual(choice["content"], text[: text.find(stop)], (stop, text))
                self.assertEqual(choice["finish"], "stop")
        almost = text[5:12] + "\u2603"  # begins as the text goes on, and is not there
        choice = one(stop=[almost, "\u2603"], **body)
        self.assertEqual((choice["content"], choice["finish"]), (text, "length"))

    def test_the_first_of_several_stops_ends(self):
        body = {"messages": user("Tell a story."), "seed": 3, "max_tokens": 60}
        text = one(**body)["content"]
        self.assertEqual(one(stop=[text[40:44], text[20:24]], **body)["content"],
                         text[: min(text.find(text[40:44]), text.find(text[20:24]))])

    def test_stops_among_functions(self):
        body = {"messages": user("Tell a story."), "tools": TOOLS, "max_tokens": 60, "seed": 4}
        text = one(**body)["content"]
        for at in range(0, len(text) - 5, 11):
            stop = text[at : at + 5]
            self.assertEqual(one(stop=stop, **body)["content"], text[: text.find(stop)])

    def test_bias(self):
        body = {"messages": user("Hi"), "max_tokens": 12, "temperature": 0}
        ids = server.post("/tokenize", {"content": " the", "add_special": False}).json()["tokens"]
        choice = one(logit_bias={str(ids[0]): 100}, **body)
        self.assertEqual(choice["content"].count(" the"), 12)
        free = one(**body)["content"]
        tokens = server.post("/tokenize", {"content": free, "add_special": False}).json()["tokens"]
        banned = one(logit_bias={str(tokens[0]): -100}, **body)["content"]
        self.assertNotEqual(banned, free)

    def test_penalties(self):
        body = {"messages": user("Hi"), "max_tokens": 60, "temperature": 0, "ignore_eos": True}
        plain = one(**body)["content"]
        for wish in ({"frequency_penalty": 2}, {"presence_penalty": 2}, {"repetition_penalty": 3}):
            self.assertNotEqual(one(**body, **wish)["content"], plain, wish)

    def test_earlier_messages_of_all_roles(self):
        call = {"id": "call_1", "type": "function",
                "function": {"name": "weather", "arguments": '{"city": "Rome", "days": 1}'}}
        messages = [
            {"role": "developer", "content": "Be brief."},
            {"role": "system", "content": [{"type": "text", "text": "Be kind."}]},
            {"role": "user", "content": [{"type": "text", "text": "Rain?"}], "name": "Ann"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": "Sun."},
        ]
        self.assertTrue(one(messages=messages, tools=TOOLS, max_tokens=8, seed=1)["content"])
        prompt = server.post("/apply-template", {"messages": messages}).json()["prompt"]
        for text in ("Be brief.", "Be kind.", "Rain?", '"city": "Rome"', "Sun."):
            self.assertIn(text, prompt)

    def test_answers_as_clients_give_them_back(self):
        parsed = {"name": "weather", "arguments": '{"city": "Rome"}', "parsed_arguments": {"city": 1}}
        part = {"type": "text", "text": "I look.", "role": "assistant", "refusal": None,
                "reasoning": "So.", "reasoning_content": "So.", "tool_calls": []}
        messages = user("Rain?") + [
            {"role": "assistant", "content": [part], "parsed": None,
             "tool_calls": [{"id": "call_1", "type": "function", "index": 0, "function": parsed}]},
            {"role": "assistant", "content": '{"city": "Rome"}', "parsed": {"city": "Rome"}},
        ]
        prompt = server.post("/apply-template", {"messages": messages}).json()["prompt"]
        for text in ("I look.", '"arguments": {"city": "Rome"}', '\n{"city": "Rome"}</s>'):
            self.assertIn(text, prompt)

    def test_goes_on_with_the_last_message(self):
        messages = user("Hi") + [{"role": "assistant", "content": "Once upon a"}]
        body = {"messages": messages, "continue_final_message": True}
        prompt = server.post("/apply-template", body).json()["prompt"]
        self.assertTrue(prompt.endswith("Once upon a"), prompt)
        prompt = server.post("/tokenize", body).json()["tokens"]
        wish = {"max_tokens": 6, "temperature": 0}
        text = server.whole(COMPLETIONS, "CreateCompletionResponse", prompt=prompt, **wish)
        self.assertEqual(one(**wish, **body)["content"], text["choices"][0]["text"])

    def test_a_prediction_changes_nothing(self):
        for seed in SEEDS:
            body = {"messages": user("Tell a story."), "seed": seed, "max_tokens": 50}
            plain = whole(**body)
            text = plain["choices"][0]["message"]["content"]
            for content in (text, text[20:], "nothing like it", [{"type": "text", "text": text}]):
                told = whole(prediction={"type": "content", "content": content}, **body)
                self.assertEqual(masked(told), masked(plain))
                tokens = told["usage"]["completion_tokens"]
                self.assertEqual(tokens, plain["usage"]["completion_tokens"])


class ChoicesTest(unittest.TestCase):
    def test_are_those_of_requests_with_the_next_seeds(self):
        body = {"messages": user("Tell a story."), "max_tokens": 40}
        choices = both(n=4, seed=20, **body)
        self.assertEqual(len(choices), 4)
        for i, choice in enumerate(choices):
            self.assertEqual(choice, one(seed=20 + i, **body), i)
        self.assertEqual(len({choice["content"] for choice in choices}), 4)

    def test_with_functions_and_logprobs(self):
        body = {"messages": user("Rain?"), "tools": TOOLS, "tool_choice": "required",
                "parallel_tool_calls": False, "logprobs": True, "top_logprobs": 2}
        choices = both(n=3, seed=7, **body)
        for i, choice in enumerate(choices):
            self.assertEqual(choice, one(seed=7 + i, **body), i)

    def test_all_count(self):
        body = {"messages": user("Hi"), "max_tokens": 5, "ignore_eos": True}
        usage = whole(n=3, **body)["usage"]
        self.assertEqual(usage["completion_tokens"], 15)
        self.assertEqual(usage["prompt_tokens"], whole(**body)["usage"]["prompt_tokens"])


class LogprobsTest(unittest.TestCase):
    def test_say_how_likely_each_token_was(self):
        for seed in SEEDS:
            body = {"messages": user("Tell a story."), "seed": seed, "max_tokens": 20}
            plain = one(**body)
            choice = one(logprobs=True, top_logprobs=20, **body)
            self.assertEqual(choice["content"], plain["content"], "asking changes the answer")
            self.assertEqual("".join(note["token"] for note in choice["notes"]), plain["content"])
            for note in choice["notes"]:
                self.assertEqual(bytes(note["bytes"]).decode(errors="replace"), note["token"])
                self.assertLessEqual(note["logprob"], 0)
                tops = [top["logprob"] for top in note["top_logprobs"]]
                self.assertEqual(len(tops), 20)
                self.assertEqual(tops, sorted(tops, reverse=True))
                self.assertLessEqual(sum(map(math.exp, tops)), 1 + 1e-4)
                for top in note["top_logprobs"]:
                    if top["bytes"] == note["bytes"]:
                        self.assertAlmostEqual(top["logprob"], note["logprob"], 4)

    def test_of_greedy_answers_are_the_largest(self):
        body = {"messages": user("Hi"), "temperature": 0, "max_tokens": 16, "logprobs": True}
        choice = one(top_logprobs=3, **body)
        for note in choice["notes"]:
            self.assertEqual(note["bytes"], note["top_logprobs"][0]["bytes"])
            self.assertAlmostEqual(note["logprob"], note["top_logprobs"][0]["logprob"], 4)
        without = one(**body)
        self.assertEqual([note["logprob"] for note in without["notes"]],
                         [note["logprob"] for note in choice["notes"]])
        self.assertTrue(all(note["top_logprobs"] == [] for note in without["notes"]))


class FunctionsTest(unittest.TestCase):
    def test_none_calls_none(self):
        for seed in SEEDS:
            body = {"messages": user("Rain?"), "seed": seed, "max_tokens": 40}
            choice = one(tools=TOOLS, tool_choice="none", **body)
            self.assertEqual(choice["calls"], [])
            self.assertEqual(choice, one(**body), "the functions were told of")

    def test_auto_may_answer_in_words(self):
        for seed in SEEDS:
            choice = one(messages=user("Rain?"), tools=TOOLS, tool_choice="auto", seed=seed,
                         max_tokens=40)
            self.assertTrue(choice["content"] or choice["calls"])

    def check_calls(self, choice, names):
        self.assertEqual(choice["finish"], "tool_calls")
        self.assertGreater(len(choice["calls"]), 0)
        self.assertNotIn("<tool_call>", choice["content"])
        for name, arguments in choice["calls"]:
            self.assertIn(name, names)
            value = json.loads(arguments)
            if name == "weather":
                self.assertEqual(set(value), {"city", "days"})
                self.assertIn(value["city"], ["Paris", "Rome"])
                self.assertIn(value["days"], [1, 2, 3])
            else:
                self.assertIn(value["zone"], ["UTC", "CET"])

    def test_required_calls(self):
        most, wish = 0, {"frequency_penalty": 0.5}  # ends the row of calls
        for seed in SEEDS:
            choice = one(messages=user("Rain?"), tools=TOOLS, tool_choice="required", seed=seed,
                         **wish)
            self.check_calls(choice, ["weather", "clock"])
            most = max(most, len(choice["calls"]))
        self.assertGreater(most, 1, "no calls side by side were tried")

    def test_one_call(self):
        for seed in SEEDS:
            choice = one(messages=user("Rain?"), tools=TOOLS, tool_choice="required", seed=seed,
                         parallel_tool_calls=False)
            self.check_calls(choice, ["weather", "clock"])
            self.assertEqual(len(choice["calls"]), 1)

    def test_the_named_one(self):
        for name in ("weather", "clock"):
            for seed in SEEDS:
                choice = one(messages=user("Rain?"), tools=TOOLS, seed=seed,
                             tool_choice={"type": "function", "function": {"name": name}})
                self.check_calls(choice, [name])

    def test_length_goes_before_calls(self):
        for most in range(1, 140, 6):
            choice = one(messages=user("Rain?"), tools=TOOLS, seed=3, max_tokens=most,
                         thinking_budget=0,
                         tool_choice={"type": "function", "function": {"name": "weather"}})
            if choice["finish"] == "tool_calls":
                self.check_calls(choice, ["weather"])
                break
            self.assertEqual(choice["finish"], "length")
            self.assertNotIn("tool_call>", choice["content"], "half a call is shown as text")
        else:
            self.fail("the call does not end")

    def test_a_call_may_have_no_arguments(self):
        tool = {"type": "function", "function": {"name": "ping"}}
        choice = one(messages=user("Hi"), tools=[tool], tool_choice="required", seed=1,
                     parallel_tool_calls=False)
        self.assertEqual(choice["calls"], [["ping", "{}"]])

    def test_names_in_all_letters(self):
        odd = function("get_weather-2", {"type": "object", "properties": {
            "\u00fcber \"x\"": {"enum": ["\u2603", "a\\b\n"]}}, "required": ["\u00fcber \"x\""]})
        choice = one(messages=user("Hi"), tools=[odd], tool_choice="required", seed=1,
                     parallel_tool_calls=False)
        ((name, arguments),) = choice["calls"]
        self.assertEqual(name, "get_weather-2")
        self.assertIn(json.loads(arguments)["\u00fcber \"x\""], ["\u2603", "a\\b\n"])


class FormsTest(unittest.TestCase):
    def test_a_schema(self):
        form = {"type": "json_schema", "json_schema": {"name": "w", "schema": WEATHER}}
        for seed in SEEDS:
            for budget in ({"thinking_budget": 0}, {"thinking_budget": 30}, {}):
                with self.subTest(seed=seed, budget=budget):
                    choice = one(messages=user("Rain?"), response_format=form, seed=seed, **budget)
                    # The small model thinks on and on, or ends a thought by a special token that
                    # no trained one would write there.
                    if not budget and not choice["content"]:
                        continue
                    self.assertEqual(choice["finish"], "stop")
                    value = json.loads(choice["content"])
                    self.assertEqual(set(value), {"city", "days"})
                    if budget == {"thinking_budget": 0}:
                        self.assertLess(len(choice["thought"].split()), 3)

    def test_a_schema_beside_functions(self):
        """Either calls or an answer of the form, and calls alone where they must be."""
        place = {"type": "object", "properties": {"place": {"enum": ["here", "there"]}},
                 "required": ["place"], "additionalProperties": False}
        form = {"type": "json_schema", "json_schema": {"name": "p", "schema": place}}
        body = {"messages": user("Rain?"), "tools": TOOLS, "response_format": form,
                "thinking_budget": 0, "max_tokens": 200, "parallel_tool_calls": False}
        begins_form = server.post("/tokenize", {"content": "{"}).json()["tokens"][-1]
        begins_call = server.post("/tokenize", {"content": "<"}).json()["tokens"][-1]
        for more, calls in (({"logit_bias": {str(begins_form): 100}}, 0),
                            ({"logit_bias": {str(begins_call): 100}}, 1),
                            ({"tool_choice": "required"}, 1)):
            for seed in SEEDS:
                with self.subTest(seed=seed, **more):
                    choice = one(**body, **more, seed=seed)
                    self.assertEqual(len(choice["calls"]), calls)
                    if calls:
                        self.assertEqual((choice["content"], choice["finish"]), ("", "tool_calls"))
                    else:
                        self.assertIn(json.loads(choice["content"])["place"], ["here", "there"])
        reply = server.post(CHAT, body | {"response_format": None, "regex": "a"})
        self.assertEqual((reply.status, reply.error()["param"]), (400, "/regex"))

    def test_an_object(self):
        for seed in SEEDS:
            choice = one(messages=user("Rain?"), response_format={"type": "json_object"}, seed=seed,
                         max_tokens=200, frequency_penalty=1, thinking_budget=0)
            if choice["finish"] == "stop":
                self.assertIsInstance(json.loads(choice["content"]), dict)
            else:
                self.assertTrue(choice["content"].startswith("{"), choice)

    def test_patterns_and_rules(self):
        for wish, wanted in (
            ({"regex": "[ab]{3}"}, 3),
            ({"grammar": 'root ::= [ab] [ab]'}, 2),
            ({"response_format": {"type": "text"}, "regex": "[ab]{4}"}, 4),
        ):
            text = one(messages=user("Hi"), seed=1, **wish)["content"]
            self.assertEqual((len(text), set(text) | {"a", "b"}), (wanted, {"a", "b"}))

    def test_thoughts_are_told_apart(self):
        rules = 'root ::= "<think>\\nI see " [a-z]{5} ".\\n</think>\\n\\nYes" [!.]'
        for seed in SEEDS:
            choice = one(messages=user("Hi"), grammar=rules, seed=seed, max_tokens=60,
                         **({} if seed % 2 else {"tools": TOOLS, "tool_choice": "none"}))
            self.assertRegex(choice["thought"], "I see [a-z]{5}\\.")
            self.assertRegex(choice["content"].strip(), "^Yes[!.]$")

    def test_stops_do_not_end_thoughts_wrongly(self):
        rules = 'root ::= "<think>\\nI see it.\\n</think>\\n\\nYes, I do."'
        body = {"messages": user("Hi"), "grammar": rules, "seed": 1}
        choice = one(stop=[", I"], **body)
        self.assertEqual(choice["content"].strip(), "Yes")
        self.assertIn("I see it.", choice["thought"])
        self.assertEqual(choice["finish"], "stop")

    def test_invalid_ones_are_told_by_pointer(self):
        for wish, pointer in (
            ({"regex": "("}, "/regex"),
            ({"grammar": "root ::= ("}, "/grammar"),
            ({"response_format": {"type": "json_schema", "json_schema": {"name": "w", "schema": {
                "type": "nothing"}}}}, "/response_format/json_schema/schema"),
            ({"response_format": {"type": "xml"}}, "/response_format/type"),
            ({"tools": TOOLS, "tool_choice": "sometimes"}, "/tool_choice"),
            ({"tools": TOOLS, "tool_choice": {"type": "function", "function": {"name": "x"}}},
             "/tool_choice"),
            ({"tool_choice": "required"}, "/tool_choice"),
            ({"tools": [{"type": "function", "function": {}}]}, "/tools/0/function/name"),
            ({"tools": [{"type": "code", "function": {"name": "f"}}]}, "/tools/0/type"),
        ):
            reply = server.post(CHAT, {"messages": user("Hi")} | wish)
            self.assertEqual(reply.status, 400, wish)
            self.assertEqual(reply.error()["param"], pointer, reply.body)


if __name__ == "__main__":
    run_tests()
