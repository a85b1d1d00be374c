"""Other paths than chats: texts, vectors, scores, responses, tokens, models.

    python3 tests/tools/serve/endpoints_test.py build/release/rondo ../shared/data [TEST ...]
"""

import base64
import json
import math
import struct
import unittest

from serve_bodies import CHAT, COMPLETIONS, RESPONSES, WEATHER, masked, read, user
from serve_process import (
    SCHEMA,
    SHARED,
    SOURCES,
    Server,
    adapter,
    chatting,
    convert,
    embedders,
    reading,
    run_tests,
    tiny,
    wait_for,
)


def setUpModule():
    global server
    embedder, scorer = embedders()
    server = Server(
        *(tiny(), "chat=" + chatting(), reading(), embedder, scorer),
        *("--adapter", "poet=" + adapter(), "--image-rows", 64, "--sessions", 4),
        *("--allow-media-path", SOURCES / "tests/data/reading/held_out", "--context", 1024),
    )


def tearDownModule():
    assert server.stop() == 0


def refused(case, path, body, status, pointer):
    reply = server.post(path, body)
    case.assertEqual(reply.status, status, reply.body)
    case.assertEqual(reply.error()["param"], pointer, reply.body)
    return reply.error()


class CompletionsTest(unittest.TestCase):
    def both(self, **body):
        body = {"model": "tiny", "temperature": 1} | body
        whole = server.whole(COMPLETIONS, "CreateCompletionResponse", **body)
        texts = [""] * len(whole["choices"])
        ends = [None] * len(texts)
        for _, chunk in server.streamed(COMPLETIONS, "", **body):
            for choice in chunk["choices"]:
                self.assertIsNone(ends[choice["index"]])
                texts[choice["index"]] += choice["text"]
                ends[choice["index"]] = choice["finish_reason"]
        self.assertEqual(texts, [choice["text"] for choice in whole["choices"]])
        self.assertEqual(ends, [choice["finish_reason"] for choice in whole["choices"]])
        return whole

    def test_go_on(self):
        for seed in range(6):
            whole = self.both(prompt="Once upon a time", seed=seed, max_tokens=40)
            self.assertTrue(whole["choices"][0]["text"])
        self.assertEqual(whole["model"], "tiny")

    def test_have_16_tokens_by_default(self):
        whole = self.both(prompt="Once", ignore_eos=True, seed=1)
        self.assertEqual(whole["usage"]["completion_tokens"], 16)
        self.assertEqual(whole["choices"][0]["finish_reason"], "length")

    def test_prompts_as_ids(self):
        ids = server.post("/tokenize", {"content": "Once upon a time"}).json()["tokens"]
        texts = {self.both(prompt=prompt, seed=1)["choices"][0]["text"]
                 for prompt in ("Once upon a time", ids, ["Once upon a time"], [ids])}
        self.assertEqual(len(texts), 1)

    def test_echo(self):
        plain = self.both(prompt="Once", seed=1)["choices"][0]["text"]
        body = {"prompt": "Once", "seed": 1, "echo": True, "n": 2}
        self.assertEqual(self.both(**body)["choices"][0]["text"], "Once" + plain)
        for bias in ({}, {"1": 100}):  # its end, which comes at once
            self.both(**body, logit_bias=bias)
        refused(self, COMPLETIONS, body | {"logprobs": 1}, 400, "/echo")

    def test_no_middle_is_filled(self):
        refused(self, COMPLETIONS, {"prompt": "Once", "suffix": " End."}, 400, "/suffix")

    def test_choices_are_those_of_the_next_seeds(self):
        choices = self.both(prompt="Once upon", seed=5, n=3)["choices"]
        for i, choice in enumerate(choices):
            one = self.both(prompt="Once upon", seed=5 + i)["choices"][0]
            self.assertEqual(choice["text"], one["text"])

    def test_several_prompts_are_each_as_alone(self):
        prompts = ["Once upon", "One day", [5, 6], "Once upon", "A", "The", "In", "So", "He", "It"]
        more = {"seed": 3, "temperature": 1, "echo": True, "max_tokens": 20}
        whole = self.both(prompt=prompts, n=2, **more)
        alone = [self.both(prompt=prompt, n=2, **more) for prompt in prompts]
        self.assertEqual([choice["text"] for choice in whole["choices"]],
                         [choice["text"] for one in alone for choice in one["choices"]])
        self.assertEqual([choice["index"] for choice in whole["choices"]], list(range(20)))
        for part in ("prompt_tokens", "completion_tokens", "total_tokens"):
            self.assertEqual(whole["usage"][part], sum(one["usage"][part] for one in alone))

    def test_of_several_prompts_a_wrong_one_is_the_requests_fault(self):
        body = {"prompt": ["a"] * 129, "max_tokens": 1}
        self.assertIn("128", refused(self, COMPLETIONS, body, 400, "/prompt")["message"])
        body = {"prompt": ["a", [5] * 1024], "max_tokens": 1}
        refused(self, COMPLETIONS, body, 400, None)

    def test_logprobs(self):
        for count in (0, 1, 5):
            whole = self.both(prompt="Once upon", seed=5, logprobs=count)
            told = whole["choices"][0]["logprobs"]
            text = whole["choices"][0]["text"]
            self.assertEqual("".join(told["tokens"]), text)
            for token, at, logprob, top in zip(told["tokens"], told["text_offset"],
                                               told["token_logprobs"], told["top_logprobs"]):
                self.assertEqual(text[at : at + len(token)], token)
                self.assertLessEqual(logprob, 0)
                self.assertLessEqual(sum(map(math.exp, top.values())), 1 + 1e-4)
                self.assertLessEqual(len(top), count)

    def test_the_likeliest_is_named_as_the_token_is(self):
        body = {"prompt": "Once upon", "temperature": 0, "logprobs": 3, "max_tokens": 30}
        told = self.both(**body)["choices"][0]["logprobs"]
        self.assertTrue(any(token.startswith(" ") for token in told["tokens"]))
        for token, logprob, top in zip(told["tokens"], told["token_logprobs"],
                                       told["top_logprobs"]):
            self.assertAlmostEqual(top[token], logprob, 4)
            self.assertEqual(len(top), 3)

    def test_forms(self):
        for wish in ({"regex": "[ab]{4}"}, {"grammar": "root ::= [ab] [ab] [ab] [ab]"}):
            text = self.both(prompt="Once", seed=1, **wish)["choices"][0]["text"]
            self.assertRegex(text, "^[ab]{4}$")
        text = self.both(prompt="Once", seed=1, json_schema=WEATHER, max_tokens=90)
        self.assertIn(json.loads(text["choices"][0]["text"])["days"], [1, 2, 3])

    def test_the_adapter_is_a_model(self):
        body = {"prompt": "Once upon a time", "temperature": 0, "max_tokens": 30}
        plain, bent = self.both(**body), self.both(model="poet", **body)
        self.assertEqual(bent["model"], "poet")
        self.assertNotEqual(plain["choices"][0]["text"], bent["choices"][0]["text"])
        self.assertEqual(masked(self.both(**body)), masked(plain))

    def test_wrong_prompts(self):
        for prompt, pointer in (
            (None, "/prompt"), ([], "/prompt"), ({}, "/prompt"), (["a", 5], "/prompt/1"),
            ([1, "b"], "/prompt/1"), ([5000], "/prompt/0"), ([-1], "/prompt/0"),
        ):
            refused(self, COMPLETIONS, {"prompt": prompt}, 400, pointer)
        error = refused(self, COMPLETIONS, {"prompt": [5] * 1024}, 400, None)
        self.assertEqual((error["n_prompt_tokens"], error["n_ctx"]), (1024, 1024))
        refused(self, COMPLETIONS, {"model": "embedder", "prompt": "a"}, 400, "/model")


class VectorsTest(unittest.TestCase):
    def embed(self, **body):
        body = {"model": "embedder"} | body
        return server.whole("/v1/embeddings", "CreateEmbeddingResponse", **body)

    def test_are_of_length_1_and_each_by_itself(self):
        texts = ["Once upon a time", "rain", "Once upon a time", "a b c " * 20, "", "sun", "x"]
        data = self.embed(input=texts)["data"]
        self.assertEqual([one["index"] for one in data], list(range(7)))
        for text, one in zip(texts, data):
            self.assertAlmostEqual(math.hypot(*one["embedding"]), 1, 4)
            alone = self.embed(input=text)["data"][0]["embedding"]
            self.assertEqual(one["embedding"], alone)

    def test_long_texts_are_cut(self):
        long = "a b c " * 2000
        for path, body, place in (
            ("/v1/embeddings", {"model": "embedder", "input": ["a", long]}, "/input/1"),
            ("/v1/rerank", {"model": "scorer", "query": "a", "documents": [long]}, "/documents/0"),
            ("/v1/score", {"model": "scorer", "text_1": long, "text_2": "a"}, "/text_2"),
        ):
            server.whole(path, None, **body)
            wait_for(lambda: (server.event("cut") or {}).get("text") == place, "it is logged")
            self.assertGreater(server.event("cut")["tokens"], server.event("cut")["model_takes"])
        self.assertTrue(all(isinstance(line, dict) for line in server.log), server.log)

    def test_that_are_read_whole_may_be_longer_than_a_usual_pass(self):
        bert = SHARED / "judge/rerank_bert1/checkpoint"
        if not bert.exists():
            self.skipTest("no reference data")
        with Server(convert(bert, "bert")) as other:
            body = {"query": "a", "documents": ["word " * 130, "word " * 4000]}
            results = other.whole("/v1/rerank", None, **body)["results"]
            self.assertEqual(len(results), 2)
        with Server(convert(bert, "bert"), "--context", 64) as other:
            self.assertEqual(other.post("/v1/rerank", body).status, 400)

    def test_base64(self):
        plain = self.embed(input="rain")["data"][0]["embedding"]
        reply = server.post("/v1/embeddings", {"model": "embedder", "input": "rain",
                                               "encoding_format": "base64"}).json()
        packed = base64.b64decode(reply["data"][0]["embedding"], validate=True)
        for a, b in zip(struct.unpack(f"<{len(plain)}f", packed), plain, strict=True):
            self.assertAlmostEqual(a, b, 6)

    def test_texts_as_ids(self):
        texts = ["rain", "Once upon a time"]
        ids = [server.post("/tokenize", {"model": "embedder", "content": text}).json()["tokens"]
               for text in texts]
        plain = self.embed(input=texts, prompt_name="document")  # whose texts have nothing before
        for wish, count in ((ids, 2), (ids[0], 1), ([ids[0]], 1)):
            self.assertEqual(self.embed(input=wish)["data"], plain["data"][:count])
        self.assertEqual(self.embed(input=ids)["usage"], plain["usage"])
        mixed = self.embed(input=[ids[0], "sun"])["data"]
        self.assertEqual(mixed[0], plain["data"][0])
        self.assertEqual(mixed[1]["embedding"], self.embed(input="sun")["data"][0]["embedding"])

    def test_what_is_too_long(self):
        for long in ("rain " * 200, [5] * 200):
            cut = self.embed(input=long)
            self.assertEqual(cut["usage"]["prompt_tokens"], 100)
            body = {"model": "embedder", "input": [long], "truncate": False}
            self.assertIn("100", refused(self, "/v1/embeddings", body, 400, "/input/0")["message"])

    def test_fewer_dimensions(self):
        cut = self.embed(input="rain", dimensions=16)["data"][0]["embedding"]
        self.assertEqual(len(cut), 16)
        self.assertAlmostEqual(math.hypot(*cut), 1, 4)

    def test_wrong_bodies(self):
        for wish, pointer in (
            ({}, "/input"), ({"input": []}, "/input"), ({"input": [3.5]}, "/input/0"),
            ({"input": [[]]}, "/input/0"), ({"input": [[5], [-1]]}, "/input/1/0"),
            ({"input": [5, "a"]}, "/input/1"), ({"input": [10**6]}, "/input/0"),
            ({"input": "a", "prompt_name": "nobody's"}, "/prompt_name"),
            ({"input": [5], "prompt_name": "query"}, "/prompt_name"),
            ({"input": "a", "dimensions": 0}, "/dimensions"),
            ({"input": "a", "dimensions": 10**6}, "/dimensions"),
            ({"input": "a", "encoding_format": "hex"}, "/encoding_format"),
            ({"input": "a", "prompt_name": "poem"}, "/prompt_name"),
            ({"input": ["a", "a b c " * 2000], "truncate": False}, "/input/1"),
        ):
            refused(self, "/v1/embeddings", {"model": "embedder"} | wish, 400, pointer)
        refused(self, "/v1/embeddings", {"model": "tiny", "input": "a"}, 400, "/model")
        refused(self, CHAT, {"model": "embedder", "messages": user("a")}, 400, "/model")

    def test_scores(self):
        documents = ["sun", "Once upon a time", "rain"]
        for path in ("/v1/rerank", "/rerank"):
            whole = server.whole(path, None, model="scorer", query="rain", documents=documents)
            results = whole["results"]
            scores = [one["relevance_score"] for one in results]
            self.assertEqual(scores, sorted(scores, reverse=True))
            self.assertEqual(sorted(one["index"] for one in results), [0, 1, 2])
        best = server.whole(path, None, model="scorer", query="rain", documents=documents, top_n=1,
                            return_documents=True)["results"]
        self.assertEqual(best[0]["document"]["text"], documents[results[0]["index"]])
        self.assertEqual(len(best), 1)
        refused(self, path, {"model": "scorer", "documents": documents}, 400, "/query")
        by_index = {one["index"]: one["relevance_score"] for one in results}
        for first in ("rain", ["rain"] * 3):  # one with each, or side by side
            pairs = server.whole("/v1/score", None, model="scorer", text_1=first, text_2=documents)
            self.assertEqual([one["score"] for one in pairs["data"]],
                             [by_index[i] for i in range(3)])
        refused(self, "/v1/score", {"model": "scorer", "text_1": ["a", "b"], "text_2": "c"}, 400,
                "/text_1")


class ResponsesTest(unittest.TestCase):
    def both(self, **body):
        body = {"model": "chat", "temperature": 1} | body
        whole = server.whole(RESPONSES, "Response", **body)
        events = server.streamed(RESPONSES, "ResponseStreamEvent", **body)
        self.assertEqual([data["sequence_number"] for _, data in events], list(range(len(events))))
        self.assertTrue(all(name == data["type"] for name, data in events))
        self.assertEqual([name for name, _ in events[:2]],
                         ["response.created", "response.in_progress"])
        last = SCHEMA.check("Response", events[-1][1]["response"])
        self.assertEqual(events[-1][0], "response." + whole["status"])
        self.assertEqual(masked(last), masked(whole))
        done = [data["item"] for name, data in events if name == "response.output_item.done"]
        self.assertEqual(done, last["output"])
        for i, item in enumerate(last["output"]):
            parts = [data["delta"] for name, data in events
                     if name.endswith(".delta") and data["output_index"] == i]
            text = item["arguments"] if item["type"] == "function_call" else "".join(
                part["text"] for part in item["content"])
            self.assertEqual("".join(parts), text)
        return whole

    def test_texts(self):
        for seed in range(4):
            whole = self.both(input="Tell a story.", seed=seed, max_output_tokens=30)
            self.assertEqual(whole["status"], "incomplete")
            self.assertEqual(whole["incomplete_details"]["reason"], "max_output_tokens")
            chat = server.post(CHAT, {"model": "chat", "messages": user("Tell a story."),
                                      "seed": seed, "max_tokens": 30, "temperature": 1}).json()
            text = "".join(part["text"] for part in whole["output"][-1]["content"])
            self.assertEqual(text, chat["choices"][0]["message"]["content"])
            self.assertEqual(whole["usage"]["input_tokens"], chat["usage"]["prompt_tokens"])

    def test_functions(self):
        tools = [{"type": "function", "name": "weather", "parameters": WEATHER, "strict": True}]
        for choice in ("required", {"type": "function", "name": "weather"}):
            whole = self.both(input="Rain?", tools=tools, tool_choice=choice, seed=1,
                              parallel_tool_calls=False, max_output_tokens=200)
            (call,) = [one for one in whole["output"] if one["type"] == "function_call"]
            self.assertIn(json.loads(call["arguments"])["city"], ["Paris", "Rome"])
            self.assertEqual(whole["tools"][0]["name"], "weather")
        items = user("Rain?") + [
            {"type": "function_call", "call_id": "1", "name": "weather", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "1", "output": "Sun."},
            {"type": "message", "role": "assistant",
             "content": [{"type": "output_text", "text": "Sun.", "annotations": []}]},
            {"role": "user", "content": [{"type": "input_text", "text": "And then?"}]},
        ]
        self.both(input=items, tools=tools, seed=1, max_output_tokens=8)
        count = server.post("/v1/responses/input_tokens",
                            {"model": "chat", "input": items, "tools": tools}).json()
        self.assertGreater(count["input_tokens"], 50)

    def test_functions_in_a_namespace(self):
        tool = {"type": "function", "name": "weather", "parameters": WEATHER, "strict": True}
        space = {"type": "namespace", "name": "sky", "description": "Above.", "tools": [tool]}
        search = {"type": "web_search", "external_web_access": False}  # nothing here searches
        whole = self.both(input="Rain?", tools=[search, space], tool_choice="required", seed=1,
                          parallel_tool_calls=False, client_metadata={"a": "b"})
        (call,) = [one for one in whole["output"] if one["type"] == "function_call"]
        self.assertEqual((call["namespace"], call["name"]), ("sky", "weather"))
        self.both(input=[*user("Rain?"), call, {"type": "function_call_output", "output": "Sun.",
                                                "call_id": call["call_id"]}],
                  tools=[space], tool_choice="none", seed=1, max_output_tokens=8)
        for wrong, at in (({"name": None}, "name"), ({"tools": None}, "tools"),
                          ({"tools": [{"type": "custom"}]}, "tools/0/type")):
            refused(self, RESPONSES, {"model": "chat", "input": "Rain?", "tools": [space | wrong]},
                    400, "/tools/0/" + at)

    def test_forms_and_thoughts(self):
        form = {"type": "json_schema", "name": "w", "schema": WEATHER, "strict": True}
        whole = self.both(input="Rain?", text={"format": form}, seed=1, thinking_budget=0)
        self.assertIn("city", json.loads(whole["output"][-1]["content"][0]["text"]))
        self.both(input="Rain?", instructions="Be kind.", reasoning={"effort": "low"}, seed=1,
                  max_output_tokens=5, metadata={"a": "b"}, store=False)

    def test_nothing_is_kept(self):
        for name in ("previous_response_id", "conversation"):
            refused(self, RESPONSES, {"model": "chat", "input": "a", name: "x"}, 400, "/" + name)
        refused(self, RESPONSES, {"model": "chat"}, 400, "/input")


class PicturesTest(unittest.TestCase):
    answers = json.loads((SOURCES / "tests/data/reading/answers.json").read_text())

    def ask(self, url, question):
        parts = [{"type": "image_url", "image_url": {"url": url}},
                 {"type": "text", "text": question}]
        return server.post(CHAT, {"model": "reading", "temperature": 0, "max_tokens": 24,
                                  "messages": [{"role": "user", "content": parts}]})

    def test_are_read(self):
        right, asked = 0, self.answers[::17]
        for one in asked:
            picture = SOURCES / "tests/data/reading" / one["picture"]
            kind = "jpeg" if picture.suffix == ".jpg" else "png"
            packed = base64.b64encode(picture.read_bytes()).decode()
            reply = self.ask(f"data:image/{kind};base64,{packed}", one["asked"])
            self.assertEqual(reply.status, 200, reply.body)
            by_path = self.ask("file://" + picture.name, one["asked"]).json()
            text = read(SCHEMA.check("CreateChatCompletionResponse", reply.json()))[0]["content"]
            self.assertEqual(text, read(by_path)[0]["content"])
            right += text.strip() == one["right"]
        self.assertGreater(right, 0.9 * len(asked))

    def test_of_what_a_function_gave(self):
        picture = (SOURCES / "tests/data/reading" / self.answers[0]["picture"]).read_bytes()
        source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(picture).decode()}
        text, image = {"type": "text", "text": "Seen:"}, {"type": "image", "source": source}
        def tokens(*blocks):
            result = {"type": "tool_result", "tool_use_id": "1", "content": blocks}
            use = {"type": "tool_use", "id": "1", "name": "look", "input": {}}
            messages = [*user("Look."), {"role": "assistant", "content": [use]},
                        {"role": "user", "content": [result]}]
            return server.post("/v1/messages/count_tokens", {"model": "reading", "messages": messages})
        self.assertGreater(tokens(text, image).json()["input_tokens"],
                           tokens(text).json()["input_tokens"] + 10)
        where = "/messages/2/content/0/content/0"
        for block, at in ((image | {"type": "sound"}, "/type"), (image | {"source": {}}, "/source/type")):
            self.assertEqual(tokens(block).error()["param"], where + at)

    def test_that_are_none(self):
        for url in ("data:image/png;base64,", "data:image/png;base64,????", "data:image/png,AA",
                    "data:image/png;base64," + "AAAA" * 99, "http://127.0.0.1/a.png",
                    "https://localhost/a.png", "ftp://localhost/a.png", "", "nothing.png",
                    "file:///nothing.png", ".", "a\0b"):
            reply = self.ask(url, "What is it?")
            self.assertEqual(reply.status, 400, url)
            self.assertEqual(reply.error()["param"], "/messages/0/content/0/image_url/url")
        reply = server.post(CHAT, {"model": "chat", "messages": [{"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]}]})
        self.assertEqual(reply.status, 400)
        sound = {"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}
        reply = server.post(CHAT, {"model": "reading",
                                   "messages": [{"role": "user", "content": [sound]}]})
        self.assertEqual(reply.error()["param"], "/messages/0/content/0/type")


class ModelsTest(unittest.TestCase):
    def test_are_listed(self):
        listed = SCHEMA.check("ListModelsResponse", server.get("/v1/models").json())["data"]
        self.assertEqual([one["id"] for one in listed],
                         ["tiny", "poet", "chat", "reading", "embedder", "scorer"])
        self.assertEqual(listed[1]["parent"], "tiny")
        for one in listed:
            self.assertEqual(server.get("/v1/models/" + one["id"]).json()["id"], one["id"])
        reply = server.get("/v1/models/nobody")
        self.assertEqual((reply.status, reply.error()["code"]), (404, "model_not_found"))

    def test_tokens(self):
        for text in ("Once upon a time", "\u00fc\u2603 \U0001f600", "", "a\0b"):
            ids = server.post("/tokenize", {"content": text, "add_special": False}).json()
            self.assertEqual(len(ids["tokens"]), ids["count"])
            back = server.post("/detokenize", {"tokens": ids["tokens"]}).json()
            self.assertEqual(back["content"], text)
            more = server.post("/tokenize", {"content": text}).json()
            self.assertEqual(more["tokens"], [0] + ids["tokens"])  # <|bos|>
        refused(self, "/detokenize", {"tokens": [2048]}, 400, "/tokens/0")
        refused(self, "/tokenize", {}, 400, "/prompt")
        refused(self, "/tokenize", {"content": 3}, 400, "/content")

    def test_of_the_server(self):
        self.assertEqual(server.get("/health").json(), {"status": "ok"})
        self.assertEqual(server.get("/ready").json(), {"status": "ready"})
        self.assertRegex(server.get("/version").json()["version"], r"^\d+\.\d+")
        page = server.get("/")
        self.assertTrue(page.headers["content-type"].startswith("text/html"), page.headers)
        head = server.send("HEAD", "/health")
        self.assertEqual((head.status, head.body), (200, b""))

    def test_metrics(self):
        for line in server.get("/metrics").body.decode().splitlines():
            self.assertRegex(line, r'^(# (HELP|TYPE) \S+ .+|[a-z_:]+(\{[^}]*\})? [-+.e\dInf]+)$')
        before = server.metric("rondo_generated_tokens_total")
        server.post(COMPLETIONS, {"prompt": "a", "max_tokens": 5, "ignore_eos": True})
        generated = lambda: server.metric("rondo_generated_tokens_total")  # noqa: E731
        wait_for(lambda: generated() == before + 5, "they are counted")
        wait_for(server.is_idle, "nothing runs")


if __name__ == "__main__":
    run_tests()
