"""The API's description (c_api/abi/api.json), as generators look at it."""
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.append(os.path.join(ROOT, "c_api", "abi"))
import read_header  # noqa: E402

NOTICE = "Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit."


def load():
    """api.json, with what rondo.h says of structs' fields as "comments"."""
    with open(os.path.join(ROOT, "c_api", "abi", "api.json"), encoding="utf-8") as file:
        api = json.load(file)
    header = os.path.join(ROOT, "include", "rondo", "rondo.h")
    return {**api, "comments": read_header.field_comments(header)}


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
        if all(role in ("size", "value", "text") for _, _, role in fields):
            yield struct, [f for f in fields if f[0] not in ("struct_size", "reserved")]
