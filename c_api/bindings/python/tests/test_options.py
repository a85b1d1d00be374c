"""Options of engines and sessions."""
import inspect
import os
import unittest

import rondo
from rondo import _raw
from support import ids, engine, model, text

NUMBERS_OF_ENGINES = {
    "context": 128, "max_sessions": 2, "max_rows": 64, "threads": 1, "sink_tokens": 16,
    "kv_tokens": 512, "rows_per_step": 32, "profile_events": 100, "duty_percent": 90,
    "adapter_rank": 4, "max_input_rows": 4}
NUMBERS_OF_SESSIONS = {
    "temperature": 0.5, "top_k": 3, "top_p": 0.5, "min_p": 0.1, "repetition_penalty": 1.1,
    "presence_penalty": 0.1, "frequency_penalty": 0.1, "penalty_last_n": 8, "ignore_eos": True,
    "logprobs": True, "no_repeat_ngram_size": 3, "seed": 2**64 - 1, "max_tokens": 5, "max_drafts": 2,
    "thinking_tokens": 3}


class OptionsTest(unittest.TestCase):
    def test_b11_unknown_ones(self):
        for call in (model().engine, model().plan, engine().session):
            with self.assertRaisesRegex(TypeError, "warmth") as refused:
                call(warmth=1)
            self.assertIn(call.__qualname__, str(refused.exception))
        self.assertEqual(engine().session.__qualname__, "Engine.session")

    def test_b12_wrong_types(self):
        for name, wrong in [("context", "512"), ("kernels", 7), ("draft", "model.rondo"),
                            ("no_prefix_cache", 1), ("kv_format", 1), ("cpus", 3), ("context", None),
                            ("context", True), ("progress", 5), ("log", 5), ("arena", "text")]:
            with self.assertRaises(TypeError) as refused:
                model().engine(**{name: wrong})
            self.assertTrue(name in str(refused.exception) or name == "arena", refused.exception)
        for name, wrong in [("temperature", "1"), ("max_tokens", 1.0), ("stop", 7), ("stop", [7]),
                            ("logprobs", "yes"), ("speculation", 0), ("grammar", "[ab]"),
                            ("adapter", "a.rondo"), ("logit_bias", [1, 2]), ("logit_bias", {"a": 1}),
                            ("logit_bias", {1: "a"}), ("thinking_begin", b"a"), ("recommended", 1),
                            ("seed", "7"), ("top_k", [1])]:
            with self.assertRaisesRegex(TypeError, name):
                engine().session(**{name: wrong})

    def test_b13_numbers_that_do_not_fit(self):
        for name, wrong in [("context", 2**32 + 512), ("max_sessions", -1), ("threads", 2**64),
                            ("max_rows", 10**5000), ("cpus", [2**32])]:
            with self.assertRaisesRegex(rondo.InvalidArgument, rf"^(a token of )?{name}(\[0\])? is "):
                model().engine(**{name: wrong})
        with self.assertRaisesRegex(TypeError, "context must be an int, not float"):
            model().engine(context=1.5)
        for name, wrong in [("temperature", float("nan")), ("temperature", 1e300), ("top_k", 2**31),
                            ("max_tokens", -1), ("seed", 2**64), ("temperature", float("inf")),
                            ("logit_bias", {2**32 + 5: 1.0}), ("logit_bias", {5: float("nan")})]:
            with self.assertRaisesRegex(rondo.InvalidArgument, rf"^(a token of )?{name}(\[\d\])? is "):
                engine().session(**{name: wrong})

    def test_b14_refused_values_have_our_names(self):
        for name, wrong in [("max_rows", 50000), ("max_sessions", 65), ("duty_percent", 101)]:
            with self.assertRaisesRegex(rondo.InvalidArgument, name):
                model().engine(**{name: wrong})
        with self.assertRaisesRegex(rondo.InvalidArgument, "top_p"):
            engine().session(top_p=0.0)
        with self.assertRaisesRegex(rondo.InvalidArgument, "option cpus is 0"):
            model().engine(affinity=rondo.Affinity.CPUS)
        with self.assertRaisesRegex(rondo.RondoError, "give one as template$"):
            model().render_chat([])

    def test_b12_which_element_is_wrong(self):
        for name, wrong, told in (("logit_bias", {5: "a"}, r"logit_bias\[5\] must be a float"),
                                  ("logit_bias", {"5": 1.0}, "a token of logit_bias must be an int"),
                                  ("stop", ["a", b"b"], r"stop\[1\] must be a str")):
            with self.assertRaisesRegex(TypeError, told):
                engine().session(**{name: wrong})
        with self.assertRaisesRegex(TypeError, r"cpus\[1\] must be an int"):
            model().engine(cpus=[0, "1"])

    def test_b12_a_bool_of_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no NumPy here")
        with self.assertRaisesRegex(TypeError, "max_tokens must be an int"):
            engine().session(max_tokens=numpy.bool_(True))
        with engine().session(max_tokens=numpy.int64(1)) as session, \
                self.assertRaisesRegex(TypeError, "not bools"):
            session.generate(numpy.array([True]))

    def test_b15_each_engine_option(self):
        for name, value in NUMBERS_OF_ENGINES.items():
            others = {"context_policy": rondo.Policy.SLIDE} if name == "sink_tokens" else {}
            plan = model().plan(**{name: value}, **others)
            if name in plan._fields:
                self.assertEqual(getattr(plan, name), value, name)
        self.assertLess(model().plan(kv_format=rondo.Kv.K4V4).kv_pool_bytes,
                        model().plan().kv_pool_bytes)
        kernels = model().plan().kernels
        self.assertEqual(model().plan(kernels=kernels).kernels, kernels)
        cpu = min(os.sched_getaffinity(0))
        with model().engine(context=64, threads=2, cpus=[cpu]) as kept:
            with kept.session(max_tokens=16) as session:
                self.assertEqual(session.generate(ids()), text())
        self.assertEqual(model().plan(cpus=[cpu]).threads, 1)
        for options in ({"no_prefix_cache": True}, {"affinity": rondo.Affinity.PERFORMANCE},
                        {"log_level": rondo.Log.DEBUG}):
            model().engine(context=64, **options).close()
        for name, value in (("draft_head", True), ("max_media_rows", 9)):  # the model has neither
            with self.assertRaisesRegex(rondo.RondoError, "draft head|head" if name == "draft_head"
                                        else "max_media_rows|see|text"):
                model().engine(**{name: value})
        self.assert_all_are_there(model().engine, _raw.EngineOptions)

    def test_b16_each_session_option(self):
        for name, value in NUMBERS_OF_SESSIONS.items():
            others = {"thinking": True, "thinking_begin": " mom", "thinking_end": " day.\n"} \
                if name == "thinking_tokens" else {}
            with engine().session(**{name: value}, **others) as session:
                self.assertLessEqual(len(list(session.stream(ids()))) if name == "max_tokens" else 5, 5)
        for options in ({"speculation": rondo.Speculation.PROMPT_LOOKUP}, {"logit_bias": {5: float("-inf")}},
                        {"grammar": model().grammar(pattern="a"), "grammar_token": 3, "grammar_goes_on": True,
                         "grammar_begin": rondo.GrammarBegin.AFTER_TOKEN}):
            engine().session(**options).close()
        self.assert_all_are_there(engine().session, _raw.SessionOptions)

    def assert_all_are_there(self, method, struct):
        """Each field of the struct is a parameter, under its name or, of few, another."""
        there = inspect.signature(method).parameters
        other = {"stop_strings": "stop", "progress_user": "progress", "log_user": "log",
                 "n_cpus": "cpus", "n_logit_bias": "logit_bias", "n_stop_strings": "stop"}
        for name, _ in struct._fields_:
            if name == "struct_size" or name.startswith(("reserved", "parallel")):
                continue
            self.assertIn(other.get(name, name), there)

    def test_b17_sampling_as_the_makers_recommend(self):
        with rondo.Model(os.environ["RONDO_TEST_RECOMMENDING"]) as makers:
            recommending = makers.engine(context=256)

        def text_with(**options):
            with recommending.session(max_tokens=16, **options) as session:
                return session.generate(ids())
        recommended = text_with()
        self.assertNotEqual(recommended, text())
        self.assertEqual(text_with(temperature=1.5, top_k=50), recommended)
        self.assertEqual(text_with(temperature=0), " lovely and bright. Lily ran down the ")
        self.assertNotEqual(text_with(temperature=0, stop=[]), text_with(temperature=0))
        self.assertEqual(text_with(recommended=False), text())

    def test_b18_a_draft_model(self):
        with model().engine(context=256, draft=model()) as drafting, drafting.session(
                max_tokens=16, speculation=rondo.Speculation.DRAFT_MODEL) as session:
            self.assertEqual(session.generate(ids()), text())
            self.assertGreater(session.stats.tokens_generated, 0)

    def test_progress_and_log(self):
        told, lines = [], []
        model().engine(context=64, progress=lambda done, total: told.append((done, total))).close()
        self.assertEqual(told[-1][0], told[-1][1])
        with model().engine(context=64, profile_events=1000, log_level=rondo.Log.DEBUG,
                            log=lambda level, line: lines.append((level, line))) as made:
            with made.session(max_tokens=4) as session:
                session.generate(ids())
                self.assertEqual(session.stats.tokens_generated, 4)
                self.assertEqual(*session.progress)
            self.assertLessEqual({"pass", "attention", "mlp"}, {event.name for event in made.profile()})
            self.assertEqual(list(made.profile()), [])
        self.assertTrue(all(line for _, line in lines))
        self.assertEqual({type(level) for level, _ in lines}, {rondo.Log})


if __name__ == "__main__":
    unittest.main()
