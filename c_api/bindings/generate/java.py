"""Java: JNA's interface and structures, enums, and records."""
from api import NOTICE, abi_version, camel, records, returns, variables
from options import ENGINE, SESSION, Words, comment, options

SCALARS = {"uint32_t": "int", "int32_t": "int", "uint64_t": "long", "int64_t": "long",
           "float": "float", "double": "double", "size_t": "SizeT"}
ARRAYS = {"char": "byte[]", "void": "byte[]", "int32_t": "int[]", "float": "float[]"}
REFERENCES = {"uint32_t": "IntByReference", "uint64_t": "LongByReference",
              "int64_t": "LongByReference", "size_t": "SizeT.ByReference"}


def java_name(name):
    words = name.split("_")
    return words[0] + "".join(word.capitalize() for word in words[1:])


def field_type(t):
    if t.is_callback:
        return camel(t.base)
    if t.array:
        return ARRAYS[t.base]
    return "Pointer" if t.stars else SCALARS[t.base]


def param_type(t, role):
    if t.is_callback:
        return camel(t.base)
    if t.stars == 0:
        return SCALARS[t.base]
    if t.is_handle:
        return {"create": "PointerByReference", "in": "Pointer[]"}.get(role, "Pointer")
    if t.is_struct:
        return camel(t.base)
    if t.stars == 2:
        return "PointerByReference"
    if role == "text":
        return "String"
    if role in ("keep", "user") or (t.const and t.base == "size_t"):  # an array, in Memory
        return "Pointer"
    return REFERENCES.get(t.base) or ARRAYS[t.base]


def result_type(t):
    if t is None:
        return "void"
    return "String" if t.base == "char" else SCALARS[t.base]


def files(api):
    out = [f"// {NOTICE}", "package rondo;", "", "import com.sun.jna.Callback;",
           "import com.sun.jna.Library;", "import com.sun.jna.Pointer;",
           "import com.sun.jna.Structure;", "import com.sun.jna.Structure.FieldOrder;",
           "import com.sun.jna.ptr.IntByReference;", "import com.sun.jna.ptr.LongByReference;",
           "import com.sun.jna.ptr.PointerByReference;", "",
           "/** The C API as JNA sees it. */", "interface Raw extends Library {",
           f"  int ABI_VERSION = {abi_version(api)};",
           "  long CHAT_NO_CLOCK = Long.MIN_VALUE;"]
    for e in api["enums"]:
        if e["flags"]:
            prefix = e["prefix"].removeprefix("RONDO_")
            out += [f"  int {prefix}{name} = {value};" for name, value in e["values"].items()]
    for c in api["callbacks"]:
        params = ", ".join(f"{field_type(t)} {java_name(name)}" for name, t, _ in variables(api, c))
        out += ["", f"  interface {camel(c['name'])} extends Callback {{",
                f"    {result_type(returns(api, c))} invoke({params});", "  }"]
    for s in api["structs"]:
        fields = list(variables(api, s))
        order = ", ".join(f'"{name}"' for name, _, _ in fields)
        out += ["", f"  @FieldOrder({{{order}}})", f"  class {camel(s['name'])} extends Structure {{"]
        for name, t, _ in fields:
            value = f" = new byte[{t.array}]" if t.array else ""
            value = " = new SizeT()" if field_type(t) == "SizeT" else value
            out.append(f"    public {field_type(t)} {name}{value};")
        if fields[0][0] == "struct_size" and not s["name"].endswith("_options"):
            out += ["", f"    public {camel(s['name'])}() {{", "      struct_size = size();", "    }"]
        out.append("  }")
    out.append("")
    for f in api["functions"]:
        params = ", ".join(f"{param_type(t, role)} {java_name(name)}"
                           for name, t, role in variables(api, f))
        out.append(f"  {result_type(returns(api, f))} {f['name']}({params});")
    out.append("}")
    folder = "java/src/main/java/rondo/"
    result = {folder + "Raw.java": "\n".join(out) + "\n"}
    for e in api["enums"]:
        if not e["flags"]:
            result[f"{folder}{camel(e['name'])}.java"] = enum_file(e)
    for struct, fields in records(api):
        result[f"{folder}{camel(struct['name'])}.java"] = record_file(struct, fields)
    return result


def enum_file(e):
    kind = camel(e["name"])
    names = [f"  {name}({value})," for name, value in e["values"].items()]
    return "\n".join([f"// {NOTICE}", "package rondo;", "",
                      f"/** The constants {e['prefix']} of rondo.h. */", f"public enum {kind} {{",
                      *names, "  /** Of a newer library. */", "  UNKNOWN(-1);", "",
                      "  final int value;", "", f"  {kind}(int value) {{", "    this.value = value;",
                      "  }", "", f"  static {kind} of(int value) {{",
                      f"    for ({kind} one : values()) {{", "      if (one.value == value) {",
                      "        return one;", "      }", "    }", "    return UNKNOWN;", "  }", "}"]) + "\n"


def record_file(struct, fields):
    kind = camel(struct["name"])
    types = ["String" if t.base == "char" else SCALARS[t.base] for _, t, _ in fields]
    params = [f"    {kind_} {java_name(name)}" for kind_, (name, _, _) in zip(types, fields)]
    values = []
    for name, t, _ in fields:
        value = f"raw.{name}"
        if t.base == "char":
            value = f"com.sun.jna.Native.toString(raw.{name}, \"UTF-8\")" if t.array else \
                f'raw.{name}.getString(0, "UTF-8")'
        values.append(f"        {value}")
    return "\n".join([f"// {NOTICE}", "package rondo;", "", f"/** {struct['name']} of rondo.h. */",
                      f"public record {kind}(", ",\n".join(params) + ") {",
                      f"  static {kind} of(Raw.{kind} raw) {{", f"    return new {kind}(",
                      ",\n".join(values) + ");", "  }", "}"]) + "\n"


def setter(option, words, struct):
    name, raw = java_name(option.name), f"raw.{option.name}"
    kind = {"number": SCALARS.get(option.type.base, "").replace("float", "double"), "flag": "boolean",
            "enum": option.enum and camel(option.enum["name"]), "text": "String"}[option.kind]
    value = {"double": f"(float) {name}", "boolean": f"{name} ? 1 : 0",
             "String": f"Memories.zeroTerminated({name})"}.get(kind, name)
    value += ".value" * (option.kind == "enum")
    body = [f"  {raw} = {value};", "  return this;"]
    if struct == SESSION:
        body = [f"  return say(raw -> {raw} = {value});"]
    return ["", *comment(words.about(option), 98, "/** ", " * ", " */"),
            f"public {camel(struct)} {name}({kind} {name}) {{", *body, "}"]


def regions(api):
    words = Words(api, java_name, lambda enum, value: f"{camel(enum['name'])}.{value}", "null")
    folder = "c_api/bindings/java/src/main/java/rondo/"
    result = {}
    # There is no log; the texts around a thought are set together.
    for struct, left_out in ((ENGINE, ["log_level"]), (SESSION, ["thinking_begin", "thinking_end"])):
        of = list(options(api, struct, *left_out))
        made = {"options": sum((setter(option, words, struct) for option in of), [])[1:]}
        if struct == SESSION:
            made["recommended"] = [f"options.{java_name(option.name)}(raw.{option.name});"
                                   for option in of if option.recommended]
        result[f"{folder}{camel(struct)}.java"] = made
    return result
