"""Java: what JNI calls (C and Java), structs in memory, enums, records, and options' builders."""
import re

from api import NOTICE, ROOT, abi_version, camel, records, returns, said, variables
from options import ENGINE, SESSION, Words, comment, options

SCALARS = {"uint32_t": "int", "int32_t": "int", "uint64_t": "long", "int64_t": "long",
           "float": "float", "size_t": "long"}
SIGNATURES = {"int": "I", "long": "J", "float": "F", "void": "V", "byte[]": "[B",
              "ByteBuffer": "Ljava/nio/ByteBuffer;"}
FOLDER = "java/src/main/java/rondo/"
# What only their own files say of themselves: 0 and 1 for no and yes.
YES_OR_NO = {"has_tokenizer", "owns_arena", "whole_texts", "normalized", "scores_pairs"}


def java_name(name):
    words = name.split("_")
    return words[0] + "".join(word.capitalize() for word in words[1:])


def html(text):
    """As javadoc reads it."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def wrapped(text, indent=""):
    return [indent + line for line in comment(html(text), 98 - len(indent), "/** ", " * ", " */")]


# ---- What JNI calls ----------------------------------------------------------------------------


def param_type(t, role):
    """Java's type of a parameter; None: the glue passes its own callback."""
    if t.is_callback:
        return None
    if role == "user" or (t.stars == 1 and t.is_handle):
        return "long"
    return SCALARS[t.base] if t.stars == 0 else "ByteBuffer"


def passed(name, t, role):
    """What of it the glue hands on."""
    if t.is_callback:
        return t.base.removeprefix("rondo_")
    kind = param_type(t, role)
    if kind == "ByteBuffer":
        return f"AT({name})"
    return f"POINTER({name})" if role == "user" or t.is_handle else f"({t.base}){name}"


def result_type(t):
    if t is None:
        return "void"
    return "byte[]" if t.base == "char" else SCALARS[t.base]


def functions(api):
    """(name, Java's result, [(parameter, Java's type, what C is given)])"""
    for f in api["functions"]:
        params = [(name, param_type(t, role), passed(name, t, role)) for name, t, role in variables(api, f)]
        yield f["name"], result_type(returns(api, f)), params


def glue(api):
    names = [f["name"] for f in api["functions"]]
    out = [f"/* {NOTICE} */", "/* clang-format off */", "", "/* Every function of the library. */",
           "#define FUNCTIONS(X) \\", *(f"  X({name}) \\" for name in names[:-1]), f"  X({names[-1]})", "",
           "#define POINTER_TO(name) __typeof__(&(name)) name;", "static struct {", "  FUNCTIONS(POINTER_TO)",
           "} library;", "",
           "/* Sizes of structs, and where their fields lie. */", "static const jint layouts[] = {"]
    for s in api["structs"]:
        out.append(f"    sizeof({s['name']}),")
        out += [f"    offsetof({s['name']}, {field[0]})," for field in s["fields"]]
    out += ["};", "", "/* Addresses of these are options. */", "static void* const callbacks[] = {"]
    out += [f"    FUNCTION({c['name'].removeprefix('rondo_')})," for c in option_callbacks(api)] + ["};", ""]
    table = []
    for name, result, params in functions(api):
        java = [(param, kind) for param, kind, _ in params if kind]
        c_types = {"int": "jint", "long": "jlong", "float": "jfloat", "ByteBuffer": "jobject"}
        head = "".join(f", {c_types[kind]} {param}" for param, kind in java)
        call = f"library.{name}({', '.join(given for _, _, given in params)})"
        returned = {"void": "void", "byte[]": "jbyteArray"}.get(result, f"j{result}")
        body = {"void": f"{call};", "byte[]": f"return bytes_of(env, {call});"}.get(
            result, f"return ({returned}){call};")
        out += [f"static {returned} JNICALL call_{name}(JNIEnv* env, jclass self{head}) {{",
                "  (void)env, (void)self;", f"  {body}", "}"]
        signature = "".join(SIGNATURES[kind] for _, kind in java)
        table.append(f'    {{(char*)"{name}", (char*)"({signature}){SIGNATURES[result]}", FUNCTION(call_{name})}},')
    return "\n".join(out + ["", "static const JNINativeMethod natives[] = {", *table, "};"]) + "\n"


def option_callbacks(api):
    return [c for c in api["callbacks"] if "_options_" in c["name"]]


def raw(api):
    with open(f"{ROOT}/VERSION", encoding="utf-8") as file:
        version = file.read().strip()
    out = [f"// {NOTICE}", "package rondo;", "", "import java.nio.ByteBuffer;", "",
           "/** The C API as the glue in jni/rondo_jni.c calls it. Buffers are direct ones. */",
           "final class Raw {", f'  static final String VERSION = "{version}";',
           f"  static final int ABI_VERSION = {abi_version(api)};",
           "  static final long CHAT_NO_CLOCK = Long.MIN_VALUE;"]
    for e in api["enums"]:
        if e["flags"]:
            prefix = e["prefix"].removeprefix("RONDO_")
            out += [f"  static final int {prefix}{name} = {value};" for name, value in e["values"].items()]
    out += [f"  static final int {c['name'].removeprefix('rondo_').upper()} = {i};"
            for i, c in enumerate(option_callbacks(api))]
    out += ["", "  static {", "    Natives.load();", "  }", "", "  private Raw() {}", ""]
    for name, result, params in functions(api):
        listed = ", ".join(f"{kind} {java_name(param)}" for param, kind, _ in params if kind)
        out.append(f"  static native {result} {name}({listed});")
    return "\n".join(out + ["}"]) + "\n"


# ---- Structs in memory -------------------------------------------------------------------------


def struct_file(api):
    out = [f"// {NOTICE}", "package rondo;", "", "import java.nio.ByteBuffer;", "",
           "/** The structs of rondo.h where they lie in memory. */", "final class Structs {",
           "  private static final int[] AT = Natives.layouts();", "", "  private Structs() {}"]
    at = 0
    for s in api["structs"]:
        kind = camel(s["name"])
        out += ["", f"  /** {s['name']}. */", f"  static final class {kind} extends Struct {{",
                f"    static final int SIZE = AT[{at}];", "", f"    {kind}(ByteBuffer bytes) {{",
                "      super(bytes);", "    }", "", f"    {kind}(Scratch scratch) {{",
                "      super(scratch.take(SIZE));"]
        if s["fields"][0][0] == "struct_size":
            out.append("      structSize(SIZE);")
        out.append("    }")
        for number, (name, t, _) in enumerate(variables(api, s), at + 1):
            out += accessors(java_name(name), t, f"AT[{number}]")
        out.append("  }")
        at += 1 + len(s["fields"])
    return "\n".join(out + ["}"]) + "\n"


def accessors(name, t, at):
    if t.array:
        return ["", f"    String {name}() {{", f"      return getText({at}, {t.array});", "    }"]
    what, kind = {"int": ("Int", "int"), "float": ("Float", "float"), "long": ("Long", "long")}[
        "long" if t.stars or t.is_callback else SCALARS[t.base]]
    if t.stars or t.is_callback or t.base == "size_t":
        what = "Pointer"  # as wide as one
    return ["", f"    {kind} {name}() {{", f"      return get{what}({at});", "    }", "",
            f"    void {name}({kind} value) {{", f"      put{what}({at}, value);", "    }"]


# ---- Enums and records -------------------------------------------------------------------------


def enum_file(e, words):
    kind = camel(e["name"])
    names = []
    for name, value in e["values"].items():
        names += [*wrapped(words.translated(e["docs"][name]), "  "), f"  {name}({value}),"]
    return "\n".join([f"// {NOTICE}", "package rondo;", "",
                      f"/** The constants {e['prefix']} of rondo.h. */", f"public enum {kind} {{",
                      *names, "  /** Of a newer library. */", "  UNKNOWN(-1);", "",
                      "  final int value;", "", f"  {kind}(int value) {{", "    this.value = value;",
                      "  }", "", f"  static {kind} of(int value) {{",
                      f"    for ({kind} one : values()) {{", "      if (one.value == value) {",
                      "        return one;", "      }", "    }", "    return UNKNOWN;", "  }", "}"]) + "\n"


def record_file(api, struct, fields, words):
    kind = camel(struct["name"])
    enums = {f"enum {e['name']}": camel(e["name"]) for e in api["enums"]}
    params, values, docs = [], [], []
    for name, t, role in fields:
        of, value = SCALARS.get(t.base), f"from.{java_name(name)}()"
        facts = api["facts"][struct["name"]][name]
        doc = words.translated(said({"doc": facts["doc"]} if "doc" in facts else {}))
        if role in enums:
            of, value = enums[role], f"{enums[role]}.of({value})"
        elif name in YES_OR_NO:
            of, value, doc = "boolean", f"{value} != 0", re.sub(r"^([01]): ", lambda m:
                             "true: " if m[1] == "1" else "false: ", doc)
        elif t.base == "char":
            of, value = "String", value if t.array else f"Natives.text({value})"
        params.append(f"    {of} {java_name(name)}")
        values.append(f"        {value}")
        docs += comment(html(doc), 98, f" * @param {java_name(name)} ", " *     ")
    return "\n".join([f"// {NOTICE}", "package rondo;", "", "/**", f" * {struct['name']} of rondo.h.", " *",
                      *docs, " */", f"public record {kind}(", ",\n".join(params) + ") {",
                      f"  static {kind} of(Structs.{kind} from) {{", f"    return new {kind}(",
                      ",\n".join(values) + ");", "  }", "}"]) + "\n"


def names_file(api):
    """Fields of options that have another name here."""
    fields = sorted({f[0] for s in api["structs"] if s["name"].endswith("_options") for f in s["fields"]
                     if "_" in f[0] and not re.match(r"(struct_size|n_|\w+_user$)", f[0])})
    names = [f"          {{\"{name}\", \"{java_name(name)}\"}}," for name in fields]
    return "\n".join([f"// {NOTICE}", "package rondo;", "",
                      "/** What the library calls an option, and what it is called here. */",
                      "final class Names {", "  static final String[][] ALL = {", *names, "  };", "",
                      "  private Names() {}", "}"]) + "\n"


def files(api):
    words = all_words(api)
    result = {"java/jni/functions.h": glue(api), FOLDER + "Raw.java": raw(api),
              FOLDER + "Structs.java": struct_file(api), FOLDER + "Names.java": names_file(api)}
    for e in api["enums"]:
        if not e["flags"]:
            result[f"{FOLDER}{camel(e['name'])}.java"] = enum_file(e, words)
    for struct, fields in records(api):
        result[f"{FOLDER}{camel(struct['name'])}.java"] = record_file(api, struct, fields, words)
    return result


# ---- Options -----------------------------------------------------------------------------------


def all_words(api):
    return Words(api, java_name, lambda enum, value: f"{camel(enum['name'])}.{value}", "null")


def check(option, name):
    """The call that refuses what is out of range, or None."""
    facts = option.facts
    if option.kind in ("enum", "text"):
        return None if option.kind == "text" else f'Check.known("{name}", {name})'
    if option.kind == "flag":
        return None
    if option.type.base == "float":
        low, high = facts.get("min", facts.get("above")), facts.get("max", facts.get("below"))
        bounds = [f"{low}" if low is not None else "-Float.MAX_VALUE", str("above" in facts).lower(),
                  f"{high}" if high is not None else "Float.MAX_VALUE", str("below" in facts).lower()]
        return f'Check.number("{name}", {name}, {", ".join(bounds)})'
    low = facts.get("min", 0)
    if option.default is not None and option.default < low:
        low = option.default
    high = facts.get("max", "Long.MAX_VALUE" if "64" in option.type.base else "Integer.MAX_VALUE")
    return f'Check.whole("{name}", {name}, {low}, {high})'


def setter(option, words):
    name = java_name(option.name)
    kind = {"number": SCALARS.get(option.type.base, "").replace("float", "double"), "flag": "boolean",
            "enum": option.enum and camel(option.enum["name"]), "text": "String"}[option.kind]
    value = {"double": f"(float) {name}", "boolean": f"{name} ? 1 : 0",
             "String": f"scratch.address(scratch.text(\"{name}\", {name}))"}.get(kind, name)
    value += ".value" * (option.kind == "enum")
    checked = check(option, name)
    return ["", *comment(html(words.about(option)), 96, "/** ", " * ", " */"),
            f"public Builder {name}({kind} {name}) {{", *([f"  {checked};"] if checked else []),
            f'  return say("{name}", (to, scratch) -> to.{name}({value}));', "}"]


def regions(api):
    words, result = all_words(api), {}
    for struct, left_out in ((ENGINE, []), (SESSION, ["thinking_begin", "thinking_end"])):
        made = sum((setter(option, words) for option in options(api, struct, *left_out)), [])[1:]
        result[f"c_api/bindings/{FOLDER}{camel(struct)}.java"] = {"options": made}
    return result
