"""Texts, tokens and what bounds them."""
import asyncio
import json
import re
import unittest

import rondo
from support import ASK, PERSON, PROMPT, engine, ids, model, text


class TextTest(unittest.TestCase):
    def test_b19_b20_a_text_of_a_text_or_of_ids(self):
        for prompt in (PROMPT, ids(), tuple(ids()), iter(ids())):
            with engine().session(max_tokens=16) as session:
                self.assertEqual(session.generate(prompt), text())
        with engine().session(max_tokens=4) as session:
            first = session.generate(PROMPT)
            self.assertEqual(session.generate(" and then") and session.tokens[:len(ids())], ids())
            self.assertEqual(session.tokens.count(ids()[0]), 1)  # what begins a text comes once
            self.assertTrue(first)

    def test_b19_what_is_no_prompt(self):
        with engine().session(max_tokens=4) as session:
            for prompt in (7, b"Once", 1.5, {"a": 1}, ["Once"], [1.5], [None], [True], [5, False]):
                with self.assertRaisesRegex(TypeError, "prompt must be a str or a list"):
                    session.generate(prompt)
            for prompt in ([2**32 + 5], [-2**40], [2048]):
                with self.assertRaises(rondo.InvalidArgument):
                    session.generate(prompt)
            with self.assertRaises(UnicodeEncodeError):
                session.generate("\ud800")
            self.assertEqual(session.position, 0)

    def test_b21_a_stream(self):
        with engine().session(max_tokens=16, logprobs=True) as session:
            events = list(session.stream(PROMPT))
            self.assertEqual("".join(event.text for event in events), text())
            self.assertEqual(b"".join(event.bytes for event in events).decode(), text())
            self.assertLess(events[0].logprob, 0)
            self.assertEqual(session.position, len(ids()) + 16)
            self.assertEqual(session.remaining, 256 - len(ids()) - 16)
            self.assertEqual(session.evicted, (0, 0))
            self.assertEqual(session.tokens, ids() + [event.token for event in events])

    def test_b21_whole_characters(self):
        letters = model().tokenize("界", add_special=False)
        self.assertGreater(len(letters), 1)
        grammar = model().grammar(pattern="界{3}")
        with engine().session(grammar=grammar) as session:
            pieces = [event.text for event in session.stream(PROMPT)]
        self.assertEqual("".join(pieces), "界界界")
        self.assertNotIn("\ufffd", "".join(pieces))

    def test_b22_stop(self):
        word = text()[4:8]
        for stop in (word, [word], (word,)):
            with engine().session(max_tokens=16, stop=stop) as session:
                self.assertEqual(session.generate(PROMPT), text()[:4])
                self.assertIs(session.reason, rondo.Reason.STOP_STRING)

    def test_b23_reasons(self):
        def reason(**options):
            with engine().session(**options) as session:
                session.generate(PROMPT)
                return session.reason
        self.assertIs(reason(max_tokens=1), rondo.Reason.TOKEN_LIMIT)
        self.assertIs(reason(logit_bias={1: 1e9}), rondo.Reason.EOS)
        self.assertIs(reason(stop=text()[:1]), rondo.Reason.STOP_STRING)
        self.assertIs(reason(grammar=model().grammar(pattern="a")), rondo.Reason.GRAMMAR)
        self.assertIs(reason(ignore_eos=True), rondo.Reason.CONTEXT_FULL)
        self.assertEqual(f"{rondo.Reason.EOS}", "Reason.EOS")
        self.assertEqual(repr(rondo.Reason(1000)), "<Reason.NEWER_1000: 1000>")

    def test_b24_a_stream_left_early(self):
        with engine().session(max_tokens=16) as session:
            for event in session.stream(PROMPT):
                break
            self.assertEqual(event.text + session.generate(), text())

    def test_b24_two_generations_of_one_session(self):
        with engine().session(max_tokens=8) as session:
            old, new = session.stream(PROMPT), session.stream(PROMPT)
            next(new)
            with self.assertRaisesRegex(rondo.Busy, "another generation"):
                next(old)
            self.assertEqual(len(list(new)), 7)
            old = session.stream(PROMPT)
            conversation = session.chat_stream(ASK, template="{{ messages[0].content }}")
            with self.assertRaises(rondo.Busy):
                next(old)
            next(conversation)
            session.stream()
            with self.assertRaises(rondo.Busy):
                list(conversation)

    def test_b24_two_generations_beside_a_loop(self):
        async def both():
            with engine().session(max_tokens=8) as session:
                old = session.astream(PROMPT)
                await old.__anext__()
                text = await session.agenerate()
                with self.assertRaises(rondo.Busy):
                    await old.__anext__()
                return text
        self.assertTrue(asyncio.run(both()))

    def test_b25_a_stream_that_nobody_reads(self):
        with engine().session() as session:
            stream = session.stream(PROMPT)
            next(stream)
            self.assertEqual(session.stats.tokens_generated, 1)

    def test_b26_seeds(self):
        def drawn(seed):
            with engine().session(max_tokens=16, temperature=1.0, seed=seed) as session:
                return session.generate(PROMPT)
        self.assertEqual(drawn(7), drawn(7))
        self.assertGreater(len({drawn(seed) for seed in range(4)}), 1)

    def test_thinking(self):
        def channels(**options):
            with engine().session(max_tokens=32, temperature=1, seed=3, **options) as session:
                return [event.channel for event in session.stream("Lily saw her mom")]
        words = {"thinking_begin": " mom", "thinking_end": " day.\n"}
        self.assertEqual(set(channels()), {rondo.Channel.TEXT})
        self.assertIs(channels(thinking=True, **words)[0], rondo.Channel.THINKING)
        bounded = channels(thinking=True, thinking_tokens=1, **words)
        self.assertLess(bounded.index(rondo.Channel.TEXT), 8)
        with self.assertRaisesRegex(rondo.RondoError, "chat template"):
            channels(thinking=True)


class GrammarTest(unittest.TestCase):
    def text_with(self, **options):
        with engine().session(temperature=1.0, seed=7, **options) as session:
            said = session.generate(PROMPT)
            self.assertIn(session.reason, (rondo.Reason.GRAMMAR, rondo.Reason.EOS))
            return said

    def test_b30_a_json_schema(self):
        said = self.text_with(json_schema=PERSON)
        person = json.loads(said)
        self.assertEqual(list(person), ["name", "age"])
        self.assertLessEqual(len(person["name"]), 12)
        self.assertIn(person["age"], range(131))
        self.assertEqual(self.text_with(json_schema=json.dumps(PERSON)), said)
        with model().grammar(PERSON, one_space=True, named_only=True) as grammar:
            session = engine().session(grammar=grammar, temperature=1.0, seed=7)
        self.assertTrue(grammar.closed)  # the session goes on
        fork = session.fork(grammar=model().grammar(pattern="[ab]{4}c"))
        self.assertEqual(session.generate(PROMPT), said)
        self.assertRegex(fork.generate(PROMPT), "^[ab]{4}c$")
        session.close()
        fork.close()

    def test_spaces_and_orders(self):
        ones = model().grammar({"type": "array", "items": {"enum": [1]}, "minItems": 2, "maxItems": 2},
                               no_spaces=True)
        self.assertEqual(self.text_with(grammar=ones), "[1,1]")
        spaced = model().grammar({"enum": [{"a": [1, 2]}]}, one_space=True)
        self.assertEqual(self.text_with(grammar=spaced), '{"a": [1, 2]}')
        schema = {"properties": {"a": {"enum": [1]}, "b": {"enum": [2]}}, "required": ["a", "b"],
                  "type": "object", "additionalProperties": False}

        def orders(**options):
            grammar, found = model().grammar(schema, no_spaces=True, **options), set()
            for seed in range(16):
                with engine().session(grammar=grammar, temperature=1.0, seed=seed) as session:
                    found.add(session.generate(PROMPT))
            return found
        self.assertEqual(orders(), {'{"a":1,"b":2}'})
        self.assertIn('{"b":2,"a":1}', orders(any_order=True))

    def test_rules_and_where_they_begin(self):
        self.assertIn(self.text_with(grammar=model().grammar(gbnf='root ::= "sky" | "sea"')),
                      ("sky", "sea"))
        with engine().session(max_tokens=1) as session:
            first = next(session.stream(PROMPT))
        options = {"grammar": model().grammar(pattern="[ab]{3}"), "max_tokens": 16,
                   "grammar_token": first.token, "grammar_begin": rondo.GrammarBegin.AFTER_TOKEN}
        begun = re.escape(first.text) + "[ab]{3}"
        with engine().session(**options) as session:
            self.assertRegex(session.generate(PROMPT), f"^{begun}$")
        with engine().session(grammar_goes_on=True, **options) as session:
            self.assertRegex(session.generate(PROMPT), f"^{begun}.")
            self.assertIs(session.reason, rondo.Reason.TOKEN_LIMIT)

    def test_what_is_refused(self):
        for make in (lambda schema: model().grammar(schema),
                     lambda schema: engine().session(json_schema=schema)):
            with self.assertRaisesRegex(rondo.RondoError, "#/properties/a/uniqueItems") as refused:
                make({"properties": {"a": {"uniqueItems": True}}})
            self.assertIs(refused.exception.status, rondo.Status.UNSUPPORTED)
        with self.assertRaisesRegex(rondo.InvalidArgument, "memory_bytes"):
            model().grammar(PERSON, memory_bytes=7)
        for arguments in ({"schema": PERSON, "pattern": "a"}, {}, {"schema": 7}, {"schema": [1]},
                          {"pattern": 7}, {"gbnf": b"a"}, {"schema": PERSON, "no_spaces": 1}):
            with self.assertRaises(TypeError):
                model().grammar(**arguments)
        with self.assertRaises(TypeError):
            engine().session(json_schema=PERSON, grammar=model().grammar(PERSON))
        closed = model().grammar(PERSON)
        closed.close()
        with self.assertRaisesRegex(rondo.Closed, "closed"):
            engine().session(grammar=closed)

    def test_plans(self):
        small = model().plan_grammar(PERSON, memory_bytes=1 << 20)
        self.assertGreater(small, 0)
        self.assertGreater(model().plan_grammar(PERSON), small)
        self.assertEqual(model().plan_grammar(pattern="a", memory_bytes=1 << 20), small)


if __name__ == "__main__":
    unittest.main()
