"""Requests as hypothesis makes them up: good bodies of all paths, damaged here and there."""

import base64
import json
import re

from hypothesis import strategies as st

from hostile_test import BODIES, ODD, changed, places
from serve_bodies import CHAT, RESPONSES, user
from serve_process import SOURCES

PICTURE = (SOURCES / "tests/data/reading/held_out/000.jpg").read_bytes()
PICTURE_URL = "data:image/jpeg;base64," + base64.b64encode(PICTURE).decode()
RESPONSE = next(body for path, body in BODIES if path == RESPONSES)
MESSAGE = next(body for path, body in BODIES if path == "/v1/messages")
SCORED = {"model": "scorer", "query": "rain", "documents": ["sun", {"text": "rain"}], "top_n": 1,
          "return_documents": True, "instruction": "Find it."}
GOOD = [
    *BODIES,
    (CHAT, {"model": "reading", "max_tokens": 2, "seed": 1, "messages": user([
        {"type": "image_url", "image_url": {"url": PICTURE_URL, "detail": "low"}},
        {"type": "text", "text": "?"}])}),
    (RESPONSES, {"model": "reading", "max_output_tokens": 2, "input": user([
        {"type": "input_image", "image_url": PICTURE_URL}])}),
    ("/v1/messages", {"model": "reading", "max_tokens": 2, "messages": user([
        {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg",
                                     "data": PICTURE_URL.partition(",")[2]}}])}),
    ("/v1/responses/input_tokens", RESPONSE),
    ("/v1/messages/count_tokens",
     {name: MESSAGE[name] for name in ("model", "system", "messages", "tools")}),
    ("/tokenize", {"model": "chat", "messages": user("Hi")}),
    ("/v1/embeddings", {"model": "embedder", "input": ["a", {"text": "b"}], "dimensions": 3,
                        "encoding_format": "base64", "prompt_name": "query", "truncate": True}),
    ("/v1/rerank", SCORED),
    ("/rerank", SCORED),
    ("/v1/score", {"model": "scorer", "text_1": "rain", "text_2": ["sun", "rain"]}),
]
NAMES = sorted({at[-1] for _, body in GOOD for at in places(body)
                if at and isinstance(at[-1], str)})

# What json writes none of: tokens that stand in the text as they are, and a name that comes twice.
BARE, TWICE = "<bare>", "<twice>"
TOKENS = ["1e999", "-1e999", "NaN", "-Infinity", "01", "1.", ".5", "+1", "0x10", "1" * 400, "-0",
          "-0.0", "1E+2", "nul", "undefined", "'a'", "/**/1", "-", "\\u0000"]


def text_of(body, is_ascii):
    """Bytes of the body, with its bare tokens, and surrogates as UTF-8 that is none."""
    text = json.dumps(body, ensure_ascii=is_ascii).replace(TWICE, "")
    text = re.sub(f'"{BARE}([^"]*)"', lambda found: found[1].replace("\\\\", "\\"), text)
    return text.encode(errors="surrogatepass")


# ---- Values --------------------------------------------------------------------------------------

texts = st.text(st.characters(), max_size=20)  # with surrogates
EDGES = [2**31, 2**53, 2**63 - 1, 2**63, 2**64, 10**30, -(2**63), -(10**30)]
numbers = st.one_of(st.integers(-3, 300), st.integers(), st.floats(), st.sampled_from(EDGES))
scalars = st.one_of(numbers, texts, st.sampled_from(ODD), st.sampled_from(TOKENS).map(BARE.__add__))
values = st.recursive(scalars, lambda inner: st.one_of(
    st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)), max_leaves=5)


def nested(value, depth, is_object):
    for _ in range(depth):
        value = {"a": value} if is_object else [value]
    return value


deep = st.builds(nested, scalars, st.integers(1, 300), st.booleans())

PATTERN_PIECES = [
    "a", "b", "(", ")", "(?:", "(?=", "(?i)", "[", "]", "[^", "a-z", "z-a", "\\d", "\\W", "\\b",
    "\\p{L}", "\\u0041", "\\x", "\\", ".", "^", "$", "*", "+", "?", "*?", "|", "{2,9}", "{1000}",
    "{9,2}", "{99999999999}", "\u00e9", "\U0001f600", "\ud800", "\\1", "\0"]
RULE_PIECES = [
    '"a"', '"\\x41"', '"\\u00e9"', '"', "[a-z]", "[^\\n]", "[", "root", "r", "r ::=", "root ::=",
    "::=", "(", ")", "*", "+", "?", "{2}", "{2,}", "{,3}", "{0,1000000}", "|", "\n", ".", "#",
    "\u2603", "\\"]
patterns = st.lists(st.sampled_from(PATTERN_PIECES), max_size=12).map("".join)
rules = st.lists(st.sampled_from(RULE_PIECES), max_size=14).map(
    lambda pieces: "root ::= " + " ".join(pieces))

some = st.sampled_from(["a", "b", "c", ""])
schemas = st.deferred(
    lambda: st.one_of(st.lists(st.one_of(*KEYWORDS), max_size=4).map(dict), scalars))
several = st.lists(schemas, max_size=3)
KINDS = ["object", "array", "string", "number", "integer", "boolean", "null", "any"]
PLACES = ["#", "#/$defs/a", "#/properties/a", "#/items", "#a", "http://a/b", "/"]
FORMATS = ["date", "date-time", "email", "uuid", "ipv6", "regex", "none"]
KEYWORDS = [st.tuples(st.just(name), its) for name, its in (
    ("type", st.sampled_from(KINDS)), ("type", st.lists(st.sampled_from(KINDS), max_size=3)),
    ("properties", st.dictionaries(some, schemas, max_size=3)), ("items", schemas),
    ("required", st.lists(some, max_size=3)), ("additionalProperties", schemas | st.booleans()),
    ("patternProperties", st.dictionaries(patterns, schemas, max_size=2)), ("prefixItems", several),
    ("anyOf", several), ("oneOf", several), ("allOf", several), ("not", schemas), ("if", schemas),
    ("$defs", st.dictionaries(some, schemas, max_size=2)), ("enum", st.lists(values, max_size=3)),
    ("$ref", st.sampled_from(PLACES)), ("const", values), ("pattern", patterns),
    *((name, numbers) for name in ("minLength", "maxLength", "minItems", "maxItems", "minimum",
                                   "maximum", "minProperties", "exclusiveMinimum", "multipleOf")),
    ("format", st.sampled_from(FORMATS)),
    ("uniqueItems", st.booleans()), ("description", texts))]

def picture(at, some):
    file = PICTURE[:at] + some + PICTURE[at + len(some):]
    return "data:;base64," + base64.b64encode(file).decode()


urls = st.one_of(
    st.sampled_from(["", "data:", "data:,", "data:image/png;base64,", "http://127.0.0.1/", "../x",
                     "file:///etc/passwd", "data:image/jpeg;base64,////", PICTURE_URL]),
    st.builds(picture, st.integers(0, len(PICTURE)), st.binary(max_size=8)))
parts = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image_url", "input_text", "input_image", "image", "refusal",
                              "tool_use", "tool_result", "thinking", "input_audio", "video", ""])},
    optional={"text": texts, "image_url": urls | st.fixed_dictionaries({"url": urls}), "id": texts,
              "name": texts, "input": values, "tool_use_id": texts, "content": values,
              "thinking": texts, "source": st.fixed_dictionaries(
                  {"type": st.sampled_from(["base64", "url"]), "data": urls})})
contents = texts | st.lists(parts, max_size=3)
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "developer", "user", "assistant", "tool", "function", ""])},
    optional={"content": contents, "name": texts, "tool_call_id": texts, "reasoning_content": texts,
              "tool_calls": st.lists(values, max_size=2)})
conversations = st.lists(messages, max_size=4)
BY_NAME = {
    "schema": schemas, "parameters": schemas, "input_schema": schemas, "json_schema": schemas,
    "grammar": rules, "regex": patterns, "messages": conversations, "input": conversations | texts,
    "content": contents, "url": urls, "image_url": urls, "data": urls, "tokens": st.lists(numbers),
    "prompt": texts | st.lists(numbers), "stop": st.lists(texts, max_size=5),
    "documents": st.lists(values, max_size=5),
    "logit_bias": st.dictionaries(st.integers(-1, 600).map(str), numbers, max_size=4),
    "arguments": texts | st.builds(json.dumps, values),
    "chat_template_kwargs": st.dictionaries(texts, values, max_size=3),
}
ANY = st.one_of(values, values, scalars, deep)
VALUES = {name: st.one_of(its, its, ANY) for name, its in BY_NAME.items()}

# ---- Requests ------------------------------------------------------------------------------------

KINDS_OF_DAMAGE = ["another", "another", "more", "gone", "twice", "elsewhere", "nested"]


def damaged(draw, body):
    at = draw(st.sampled_from(list(places(body))))
    names = [one for one in at if isinstance(one, str)]
    value = VALUES.get(names[-1] if names else "", ANY)
    kind = draw(st.sampled_from(KINDS_OF_DAMAGE))
    if kind == "more":
        name = draw(st.sampled_from(NAMES) | texts)
        more = {name: draw(VALUES.get(name, ANY))}
        return changed(body, at,
                       lambda old: {**old, **more} if isinstance(old, dict) else [old, old])
    if kind == "gone" and at:
        return changed(body, at[:-1], lambda old: {k: v for k, v in old.items() if k != at[-1]}
                       if isinstance(old, dict) else [*old[: at[-1]], *old[at[-1] + 1:]])
    if kind == "twice" and at and isinstance(at[-1], str):
        more = {at[-1] + TWICE: draw(value)}
        return changed(body, at[:-1], lambda old: old | more)
    if kind == "elsewhere":
        other = draw(st.sampled_from(GOOD))[1]
        for key in draw(st.sampled_from(list(places(other)))):
            other = other[key]
        return changed(body, at, lambda _: other)
    if kind == "nested":
        depth, is_object = draw(st.integers(1, 150)), draw(st.booleans())
        return changed(body, at, lambda old: nested(old, depth, is_object))
    new = draw(value)
    return changed(body, at, lambda _: new)


@st.composite
def requests(draw):
    """A path, and the bytes that are sent to it."""
    path, body = draw(st.sampled_from(GOOD))
    for _ in range(draw(st.sampled_from((0, 1, 1, 1, 2, 3)))):
        body = damaged(draw, body)
        if not isinstance(body, (dict, list)):
            break
    text = text_of(body, draw(st.booleans()))
    if draw(st.integers(0, 9)) == 9:
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.binary(max_size=4)) + text[at + draw(st.integers(0, 4)):]
    return path, text
