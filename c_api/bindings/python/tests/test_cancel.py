"""Cancelling, threads, event loops and callbacks."""
import asyncio
import threading
import time
import unittest

import rondo
from support import ASK, MODEL, PROMPT, engine, ids, model, python, text


class CancelTest(unittest.TestCase):
    def test_b35_a_cancel_from_elsewhere(self):
        with engine().session(ignore_eos=True, max_tokens=16) as session:
            timer = threading.Timer(0.02, session.cancel)
            timer.start()
            with self.assertRaises(rondo.Cancelled):
                while True:  # reset() would forget a cancellation that came before it
                    session.undo(session.position)
                    session.prefill(ids() * 20)
            session.reset()
            self.assertEqual(session.generate(PROMPT), text())

    def test_b36_a_cancel_names_its_call(self):
        with engine().session(max_tokens=16) as session:
            number = session.call_number
            session.prefill(ids())
            session.cancel_call(number)  # it is over: nothing happens
            self.assertEqual(session.call_number, number + 1)
            session.cancel_call(number + 1)
            with self.assertRaises(rondo.Cancelled):
                session.next()
            self.assertEqual(session.generate(), text())
            with self.assertRaises(rondo.InvalidArgument):
                session.cancel_call(session.call_number + 1)
            session.cancel()
            with self.assertRaises(rondo.Cancelled):
                session.undo(0)
                session.next() and session.logits()
                session.prefill(ids())
            for wrong in ("1", None, 1.5):
                with self.assertRaises(TypeError):
                    session.cancel_call(wrong)

    def test_b36_tasks_end_no_call_but_theirs(self):
        """Tasks that are cancelled at all moments leave a session whose next call is not cancelled."""
        async def run():
            with engine().session(max_tokens=16) as session:
                for i in range(40):
                    session.reset()
                    task = asyncio.create_task(session.agenerate(PROMPT))
                    await asyncio.sleep(i * 0.0003)
                    task.cancel()
                    try:
                        self.assertEqual(await task, text())
                    except asyncio.CancelledError:
                        pass
                    session.undo(session.position)  # reset() would drop a cancel that waits
                    self.assertEqual(session.generate(PROMPT), text())
        asyncio.run(run())

    def test_b37_a_cancelled_task(self):
        async def run():
            with engine().session(ignore_eos=True) as session:
                async def endless():
                    while True:
                        session.reset()
                        async for _ in session.astream(PROMPT):
                            pass
                task = asyncio.create_task(endless())
                await asyncio.sleep(0.02)
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(task, 0.02)
                session.reset()
                session.prefill(ids())
        asyncio.run(run())

    def test_b37_an_interrupt(self):
        code, said = python(
            "import os, signal, sys, threading, time, rondo\n"
            "engine = rondo.Model(sys.argv[1]).engine(context=4096)\n"
            "session = engine.session(max_tokens=4)\n"
            "for call in (lambda: session.prefill([5, 6, 7] * 1300),\n"
            "             lambda: session.prefill_logits([5, 6, 7] * 1300, lambda index, row: None)):\n"
            "    threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
            "    begin = time.monotonic()\n"
            "    try:\n"
            "        while True:\n"
            "            session.undo(session.position)\n"
            "            call()\n"
            "    except KeyboardInterrupt:\n"
            "        print('interrupted')\n"
            "    session.undo(session.position)\n"
            "assert session.generate('Once')\n", MODEL)
        self.assertEqual((code, said), (0, "interrupted\ninterrupted\n"))

    def test_b38_two_calls_at_once(self):
        with engine().session(max_tokens=16) as session:
            refused = []

            def other():
                for call in (session.next, session.reset, lambda: session.position):
                    try:
                        call()
                    except rondo.Busy as busy:
                        refused.append(busy.status)

            def row(index, logits):  # inside of a call
                if not refused:
                    thread = threading.Thread(target=other)
                    thread.start()
                    thread.join()
            session.prefill_logits(ids(), row)
            self.assertEqual(refused, [rondo.Status.BUSY] * 3)
            self.assertEqual(session.generate(), text())

    def test_b39_several_beside_a_loop(self):
        """Twelve sessions are served together, more than the threads that a loop has of its own."""
        async def run():
            ticks = []

            async def tick():
                while True:
                    ticks.append(time.monotonic())
                    await asyncio.sleep(0.001)
            with model().engine(context=128, max_sessions=12) as many:
                sessions = [many.session(max_tokens=16) for _ in range(12)]
                ticking = asyncio.create_task(tick())
                texts = await asyncio.gather(*(session.agenerate(PROMPT) for session in sessions))
                ticking.cancel()
                self.assertEqual(set(texts), {text()})
                self.assertLess(many.stats.passes, 12 * 16)
                self.assertGreater(len(ticks), 3)
        asyncio.run(run())

    def test_b39_threads(self):
        texts = []

        def one():
            with engine().session(max_tokens=16) as session:
                texts.append(session.generate(PROMPT))
        threads = [threading.Thread(target=one) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(texts, [text()] * 4)

    def test_b24_b25_a_stream_beside_a_loop(self):
        async def run():
            with engine().session(max_tokens=16) as session:
                async for event in session.astream(PROMPT):
                    break
                await asyncio.sleep(0.02)
                self.assertEqual(session.stats.tokens_generated, 1)
                self.assertEqual(event.text + session.generate(), text())
        asyncio.run(run())

    def test_b40_what_callbacks_raise(self):
        def refuse(*_):
            raise KeyError("enough")
        with self.assertRaisesRegex(KeyError, "enough"):
            model().engine(context=64, progress=refuse)
        with engine().session(max_tokens=16) as session:
            with self.assertRaisesRegex(KeyError, "enough"):
                session.prefill_logits(ids(), refuse)
            with self.assertRaises(rondo.Busy):
                session.prefill_logits(ids(), lambda index, row: session.position)
            session.reset()
            self.assertEqual(session.generate(PROMPT), text())
        with engine("CALLING").session(max_tokens=4) as session:
            self.assertTrue(session.chat(ASK).text)


if __name__ == "__main__":
    unittest.main()
