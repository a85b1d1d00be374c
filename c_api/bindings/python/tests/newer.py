"""With a library of tomorrow, which tells constants that this version does not know."""
import os
import unittest

import rondo


class NewerLibraryTest(unittest.TestCase):
    def test_unknown_constants_are_numbers(self):
        with self.assertRaises(rondo.RondoError) as failed:
            rondo.query("of tomorrow")
        self.assertEqual(failed.exception.status, 1000)
        model = rondo.Model(os.environ["RONDO_TEST_MODEL"])
        session = model.engine(context=256).session(max_tokens=4)
        session.prefill(model.tokenize("Once"))
        self.assertEqual([(event.reason, event.channel) for event in session.stream()],
                         [(0, 0), (0, 0), (0, 0), (1000, 1000)])
        parser = rondo.Model(os.environ["RONDO_TEST_CALLING"]).chat_parser([])
        parser.push(b"hi", last=True)
        self.assertEqual([(part.kind, part.text) for part in parser.parts()], [(1000, "hi")])
