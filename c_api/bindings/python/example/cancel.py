"""Two answers at a time beside an event loop, one of which is cut off: python cancel.py model.rondo"""
# shown from here
import asyncio
import sys
import rondo

async def answers(path):
    with rondo.Model(path) as model, model.engine(max_sessions=2) as engine:
        with engine.session(max_tokens=64) as one, engine.session(ignore_eos=True) as other:
            endless = asyncio.create_task(other.agenerate("Once upon a time"))
            print(await one.agenerate("The little girl"))
            endless.cancel()  # ends its call and no other; `other` can be used again

asyncio.run(answers(sys.argv[1]))
# shown to here
