"""Node: koffi's types and functions, constants, and their TypeScript declarations."""
from api import NOTICE, abi_version, camel, records, returns, variables
from options import ENGINE, SESSION, Words, comment, options


def js_name(name):
    words = name.split("_")
    return words[0] + "".join(word.capitalize() for word in words[1:])


def koffi_type(t, role, in_struct=False):
    if t.is_callback:
        return f"koffi.pointer({t.base})"
    if t.array:
        return f"koffi.array('{t.base}', {t.array}, 'String')"
    if t.stars == 0:
        return f"'{t.base}'"
    if t.is_handle:
        handle = f"koffi.pointer({t.base})"
        if role == "create":
            return f"koffi.out(koffi.pointer({handle}))"
        return handle if t.stars == 1 else f"koffi.pointer({handle})"
    if t.is_struct and not in_struct:
        pointer = f"koffi.pointer({t.base})"
        if role in ("out", "in_out"):
            return f"koffi.{'out' if role == 'out' else 'inout'}({pointer})"
        return pointer
    if role == "text" and t.stars == 1:
        return "'str'"
    if t.is_struct:
        return f"koffi.pointer({t.base})"
    if t.base == "char" and t.stars == 2:
        return "koffi.pointer('str')"
    if role == "borrow":
        return "koffi.out(koffi.pointer('void *'))"
    one_number = role == "out" and t.base in ("uint32_t", "uint64_t", "int64_t")
    if not in_struct and (one_number or role.startswith("needed")):
        return f"koffi.out(koffi.pointer('{t.base}'))"
    if role == "in_out":
        return f"koffi.inout(koffi.pointer('{t.base}'))"
    if in_struct and t.base == "uint32_t":
        return f"koffi.pointer('{t.base}')"  # an array, which is copied
    return "'void *'"  # a Buffer, a typed array, or an address


def result_type(t):
    if t is None:
        return "'void'"
    return "'str'" if t.base == "char" else f"'{t.base}'"


def files(api):
    out = [f"// The C API as koffi sees it. {NOTICE}", "'use strict';", "",
           "const koffi = require('koffi');", "", f"exports.ABI_VERSION = {abi_version(api)};"]
    for e in api["enums"]:
        out += ["", f"exports.{camel(e['name'])} = Object.freeze({{"]
        out += [f"  {name}: {value}," for name, value in e["values"].items()] + ["});"]
    out += [""] + [f"const {name} = koffi.opaque('{name}');" for name in api["handles"]]
    for c in api["callbacks"]:
        types = ", ".join(koffi_type(t, role, True) for _, t, role in variables(api, c))
        out.append(f"const {c['name']} = koffi.proto('{c['name']}', {result_type(returns(api, c))}, "
                   f"[{types}]);")
    for s in api["structs"]:
        out += ["", f"const {s['name']} = koffi.struct('{s['name']}', {{"]
        out += [f"  {name}: {koffi_type(t, role, True)}," for name, t, role in variables(api, s)]
        out.append("});")
    out += ["", "exports.types = {"]
    out += [f"  {item['name']}," for kind in ("structs", "callbacks") for item in api[kind]]
    out += ["};", "", "// What the structs tell that the library fills.", "exports.records = {"]
    for struct, fields in records(api):
        out.append(f"  {struct['name']}: [{', '.join(repr(name) for name, _, _ in fields)}],")
    out += ["};", "", "// The functions of the library at `path`.", "exports.load = (path) => {",
            "  const library = koffi.load(path);", "  return {"]
    for f in api["functions"]:
        types = ", ".join(koffi_type(t, role) for _, t, role in variables(api, f))
        out.append(f"    {f['name']}: library.func('{f['name']}', {result_type(returns(api, f))}, "
                   f"[{types}]),")
    out += ["  };", "};"]
    return {"node/lib/raw.js": "\n".join(out) + "\n", "node/lib/records.d.ts": declarations(api)}


def constants(enum):
    return [f"export declare const {camel(enum['name'])}: {{",
            *[f"  readonly {name}: {value};" for name, value in enum["values"].items()], "};"]


def declarations(api):
    out = [f"// Constants and records. {NOTICE}", "",
           f"export declare const ABI_VERSION: {abi_version(api)};"]
    for e in api["enums"]:
        out += ["", *constants(e)]
    for struct, fields in records(api):
        out += ["", f"/** {struct['name']} in rondo.h. */",
                f"export interface {camel(struct['name'])} {{"]
        out += [f"  readonly {js_name(name)}: {'string' if t.base == 'char' else 'number'};"
                for name, t, _ in fields] + ["}"]
    return "\n".join(out) + "\n"


def field(option, words):
    kind = {"flag": "boolean", "text": "string"}.get(
        option.kind, "number | bigint" if option.type.base == "uint64_t" else "number")
    return [*comment(words.about(option), 98, "/** ", " * ", " */"),
            f"{js_name(option.name)}?: {kind};"]


def declared(api, *left_out):
    """The options that a binding of JavaScript declares."""
    words = Words(api, js_name, lambda enum, value: f"{camel(enum['name'])}.{value}", "none")
    return {f"{what} options": sum((field(option, words)
                                    for option in options(api, struct, *left_out)), [])
            for struct, what in ((ENGINE, "engine"), (SESSION, "session"))}


def regions(api):
    return {"c_api/bindings/node/lib/index.d.ts": declared(api, "log_level")}  # there is no log
