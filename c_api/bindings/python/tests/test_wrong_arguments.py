"""Every public callable with arguments that are wrong: an exception, never the process's end."""
import unittest

from support import PATHS, python

PROGRAM = '''
import asyncio, faulthandler, inspect, itertools, random, sys
import rondo
faulthandler.enable()
paths = dict(zip(("MODEL", "CALLING", "EMBEDDER", "SEEING", "ADAPTER"), sys.argv[2:]))
choice = random.Random(int(sys.argv[1]))
model = rondo.Model(paths["MODEL"])
engine = model.engine(context=64, max_sessions=3, max_input_rows=4)
closed = engine.session()
closed.close()
WRONG = [None, True, -1, 0, 1, 7, 2**31, 2**32 + 512, 2**63, 2**64, -2**70, 1.5, float("nan"), float("inf"),
         1e300, "", "text", "\\0", "\\ud800", "a" * 5000, b"", b"bytes", bytearray(3), memoryview(b"abc"),
         [], [1], [2**40], ["a"], [None], [[1]], (1, 2), {}, {"a": 1}, {1: "a"}, {5: 2.0}, {1, 2}, object(),
         object, len, lambda *a: 1 / 0, rondo.Reason.EOS, rondo.Kv(99), rondo.Reason(1000), closed,
         rondo.Policy.SLIDE, range(3), iter([1, 2]), 10**3000, complex(1, 1)]
counts = {"called": 0, "refused": 0}

def arguments(function):
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return [], {}
    positional, named = [], {}
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY:
            if choice.random() < 0.12:
                named[parameter.name] = choice.choice(WRONG)
        elif parameter.default is parameter.empty or choice.random() < 0.4:
            positional.append(choice.choice(WRONG))
    return positional, named

async def ended(result):
    if inspect.iscoroutine(result):
        await result
    else:
        await anext(result)
        await result.aclose()

def attempt(function):
    positional, named = arguments(function)
    try:
        result = function(*positional, **named)
        counts["called"] += 1
        if inspect.isgenerator(result):
            list(itertools.islice(result, 3))
        elif inspect.isasyncgen(result) or inspect.iscoroutine(result):
            asyncio.run(ended(result))
        elif isinstance(result, rondo.Engine):
            result.close()
    except Exception:
        counts["refused"] += 1

def methods(one):
    for name, _ in inspect.getmembers(type(one), inspect.isfunction):
        if not name.startswith("_") and name != "close":
            yield getattr(one, name)

def objects():
    session = engine.session(max_tokens=3)
    yield from (model, engine, session, closed, model.grammar(pattern="a"), calling.chat_parser([]))
    session.prefill([5, 6])
    yield session
    session.close()

calling, seeing = rondo.Model(paths["CALLING"]), rondo.Model(paths["SEEING"])
looking = seeing.engine(context=64, max_media_rows=64)
embedding = rondo.Model(paths["EMBEDDER"]).engine(max_sessions=2)
for _ in range(12):
    for one in itertools.chain(objects(), (calling, looking, embedding)):
        for method in methods(one):
            for _ in range(3):
                attempt(method)
    for make in (rondo.Model, rondo.Model.from_fd, rondo.Model.from_bytes, rondo.Image, rondo.Input,
                 rondo.Engine, rondo.Session, rondo.Grammar, rondo.Media, rondo.Adapter, rondo.ChatParser,
                 rondo.query, rondo.Reason, rondo.Event, rondo.RondoError):
        for _ in range(6):
            attempt(make)
assert counts["refused"] > counts["called"] > 100, counts
assert engine.session(max_tokens=2).generate("Once")
print("ended")
'''


class WrongArgumentsTest(unittest.TestCase):
    def test_no_crash(self):
        paths = [PATHS[name] for name in ("MODEL", "CALLING", "EMBEDDER", "SEEING", "ADAPTER")]
        for seed in ("1", "2"):
            code, said = python(PROGRAM, seed, *paths, PYTHONWARNINGS="ignore")
            self.assertEqual((code, said.strip().splitlines()[-1:]), (0, ["ended"]), said[-3000:])


if __name__ == "__main__":
    unittest.main()
