"""Swift: enums and records. The compiler's importer reads the header itself."""
from api import NOTICE, camel, records, variables

TYPES = {"uint32_t": "UInt32", "int32_t": "Int32", "uint64_t": "UInt64", "int64_t": "Int64",
         "float": "Float", "double": "Double", "size_t": "Int"}
KEYWORDS = {"default", "in", "init", "internal", "operator", "private", "public", "repeat", "self"}


def swift_name(name):
    words = name.lower().split("_")
    joined = words[0] + "".join(word.capitalize() for word in words[1:])
    return f"`{joined}`" if joined in KEYWORDS else joined


def files(api):
    out = [f"// {NOTICE}", "import CRondo", ""]
    for e in api["enums"]:
        if e["flags"]:
            continue
        kind = camel(e["name"])
        out += [f"/// The constants {e['prefix']} of rondo.h; newer libraries may have more.",
                f"public struct {kind}: RawRepresentable, Hashable, Sendable {{",
                "  public let rawValue: Int32",
                "  public init(rawValue: Int32) { self.rawValue = rawValue }"]
        out += [f"  public static let {swift_name(name)} = {kind}(rawValue: {value})"
                for name, value in e["values"].items()] + ["}", ""]
    for struct, fields in records(api):
        kind = camel(struct["name"])
        out += [f"/// {struct['name']} of rondo.h.", f"public struct {kind}: Hashable, Sendable {{"]
        for name, t, _ in fields:
            out.append(f"  public let {swift_name(name)}: {'String' if t.base == 'char' else TYPES[t.base]}")
        out += ["", f"  init(_ raw: {struct['name']}) {{"]
        for name, t, _ in fields:
            value = f"raw.{name}"
            if t.array:
                value = (f"withUnsafeBytes(of: raw.{name}) "
                         "{ String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }")
            elif t.base == "char":
                value = f"String(cString: raw.{name})"
            out.append(f"    {swift_name(name)} = {value}")
        out += ["  }", "}", ""]
    return {"swift/Sources/Rondo/Records.swift": "\n".join(out[:-1]) + "\n"}
