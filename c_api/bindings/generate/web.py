"""The browser: where the fields of structs lie in a WebAssembly module's memory, and constants."""
from api import NOTICE, abi_version, camel, variables
from node import declared

DECLARED = ("Calls", "Channel", "ChatPartKind", "GrammarBegin", "Kv", "Pixels", "Policy", "Pooling",
            "Reason", "YuvMatrix", "YuvRange")
SIZES = {"uint32_t": 4, "int32_t": 4, "float": 4, "size_t": 4, "uint64_t": 8, "int64_t": 8}


def constants(enum):
    return [f"export declare const {camel(enum['name'])}: {{",
            *[f"  readonly {name}: {value};" for name, value in enum["values"].items()], "};"]


def place(api, t):
    """(type, size, alignment, count) of a field; pointers are u32, as addresses are."""
    if t.stars or t.is_callback:
        return "pointer", 4, 4, 1
    if t.base == "char":
        return "char", t.array, 1, t.array
    if any(t.base == e["name"] for e in api["enums"]):
        return "int32_t", 4, 4, 1
    return t.base, SIZES[t.base], SIZES[t.base], 1


def layout(api, struct):
    at, most, lines = 0, 1, []
    for name, t, _ in variables(api, struct):
        kind, size, alignment, _ = place(api, t)
        at = (at + alignment - 1) // alignment * alignment
        lines.append(f"      {name}: [{at}, '{kind}'{f', {size}' if kind == 'char' else ''}],")
        at += size
        most = max(most, alignment)
    size = (at + most - 1) // most * most
    return [f"  {struct['name']}: {{", f"    size: {size},", "    fields: {", *lines, "    },", "  },"]


def files(api):
    out = [f"// Constants and structs of the C API in a module of 32 bits. {NOTICE}", "",
           f"export const ABI_VERSION = {abi_version(api)};"]
    for e in api["enums"]:
        out += ["", f"export const {camel(e['name'])} = Object.freeze({{"]
        out += [f"  {name}: {value}," for name, value in e["values"].items()] + ["});"]
    out += ["", "// Each field by its offset and type.", "export const structs = {"]
    for struct in api["structs"]:
        out += layout(api, struct)
    out += ["};"]
    return {"web/lib/layout.js": "\n".join(out) + "\n"}


def regions(api):
    # There is no log, and no thread is kept to a CPU. Threads are started by the page.
    left_out = ("log_level", "affinity", "threads")
    declarations = sum((constants(e) for e in api["enums"] if camel(e["name"]) in DECLARED), [])
    return {"c_api/bindings/web/lib/rondo.d.ts": {"constants": declarations, **declared(api, *left_out)}}
