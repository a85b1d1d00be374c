"""A whole life with the tiny model, whose file RONDO_TEST_MODEL names."""
import asyncio
import functools
import gc
import json
import mmap
import os
import threading
import unittest

import rondo

MODEL = os.environ["RONDO_TEST_MODEL"]
PROMPT = "Today's weather is so"
PERSON = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 12},
                                           "age": {"type": "integer", "minimum": 0, "maximum": 130}},
          "required": ["name", "age"]}
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {
    "type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}}, "required": ["city"],
    "additionalProperties": False}}}]
ASK = [{"role": "user", "content": "How is the weather?"}]
ANSWER = """<think>
so
</think>

Grüße<tool_call>
{"name": "weather", "arguments": {"city": "Rome"}}
</tool_call>"""


class RondoTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = rondo.Model(MODEL)
        cls.engine = cls.model.engine(context=256, max_sessions=4)
        cls.ids = cls.model.tokenize(PROMPT)
        with cls.engine.session(max_tokens=16) as session:
            cls.text = session.generate(cls.ids)

    @functools.cached_property
    def calling(self):
        """The same model, with a template that knows functions and thoughts."""
        return rondo.Model(os.environ["RONDO_TEST_CALLING"])

    def test_model_facts(self):
        self.assertEqual(self.model.info.vocab_size, 2048)
        self.assertEqual(self.model.eos_tokens, [1])
        self.assertEqual(self.model.facts["architecture"], "LlamaForCausalLM")
        self.assertEqual(self.model.detokenize(self.ids, skip_special=True), PROMPT)
        self.assertGreater(len(self.model.tokenize("word " * 3000)), 3000)
        self.assertEqual(rondo.query("abi.version"), rondo.ABI_VERSION)
        self.assertIn(".", rondo.version())

    def test_plan(self):
        plan = self.model.plan(context=256, max_sessions=4)
        self.assertEqual(plan.arena_bytes, self.engine.memory.arena_bytes)
        self.assertEqual(plan.kernels, self.engine.memory.kernels)
        regions = self.model.plan_regions(context=256, max_sessions=4)
        self.assertEqual(regions, self.engine.memory_regions)
        self.assertEqual(regions[0].segment, rondo.Segment.WEIGHTS)
        fit = self.model.plan_fit(plan.arena_bytes, max_sessions=4)
        self.assertGreaterEqual(fit, 256)

    def test_stream(self):
        with self.engine.session(max_tokens=16, logprobs=1) as session:
            session.prefill(self.ids)
            events = list(session.stream())
            self.assertEqual("".join(event.text for event in events), self.text)
            self.assertEqual(events[-1].reason, rondo.Reason.TOKEN_LIMIT)
            self.assertLess(events[0].logprob, 0)
            self.assertEqual(session.position, len(self.ids) + 16)
            self.assertEqual(session.remaining, 256 - len(self.ids) - 16)
            self.assertEqual(session.evicted, (0, 0))
            self.assertEqual(session.tokens, self.ids + [event.token for event in events])
        with self.engine.session(max_tokens=16, stop=[self.text[4:8]]) as session:
            self.assertEqual(session.generate(self.ids), self.text[:4])

    def test_recommended(self):
        makers = rondo.Model(os.environ["RONDO_TEST_RECOMMENDING"])
        engine = makers.engine(context=256)
        makers.close()  # in any order

        def text_with(**options):
            with engine.session(max_tokens=16, **options) as session:
                return session.generate(self.ids)
        recommended = text_with()
        self.assertNotEqual(recommended, self.text)
        self.assertEqual(text_with(temperature=1.5, top_k=50), recommended)
        self.assertEqual(text_with(temperature=0), " lovely and bright. Lily ran down the ")
        self.assertEqual(text_with(recommended=False), self.text)

    def test_grammar(self):
        def text_with(engine=self.engine, **options):
            with engine.session(temperature=1.0, seed=7, **options) as session:
                session.prefill(self.ids)
                events = list(session.stream())
                self.assertIn(events[-1].reason, (rondo.Reason.GRAMMAR, rondo.Reason.EOS))
                return "".join(event.text for event in events)

        def check(text):
            person = json.loads(text)
            self.assertEqual(list(person), ["name", "age"])
            self.assertLessEqual(len(person["name"]), 12)
            self.assertIn(person["age"], range(131))
        text = text_with(json_schema=PERSON)
        check(text)
        self.assertEqual(text_with(json_schema=json.dumps(PERSON)), text)
        with self.model.grammar(PERSON, one_space=True, named_only=True) as grammar:
            session = self.engine.session(grammar=grammar, temperature=1.0, seed=7)
        self.assertTrue(grammar.closed)  # the session goes on
        fork = session.fork(grammar=self.model.grammar(pattern="[ab]{4}c"))
        self.assertEqual(session.generate(self.ids), text)
        self.assertRegex(fork.generate(self.ids), "^[ab]{4}c$")
        ones = self.model.grammar({"type": "array", "items": {"enum": [1]}, "minItems": 2,
                                   "maxItems": 2}, no_spaces=True)
        self.assertEqual(text_with(grammar=ones), "[1,1]")
        spaced = self.model.grammar({"enum": [{"a": [1, 2]}]}, one_space=True)
        self.assertEqual(text_with(grammar=spaced), '{"a": [1, 2]}')
        session.close()
        fork.close()

    def test_any_order_of_members(self):
        schema = {"properties": {"a": {"enum": [1]}, "b": {"enum": [2]}}, "required": ["a", "b"],
                  "type": "object", "additionalProperties": False}

        def orders(**options):
            grammar = self.model.grammar(schema, no_spaces=True, **options)
            result = set()
            for seed in range(16):
                with self.engine.session(grammar=grammar, temperature=1.0, seed=seed) as session:
                    result.add(session.generate(self.ids))
            return result
        self.assertEqual(orders(), {'{"a":1,"b":2}'})
        self.assertIn('{"b":2,"a":1}', orders(any_order=True))

    def test_adapter(self):
        path = os.environ["RONDO_TEST_ADAPTER"]
        adapter = self.model.adapter(path)
        self.assertEqual(adapter.info.rank, 4)
        with self.assertRaisesRegex(rondo.InvalidArgument, "adapter_rank is 0"):
            self.engine.session(adapter=adapter)
        engine = self.model.engine(context=256, max_sessions=4, adapter_rank=4)
        with engine.session(max_tokens=16) as session:
            self.assertEqual(session.generate(self.ids), self.text)
        session = engine.session(max_tokens=16, adapter=adapter)
        adapter.close()  # the session goes on
        session.prefill(self.ids)
        fork = session.fork(max_tokens=16)
        text = session.generate()
        self.assertNotEqual(text, self.text)
        self.assertEqual(fork.generate(), text)
        with open(path, "rb") as file:
            in_memory = self.model.adapter(file.read())
        with engine.session(max_tokens=16, adapter=in_memory) as session:
            self.assertEqual(session.generate(self.ids), text)
        with self.assertRaisesRegex(rondo.RondoError, "it is a model"):
            self.model.adapter(MODEL)
        with self.assertRaisesRegex(ValueError, "closed"):
            engine.session(adapter=adapter)

    def test_inputs(self):
        hidden_size = self.model.info.hidden_size
        zeros = bytes(3 * hidden_size * 4)
        rows = rondo.Input(zeros[:2 * hidden_size * 4], count=2, row_format=rondo.Rows.FLOAT32)
        halves = rondo.Input(memoryview(zeros[:len(zeros) // 2]).cast("H", [3, hidden_size]),
                             coordinates=[(0, 0, 0), (0, 0, 1), (0, 1, 0)], sees_whole=True)
        model = rondo.Model(MODEL)
        engine = model.engine(context=256, max_input_rows=8)
        model.close()  # the engine goes on
        with engine.session() as session:
            session.append_inputs([self.ids, rows, halves])
            self.assertEqual(session.tokens, [*self.ids, *[-1] * 5])
            self.assertEqual(len(session.logits()), 2048)
            session.append_inputs([[3]])
            self.assertGreaterEqual(session.next().token, 0)
            wrong = rondo.Input(zeros[4:], count=3, row_format=rondo.Rows.FLOAT32)
            many = rondo.Input(memoryview(bytes(9 * hidden_size * 2)).cast("H", [9, hidden_size]))
            for given, error, words in [
                    (wrong, ValueError, "not those of 3 rows"), (many, ValueError, "is 8"),
                    ([], ValueError, "no tokens"), (3, TypeError, ""), ("text", TypeError, "")]:
                with self.assertRaisesRegex(error, words):
                    session.append_inputs([self.ids, given])
            with self.assertRaisesRegex(rondo.InvalidArgument, "0 inputs"):
                session.append_inputs([])
            self.assertEqual(session.position, len(self.ids) + 7)
        with self.assertRaisesRegex(TypeError, "count"):
            rondo.Input(zeros)
        with self.assertRaisesRegex(TypeError, "format 'B'"):
            rondo.Input(zeros, count=3)
        with self.assertRaisesRegex(ValueError, "three numbers"):
            rondo.Input(memoryview(zeros).cast("f", [3, hidden_size]), coordinates=[(0, 0, 0)])
        with self.engine.session() as session:
            with self.assertRaisesRegex(rondo.InvalidArgument, "max_input_rows is 0"):
                session.append_inputs([rows])

    def test_embedding(self):
        model = rondo.Model(os.environ["RONDO_TEST_EMBEDDER"])
        facts = model.embedder
        self.assertEqual((facts.dimensions, facts.max_tokens, facts.scores_pairs), (192, 100, 0))
        self.assertEqual(facts.pooling, rondo.Pooling.MEAN)
        self.assertEqual(set(model.prompts), {"query", "document"})
        self.assertEqual(model.embedding_text("Grüße"), "Query: Grüße")
        self.assertEqual(model.embedding_text("Grüße", "document"), "Grüße")
        self.assertEqual(model.embedding_text("", ""), "")
        with self.assertRaises(rondo.InvalidArgument):
            model.embedding_text("a", "none")
        with self.assertRaises(rondo.ModelError):
            model.pair_text("a", "b")
        texts = [model.tokenize(model.embedding_text(text))
                 for text in ["Once upon a time", "there was", "a girl who liked to play"]]
        engine = model.engine(context=128, max_sessions=2)
        sessions = [engine.session(), engine.session()]
        model.close()  # the engine goes on
        vectors = engine.embed(sessions, texts)
        self.assertEqual(len(vectors), 3)
        for ids, vector in zip(texts, vectors):
            self.assertEqual(len(vector), 192)
            self.assertAlmostEqual(sum(x * x for x in vector), 1, places=5)
            self.assertEqual(sessions[0].embed(ids), vector)
        self.assertEqual(sessions[0].position, 0)
        self.assertEqual(engine.embed(sessions, texts, 8)[1], sessions[1].embed(texts[1], 8))
        self.assertEqual(engine.embed(sessions, []), [])
        for ids, dimensions, kind in [(texts[0], 193, rondo.InvalidArgument), ([], 0, rondo.InvalidArgument),
                                      ([5] * 101, 0, rondo.ContextFull)]:
            with self.assertRaises(kind):
                sessions[0].embed(ids, dimensions)
        with self.assertRaisesRegex(rondo.InvalidArgument, "text 1 has no tokens"):
            engine.embed(sessions, [texts[0], []])
        with self.assertRaises(rondo.ModelError):
            sessions[0].prefill(texts[0])

    def test_models_that_predict_embed_nothing(self):
        self.assertEqual((self.model.embedder.dimensions, self.model.prompts), (0, []))
        with self.engine.session() as session:
            with self.assertRaisesRegex(rondo.ModelError, "predicts tokens"):
                session.embed(self.ids)
            with self.assertRaisesRegex(rondo.ModelError, "predicts tokens"):
                self.engine.embed([session], [self.ids])

    def test_scores_of_pairs(self):
        model = rondo.Model(os.environ["RONDO_TEST_SCORER"])
        self.assertEqual(model.embedder.scores_pairs, 1)
        self.assertRegex(model.pair_text("Grüße?", "a hill", "Find it"),
                         r"Find it\n.*Grüße\?\n.*a hill")
        self.assertNotIn("Find it", model.pair_text("Grüße?", "a hill"))
        with self.assertRaises(rondo.ModelError):
            model.embedding_text("a")
        engine = model.engine(max_sessions=2)
        texts = [model.tokenize(model.pair_text("Where?", document))
                 for document in ["a hill", "the sea", "her mom"]]
        sessions = [engine.session(), engine.session()]
        scores = [score for score, in engine.embed(sessions, texts)]
        self.assertTrue(all(0 < score < 1 for score in scores))
        self.assertEqual(len(set(scores)), 3)
        self.assertEqual(sessions[1].embed(texts[2])[0], scores[2])

    def test_grammars_that_are_refused(self):
        with self.assertRaisesRegex(rondo.RondoError, "#/properties/a/uniqueItems") as refused:
            self.model.grammar({"properties": {"a": {"uniqueItems": True}}})
        self.assertEqual(refused.exception.status, rondo.Status.UNSUPPORTED)
        with self.assertRaisesRegex(rondo.RondoError, "#/properties/a/uniqueItems"):
            self.engine.session(json_schema={"properties": {"a": {"uniqueItems": True}}})
        with self.assertRaisesRegex(rondo.InvalidArgument, "memory_bytes"):
            self.model.grammar(PERSON, memory_bytes=7)
        with self.assertRaises(TypeError):
            self.model.grammar(PERSON, pattern="a")
        with self.assertRaises(TypeError):
            self.engine.session(json_schema=PERSON, grammar=self.model.grammar(PERSON))
        closed = self.model.grammar(PERSON)
        closed.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            self.engine.session(grammar=closed)

    def test_plan_of_a_grammar(self):
        small = self.model.plan_grammar(PERSON, memory_bytes=1 << 20)
        self.assertGreater(small, 0)
        self.assertGreater(self.model.plan_grammar(PERSON), small)
        self.assertEqual(self.model.plan_grammar(pattern="a", memory_bytes=1 << 20), small)

    def test_rules(self):
        grammar = self.model.grammar(gbnf='root ::= "sky" | "sea"')
        with self.engine.session(grammar=grammar) as session:
            self.assertIn(session.generate(self.ids), ("sky", "sea"))
        with self.assertRaises(TypeError):
            self.model.grammar(pattern="a", gbnf='root ::= "a"')
        self.assertGreater(self.model.plan_grammar(gbnf='root ::= "sky" | "sea"'), 0)

    def test_where_a_grammar_begins(self):
        grammar = self.model.grammar(pattern="[ab]{3}")
        with self.engine.session(max_tokens=1) as session:
            session.prefill(self.ids)
            first = session.next()
        options = {"grammar": grammar, "max_tokens": 16, "grammar_token": first.token,
                   "grammar_begin": rondo.GrammarBegin.AFTER_TOKEN}
        with self.engine.session(**options) as session:
            self.assertRegex(session.generate(self.ids), f"^{first.text}[ab]{{3}}$")
        with self.engine.session(grammar_goes_on=True, **options) as session:
            session.prefill(self.ids)
            events = list(session.stream())
            self.assertEqual(events[-1].reason, rondo.Reason.TOKEN_LIMIT)
            self.assertRegex("".join(e.text for e in events), f"^{first.text}[ab]{{3}}.")

    def test_thinking(self):
        ids = self.model.tokenize("Lily saw her mom")

        def channels(engine=self.engine, **options):
            with engine.session(max_tokens=32, temperature=1, seed=3, **options) as session:
                session.prefill(ids)
                return [event.channel for event in session.stream()]
        words = {"thinking_begin": " mom", "thinking_end": " day.\n"}
        self.assertEqual(set(channels()), {rondo.Channel.TEXT})
        inside = channels(thinking=True, **words)
        self.assertIs(inside[0], rondo.Channel.THINKING)
        bounded = channels(thinking=True, thinking_tokens=1, **words)
        self.assertLess(bounded.index(rondo.Channel.TEXT), 8)
        with self.assertRaisesRegex(rondo.RondoError, "chat template"):
            channels(thinking=True)  # no template says what is around a thought
        with self.calling.engine(context=256) as engine:
            self.assertEqual(set(channels(engine, thinking=True)), {rondo.Channel.TEXT})
        begin, end = self.calling.chat_thinking(ASK)
        self.assertEqual((begin.strip(), end.strip()), ("<think>", "</think>"))

    def test_plain_content(self):
        said = [{"role": "user", "content": "<|pad|>"}]
        self.assertNotIn(2, self.calling.chat_ids(said))
        self.assertIn(2, self.calling.chat_ids(said, plain_content=False))
        self.assertEqual(self.calling.chat_ids(said).count(1), 1)  # the template's own

    def test_parser(self):
        with self.calling.chat_parser(ASK, tools=TOOLS) as parser:
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
        with self.assertRaisesRegex(ValueError, "closed"):
            parser.push(b"")
        with self.assertRaises(rondo.RondoError) as none:
            self.model.chat_parser(ASK, tools=TOOLS, template="{{ messages[0].content }}")
        self.assertEqual(none.exception.status, rondo.Status.UNSUPPORTED)

    def check_parts(self, parts):
        kinds = rondo.ChatPartKind

        def text(kind):
            return "".join(part.text for part in parts if part.kind == kind)
        self.assertEqual((text(kinds.THINKING), text(kinds.CONTENT)), ("so", "Grüße"))
        call, *_, end = [part for part in parts if part.kind in (kinds.CALL, kinds.CALL_END)]
        self.assertEqual((call.name, call.call, call.id), ("weather", 0, ""))
        self.assertEqual((end.name, end.arguments), ("weather", text(kinds.ARGUMENTS)))
        self.assertEqual(json.loads(end.arguments), {"city": "Rome"})

    def test_calls(self):
        kinds = rondo.ChatPartKind
        one = self.calling.chat_grammar(ASK, tools=TOOLS, calls=rondo.Calls.ONE, function="weather")
        with self.calling.engine(context=256) as engine, \
                engine.session(grammar=self.calling.grammar(gbnf=one)) as session:
            parts = list(session.chat_parts(ASK, tools=TOOLS))
            self.assertEqual((parts[0].kind, parts[-1].kind), (kinds.CALL, kinds.CALL_END))
            self.assertEqual(parts[-1].name, "weather")
            self.assertIn(json.loads(parts[-1].arguments)["city"], ("Rome", "Oslo"))

            async def again():
                return [part async for part in session.achat_parts(ASK, tools=TOOLS)]
            self.assertEqual(asyncio.run(again()), parts)
        begun = self.calling.grammar(pattern="<tool_ca")
        with self.calling.engine(context=256) as engine, engine.session(grammar=begun) as session:
            parts = session.chat_parts(ASK, tools=TOOLS)  # looks like a call to its end
            self.assertEqual("".join(part.text for part in parts), "<tool_ca")
        with self.calling.engine(context=256) as engine, engine.session(logit_bias={1: 1e9}) as session:
            self.assertEqual(list(session.chat_parts(ASK)), [])  # the end is no content
        with self.calling.engine(context=256) as engine, engine.session(max_tokens=12) as session:
            text = "".join(event.text for event in session.chat(ASK))
            parts = list(session.chat_parts(ASK))
            self.assertEqual({part.kind for part in parts}, {kinds.CONTENT})
            self.assertEqual("".join(part.text for part in parts).strip(), text.strip())
        with self.assertRaisesRegex(rondo.InvalidArgument, "absent"):
            self.calling.chat_grammar(ASK, tools=TOOLS, function="absent")

    def test_cpus(self):
        cpu = min(os.sched_getaffinity(0))
        with self.model.engine(context=64, threads=2, cpus=[cpu]) as engine:
            self.assertEqual(engine.memory.threads, 2)
            with engine.session(max_tokens=16) as session:
                self.assertEqual(session.generate(self.ids), self.text)
        self.assertEqual(self.model.plan(context=64, cpus=[cpu]).threads, 1)
        with self.assertRaisesRegex(rondo.InvalidArgument, "1023"):
            self.model.engine(context=64, affinity=rondo.Affinity.CPUS, cpus=[1023])

    def test_async_stream(self):
        async def one():
            with self.engine.session(max_tokens=16) as session:
                session.prefill(self.ids)
                return "".join([event.text async for event in session.astream()])

        async def several():
            return await asyncio.gather(one(), one(), one())
        self.assertEqual(asyncio.run(several()), [self.text] * 3)

    def test_a_cancelled_task_leaves_a_session_that_works(self):
        async def run():
            with self.engine.session(ignore_eos=1) as session:
                session.prefill(self.ids)

                async def endless():
                    async for _ in session.astream():
                        pass
                task = asyncio.create_task(endless())
                await asyncio.sleep(0.01)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                session.reset()
                session.prefill(self.ids)
        asyncio.run(run())

    def test_logits(self):
        with self.engine.session() as session:
            rows = []
            session.prefill_logits(self.ids, lambda index, logits: rows.append(max(logits)))
            logits = session.logits()
            self.assertEqual((len(rows), len(logits)), (len(self.ids), 2048))
            self.assertEqual(rows[-1], max(logits))
            best = max(range(2048), key=logits.__getitem__)
            self.assertEqual(session.next().token, best)
            session.undo(1)
            session.accept(best)
            self.assertEqual(session.position, len(self.ids) + 1)
            with self.assertRaises(ZeroDivisionError):
                session.prefill_logits(self.ids, lambda index, logits: 1 // 0)

    def test_logits_as_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no NumPy here")
        session = self.engine.session()
        session.prefill(self.ids)
        array = session.logits_array()
        self.assertEqual((array.dtype, array.shape), (numpy.float32, (2048,)))
        self.assertEqual(array.tolist(), session.logits().tolist())
        again = session.logits_array()
        self.assertTrue(numpy.shares_memory(array, again))  # no copies
        self.assertFalse(array.flags.writeable)
        del session
        gc.collect()
        self.assertEqual(len(array.tolist()), 2048)  # the view holds the session

    def test_cancel(self):
        with self.engine.session(max_tokens=16) as session:
            session.cancel()
            with self.assertRaises(rondo.Cancelled):
                session.prefill(self.ids)
            self.assertEqual(session.position, 0)
            self.assertEqual(session.generate(self.ids), self.text)

    def test_cancel_call(self):
        with self.engine.session(max_tokens=16) as session:
            number = session.call_number
            session.prefill(self.ids)
            session.cancel_call(number)  # it is over: nothing happens
            self.assertEqual(session.call_number, number + 1)
            session.cancel_call(number + 1)
            with self.assertRaises(rondo.Cancelled):
                session.next()
            self.assertEqual(session.generate(), self.text)
            with self.assertRaises(rondo.InvalidArgument):
                session.cancel_call(session.call_number + 1)

    def test_cancel_from_another_thread(self):
        with self.engine.session(ignore_eos=1) as session:
            timer = threading.Timer(0.02, session.cancel)
            timer.start()
            with self.assertRaises(rondo.Cancelled):
                while True:  # reset() would forget a cancellation that came before it
                    session.undo(session.position)
                    session.prefill(self.ids * 20)

    def test_fork(self):
        with self.engine.session() as session:
            session.prefill(self.ids)
            with session.fork(max_tokens=16) as fork, \
                    session.fork(max_tokens=16, logit_bias={fork_first(fork): -1e9}) as other:
                self.assertEqual(fork.generate(), self.text)
                self.assertNotEqual(other.generate(), self.text)
            self.assertEqual(session.position, len(self.ids))

    def test_step(self):
        prompts = [PROMPT, "Once upon a time", "The cat"]
        alone = []
        for prompt in prompts:
            with self.engine.session(max_tokens=12) as session:
                alone.append(session.generate(self.model.tokenize(prompt)))
        sessions = [self.engine.session(max_tokens=12) for _ in prompts]
        texts = {session: "" for session in sessions}
        for session, prompt in zip(sessions, prompts):
            session.append(self.model.tokenize(prompt))
        running = list(sessions)
        while running:
            self.engine.step(running)
            for session in list(running):
                event = session.event()
                texts[session] += event.text
                if event.reason != rondo.Reason.NONE:
                    running.remove(session)
        self.assertEqual(list(texts.values()), alone)
        self.assertEqual(self.engine.stats.sessions_open, len(sessions))
        for session in sessions:
            session.close()

    def test_snapshot(self):
        with self.engine.session(max_tokens=16) as session:
            session.prefill(self.ids)
            first = "".join(session.next().text for _ in range(6))
            saved = session.save()
        with self.model.engine(context=256) as engine, engine.session(max_tokens=16) as session:
            session.restore(saved)
            self.assertEqual(first + session.generate(), self.text)
            with self.assertRaises(rondo.ModelError) as damaged:
                session.restore(saved[:-1] + bytes([saved[-1] ^ 1]))
            self.assertEqual(damaged.exception.status, rondo.Status.CORRUPT)

    def test_chat(self):
        template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{{ tail }}"
        messages = [{"role": "user", "content": "Grüße"}, {"role": "assistant", "content": "hi"}]
        text = self.model.render_chat(messages, template=template, variables={"tail": "!"})
        self.assertEqual(text, "<user>Grüße<assistant>hi!")
        ids = self.model.chat_ids(messages, template=template, variables={"tail": "!"})
        self.assertEqual(ids, self.model.tokenize(text, add_special=False))
        self.assertEqual(self.model.chat_templates, {})
        with self.engine.session(max_tokens=12) as session:
            answer = session.generate(ids)
            session.prefill(self.ids)  # is taken back
            options = {"template": template, "variables": {"tail": "!"}}
            self.assertEqual("".join(e.text for e in session.chat(messages, **options)), answer)

            async def chat():
                return "".join([e.text async for e in session.achat(messages, **options)])
            self.assertEqual(asyncio.run(chat()), answer)
        with self.assertRaises(rondo.RondoError) as none:
            self.model.render_chat(messages)
        self.assertEqual(none.exception.status, rondo.Status.UNSUPPORTED)
        with self.assertRaisesRegex(rondo.InvalidArgument, "byte"):
            self.model.render_chat("[", template=template)

    def test_errors(self):
        with self.assertRaisesRegex(rondo.ModelError, "absent.rondo"):
            rondo.Model("absent.rondo")
        with self.assertRaises(rondo.ModelError) as not_one:
            rondo.Model(__file__)
        self.assertEqual(not_one.exception.status, rondo.Status.NOT_A_MODEL)
        with self.assertRaisesRegex(rondo.InvalidArgument, "max_rows"):
            self.model.engine(max_rows=50000)
        with self.assertRaisesRegex(TypeError, "warmth"):
            self.engine.session(warmth=1)
        with self.engine.session() as session:
            with self.assertRaisesRegex(rondo.InvalidArgument, "2048"):
                session.prefill([2048])
            with self.assertRaises(rondo.ContextFull):
                session.prefill([5] * 257)
            with self.assertRaises(rondo.RondoError) as nothing:
                session.next()
            self.assertEqual(nothing.exception.status, rondo.Status.NO_LOGITS)
        with self.assertRaisesRegex(ValueError, "closed"):
            session.next()
        with self.assertRaises(rondo.RondoError):
            rondo.query("no such thing")

    def test_progress(self):
        told = []
        self.model.engine(context=64, progress=lambda done, total: told.append((done, total))).close()
        self.assertEqual(told[-1][0], told[-1][1])

        def refuse(done, total):
            raise KeyError("enough")
        with self.assertRaisesRegex(KeyError, "enough"):
            self.model.engine(context=64, progress=refuse)

    def test_observation(self):
        lines = []
        with self.model.engine(context=64, profile_events=1000, duty_percent=90,
                               log_level=rondo.Log.DEBUG,
                               log=lambda level, text: lines.append(text)) as engine:
            with engine.session(max_tokens=4) as session:
                session.generate(self.ids)
                self.assertEqual(session.stats.tokens_generated, 4)
                self.assertEqual(*session.progress)
            names = {event.name for event in engine.profile()}
            self.assertLessEqual({"pass", "attention", "mlp"}, names)
            self.assertEqual(list(engine.profile()), [])
            self.assertGreater(engine.stats.passes, 0)
        self.assertTrue(all(lines))

    def test_own_arena(self):
        plan = self.model.plan(context=64)
        with mmap.mmap(-1, plan.arena_bytes) as arena:
            engine = self.model.engine(context=64, arena=arena)
            self.assertEqual(engine.stats.owns_arena, 0)
            self.assertEqual(engine.session(max_tokens=16).generate(self.ids), self.text)
            del engine
            gc.collect()

    def test_any_order_of_closing(self):
        with open(MODEL, "rb") as file:
            model = rondo.Model.from_bytes(file.read())
            session = model.engine(context=64).session(max_tokens=16)
            model.close()
            del model
            gc.collect()
            self.assertEqual(session.generate(self.ids), self.text)
            fd_model = rondo.Model.from_fd(file.fileno())
        self.assertEqual(fd_model.info, self.model.info)


def fork_first(fork):
    """The first token that this fork generates, taken back."""
    token = fork.next().token
    fork.undo(1)
    return token


if __name__ == "__main__":
    unittest.main()
