"""What a session is, and what may stand in it."""
import mmap
import unittest

import rondo
from support import PROMPT, engine, ids, model, text


class StateTest(unittest.TestCase):
    def test_b48_snapshots(self):
        with engine().session(max_tokens=16) as session:
            session.prefill(ids())
            first = "".join(session.next().text for _ in range(6))
            saved = session.save()
        with model().engine(context=256) as other, other.session(max_tokens=16) as session:
            session.restore(bytearray(saved))
            self.assertEqual(first + session.generate(), text())
            with self.assertRaises(rondo.ModelError) as damaged:
                session.restore(saved[:-1] + bytes([saved[-1] ^ 1]))
            self.assertIs(damaged.exception.status, rondo.Status.CORRUPT)
            for wrong in ("text", None, 12345, [1, 2]):
                with self.assertRaises(TypeError):
                    session.restore(wrong)

    def test_b49_fork_undo_reset(self):
        with engine().session() as session:
            session.prefill(ids())
            first = session.next().token
            session.undo(1)
            with session.fork(max_tokens=16) as fork, \
                    session.fork(max_tokens=16, logit_bias={first: -1e9}) as other:
                self.assertEqual(fork.generate(), text())
                self.assertNotEqual(other.generate(), text())
            self.assertEqual(session.position, len(ids()))
            for wrong in ("1", None, 1.5):
                with self.assertRaises(TypeError):
                    session.undo(wrong)
            for wrong in (-1, 2**64, 10**6):
                with self.assertRaises(rondo.InvalidArgument):
                    session.undo(wrong)
            session.reset()
            self.assertEqual((session.position, session.tokens), (0, []))

    def test_b50_steps(self):
        prompts, alone = [PROMPT, "Once upon a time", "The cat"], []
        for prompt in prompts:
            with engine().session(max_tokens=12) as session:
                alone.append(session.generate(prompt))
        sessions = [engine().session(max_tokens=12) for _ in prompts]
        texts = {session: "" for session in sessions}
        for session, prompt in zip(sessions, prompts):
            session.append(model().tokenize(prompt))
        running = list(sessions)
        while running:
            engine().step(running)
            for session in list(running):
                event = session.event()
                texts[session] += event.text
                if event.reason != rondo.Reason.NONE:
                    running.remove(session)
        self.assertEqual(list(texts.values()), alone)
        self.assertEqual(engine().stats.sessions_open, len(sessions))
        with self.assertRaises(rondo.InvalidArgument):
            engine().step([sessions[0], sessions[0]])
        for wrong in (sessions[0], 7, [7], "text", None):
            with self.assertRaises(TypeError):
                engine().step(wrong)
        with self.assertRaises(rondo.Busy):
            engine().session(), engine().session()
        for session in sessions:
            session.close()

    def test_sampling_by_the_caller(self):
        with engine().session() as session:
            session.prefill(ids())
            logits = session.logits()
            best = max(range(2048), key=logits.__getitem__)
            self.assertEqual(session.next().token, best)
            session.undo(1)
            session.accept(best)
            self.assertEqual(session.position, len(ids()) + 1)
            session.propose([5, 6])
            for wrong in ("5", None, 5.0):
                with self.assertRaises(TypeError):
                    session.accept(wrong)

    def test_statuses(self):
        with engine().session() as session:
            with self.assertRaisesRegex(rondo.InvalidArgument, "2048"):
                session.prefill([2048])
            with self.assertRaises(rondo.ContextFull):
                session.prefill([5] * 257)
            with self.assertRaises(rondo.RondoError) as nothing:
                session.next()
            self.assertIs(nothing.exception.status, rondo.Status.NO_LOGITS)

    def test_inputs(self):
        hidden_size = model().info.hidden_size
        zeros = bytes(3 * hidden_size * 4)
        rows = rondo.Input(zeros[:2 * hidden_size * 4], count=2, row_format=rondo.Rows.FLOAT32)
        halves = rondo.Input(memoryview(zeros[:len(zeros) // 2]).cast("H", [3, hidden_size]),
                             coordinates=[(0, 0, 0), (0, 0, 1), (0, 1, 0)], sees_whole=True)
        with model().engine(context=256, max_input_rows=8) as taking, taking.session() as session:
            session.append_inputs([ids(), rows, halves])
            self.assertEqual(session.tokens, [*ids(), *[-1] * 5])
            self.assertEqual(len(session.logits()), 2048)
            session.append_inputs([[3]])
            self.assertGreaterEqual(session.next().token, 0)
            wrong = rondo.Input(zeros[4:], count=3, row_format=rondo.Rows.FLOAT32)
            many = rondo.Input(memoryview(bytes(9 * hidden_size * 2)).cast("H", [9, hidden_size]))
            for given, error, words in [
                    (wrong, ValueError, "not those of 3 rows"), (many, ValueError, "is 8"),
                    ([], ValueError, "no tokens"), (3, TypeError, ""), ("text", TypeError, "")]:
                with self.assertRaisesRegex(error, words):
                    session.append_inputs([ids(), given])
            with self.assertRaisesRegex(rondo.InvalidArgument, "0 inputs"):
                session.append_inputs([])
            self.assertEqual(session.position, len(ids()) + 7)
        for arguments, error, words in [
                ({}, TypeError, "count"), ({"count": 3}, TypeError, "format 'B'"),
                ({"count": -1, "row_format": rondo.Rows.FLOAT32}, ValueError, "count is -1"),
                ({"count": 3, "row_format": 0}, TypeError, "row_format must be a Rows")]:
            with self.assertRaisesRegex(error, words):
                rondo.Input(zeros, **arguments)
        for coordinates in ([(0, 0, 0)], [(0, 0)] * 3, [(0, 0, 2**40)] * 3):
            with self.assertRaises(ValueError):
                rondo.Input(memoryview(zeros).cast("f", [3, hidden_size]), coordinates=coordinates)
        with engine().session() as session, self.assertRaisesRegex(
                rondo.InvalidArgument, "max_input_rows is 0"):
            session.append_inputs([rows])

    def test_an_arena_of_another_engine(self):
        arena = mmap.mmap(-1, model().plan(context=64).arena_bytes)
        first = model().engine(context=64, arena=arena)
        session = first.session(max_tokens=4)
        first.close()
        with self.assertRaisesRegex(rondo.InvalidArgument, "another engine's"):
            model().engine(context=64, arena=memoryview(arena)[64:])
        session.close()
        try:
            model().engine(context=64, max_rows=8000, arena=arena)
        except rondo.OutOfMemory:  # it fails, and leaves the arena
            model().engine(context=64, arena=arena).close()
        model().engine(context=64, arena=arena).close()

    def test_an_arena_of_the_callers(self):
        plan = model().plan(context=64)
        with mmap.mmap(-1, plan.arena_bytes) as arena:  # whose end is told where the engine holds it
            with model().engine(context=64, arena=arena) as made, made.session(max_tokens=16) as session:
                self.assertEqual(made.stats.owns_arena, 0)
                self.assertEqual(session.generate(PROMPT), text())
        with self.assertRaises(TypeError):
            model().engine(context=64, arena=bytes(plan.arena_bytes))  # is not written to
        with self.assertRaises(rondo.OutOfMemory):
            model().engine(context=64, arena=bytearray(64))


if __name__ == "__main__":
    unittest.main()
