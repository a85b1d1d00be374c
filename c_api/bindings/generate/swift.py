"""Swift: enums, records and options with what api.json says of each. The compiler's importer reads the header
itself."""
import re

from api import NOTICE, camel, limits, records, variables
from options import ENGINE, SESSION, Words, comment, options

TYPES = {"uint32_t": "UInt32", "int32_t": "Int32", "uint64_t": "UInt64", "int64_t": "Int64",
         "float": "Float", "double": "Double", "size_t": "Int"}
# What people count with; a seed alone has all bits.
COUNTS = {**TYPES, "uint32_t": "Int", "int32_t": "Int", "uint64_t": "Int", "int64_t": "Int"}
KEYWORDS = {"default", "in", "init", "internal", "operator", "private", "public", "repeat", "self"}
# Options that are written by hand, as messages of the library call them.
BY_HAND = {"policy": "contextPolicy", "n_cpus": "cpus", "logit_bias": "logitBias", "n_logit_bias": "logitBias",
           "stop_strings": "stop", "n_stop_strings": "stop"}


def plain(name):
    words = name.lower().split("_")
    return words[0] + "".join(word.capitalize() for word in words[1:])


def swift_name(name):
    return f"`{plain(name)}`" if plain(name) in KEYWORDS else plain(name)


def doc(text, indent):
    return comment(text, 100, f"{indent}/// ")


def enums(api, words):
    out = []
    for e in api["enums"]:
        if e["flags"]:
            continue
        kind = camel(e["name"])
        out += [f"/// The constants {e['prefix']} of rondo.h; newer libraries may have more.",
                f"public struct {kind}: RawRepresentable, Hashable, Sendable, CustomStringConvertible {{",
                "  public let rawValue: Int32",
                "  public init(rawValue: Int32) { self.rawValue = rawValue }"]
        for name, value in e["values"].items():
            out += doc(words.translated(e["docs"].get(name) or f"{plain(name)}."), "  ")
            out.append(f"  public static let {swift_name(name)} = {kind}(rawValue: {value})")
        out += ["", "  public var description: String {", "    switch self {"]
        out += [f'    case .{swift_name(name)}: return "{plain(name)}"' for name in e["values"]]
        out += ['    default: return "\\(rawValue)"', "    }", "  }", "}", ""]
    return out


def record(api, struct, fields, words):
    kind = camel(struct["name"])
    enum_of = {name: camel(role.split()[1]) for name, _, role in struct["fields"] if role.startswith("enum ")}
    out = [f"/// {struct['name']} of rondo.h.", f"public struct {kind}: Hashable, Sendable {{"]
    taken = []
    for name, t, _ in fields:
        said = api["facts"][struct["name"]][name].get("doc") or f"{plain(name)}."
        raw = f"raw.{name}"
        if t.array:
            of, value = "String", (f"withUnsafeBytes(of: {raw}) "
                                   "{ String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }")
        elif t.base == "char":
            of, value = "String", f"String(cString: {raw})"
        elif name in enum_of:
            of, value = enum_of[name], f"{enum_of[name]}(rawValue: {raw})"
        elif t.base == "uint32_t" and re.match("[01]: ", said):
            of, value = "Bool", f"{raw} != 0"
            said = ("True" if said[0] == "1" else "False") + said[1:]
        elif t.base == "int32_t" and name.endswith("token"):
            of, value = "Int32", raw
        else:
            of = COUNTS[t.base]
            value = f"Int(truncatingIfNeeded: {raw})" if of == "Int" else raw
        out += doc(words.translated(said), "  ") + [f"  public let {swift_name(name)}: {of}"]
        taken.append(f"    {swift_name(name)} = {value}")
    return out + ["", f"  init(_ raw: {struct['name']}) {{", *taken, "  }", "}", ""]


def kind_of(option):
    if option.kind == "number":
        return "UInt64" if option.name == "seed" else "Int32" if option.name.endswith("token") else \
            COUNTS[option.type.base]
    return {"flag": "Bool", "text": "String"}.get(option.kind) or camel(option.enum["name"])


def said(option):
    """Lines that write an option to `raw`; what it cannot hold is refused by its name."""
    name, c = swift_name(option.name), f"raw.{option.name}"
    if option.kind == "flag":
        return [f"    {c} = {name} ? 1 : 0"]
    if option.kind == "enum":
        return [f"    if let {name} {{ {c} = {name}.rawValue }}"]
    kind, facts = kind_of(option), option.facts
    if kind == "UInt64":
        return [f"    if let {name} {{ {c} = {name} }}"]
    if kind == "Float":
        low, high = facts.get("min", facts.get("above")), facts.get("max", facts.get("below"))
        tests = [f"{name} {'>' if 'above' in facts else '>='} {low}"] if low is not None else []
        tests += [f"{name} {'<' if 'below' in facts else '<='} {high}"] if high is not None else []
        accepted = " && ".join(tests + [f"{name}.isFinite"])
        return [f"    if let {name} {{",
                f"      try accept({accepted}, \"{plain(option.name)}\", {name}, \"{limits(facts) or 'finite'}\")",
                f"      {c} = {name}", "    }"]
    low, high = facts.get("min", 0), facts.get("max", f"Int({TYPES[option.type.base]}.max)")
    if option.type.base == "uint64_t" and "max" not in facts:
        high = "Int.max"
    return [f"    if let {name} {{",
            f"      {c} = try {TYPES[option.type.base]}(counted(Int({name}), \"{plain(option.name)}\", {low}, {high}))",
            "    }"]


def option_fields(api, struct, words):
    out = []
    for option in options(api, struct, "log_level"):
        text = words.about(option) + (f" Since ABI {option.since}." if option.since else "")
        value = " = false" if option.kind == "flag" else "?"
        kind = kind_of(option)
        out += doc(text, "  ") + [f"  public var {swift_name(option.name)}: {kind}{value}"]
    return [line[2:] for line in out]


def written(api, struct):
    """A method that writes all numbers, flags and enums; texts live as long as their pointers."""
    of = [o for o in options(api, struct, "log_level") if o.kind != "text"]
    return [line[4:] for o in of for line in said(o)]


def names(api):
    table = {field[0]: plain(field[0]) for struct in api["structs"] for field in struct["fields"]
             if not field[0].startswith(("struct_size", "reserved")) and field[0].count("_")}
    table.update(BY_HAND)
    return ["/// How messages of the library call options and facts, and how this binding does.",
            "let optionNames: [String: String] = [",
            *[f'  "{c}": "{s}",' for c, s in sorted(table.items())], "]"]


def files(api):
    words = Words(api, plain, lambda enum, value: f"{camel(enum['name'])}.{plain(value)}", "nil")
    head = [f"// {NOTICE}", "import CRondo", ""]
    facts = sum((record(api, struct, fields, words) for struct, fields in records(api)), [])
    return {"swift/Sources/Rondo/Enums.swift": "\n".join((head + enums(api, words))[:-1]) + "\n",
            "swift/Sources/Rondo/Records.swift": "\n".join((head + facts)[:-1]) + "\n",
            "swift/Sources/Rondo/OptionNames.swift": "\n".join(head[:1] + names(api)) + "\n"}


def regions(api):
    words = Words(api, plain, lambda enum, value: f"{camel(enum['name'])}.{plain(value)}", "nil")
    result = {}
    for struct, what in ((ENGINE, "engine"), (SESSION, "session")):
        result[f"{what} options"] = option_fields(api, struct, words)
        result[f"{what} options said"] = written(api, struct)
    return {"c_api/bindings/swift/Sources/Rondo/Options.swift": result}
