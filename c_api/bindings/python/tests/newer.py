"""With a library of tomorrow, which tells constants that this version does not know."""
import unittest

import rondo
from support import model


class NewerLibraryTest(unittest.TestCase):
    def test_unknown_constants_have_members(self):
        with self.assertRaises(rondo.RondoError) as failed:
            rondo.query("of tomorrow")
        self.assertEqual(failed.exception.status, 1000)
        self.assertEqual(failed.exception.status.name, "NEWER_1000")
        with model().engine(context=256) as engine, engine.session(max_tokens=4) as session:
            told = [(event.reason, event.channel) for event in session.stream("Once")]
            none = (rondo.Reason.NONE, rondo.Channel.TEXT)
            self.assertEqual(told, [none] * 3 + [(rondo.Reason(1000), rondo.Channel(1000))])
            self.assertEqual(session.reason.name, "NEWER_1000")
        parser = model("CALLING").chat_parser([])
        parser.push(b"hi", last=True)
        self.assertEqual([(part.kind.name, part.text) for part in parser.parts()], [("NEWER_1000", "hi")])
