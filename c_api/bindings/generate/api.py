"""The API's description (c_api/abi/api.json), as generators look at it."""
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.append(os.path.join(ROOT, "c_api", "abi"))
import read_header  # noqa: E402

NOTICE = "Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit."


def load():
    """api.json as generators read it: a field is (name, C type, role), an enum's value a number. What is
    said of them stands apart: "facts" and "comments" by struct and field, "docs" in each enum."""
    with open(os.path.join(ROOT, "c_api", "abi", "api.json"), encoding="utf-8") as file:
        api = json.load(file)
    api["words"], api["facts"], api["comments"] = api["facts"], {}, {}
    for struct in api["structs"]:
        facts = {field[0]: field[3] if len(field) > 3 else {} for field in struct["fields"]}
        api["facts"][struct["name"]] = facts
        struct["fields"] = [field[:3] for field in struct["fields"]]
    for enum in api["enums"]:
        enum["docs"] = {name: doc for name, (_, doc) in enum["values"].items()}
        enum["values"] = {name: value for name, (value, _) in enum["values"].items()}
    enums = {f"enum {enum['name']}": enum for enum in api["enums"]}
    for struct in api["structs"]:
        facts = api["facts"][struct["name"]]
        api["comments"][struct["name"]] = {
            name: said(facts[name], enums.get(role)) for name, _, role in struct["fields"]}
    return api


def number(value):
    """As people write it: powers of two from 2^20 as such."""
    if isinstance(value, int) and value >= 1 << 20 and value & (value - 1) == 0:
        return f"2^{value.bit_length() - 1}"
    return str(value)


def limits(facts):
    """"1 to 64", "at most 256", ...; empty where all that the type holds is accepted."""
    low, high = facts.get("min"), facts.get("max", facts.get("below"))
    below = "at most" if "max" in facts else "below"
    if "above" in facts:
        return f"above {facts['above']}" + (f", {below} {number(high)}" if high is not None else "")
    if low is not None and high is not None:
        return f"{number(low)} to {number(high)}" if "max" in facts else f"from {low}, below {high}"
    if high is not None:
        return f"{below} {number(high)}"
    return f"{low} or more" if low is not None else ""


def said(facts, enum=None, constant=lambda enum, name: name, one_of=lambda enum: enum["prefix"]):
    """What rondo.h says of a field: its doc, its limits, its default, the ABI that brought it. Another
    language says in its words which constant of which enum it is."""
    end, default = limits(facts), facts.get("default")
    if enum:
        end = f"One of {one_of(enum)}"
        default = next((constant(enum, name) for name, value in enum["values"].items() if value == default),
                       None)
    if "default" in facts:
        end += ("; " if end else "") + "default" + (f" {default}" if default is not None else "")
        end += f": {facts['means']}" if "means" in facts else ""
    end = end and f"{end[0].upper()}{end[1:]}."
    since = f"Since ABI {facts['since']}." if "since" in facts else ""
    return " ".join(text for text in (facts.get("doc"), end, since) if text)


class Type:
    """A C type in parts: `const float**` is base "float" with 2 stars."""

    def __init__(self, api, text):
        array = text.partition("[")[2].rstrip("]")
        words = text.partition("[")[0].replace("*", " * ").split()
        self.array = int(array) if array else 0
        self.stars = words.count("*")
        self.pointer_const = "* const*" in text  # `T* const*`: the pointers do not change
        self.const = words[0] == "const"  # what the last pointer points to, where there is one
        self.base = next(word for word in words if word not in ("const", "*"))
        self.is_handle = self.base in api["handles"]
        self.is_callback = any(self.base == c["name"] for c in api["callbacks"])
        self.is_struct = any(self.base == s["name"] for s in api["structs"])


def variables(api, item):
    """(name, Type, role) of each parameter of a function or field of a struct."""
    for name, c_type, role in item["params"] if "params" in item else item["fields"]:
        yield name, Type(api, c_type), role


def returns(api, item):
    """The Type of what a function returns, or None."""
    text = "int32_t" if item["returns"] == "status" else item["returns"]
    return None if text == "void" else Type(api, text)


def camel(name):
    """rondo_engine_options -> EngineOptions"""
    return "".join(word.capitalize() for word in name.removeprefix("rondo_").split("_"))


def abi_version(api):
    return int(api["macros"]["RONDO_ABI_VERSION"].rstrip("u"))


def records(api):
    """The structs that the library only fills: (struct, its fields that mean something)."""
    for struct in api["structs"]:
        fields = list(variables(api, struct))
        if fields[0][0] != "struct_size" or struct["name"].endswith("_options"):
            continue
        if all(role.split()[0] in ("size", "value", "text", "enum") for _, _, role in fields):
            yield struct, [f for f in fields if f[0] not in ("struct_size", "reserved")]
