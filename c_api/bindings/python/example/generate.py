"""Continues a text: python generate.py model.rondo "Once upon a time" """
import sys

import rondo

path, prompt = sys.argv[1:]
with rondo.Model(path) as model, model.engine() as engine:
    with engine.session(max_tokens=64) as session:
        session.prefill(model.tokenize(prompt))
        for event in session.stream():
            print(event.text, end="", flush=True)
print()
