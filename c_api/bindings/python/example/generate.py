"""Continues a text: python generate.py model.rondo "Once upon a time" """
# shown from here
import sys
import rondo

path, prompt = sys.argv[1:]
with rondo.Model(path) as model, model.engine() as engine:
    with engine.session(max_tokens=64) as session:
        for event in session.stream(prompt):
            print(event.text, end="", flush=True)
# shown to here
print()
