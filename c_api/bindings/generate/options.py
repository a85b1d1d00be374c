"""Options that need no code of their own: numbers, flags, enums and texts. Handles, lists and callbacks
are written by hand in each language. What an option is, api.json says by its role and its facts."""
import re
import textwrap

from api import Type, camel, said

ENGINE, SESSION = "rondo_engine_options", "rondo_session_options"


class Option:
    def __init__(self, api, facts, name, c_type, role):
        self.name, self.type, self.facts = name, Type(api, c_type), facts
        kind, _, enum = role.partition(" ")
        self.recommended = kind == "recommended"
        self.sampling = self.recommended or kind == "sampling"
        self.kind = "number" if self.sampling or kind == "value" else kind
        self.enum = next((e for e in api["enums"] if e["name"] == enum), None)
        self.default, self.since = facts.get("default"), facts.get("since")
        self.minimum, self.maximum, self.unit = (facts.get(key) for key in ("min", "max", "unit"))

    def zero(self):
        """Of an enum the constant that is 0."""
        return self.enum and next(self.enum["prefix"] + name
                                  for name, value in self.enum["values"].items() if value == 0)


def options(api, struct, *left_out):
    """Those of `struct` in the header's order."""
    fields = next(s["fields"] for s in api["structs"] if s["name"] == struct)
    facts = api["facts"][struct]
    for name, c_type, role in fields:
        if role.split()[0] in ("value", "flag", "enum", "sampling", "recommended", "text") and \
                not name.startswith("reserved") and name not in left_out:
            yield Option(api, facts[name], name, c_type, role)


class Words:
    """api.json's docs in another language's words. `name`: what a field is called there; `value`: what the
    value of an enum is; `one_of`: how one says of which enum an option is."""

    def __init__(self, api, name, value, null, one_of="{}"):
        self.name, self.value, self.null, self.one_of = name, value, null, one_of
        self.enums = sorted(api["enums"], key=lambda e: -len(e["prefix"]))
        self.fields = [f[0] for s in api["structs"] if s["name"] in (ENGINE, SESSION)
                       for f in s["fields"] if "_" in f[0]]

    def about(self, option):
        """The first sentence, the limits and the default."""
        if not option.facts.get("doc"):
            raise SystemExit(f"api.json says nothing of {option.name}")
        facts = {key: value for key, value in option.facts.items() if key != "since"}
        facts["doc"] = re.match(r"(.*?[^.])(\. |\.?$)", facts["doc"], re.S)[1] + "."
        if option.kind == "flag":
            facts["doc"] = re.sub(r"^1: ", "true: ", facts["doc"])
            facts.pop("default")
        return self.translated(said(facts, option.enum, lambda enum, name: enum["prefix"] + name,
                                    lambda enum: self.one_of.format(camel(enum["name"]))))

    def translated(self, text):
        text = text.replace("NULL", self.null)
        for e in self.enums:
            text = re.sub(rf"\b{e['prefix']}([A-Z]\w*)", lambda m: self.value(e, m[1]), text)
        for field in self.fields:
            text = re.sub(rf"(?<!\.)\b{field}\b", self.name(field), text)
        return text[0].upper() + text[1:]


def comment(text, width, begin, between=None, end=""):
    """The lines of a comment, each with `begin`, but those behind the first with `between`."""
    return textwrap.wrap(text + end, width, initial_indent=begin,
                         subsequent_indent=begin if between is None else between,
                         break_long_words=False, break_on_hyphens=False)
