"""Conversations, vectors, scores and adapters."""
import asyncio
import datetime
import json
import os
import unittest

import rondo
from support import ASK, MODEL, PROMPT, TOOLS, engine, ids, model, text

ANSWER = """<think>
so
</think>

Grüße<tool_call>
{"name": "weather", "arguments": {"city": "Rome"}}
</tool_call>"""
Kinds = rondo.ChatPartKind


class ChatTest(unittest.TestCase):
    def test_b27_an_answer_and_its_parts(self):
        with engine("CALLING").session(max_tokens=12) as session:
            reply = session.chat(ASK)
            self.assertTrue(reply.text)
            self.assertEqual((reply.thinking, reply.calls), ("", []))
            self.assertIs(reply.reason, rondo.Reason.TOKEN_LIMIT)
            parts = list(session.chat_stream(ASK))
            self.assertEqual({part.kind for part in parts}, {Kinds.CONTENT})
            self.assertEqual("".join(part.text for part in parts), reply.text)

            async def again():
                parts = [part async for part in session.achat_stream(ASK)]
                return await session.achat(ASK), parts
            self.assertEqual(asyncio.run(again()), (reply, parts))

    def test_b27_the_end_is_no_content(self):
        with engine("CALLING").session(logit_bias={1: 1e9}) as session:
            self.assertEqual(session.chat(ASK), ("", "", [], rondo.Reason.EOS))

    def test_b27_stop_strings(self):
        def said(stop):
            with engine("CALLING").session(max_tokens=12, stop=stop) as session:
                return session.chat(ASK).text
        whole = said([])
        for letter in set(whole):
            self.assertEqual(said(letter), whole[:whole.index(letter)])

    def test_b27_templates(self):
        template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{{ tail }}"
        messages = [{"role": "user", "content": "Grüße"}, {"role": "assistant", "content": "hi"}]
        options = {"template": template, "variables": {"tail": "!"}}
        self.assertEqual(model().render_chat(messages, **options), "<user>Grüße<assistant>hi!")
        self.assertEqual(model().render_chat(json.dumps(messages), **options),
                         "<user>Grüße<assistant>hi!")
        expected = model().tokenize("<user>Grüße<assistant>hi!", add_special=False)
        self.assertEqual(model().chat_ids(messages, **options), expected)
        self.assertEqual(model().chat_templates, {})
        with engine().session(max_tokens=12) as session:
            answer = session.generate(expected)
            self.assertEqual(session.chat(messages, **options).text.strip(), answer.strip())
        with self.assertRaises(rondo.RondoError) as none:
            model().render_chat(messages)
        self.assertIs(none.exception.status, rondo.Status.UNSUPPORTED)
        with self.assertRaisesRegex(rondo.InvalidArgument, "byte"):
            model().render_chat("[", template=template)
        dated = model().render_chat(messages, template="{{ strftime_now('%Y-%m-%d') }}",
                                    local_time=datetime.datetime(2031, 5, 6, 12))
        self.assertEqual(dated, "2031-05-06")

    def test_b28_unknown_and_wrong_options(self):
        with engine("CALLING").session(max_tokens=4) as session:
            for call in (session.chat, session.chat_stream, session.achat_stream,
                         model("CALLING").render_chat, model("CALLING").chat_ids):
                with self.assertRaisesRegex(TypeError, "temprature"):
                    call(ASK, temprature=1)
                for name, wrong in [("tools", 7), ("variables", [1]), ("plain_content", 1), ("template", 7),
                                    ("local_time", 7), ("template_name", 7), ("continue_final", None)]:
                    with self.assertRaisesRegex(TypeError, name):
                        call(ASK, **{name: wrong})
                for messages in (None, 7, {"role": "user"}, b"[]"):
                    with self.assertRaises(TypeError):
                        call(messages)
                with self.assertRaises(rondo.InvalidArgument):
                    call([{"role": object()}])

    def test_b29_calls_parse(self):
        one = model("CALLING").chat_grammar(ASK, tools=TOOLS, calls=rondo.Calls.ONE, function="weather")
        grammar = model("CALLING").grammar(gbnf=one)
        with engine("CALLING").session(grammar=grammar) as session:
            call, = session.chat(ASK, tools=TOOLS).calls
            self.assertEqual(call.name, "weather")
            self.assertIn(json.loads(call.arguments)["city"], ("Rome", "Oslo"))
            parts = list(session.chat_stream(ASK, tools=TOOLS))
            self.assertEqual((parts[0].kind, parts[-1].kind), (Kinds.CALL, Kinds.CALL_END))
        begun = model("CALLING").grammar(pattern="<tool_ca")
        with engine("CALLING").session(grammar=begun) as session:  # looks like a call to its end
            self.assertEqual(session.chat(ASK, tools=TOOLS).text, "<tool_ca")
        with self.assertRaisesRegex(rondo.InvalidArgument, "absent"):
            model("CALLING").chat_grammar(ASK, tools=TOOLS, function="absent")

    def test_parser(self):
        with model("CALLING").chat_parser(ASK, tools=TOOLS) as parser:
            for _ in range(2):
                parts = []
                for byte in ANSWER.encode():
                    parser.push(bytes([byte]))
                    parts += parser.parts()
                parser.push(b"", last=True)
                parts += parser.parts()
                self.check_parts(parts)
                with self.assertRaises(rondo.InvalidArgument):
                    parser.push(b"more")
                parser.reset()
            for wrong in ("text", None, 7):
                with self.assertRaises(TypeError):
                    parser.push(wrong)
        with self.assertRaisesRegex(rondo.Closed, "closed"):
            parser.push(b"")
        with self.assertRaises(rondo.RondoError) as none:
            model().chat_parser(ASK, tools=TOOLS, template="{{ messages[0].content }}")
        self.assertIs(none.exception.status, rondo.Status.UNSUPPORTED)

    def check_parts(self, parts):
        def said(kind):
            return "".join(part.text for part in parts if part.kind == kind)
        self.assertEqual((said(Kinds.THINKING), said(Kinds.CONTENT)), ("so", "Grüße"))
        call, *_, end = [part for part in parts if part.kind in (Kinds.CALL, Kinds.CALL_END)]
        self.assertEqual((call.name, call.call, call.id), ("weather", 0, ""))
        self.assertEqual((end.name, end.arguments), ("weather", said(Kinds.ARGUMENTS)))
        self.assertEqual(json.loads(end.arguments), {"city": "Rome"})

    def test_plain_content(self):
        said = [{"role": "user", "content": "<|pad|>"}]
        self.assertNotIn(2, model("CALLING").chat_ids(said))
        self.assertIn(2, model("CALLING").chat_ids(said, plain_content=False))
        self.assertEqual(model("CALLING").chat_ids(said).count(1), 1)  # the template's own
        begin, end = model("CALLING").chat_thinking(ASK)
        self.assertEqual((begin.strip(), end.strip()), ("<think>", "</think>"))


class EmbeddingTest(unittest.TestCase):
    def test_b31_vectors(self):
        embedder, texts = model("EMBEDDER"), ["the sky is blue", "Once upon a time", "no"]
        facts = embedder.embedder
        self.assertEqual((facts.dimensions, facts.max_tokens, facts.scores_pairs), (192, 100, 0))
        self.assertIs(facts.pooling, rondo.Pooling.MEAN)
        self.assertEqual(set(embedder.prompts), {"query", "document"})
        self.assertEqual(embedder.embedding_text("Grüße"), "Query: Grüße")
        self.assertEqual(embedder.embedding_text("", ""), "")
        vectors = engine("EMBEDDER").embed(texts, prompt="document")
        asked, = engine("EMBEDDER").embed(["Once upon a time"], prompt="document")
        scores = [sum(x * y for x, y in zip(asked, vector)) for vector in vectors]
        self.assertEqual(scores.index(max(scores)), 1)
        for vector in vectors:
            self.assertEqual(len(vector), 192)
            self.assertAlmostEqual(sum(x * x for x in vector), 1, places=5)
        self.assertEqual(asyncio.run(engine("EMBEDDER").aembed(texts, prompt="document")), vectors)
        self.assertEqual(engine("EMBEDDER").embed([]), [])
        self.assertEqual(engine("EMBEDDER").stats.sessions_open, 0)
        short = engine("EMBEDDER").embed(texts * 5, prompt="document", dimensions=8)
        self.assertEqual({len(vector) for vector in short}, {8})

    def test_b31_with_ids_and_sessions(self):
        texts = [model("EMBEDDER").tokenize(word) for word in ("Once upon a time", "there was", "no")]
        with engine("EMBEDDER").session() as one, engine("EMBEDDER").session() as other:
            vectors = engine("EMBEDDER").embed_ids([one, other], texts)
            self.assertEqual([one.embed(text) for text in texts], vectors)
            self.assertEqual(one.embed(texts[0], dimensions=8),
                             engine("EMBEDDER").embed_ids([one], texts, dimensions=8)[0])
            self.assertEqual(engine("EMBEDDER").embed(["there was"], prompt="")[0], vectors[1])
            with self.assertRaises(rondo.ContextFull):
                one.embed([5] * 101)
            with self.assertRaisesRegex(rondo.InvalidArgument, "text 1 has no tokens"):
                engine("EMBEDDER").embed_ids([one], [texts[0], []])
            with self.assertRaisesRegex(rondo.InvalidArgument, "dimensions"):
                one.embed(texts[0], dimensions=193)
            with self.assertRaises(rondo.ModelError):
                one.prefill(texts[0])

    def test_b31_what_is_refused(self):
        for texts in ("one text", 7, None, [7], [b"a"]):
            with self.assertRaises(TypeError):
                engine("EMBEDDER").embed(texts)
        with self.assertRaises(rondo.InvalidArgument):
            engine("EMBEDDER").embed(["a"], prompt="none")
        with self.assertRaisesRegex(rondo.InvalidArgument, "dimensions"):
            engine("EMBEDDER").embed(["a"], dimensions=2**32 + 8)
        with self.assertRaises(rondo.ModelError):
            engine().embed(["a"])
        self.assertEqual((model().embedder.dimensions, model().prompts), (0, []))
        with engine().session() as session, self.assertRaisesRegex(rondo.ModelError, "predicts tokens"):
            session.embed(ids())

    def test_b31_what_the_model_has_not(self):
        for said, call in (("makes no vectors of texts", lambda: engine().embed(["a"])),
                           ("has no prompt named 'nope'", lambda: engine("EMBEDDER").embed(["a"], prompt="nope")),
                           ("scores no pairs", lambda: engine("EMBEDDER").score("a", ["b"])),
                           ("no token of the model", lambda: model().detokenize([2048]))):
            with self.assertRaisesRegex(rondo.RondoError, said):
                call()

    def test_b32_a_query_that_is_no_text(self):
        with self.assertRaisesRegex(TypeError, "query must be a str"):
            engine("SCORER").score(5, [])

    def test_b32_scores(self):
        documents = ["a hill", "the sea", "her mom"]
        scores = engine("SCORER").score("Where?", documents)
        self.assertTrue(all(0 < score < 1 for score in scores))
        self.assertEqual(len(set(scores)), 3)
        self.assertEqual(asyncio.run(engine("SCORER").ascore("Where?", documents)), scores)
        self.assertNotEqual(engine("SCORER").score("Where?", documents, instruction="Find it"), scores)
        with engine("SCORER").session() as session:
            pair = model("SCORER").tokenize(model("SCORER").pair_text("Where?", "the sea"))
            self.assertEqual(session.embed(pair)[0], scores[1])
            self.assertEqual(len(session.embed(pair, dimensions=2)), 2)
        for wrong in ("a hill", 7, [7]):
            with self.assertRaises(TypeError):
                engine("SCORER").score("Where?", wrong)


class AdapterTest(unittest.TestCase):
    def test_b34_an_adapter(self):
        path = os.environ["RONDO_TEST_ADAPTER"]
        adapter = model().adapter(path)
        self.assertEqual(adapter.info.rank, 4)
        with self.assertRaisesRegex(rondo.InvalidArgument, "adapter_rank is 0"):
            engine().session(adapter=adapter)
        adapting = model().engine(context=256, max_sessions=4, adapter_rank=4)
        with adapting.session(max_tokens=16) as session:
            self.assertEqual(session.generate(PROMPT), text())
        session = adapting.session(max_tokens=16, adapter=adapter)
        adapter.close()  # the session goes on
        session.prefill(ids())
        fork = session.fork(max_tokens=16)
        said = session.generate()
        self.assertNotEqual(said, text())
        self.assertEqual(fork.generate(), said)
        with open(path, "rb") as file:
            in_memory = model().adapter(file.read())
        with adapting.session(max_tokens=16, adapter=in_memory) as session:
            self.assertEqual(session.generate(PROMPT), said)
        with self.assertRaisesRegex(rondo.RondoError, "it is a model"):
            model().adapter(MODEL)
        with self.assertRaisesRegex(rondo.Closed, "closed"):
            adapting.session(adapter=adapter)


if __name__ == "__main__":
    unittest.main()
