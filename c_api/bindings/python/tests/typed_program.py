"""What mypy --strict must find nothing in but what is marked: a program of a user's, with types."""
from __future__ import annotations

import asyncio
import sys
from array import array
from collections.abc import Iterator

import rondo


def texts(path: str) -> Iterator[str]:
    with rondo.Model(path) as model, model.engine(context=512, kv_format=rondo.Kv.INT8) as engine:
        with engine.session(max_tokens=8, temperature=0.5, stop=["\n"], logit_bias={5: -1.0}) as session:
            text: str = session.generate("Once upon a time")
            yield text
            for event in session.stream():
                reason: rondo.Reason = event.reason
                yield f"{event.text}{reason}"
            reply: rondo.Reply = session.chat([{"role": "user", "content": "Hello!"}])
            yield reply.text + "".join(call.name for call in reply.calls)
            logits: array[float] = session.logits()
            yield str(logits[0])


async def beside(session: rondo.Session) -> str:
    async for event in session.astream("Once"):
        print(event.text)
    parts = [part.kind async for part in session.achat_stream([{"role": "user", "content": "Hi"}])]
    return await session.agenerate("Once") + str(parts)


def wrong(engine: rondo.Engine) -> None:
    engine.session(max_tokens="8")  # type: ignore[arg-type]
    engine.session(warmth=1)  # type: ignore[call-arg]
    engine.session(speculation=1)  # type: ignore[arg-type]
    vectors: list[array[float]] = engine.embed(["a", "b"], dimensions=8)
    scores: list[float] = engine.score("a", ["b"])
    print(vectors, scores)


if __name__ == "__main__":
    print(*texts(sys.argv[1]), beside, wrong)
