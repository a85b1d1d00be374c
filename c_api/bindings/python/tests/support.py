"""What the tests share: test.sh names the files."""
import functools
import os
import subprocess
import sys

import rondo

PATHS = {name: os.environ.get(f"RONDO_TEST_{name}", "") for name in
         ("MODEL", "RECOMMENDING", "ADAPTER", "CALLING", "EMBEDDER", "SCORER", "SEEING")}
MODEL = PATHS["MODEL"]
PROMPT = "Today's weather is so"
ASK = [{"role": "user", "content": "How is the weather?"}]
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {
    "type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}}, "required": ["city"],
    "additionalProperties": False}}}]
PERSON = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 12},
                                           "age": {"type": "integer", "minimum": 0, "maximum": 130}},
          "required": ["name", "age"]}


@functools.lru_cache(maxsize=None)
def _model(name):
    return rondo.Model(PATHS[name])


def model(name="MODEL"):
    return _model(name)


@functools.lru_cache(maxsize=None)
def _engine(name):
    return _model(name).engine(context=256, max_sessions=4)


def engine(name="MODEL"):
    return _engine(name)


@functools.lru_cache(maxsize=None)
def ids():
    return model().tokenize(PROMPT)


@functools.lru_cache(maxsize=None)
def text():
    """Sixteen tokens behind PROMPT."""
    with engine().session(max_tokens=16) as session:
        return session.generate(PROMPT)


def python(program, *arguments, **environment):
    """Another interpreter's output and exit code; what it prints on its error stream is in it."""
    done = subprocess.run([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment})
    return done.returncode, done.stdout
