"""Python: ctypes structures, prototypes and enums."""
from api import NOTICE, abi_version, camel, records, returns, variables
from options import ENGINE, SESSION, Words, comment, options

SCALARS = {"int32_t": "c_int32", "uint32_t": "c_uint32", "int64_t": "c_int64",
           "uint64_t": "c_uint64", "size_t": "c_size_t", "float": "c_float", "double": "c_double",
           "char": "c_char", "void": "None"}


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


def files(api):
    out = [f'"""The C API as ctypes sees it. {NOTICE}"""',
           "import enum", "from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, "
           "c_double, c_float,", "                    c_int32, c_int64, c_size_t, c_uint32, "
           "c_uint64, c_void_p)", "", f"ABI_VERSION = {abi_version(api)}", ""]
    for e in api["enums"]:
        out += ["", f"class {camel(e['name'])}(enum.{'IntFlag' if e['flags'] else 'IntEnum'}):"]
        out += [f"    {name} = {value:#x}" for name, value in e["values"].items()] + [""]
    out.append("")
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
    out += ["", "# What each function returns and takes.", wrap("PROTOTYPES = {", prototypes, "}")]
    return {"python/rondo/_raw.py": "\n".join(out) + "\n",
            "python/rondo/_records.py": records_file(api),
            "python/rondo/_keywords.py": keywords_file(api)}


def records_file(api):
    """What the library tells, as named tuples."""
    out = [f'"""What the library tells about models, plans and engines. {NOTICE}"""',
           "from __future__ import annotations", "", "from typing import NamedTuple", ""]
    for struct, fields in records(api):
        out += ["", f"class {camel(struct['name'])}(NamedTuple):",
                f'    """rondo_{struct["name"].removeprefix("rondo_")} in rondo.h."""']
        out += [f"    {name}: {python_type(t)}" for name, t, _ in fields] + [""]
    return "\n".join(out)


def python_type(t):
    if t.base == "char":
        return "str"
    return "float" if t.base in ("float", "double") else "int"


def keywords_file(api):
    """Options as keywords."""
    words = Words(api, lambda name: name, lambda enum, value: f"{camel(enum['name'])}.{value}", "None")
    out = [f'"""Options of engines and sessions, as keywords. {NOTICE}"""',
           "from __future__ import annotations", "", "from typing import TypedDict", ""]
    for struct in (ENGINE, SESSION):
        out += ["", f"class {camel(struct).replace('Options', 'Keywords')}(TypedDict, total=False):",
                f'    """{struct} in rondo.h, which says more of each."""']
        for option in options(api, struct):
            kind = {"flag": "bool", "text": "str", "enum": "int"}.get(option.kind,
                                                                      python_type(option.type))
            out += [f"    {option.name}: {kind}",
                    *comment(words.about(option), 100, '    """', "    ", '"""')]
        out.append("")
    return "\n".join(out)
