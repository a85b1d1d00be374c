"""Models, texts and plans."""
import pathlib
import unittest

import rondo
from support import MODEL, PATHS, PROMPT, engine, ids, model


class ModelTest(unittest.TestCase):
    def test_b04_facts(self):
        facts = model().info
        self.assertEqual((facts.vocab_size, facts.n_eos_tokens), (2048, 1))
        self.assertGreater(facts.context_length, 0)
        self.assertGreater(facts.n_layers, 0)
        self.assertEqual(model().eos_tokens, [1])
        self.assertEqual(model().facts["architecture"], "LlamaForCausalLM")
        self.assertEqual(rondo.Model(pathlib.Path(MODEL)).info, facts)

    def test_b05_a_file_that_is_absent(self):
        with self.assertRaisesRegex(rondo.ModelError, "absent.rondo") as absent:
            rondo.Model("absent.rondo")
        self.assertIs(absent.exception.status, rondo.Status.IO_ERROR)

    def test_b06_a_file_that_is_no_model(self):
        with self.assertRaises(rondo.ModelError) as not_one:
            rondo.Model(__file__)
        self.assertIs(not_one.exception.status, rondo.Status.NOT_A_MODEL)
        with self.assertRaises(rondo.ModelError):
            rondo.Model.from_bytes(b"nothing")

    def test_b07_a_path_that_is_no_text(self):
        for path in (7, None, 1.5, ["model.rondo"]):
            with self.assertRaises(TypeError):
                rondo.Model(path)
        with self.assertRaises(ValueError):
            rondo.Model("model\0.rondo")

    def test_b08_texts_and_tokens(self):
        for text in ("Grüße, 世界 🎉\0 end", "", "a\n\tb"):
            self.assertEqual(model().detokenize(model().tokenize(text), skip_special=True), text)
        self.assertEqual(model().detokenize(ids(), skip_special=True), PROMPT)
        self.assertGreater(len(model().tokenize("word " * 3000)), 3000)

    def test_b09_the_plan(self):
        plan = model().plan(context=256, max_sessions=4)
        self.assertEqual(plan.arena_bytes, engine().memory.arena_bytes)
        self.assertEqual(plan.kernels, engine().memory.kernels)
        regions = model().plan_regions(context=256, max_sessions=4)
        self.assertEqual(regions, engine().memory_regions)
        self.assertIs(regions[0].segment, rondo.Segment.WEIGHTS)

    def test_b10_what_fits(self):
        size = model().plan(context=256, max_sessions=4).arena_bytes
        fit = model().plan_fit(size, max_sessions=4)
        self.assertGreaterEqual(fit, 256)
        self.assertLessEqual(model().plan(context=fit, max_sessions=4).arena_bytes, size)
        with self.assertRaises(rondo.RondoError):
            model().plan_fit(1)

    def test_from_a_descriptor_and_from_bytes(self):
        with open(MODEL, "rb") as file:
            self.assertEqual(rondo.Model.from_fd(file.fileno()).info, model().info)
            self.assertEqual(rondo.Model.from_bytes(bytearray(file.read())).info, model().info)
        with self.assertRaises(TypeError):
            rondo.Model.from_fd("3")
        with self.assertRaises(ValueError):
            rondo.Model.from_fd(2**32 + 3)

    def test_a_model_that_is_closed_leaves_its_engine(self):
        own = rondo.Model(PATHS["EMBEDDER"])
        with own.engine(max_sessions=2) as made:
            own.close()
            self.assertEqual(len(made.embed(["Once upon a time"])[0]), 192)


if __name__ == "__main__":
    unittest.main()
