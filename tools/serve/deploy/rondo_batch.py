"""Texts for many prompts as one function, for who spreads work over machines: Dask, Ray, Spark, a
Slurm array. Each process that works keeps one engine, whose file is mapped once a machine. The
results are equal to the bit for any partitioning: a text depends on its prompt, the model, the seed
and the kernel set alone. Python 3.10 and the package rondo.

    python3 rondo_batch.py MODEL PROMPTS            # a prompt a line, on this machine
"""
import sys

import rondo

_engines = {}


def engine_of(path, context, sessions):
    """The model and this process's engine of it, made when it is first asked for."""
    key = (path, context, sessions)
    if key not in _engines:
        model = rondo.Model(path)
        _engines[key] = model, model.engine(context=context, max_sessions=sessions)
    return _engines[key]


def rondo_batch(prompts, path, *, max_tokens=64, temperature=0.0, seed=0, context=1024, sessions=8):
    """The texts that follow the prompts, in their order."""
    model, engine = engine_of(path, context, sessions)
    texts, running, waiting = [""] * len(prompts), {}, list(enumerate(prompts))[::-1]
    while running or waiting:
        while waiting and len(running) < sessions:
            number, prompt = waiting.pop()
            session = engine.session(max_tokens=max_tokens, temperature=temperature, seed=seed)
            session.append(model.tokenize(prompt))
            running[number] = session
        engine.step(list(running.values()))
        for number, session in list(running.items()):
            event = session.event()
            while event.token >= 0 or event.reason != rondo.Reason.NONE:
                texts[number] += event.text
                if event.reason != rondo.Reason.NONE:
                    running.pop(number).close()
                    break
                event = session.event()
    return texts


def on_dask(address, partitions, path, **options):
    """A list of texts for each list of prompts; a partition whose worker dies runs again elsewhere."""
    from dask.distributed import Client

    with Client(address) as client:
        futures = client.map(lambda part: rondo_batch(part, path, **options), partitions, pure=False)
        return client.gather(futures)


def on_ray(dataset, path, **options):
    """A Ray dataset with the column prompt, and text beside it."""
    def answer(batch):
        batch["text"] = rondo_batch(list(batch["prompt"]), path, **options)
        return batch

    return dataset.map_batches(answer, batch_size=256)


def on_spark(frame, path, **options):
    """A Spark frame with the column prompt, and text beside it."""
    def answer(batches):
        for batch in batches:
            yield batch.assign(text=rondo_batch(list(batch["prompt"]), path, **options))

    return frame.mapInPandas(answer, frame.schema.simpleString()[7:-1] + ",text:string")


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as lines:
        for text in rondo_batch([line.rstrip("\n") for line in lines], sys.argv[1]):
            print(repr(text))
