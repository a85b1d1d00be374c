"""Which text is nearest to a question: python search.py embedder.rondo "question" "text"..."""
import sys

# shown from here
import rondo

def nearest(path, question, texts):
    with rondo.Model(path) as model, model.engine(max_sessions=4) as engine:
        asked, = engine.embed([question], prompt="query")
        found = engine.embed(texts, prompt="document")
        scores = [sum(x * y for x, y in zip(asked, vector)) for vector in found]
        return texts[scores.index(max(scores))]
# shown to here


print(nearest(sys.argv[1], sys.argv[2], sys.argv[3:]))
