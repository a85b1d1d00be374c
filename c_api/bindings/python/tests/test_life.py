"""Closing, copying, collecting."""
import copy
import gc
import os
import pickle
import unittest

import rondo
from support import MODEL, PATHS, PROMPT, engine, ids, model, python, text

CALLS = {
    rondo.Model: ["info", "eos_tokens", "facts", "chat_templates", "embedder", "prompts",
                  lambda m: m.tokenize("a"), lambda m: m.engine(), lambda m: m.plan(),
                  lambda m: m.grammar(pattern="a"), lambda m: m.render_chat([]), lambda m: m.image_plan(1, 1)],
    rondo.Engine: ["memory", "memory_regions", "stats", lambda e: e.session(), lambda e: list(e.profile()),
                   lambda e: e.embed(["a"]), lambda e: e.score("a", ["b"]), lambda e: e.media(bytes(3))],
    rondo.Session: ["position", "tokens", "stats", "progress", "call_number", "remaining", "evicted",
                    lambda s: s.generate("a"), lambda s: s.stream("a"), lambda s: s.stream(),
                    lambda s: s.astream("a"), lambda s: s.chat([]), lambda s: s.prefill([5]),
                    lambda s: s.next(), lambda s: s.event(), lambda s: s.logits(), lambda s: s.undo(0),
                    lambda s: s.reset(), lambda s: s.cancel(), lambda s: s.cancel_call(0),
                    lambda s: s.save(), lambda s: s.restore(b""), lambda s: s.fork(), lambda s: s.embed([5]),
                    lambda s: engine().step([s])],
}


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class LifeTest(unittest.TestCase):
    def test_b41_b42_b47_closing(self):
        with rondo.Model(MODEL) as closed, closed.engine(context=64) as made, made.session() as session:
            pass
        for one in (session, made, closed):
            one.close()
            self.assertTrue(one.closed)
            self.assertIn("closed", repr(one))
            for call in CALLS[type(one)]:
                with self.assertRaisesRegex(rondo.Closed, "closed"):
                    getattr(one, call) if isinstance(call, str) else call(one)
        with self.assertRaises(ValueError):  # as of files
            session.next()
        with self.assertRaises(RuntimeError):  # the block closes also where it fails
            with rondo.Model(MODEL) as one:
                raise RuntimeError
        self.assertTrue(one.closed)

    def test_b42_closing_while_another_thread_calls(self):
        """What the library points to is copied before a close frees it."""
        code, said = python(
            "import sys, threading, time, rondo\n"
            "sys.setswitchinterval(1e-6)\n"
            "model, calling = rondo.Model(sys.argv[1]), rondo.Model(sys.argv[2])\n"
            "seen = set()\n"
            "def use(one, call):\n"
            "    try:\n"
            "        while True:\n"
            "            call(one)\n"
            "    except rondo.RondoError as error:\n"
            "        seen.add(type(error).__name__)\n"
            "def parse(parser):\n"
            "    parser.push(b'text')\n"
            "    list(parser.parts())\n"
            "def again(session):\n"
            "    session.undo(session.position)\n"
            "    session.generate('Once')\n"
            "for i in range(100):\n"
            "    engine = model.engine(context=64, max_rows=8, threads=1)\n"
            "    session, parser = engine.session(max_tokens=48), calling.chat_parser([])\n"
            "    threads = [threading.Thread(target=use, args=pair) for pair in (\n"
            "        (session, again), (parser, parse), (parser, parse))]\n"
            "    [thread.start() for thread in threads]\n"
            "    time.sleep(0.0005 * (i % 10))\n"
            "    engine.close(), session.close(), parser.close()  # and the arena goes\n"
            "    [thread.join() for thread in threads]\n"
            "    assert session.closed and parser.closed\n"
            "assert seen <= {'Closed', 'Cancelled', 'Busy'}, seen\n", MODEL, PATHS["CALLING"])
        self.assertEqual((code, said), (0, ""))

    def test_b43_any_order(self):
        with open(MODEL, "rb") as file:
            own = rondo.Model.from_bytes(file.read())
        made = own.engine(context=64)
        session = made.session(max_tokens=16)
        own.close()
        del own
        gc.collect()
        self.assertEqual(session.generate(PROMPT), text())
        made.close()
        session.undo(session.position)
        self.assertEqual(session.generate(PROMPT), text())
        session.close()

    def test_b44_logits_are_a_copy(self):
        with model().engine(context=64) as made, made.session(max_tokens=4) as session:
            session.prefill(ids())
            rows = []
            logits = session.logits()
            session.generate()
            kept = list(logits)
        gc.collect()
        self.assertEqual(list(logits), kept)
        with engine().session() as session:
            session.prefill_logits(ids(), lambda index, row: rows.append(row))
            self.assertEqual((len(rows), len(logits)), (len(ids()), 2048))
            self.assertEqual(rows[-1], session.logits())
        try:
            import numpy
        except ImportError:
            return
        array = numpy.asarray(logits)
        self.assertEqual((array.dtype, array.shape, array.tolist()), (numpy.float32, (2048,), kept))

    def test_b45_what_nobody_holds(self):
        def one():
            box = []  # what a callback holds, too
            made = rondo.Model(MODEL).engine(context=256, max_sessions=4, log=lambda *_: box,
                                             progress=lambda *_: box)
            box.append(made)
            session = made.session(max_tokens=1)
            session.generate(ids())
            made.circle = [made, session]  # for the collector
        for _ in range(5):
            one()
        gc.collect()
        before = resident()
        for _ in range(60):
            one()
        gc.collect()
        self.assertLess(resident() - before, 8 << 20)

    def test_b46_copies_are_refused(self):
        session = engine().session()
        for one in (model(), engine(), session, model().grammar(pattern="a")):
            for make in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.assertRaisesRegex(TypeError, "cannot be copied"):
                    make(one)
            self.assertFalse(one.closed)
        session.close()
        for kind in (rondo.Engine, rondo.Session, rondo.Grammar, rondo.Media, rondo.ChatParser):
            with self.assertRaisesRegex(TypeError, "makes"):
                kind()

    def test_b46_records_are_values(self):
        with engine().session(max_tokens=1) as session:
            event = next(session.stream(PROMPT))
        newer = event._replace(reason=rondo.Reason(1000))
        for one in (model().info, engine().memory, event, newer):
            self.assertEqual(pickle.loads(pickle.dumps(one)), one)
            self.assertEqual(copy.deepcopy(one), one)
        with self.assertRaises(rondo.RondoError) as refused:
            rondo.query("no such thing")
        again = pickle.loads(pickle.dumps(refused.exception))
        self.assertEqual((again.status, str(again)), (refused.exception.status, str(refused.exception)))

    def test_a_child_that_forked(self):
        code, said = python(
            "import os, sys, rondo\n"
            "model = rondo.Model(sys.argv[1])\n"
            "engine = model.engine(context=64)\n"
            "session = engine.session(max_tokens=2)\n"
            "text = session.generate('Once')\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    for call in (lambda: session.generate(), lambda: model.info, lambda: engine.session()):\n"
            "        try:\n"
            "            call()\n"
            "            print('allowed')\n"
            "        except rondo.Busy as error:\n"
            "            assert 'fork' in str(error)\n"
            "    session.close(), engine.close(), model.close()\n"
            "    own = rondo.Model(sys.argv[1]).engine(context=64).session(max_tokens=2)\n"
            "    assert own.generate('Once') == text\n"
            "    sys.exit(7)\n"
            "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n"
            "session.reset()\n"
            "assert session.generate('Once') == text\n", MODEL, PYTHONWARNINGS="ignore")
        self.assertEqual((code, said), (0, ""))

    def test_the_end_of_the_program(self):
        code, said = python(
            "import asyncio, sys, rondo\n"
            "model = rondo.Model(sys.argv[1])\n"
            "engine = model.engine(context=64, log=print, log_level=rondo.Log.WARNING)\n"
            "session = engine.session(max_tokens=2)\n"
            "stream = session.stream('Once')\n"
            "next(stream)\n"
            "async def cut():\n"
            "    async for event in session.astream():\n"
            "        break\n"
            "asyncio.run(cut())\n", MODEL)
        self.assertEqual((code, said), (0, ""))


if __name__ == "__main__":
    unittest.main()
