"""Node: what the addon knows of the API's functions and structs, constants, and their TypeScript
declarations."""
import re

from api import NOTICE, abi_version, camel, records, variables
from options import ENGINE, SESSION, Words, comment, options

RENAMED = {"stop_strings": "stop", "template_text": "template"}
NUMBERS = {"uint32_t": "U32", "int32_t": "I32", "uint64_t": "U64", "int64_t": "I64", "size_t": "SIZE",
           "float": "FLOAT"}
# What computes runs on a thread of its own; what sessions count is cancelled by its number.
NUMBERED = {"rondo_session_prefill", "rondo_session_prefill_logits", "rondo_session_next",
            "rondo_session_logits", "rondo_session_embed", "rondo_engine_step", "rondo_engine_embed"}
WAITS = NUMBERED | {"rondo_engine_create", "rondo_media_create"}
# Memory that must outlive what is made of it: JavaScript moves and collects its own.
LEFT_OUT = {"rondo_model_open_memory", "rondo_model_open_parts", "rondo_adapter_open_memory"}
# What a parameter is, where its type and role do not say it.
PARAMS = {
    ("rondo_chat_grammar", "calls"): ("KIND_ENUM", "rondo_calls"),
    ("rondo_chat_render", "text"): ("OUT_WANTED_TEXT", None),
    ("rondo_chat_render", "ids"): ("OUT_WANTED_IDS", None),
    ("rondo_engine_embed", "ids"): ("PARAM_BARE_IDS", None),
    ("rondo_engine_embed", "counts"): ("PARAM_SIZES", None),
    ("rondo_engine_embed", "dimensions"): ("KIND_SIZE", None),
    ("rondo_session_embed", "dimensions"): ("KIND_SIZE", None),
    ("rondo_engine_profile", "cursor"): ("OUT_CURSOR", None),
    ("rondo_chat_parser_push", "bytes"): ("KIND_BYTES", None),
}


def js_name(name):
    words = RENAMED.get(name, name).split("_")
    return words[0] + "".join(word.capitalize() for word in words[1:])


def handle(t):
    return "HANDLE_" + t.base.removeprefix("rondo_").upper()


def row(name, kind, **parts):
    inside = "".join(f", .{key} = {value}" for key, value in parts.items() if value)
    return f'    {{.name = "{name}", .kind = {kind}{inside}}},'


def field_row(api, struct, name, t, role, counts):
    """A line of a struct's table; None: JavaScript does not see this field."""
    where = f"offsetof({struct['name']}, {name})"
    parts = {"offset": where}
    if name in counts:
        count, count_type = counts[name]
        parts["count"] = f"offsetof({struct['name']}, {count})"
        parts["wide"] = int(count_type == "size_t")
    kind = role.split()[0]
    if kind in ("size", "user", "length") or name.startswith("reserved") or name == "parallel_for":
        return None
    if t.is_callback:
        parts["count"] = f"offsetof({struct['name']}, {name}_user)"
        return row(js_name(name), "KIND_LOG" if name == "log" else "KIND_PROGRESS", **parts)
    if kind == "flag":
        return row(js_name(name), "KIND_FLAG", **parts)
    if kind == "enum":
        return row(js_name(name), "KIND_ENUM", **parts, enumeration=f"&enum_{role.split()[1]}")
    if t.array:
        return row(js_name(name), "KIND_CHARS", **parts, chars=t.array)
    if t.is_handle:
        return row(js_name(name), "KIND_HANDLE", **parts, handle=handle(t))
    if kind == "text":
        return row(js_name(name), "KIND_TEXT", **parts)
    if t.stars == 0:
        return row(js_name(name), f"KIND_{NUMBERS[t.base]}", **parts)
    if t.stars == 2:
        return row(js_name(name), "KIND_TEXT_LIST", **parts)
    if t.is_struct:
        return row(js_name(name), "KIND_STRUCT_LIST", **parts, structure=f"&struct_{t.base}")
    if t.base == "char":
        return row(js_name(name), "KIND_BYTES" if name == "bytes" else "KIND_STRING", **parts)
    return row(js_name(name), "KIND_U32_LIST" if name in counts else "KIND_DATA", **parts)


def struct_lines(api, struct):
    name = struct["name"]
    fields = list(variables(api, struct))
    counts = {role.split()[1]: (n, t.base) for n, t, role in fields if role.startswith("length ")}
    rows = [r for r in (field_row(api, struct, n, t, role, counts) for n, t, role in fields) if r]
    init = any(f["name"] == f"{name}_init" for f in api["functions"])
    out = []
    if init:
        out += [f"static int32_t init_{name}(const struct library* library, void* options) {{",
                f"  return library->{name}_init(options, sizeof({name}));", "}"]
    return out + [
        f"static const struct field fields_{name}[] = {{", *rows, "};",
        f"static const struct structure struct_{name} = {{",
        f'    "{name}", sizeof({name}), {"true" if fields[0][0] == "struct_size" else "false"}, '
        f'{f"init_{name}" if init else "NULL"},',
        f"    fields_{name}, sizeof fields_{name} / sizeof *fields_{name}}};", ""]


def output_kind(name, t, role, following):
    if following.startswith("capacity") or following.startswith("needed"):
        if role == "borrow":
            return "OUT_BORROWED"
        return {"char": "OUT_TEXT", "int32_t": "OUT_IDS", "void": "OUT_BYTES"}[t.base]
    return f"OUT_{NUMBERS[t.base]}"


def param_row(api, function, i, params):
    """A line of a function's table."""
    name, t, role = params[i]
    following = params[i + 1][2] if i + 1 < len(params) else ""
    shown = js_name(name)
    given = PARAMS.get((function["name"], name))
    kind = role.split()[0]
    if given:
        return row(shown, given[0], enumeration=given[1] and f"&enum_{given[1]}")
    if name == "abi_version":
        return row(shown, "PARAM_ABI_VERSION")
    if t.base == "float" and role == "out":
        count = next(j for j, p in enumerate(params) if p[0] == "dimensions")
        times = next((j for j, p in enumerate(params) if p[0] == "n_texts"), 0)
        return row(shown, "OUT_FLOATS", count=count, times=times)
    if kind in ("length", "capacity", "needed", "user", "size"):
        return row(shown, "PARAM_FILLED")
    if kind == "keep":
        return row(shown, "PARAM_NULL")
    if kind in ("message", "create", "close"):
        return row(shown, f"PARAM_{kind.upper()}", handle=handle(t) if kind != "message" else None)
    if kind == "handle":
        return row(shown, "KIND_HANDLE", handle=handle(t))
    if kind == "call":
        return row(shown, "PARAM_ROW")
    if kind == "text":
        return row(shown, "KIND_TEXT")
    if t.is_handle:
        return row(shown, "PARAM_HANDLES", handle=handle(t))
    if t.is_struct:
        kind = "OUT_STRUCT" if role in ("out", "in_out") else \
            "PARAM_STRUCTS" if following.startswith("length") else "PARAM_STRUCT"
        return row(shown, kind, structure=f"&struct_{t.base}")
    if role in ("out", "borrow"):
        return row(shown, output_kind(name, t, role, following))
    if t.stars == 0:
        return row(shown, f"KIND_{NUMBERS[t.base]}")
    return row(shown, {"char": "KIND_STRING", "int32_t": "PARAM_IDS", "void": "KIND_BYTES"}[t.base])


def slot(i, t):
    if t.stars or t.is_callback:
        pointer = f"(void*)s[{i}].p"
        return f"({t.base})(uintptr_t)s[{i}].p" if t.is_callback else pointer
    return f"s[{i}].{ {'uint32_t': 'u32', 'int32_t': 'i32', 'uint64_t': 'u64', 'int64_t': 'i64', 'size_t': 'size'}[t.base] }"


def function_lines(api, function):
    name = function["name"]
    params = list(variables(api, function))
    arguments = ", ".join("on_row" if t.is_callback else slot(i, t)
                          for i, (_, t, _) in enumerate(params))
    call = f"l->{name}({arguments})"
    result, body = {
        "status": ("RESULT_STATUS", f"return {call};"),
        "void": ("RESULT_VOID", f"{call}; return 0;"),
        "const char*": ("RESULT_TEXT", f"s[MAX_PARAMS].p = {call}; return 0;"),
        "uint32_t": ("RESULT_U32", f"s[MAX_PARAMS].u32 = {call}; return 0;"),
    }[function["returns"]]
    lines = [f"static int32_t run_{name}(const struct library* l, union slot* s) {{",
             *(["  (void)s;"] if "s[" not in body else []), f"  {body}", "}"]
    if params:
        lines += [f"static const struct param params_{name}[] = {{",
                  *(param_row(api, function, i, params) for i in range(len(params))), "};"]
    entry = (f'    {{"{name}", {result}, {str(name in WAITS).lower()}, {str(name in NUMBERED).lower()}, '
             f'{len(params)}, {f"params_{name}" if params else "NULL"}, run_{name}}},')
    return lines, entry


def tables(api):
    out = ["// clang-format off",
           f"/* The API's functions and structs as the addon's tables. {NOTICE} */",
           '#include <stdlib.h>', "", '#include "rondo_node.h"', ""]
    roles = {role for s in api["structs"] for _, _, role in s["fields"]}
    for e in api["enums"]:
        if f"enum {e['name']}" not in roles and ("KIND_ENUM", e["name"]) not in PARAMS.values():
            continue
        values = e["values"]
        out += [f"static const char* const names_{e['name']}[] = {{",
                *(f'    "{name}",' for name in values), "};",
                f"static const int32_t values_{e['name']}[] = {{"
                + ", ".join(str(v) for v in values.values()) + "};",
                f"static const struct enumeration enum_{e['name']} = {{",
                f'    "{camel(e["name"])}", {len(values)}, names_{e["name"]}, values_{e["name"]}}};', ""]
    structs = [s for s in api["structs"] if s["name"] != "rondo_model_part"]
    for struct in structs:
        out += struct_lines(api, struct)
    entries = []
    skipped = LEFT_OUT | {f"{s['name']}_init" for s in structs} | {"rondo_session_last_error"}
    for function in api["functions"]:
        if function["name"] in skipped:
            continue
        lines, entry = function_lines(api, function)
        out += [*lines, ""]
        entries.append(entry)
    out += ["const struct function functions[] = {", *entries, "};",
            "const size_t n_functions = sizeof functions / sizeof *functions;", "",
            "void close_raw(const struct library* library, enum handle_kind kind, void* raw) {",
            "  switch (kind) {"]
    for name in api["handles"]:
        out.append(f"    case HANDLE_{name.removeprefix('rondo_').upper()}: "
                   f"library->{name}_close(raw); break;")
    out += ["    default: break;", "  }", "}", "",
            "const char* fill_library(struct library** filled, void* (*find)(void*, const char*), "
            "void* shared) {",
            "  struct library* library = calloc(1, sizeof *library);",
            "  *filled = library;", '  if (library == NULL) return "memory";']
    for function in api["functions"]:
        out.append(f'  *(void**)&library->{function["name"]} = find(shared, "{function["name"]}");')
        out.append(f'  if (library->{function["name"]} == NULL) return "{function["name"]}";')
    out += ["  return NULL;", "}", "",
            "const struct structure* const event_structure = &struct_rondo_event;"]
    return "\n".join(out) + "\n"


def library(api):
    return "\n".join(["// clang-format off",
                      f"/* The library's functions, which are looked up by their names. {NOTICE} */",
                      "#ifndef RONDO_NODE_LIBRARY_H_", "#define RONDO_NODE_LIBRARY_H_", "",
                      "#include <rondo/rondo.h>", "", "struct library {",
                      *(f"  __typeof__(&{f['name']}) {f['name']};" for f in api["functions"]), "};", "",
                      "#endif"]) + "\n"


def files(api):
    out = [f"// Constants of the C API by their names, and options' names. {NOTICE}", "'use strict';", "",
           f"exports.ABI_VERSION = {abi_version(api)};"]
    for e in api["enums"]:
        out += ["", f"exports.{camel(e['name'])} = Object.freeze({{"]
        out += [f"  {name}: {value if e['flags'] else repr(name)}," for name, value in e["values"].items()]
        out += ["});"]
    status = next(e for e in api["enums"] if e["name"] == "rondo_status")
    out += ["", "exports.statusNames = new Map(["]
    out += [f"  [{value}, '{name}']," for name, value in status["values"].items()] + ["]);", ""]
    out += ["// What the library's sentences call an option, and what JavaScript calls it.",
            "exports.optionNames = new Map(["]
    names = {field[0] for s in api["structs"] if s["name"].endswith("_options") for field in s["fields"]
             if "_" in field[0] and not field[0].startswith(("reserved", "n_", "struct_size"))}
    out += [f"  ['{name}', '{js_name(name)}']," for name in sorted(names)] + ["]);", ""]
    session = next(s for s in api["structs"] if s["name"] == SESSION)
    recommended = [name for name, _, role in session["fields"] if role == "recommended"]
    out += ["// What a model's makers may recommend.", "exports.recommendedOptions = ["]
    out += [f"  '{js_name(name)}'," for name in [*recommended, "logit_bias", "stop_strings"]] + ["];"]
    return {"node/lib/constants.cjs": "\n".join(out) + "\n", "node/addon/tables.c": tables(api),
            "node/addon/library.h": library(api),
            "node/lib/constants.d.cts": declarations(api)}


def words_of(api):
    return Words(api, js_name, lambda enum, value: f"{camel(enum['name'])}.{value}", "none")


def documented(words, text):
    """The lines of a comment with the first sentence of what api.json says."""
    first = re.match(r"(.*?[^.])(\. |\.?$)", text, re.S)[1] + "."
    return ["  " + line for line in comment(words.translated(first), 96, "/** ", " * ", " */")]


def constants(enum, words):
    """A constant with the names of an enum, and the type of its values."""
    name = camel(enum["name"])
    out = [f"export declare const {name}: {{"]
    for value in enum["values"]:
        out += documented(words, enum["docs"][value]) + [f"  readonly {value}: '{value}';"]
    return [*out, "};", "/** One of its names; a newer library may tell others. */",
            f"export type {name} = (typeof {name})[keyof typeof {name}];"]


def record_type(api, t, role):
    if role.startswith("enum "):
        return camel(role.split()[1])
    return "string" if t.base == "char" else "number"


def record_lines(api):
    """The types of what the library tells."""
    out = []
    for struct, fields in records(api):
        out += ["", f"/** {struct['name']} in rondo.h. */",
                f"export interface {camel(struct['name'])} {{"]
        facts = api["facts"][struct["name"]]
        for name, t, role in fields:
            out += documented(words_of(api), facts[name]["doc"]) if facts[name].get("doc") else []
            out.append(f"  readonly {js_name(name)}: {record_type(api, t, role)};")
        out += ["}"]
    return out


def declarations(api):
    out = [f"// Constants and records. {NOTICE}", "",
           f"export declare const ABI_VERSION: {abi_version(api)};"]
    for e in api["enums"]:
        if not e["flags"]:
            out += ["", *constants(e, words_of(api))]
    out += record_lines(api)
    return "\n".join(out) + "\n"


def field(option, words):
    if option.enum:
        kind = camel(option.enum["name"])
    else:
        kind = {"flag": "boolean", "text": "string"}.get(
            option.kind, "number | bigint" if option.type.base == "uint64_t" else "number")
    return [*comment(words.about(option), 98, "/** ", " * ", " */"),
            f"{js_name(option.name)}?: {kind} | undefined;"]


def declared(api, *left_out):
    """The options that a binding of JavaScript declares."""
    words = words_of(api)
    return {f"{what} options": sum((field(option, words)
                                    for option in options(api, struct, *left_out)), [])
            for struct, what in ((ENGINE, "engine"), (SESSION, "session"))}


EXPORTS = ["Adapter", "ChatParser", "Engine", "Grammar", "Media", "Model", "RondoError", "Session",
           "libraryVersion", "query", "version"]


def regions(api):
    exported = ["ABI_VERSION"] + [camel(e["name"]) for e in api["enums"] if not e["flags"]]
    return {"c_api/bindings/node/lib/index.d.cts": declared(api),
            "c_api/bindings/node/lib/index.cjs":
                {"constants": [f"exports.{name} = constants.{name};" for name in exported]},
            "c_api/bindings/node/lib/index.mjs": {"names": [f"{name}," for name in EXPORTS + exported]}}
