"""Kotlin: enums and records, and how the JNI glue reads and fills the C structs."""
from api import NOTICE, abi_version, camel, records, variables
from options import ENGINE, SESSION, Words, comment, options

INTS = {"uint32_t", "int32_t"}


def kt_name(name):
    words = name.split("_")
    return words[0] + "".join(word.capitalize() for word in words[1:])


def is_text(t):
    return t.base == "char"


def numbers(fields):
    return [(name, t) for name, t, _ in fields if not is_text(t)]


def texts(fields):
    return [(name, t) for name, t, _ in fields if is_text(t)]


def kotlin(api):
    out = [f"// {NOTICE}", "package rondo", "",
           f"internal const val ABI_VERSION = {abi_version(api)}"]
    for e in api["enums"]:
        out += ["", f"/** The constants {e['prefix']} of rondo.h; newer libraries may have more. */",
                f"object {camel(e['name'])} {{"]
        out += [f"    const val {name} = {value}" for name, value in e["values"].items()] + ["}"]
    for struct, fields in records(api):
        kind = camel(struct["name"])
        out += ["", f"/** {struct['name']} of rondo.h. */",
                f"class {kind} internal constructor(n: LongArray, t: Array<String?>) {{"]
        for i, (name, t) in enumerate(numbers(fields)):
            cast = ".toInt()" if t.base in INTS else ""
            out.append(f"    val {kt_name(name)} = n[{i}]{cast}")
        for i, (name, _) in enumerate(texts(fields)):
            out.append(f"    val {kt_name(name)} = t[{i}] ?: \"\"")
        if not texts(fields):
            out[-1 - len(numbers(fields))] = out[-1 - len(numbers(fields))].replace(
                "(n: LongArray, t: Array<String?>)", "(n: LongArray)")
        out.append("}")
    return "\n".join(out) + "\n"


def glue(api):
    out = [f"/* {NOTICE} */", "#include <rondo/rondo.h>", "#include <string.h>"]
    for struct, fields in records(api):
        name = struct["name"]
        numeric = numbers(fields)
        out += ["", f"enum {{ {name}_NUMBERS = {len(numeric)} }};",
                f"static inline void {name}_numbers(const {name}* s, jlong* out) {{"]
        out += [f"  out[{i}] = (jlong)s->{field};" for i, (field, _) in enumerate(numeric)] + ["}"]
        if texts(fields):
            (field, _), = texts(fields)
            out += [f"static inline const char* {name}_text(const {name}* s) {{ return s->{field}; }}"]
    for struct in api["structs"]:
        if not struct["name"].endswith("_options"):
            continue
        name = struct["name"]
        out += ["", "/* 0: there is no such number. Floats come as their bits. */",
                f"static int {name}_set({name}* s, const char* field, jlong value) {{"]
        for field, t, _ in variables(api, struct):
            counts = field.startswith("n_") or t.base == "size_t"  # the glue's own
            if t.stars or t.is_callback or counts or field == "struct_size" or \
                    field.startswith("reserved"):
                continue
            if t.base == "float":
                out += [f"  if (strcmp(field, \"{field}\") == 0) {{", "    int32_t bits = (int32_t)value;",
                        f"    memcpy(&s->{field}, &bits, sizeof bits);", "    return 1;", "  }"]
            else:
                out += [f"  if (strcmp(field, \"{field}\") == 0) {{", f"    s->{field} = ({t.base})value;",
                        "    return 1;", "  }"]
        out += ["  return 0;", "}"]
    return "\n".join(out) + "\n"


def files(api):
    return {"kotlin/src/rondo/Records.kt": kotlin(api), "kotlin/jni/records.h": glue(api)}


TYPES = {"uint32_t": "Int", "int32_t": "Int", "uint64_t": "Long", "float": "Float"}


def field(option, words):
    kind = {"flag": " = false", "text": ": String? = null"}.get(
        option.kind, f": {TYPES.get(option.type.base)}? = null")
    return [*comment(words.about(option), 104, "/** ", " * ", " */"),
            f"var {kt_name(option.name)}{kind}"]


def regions(api):
    words = Words(api, kt_name, lambda enum, value: f"[{camel(enum['name'])}].{value}", "null",
                  "one of [{}]")
    result = {}
    for struct, what in ((ENGINE, "engine"), (SESSION, "session")):
        of = list(options(api, struct, "log_level"))  # there is no log
        result[f"{what} options"] = sum((field(option, words) for option in of), [])
        result[f"{what} options said"] = [  # texts go beside
            f'it.set("{option.name}", {kt_name(option.name)})' for option in of
            if option.kind != "text"]
    return {"c_api/bindings/kotlin/src/rondo/Options.kt": result}
