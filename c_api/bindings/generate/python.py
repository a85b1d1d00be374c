"""Python: ctypes structures and prototypes, enums, records, and the methods that take options. What
these methods are, python_methods.py says."""
import re

import python_methods
from api import NOTICE, abi_version, camel, records, returns, said, variables
from options import ENGINE, SESSION, Words, comment, options

SCALARS = {"int32_t": "c_int32", "uint32_t": "c_uint32", "int64_t": "c_int64",
           "uint64_t": "c_uint64", "size_t": "c_size_t", "float": "c_float", "double": "c_double",
           "char": "c_char", "void": "None"}
FUTURE = "from __future__ import annotations"


def ctype(t, role, in_struct=False):
    if t.is_callback:
        return camel(t.base)
    if t.array:
        return f"{SCALARS[t.base]} * {t.array}"
    if t.stars == 0:
        return SCALARS[t.base]
    if t.is_handle or t.base == "void":
        return "c_void_p" if t.stars == 1 else "POINTER(c_void_p)"
    if t.base == "char":
        if in_struct and role != "text":  # c_char_p would stop at the first zero
            name = "c_void_p"
        else:
            name = "c_char_p"
        return name if t.stars == 1 else f"POINTER({'c_char_p'})"
    name = camel(t.base) if t.is_struct else SCALARS[t.base]
    return "POINTER(" * t.stars + name + ")" * t.stars


def wrap(head, items, tail):
    return "\n".join([head] + [f"    {item}," for item in items] + [tail])


class PythonWords(Words):
    """api.json's docs in Python's words."""

    def __init__(self, api):
        super().__init__(api, lambda name: {"stop_strings": "stop"}.get(name, name),
                         lambda enum, value: f"{camel(enum['name'])}.{value}", "None")

    def translated(self, text):
        text = text.replace("rondo_media_create", "Engine.media")
        text = re.sub(r"\brondo_(plan_\w+|tokenize|detokenize)\b", r"Model.\1", text)
        text = re.sub(r"\brondo_(model|engine|session)_(\w+)", lambda m: f"{m[1].title()}.{m[2]}", text)
        return super().translated(text)


def files(api):
    made = {"_raw": raw_file(api), "_enums": enums_file(api), "_records": records_file(api),
            "_option_kinds": kinds_file(api),
            "_methods": python_methods.text(api, PythonWords(api), NOTICE)}
    return {f"python/rondo/{name}.py": "\n".join(lines) + "\n" for name, lines in made.items()}


def raw_file(api):
    out = [f'"""The C API as ctypes sees it. {NOTICE}"""',
           "from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, "
           "c_double, c_float,", "                    c_int32, c_int64, c_size_t, c_uint32, "
           "c_uint64, c_void_p)", "", f"ABI_VERSION = {abi_version(api)}", ""]
    for c in api["callbacks"]:
        types = ["None" if returns(api, c) is None else ctype(returns(api, c), "value")]
        types += [ctype(t, role) for _, t, role in variables(api, c)]
        out.append(f"{camel(c['name'])} = CFUNCTYPE({', '.join(types)})")
    out.append("")
    for s in api["structs"]:
        out += ["", f"class {camel(s['name'])}(Structure):"]
        out.append(wrap("    _fields_ = [", [f'    ("{name}", {ctype(t, role, True)})'
                                            for name, t, role in variables(api, s)], "    ]"))
        out.append("")
    prototypes = []
    for f in api["functions"]:
        result = returns(api, f)
        types = ", ".join(ctype(t, role) for _, t, role in variables(api, f))
        prototypes.append(f'"{f["name"]}": ({ctype(result, "out") if result else "None"}, '
                          f"[{types}])")
    return out + ["", "# What each function returns and takes.",
                  wrap("PROTOTYPES = {", prototypes, "}")]


def enums_file(api):
    speak = PythonWords(api)
    out = [f'"""The constants of rondo.h. {NOTICE}"""', FUTURE, "", "import enum", "",
           "from ._newer import NewerIntEnum", ""]
    for e in api["enums"]:
        out += ["", f"class {camel(e['name'])}({'enum.IntFlag' if e['flags'] else 'NewerIntEnum'}):",
                f'    """{e["prefix"]} in rondo.h."""']
        for name, value in e["values"].items():
            out += [f"    {name} = {value:#x}",
                    *comment(speak.translated(e["docs"][name]), 100, '    """', "    ", '"""')]
        out.append("")
    out += ["", wrap("CONSTANTS = {", [f'"{e["prefix"]}{name}": "{camel(e["name"])}.{name}"'
                                       for e in api["enums"] for name in e["values"]], "}")]
    return out


def records_file(api):
    """What the library tells, as named tuples."""
    speak = PythonWords(api)
    enums, body = set(), []
    for struct, fields in records(api):
        facts = api["facts"][struct["name"]]
        body += ["", f"class {camel(struct['name'])}(NamedTuple):",
                 f'    """rondo_{struct["name"].removeprefix("rondo_")} in rondo.h."""']
        for name, t, role in fields:
            kind = python_type(t)
            if role.startswith("enum "):
                kind = camel(role.partition(" ")[2])
                enums.add(kind)
            body += [f"    {name}: {kind}", *comment(
                speak.translated(said(facts[name])), 100, '    """', "    ", '"""')]
        body.append("")
    return [f'"""What the library tells about models, plans and engines. {NOTICE}"""', FUTURE, "",
            "from typing import NamedTuple", "",
            f"from ._enums import {', '.join(sorted(enums))}", "", *body,
            "", "# The fields that are constants.", wrap("CONSTANTS = {", [
                f'("{camel(struct["name"])}", "{name}"): {camel(role.partition(" ")[2])}'
                for struct, fields in records(api) for name, _, role in fields
                if role.startswith("enum ")], "}")]


def python_type(t):
    if t.base == "char":
        return "str"
    return "float" if t.base in ("float", "double") else "int"


def kinds_file(api):
    """What each option is, by which it is checked."""
    kinds, enums = [], set()
    for name, struct in (("ENGINE", ENGINE), ("SESSION", SESSION)):
        items = []
        for option in options(api, struct):
            if option.kind == "enum":
                kind = camel(option.enum["name"])
                enums.add(kind)
            elif option.kind in ("flag", "text"):
                kind = {"flag": "bool", "text": "str"}[option.kind]
            else:
                kind = {"float": "float", "int32_t": "INT32", "uint32_t": "UINT32",
                        "uint64_t": "UINT64"}[option.type.base]
            items.append(f'"{option.name}": {kind}')
        kinds += ["", wrap(f"{name}: dict[str, Any] = {{", items, "}")]
    kinds += ["", "# Where None stands for what a model's makers recommend.", wrap("RECOMMENDED = {", [
        f'"{option.name}"' for option in options(api, SESSION) if option.recommended], "}")]
    return [f'"""What each option is: a type, or the limits of an int. {NOTICE}"""', FUTURE, "",
            "from typing import Any", "", "from ._checked import INT32, UINT32, UINT64",
            f"from ._enums import {', '.join(sorted(enums))}", *kinds]
