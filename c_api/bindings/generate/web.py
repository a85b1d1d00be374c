"""The browser: where the fields of structs lie in a WebAssembly module's memory, and constants."""
from api import NOTICE, abi_version, camel, variables
from node import constants, declared, js_name, record_lines, words_of

DECLARED = ("Calls", "Channel", "ChatPartKind", "GrammarBegin", "Kv", "Pixels", "Policy", "Pooling",
            "Reason", "Segment", "Speculation", "Status", "YuvMatrix", "YuvRange")
SIZES = {"uint32_t": 4, "int32_t": 4, "float": 4, "size_t": 4, "uint64_t": 8, "int64_t": 8}
# There is no log, and no thread is kept to a CPU.
LEFT_OUT = ("log_level", "affinity")
OPTION = ("value", "flag", "enum", "sampling", "recommended", "text")


def place(t, role):
    """(kind, size, alignment, what more is to be known of it); pointers are u32, as addresses are."""
    word = role.split()[0]
    if word == "text" and t.stars == 1:
        return "text", 4, 4, ""
    if t.stars or t.is_callback:
        return "pointer", 4, 4, ""
    if t.base == "char":
        return "char", t.array, 1, t.array
    if word == "enum":
        return "enum", 4, 4, f"'{camel(role.split()[1])}'"
    if word == "flag":
        return "flag", 4, 4, ""
    return t.base, SIZES[t.base], SIZES[t.base], ""


def layout(api, struct):
    at, most, lines, options = 0, 1, [], []
    for name, t, role in variables(api, struct):
        kind, size, alignment, more = place(t, role)
        at = (at + alignment - 1) // alignment * alignment
        lines.append(f"      {name}: [{at}, '{kind}'{f', {more}' if more else ''}],")
        if role.split()[0] in OPTION and not name.startswith("reserved") and name not in LEFT_OUT:
            options.append(f"      {js_name(name)}: '{name}',")
        at += size
        most = max(most, alignment)
    size = (at + most - 1) // most * most
    return [f"  {struct['name']}: {{", f"    size: {size},", "    fields: {", *lines, "    },",
            "    names: {", *options, "    },", "  },"]


def files(api):
    out = [f"// Constants and structs of the C API in a module of 32 bits. {NOTICE}", "",
           f"export const ABI_VERSION = {abi_version(api)};"]
    for e in api["enums"]:
        out += ["", f"export const {camel(e['name'])} = Object.freeze({{"]
        out += [f"  {name}: {value if e['flags'] else repr(name)}," for name, value in e["values"].items()]
        out += ["});"]
    out += ["", "// The numbers of constants that are told by their names.", "export const numbers = {"]
    for e in api["enums"]:
        if not e["flags"]:
            inside = ", ".join(f"{name}: {value}" for name, value in e["values"].items())
            out.append(f"  {camel(e['name'])}: {{{inside}}},")
    out += ["};", "",
            "// Each field by its offset and kind, and what JavaScript calls those that it may set.",
            "export const structs = {"]
    for struct in api["structs"]:
        out += layout(api, struct)
    out += ["};"]
    return {"web/lib/layout.js": "\n".join(out) + "\n"}


def regions(api):
    # Threads are started by the page.
    words = words_of(api)
    declarations = sum((constants(e, words) for e in api["enums"] if camel(e["name"]) in DECLARED), [])
    return {"c_api/bindings/web/lib/rondo.d.ts":
            {"constants": declarations, "records": record_lines(api)[1:], **declared(api, *LEFT_OUT, "threads")}}
