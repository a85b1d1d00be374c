"""Go: constants, records and options. cgo reads the header itself."""
import re

from api import NOTICE, records
from options import ENGINE, SESSION, Words, comment, options

INITIALISMS = {"kv": "KV", "ok": "OK", "eos": "EOS", "io": "IO", "id": "ID",
               "cpus": "CPUs", "logprobs": "LogProbs", "rgb8": "RGB8", "rgba8": "RGBA8",
               "bgra8": "BGRA8", "nv12": "NV12", "nv21": "NV21", "bt601": "BT601", "bt709": "BT709"}
# Numbers are Go's own int where that holds them: counts come from len and go to make.
TYPES = {"uint32_t": "int", "int32_t": "int", "uint64_t": "uint64", "int64_t": "int64",
         "float": "float32", "size_t": "int"}
OPTION_TYPES = {**TYPES, "uint64_t": "int", "float": "float64"}
EXACT = {"seed": "uint64", "grammar_token": "int32"}  # all bits of it mean something
ENUMS = {"rondo_status": "Status", "rondo_policy": "Policy", "rondo_kv": "KVFormat",
         "rondo_segment": "Segment", "rondo_log": "LogLevel", "rondo_reason": "Reason",
         "rondo_speculation": "Speculation", "rondo_affinity": "Affinity",
         "rondo_grammar_begin": "GrammarBegin", "rondo_channel": "Channel",
         "rondo_chat_part_kind": "ChatPartKind", "rondo_calls": "Calls",
         "rondo_pooling": "Pooling", "rondo_pixels": "Pixels", "rondo_yuv_range": "YUVRange",
         "rondo_yuv_matrix": "YUVMatrix"}
# What options are called that are written by hand.
OTHER_NAMES = {"stop_strings": "Stop", "n_stop_strings": "Stop", "logit_bias": "LogitBias",
               "n_logit_bias": "LogitBias", "cpus": "CPUs", "n_cpus": "CPUs", "draft": "Draft",
               "grammar": "Grammar", "adapter": "Adapter", "min_tokens": "MinTokens",
               "one_tile": "OneTile", "memory_bytes": "MemoryBytes", "sees_whole": "SeesWhole",
               "template_name": "TemplateName", "template_text": "Template", "local_time": "LocalTime"}


def go_name(name):
    return "".join(INITIALISMS.get(word, word.capitalize()) for word in name.lower().split("_"))


def prefix(enum):
    kind = ENUMS[enum]
    return {"KVFormat": "KV", "LogLevel": "Log", "ChatPartKind": "ChatPart", "YUVRange": "YUV",
            "YUVMatrix": "YUV"}.get(kind, kind)


def constant(enum, value):
    return prefix(enum["name"]) + go_name(value) if enum["name"] in ENUMS else enum["prefix"] + value


def enums(api, words):
    out = []
    for e in api["enums"]:
        kind = ENUMS.get(e["name"])
        if kind is None:
            continue
        names = [prefix(e["name"]) + go_name(name) for name in e["values"]]
        out += [f"// {kind} is one of the constants {e['prefix']} of rondo.h.", f"type {kind} int32",
                "", f"// Values of {kind}. A newer library may have others.", "const ("]
        for name, c_name in zip(names, e["values"]):
            doc = words.translated(e["docs"].get(c_name) or "")if e["docs"].get(c_name) else ""
            out += comment(doc, 96, "\t// ") if doc else []
            out += [f"\t{name} {kind} = {e['values'][c_name]}"]
        out += [")", ""]
        if kind == "Status":
            failed = list(zip(list(e["values"]), names))[1:]
            out += ["// Errors, by their status: errors.Is(err, rondo.ErrBusy). ErrClosed stands apart.",
                    "var ("]
            out += [f"\tErr{go_name(c_name)} error = {name}" for c_name, name in failed]
            out += [")", ""]
            continue
        width = max(len(f'"{go_name(name)}"') for name in e["values"])
        out += [f"// String is the constant's name without {prefix(e['name'])}; of an unknown one its number.",
                f"func (v {kind}) String() string {{", "\tswitch v {"]
        out += sum(([f"\tcase {name}:", f'\t\treturn "{go_name(c_name)}"']
                    for name, c_name in zip(names, e["values"])), [])
        out += ["\t}", f'\treturn unknown("{kind}", int32(v))', "}", ""]
    return out


def record_type(t, role, field, doc):
    if role.startswith("enum "):
        return ENUMS[role.partition(" ")[2]]
    if t.base == "char":
        return "string"
    if field.endswith("_token"):
        return "int32"  # an id
    return "bool" if t.base == "uint32_t" and re.match("[01]: ", doc) else TYPES[t.base]


def record(api, words, struct, fields):
    kind = go_name(struct["name"].removeprefix("rondo_"))
    out = [f"// {kind} is {struct['name']} of rondo.h.", f"type {kind} struct {{"]
    values = []
    for field, t, role in fields:
        doc = api["facts"][struct["name"]][field].get("doc", "")
        go_type, name = record_type(t, role, field, doc), go_name(field)
        if go_type == "bool":
            doc = doc.replace("1: ", "True: ").replace("0: ", "False: ")
        out += comment(words.translated(doc), 96, "\t// ") if doc else []
        out += [f"\t{name} {go_type}"]
        c_field = {"type": "_type"}.get(field, field)
        values.append(f"{name}: " + (
            f"C.GoString(&from.{c_field}[0])" if t.array else
            f"C.GoString(from.{c_field})" if go_type == "string" else
            f"from.{c_field} != 0" if go_type == "bool" else f"{go_type}(from.{c_field})"))
    return [*out, "}", "", f"func {kind[0].lower() + kind[1:]}Of(from *C.{struct['name']}) {kind} {{",
            f"\treturn {kind}{{", *[f"\t\t{value}," for value in values], "\t}", "}", ""]


def option_names(api):
    """Of each option that the library's sentences may name, what it is called here."""
    names = dict(OTHER_NAMES)
    for struct in (ENGINE, SESSION):
        names.update({option.name: go_name(option.name) for option in options(api, struct, "log_level")})
    return ["// What options are called in the library's sentences, and here.",
            "var optionNames = map[string]string{",
            *[f'\t"{name}": "{ours}",' for name, ours in sorted(names.items())], "}", ""]


def aligned(lines):
    """As gofmt has it: what stands behind names in neighbouring lines begins in one column."""
    out, block = [], []

    def flush():
        cells = [re.match(r'(\t+)(\S+?:?) (.*)$', line) for line in block]
        width = max((len(c[2]) for c in cells), default=0)
        second = [re.match(r"(\S+) (= .*)$", c[3]) for c in cells]
        inner = max((len(s[1]) for s in second if s), default=0)
        for c, s in zip(cells, second):
            rest = f"{s[1]:{inner}} {s[2]}" if s else c[3]
            out.append(f"{c[1]}{c[2]:{width}} {rest}")
        block.clear()
    for line in lines:
        # A constant, a field, a member of a literal.
        if re.match(r'\t+(\w+ \w+( = .*)?|"?\w+"?: .*,)$', line) and "return" not in line and "case" not in line:
            if block and re.match(r"\t*", block[0])[0] != re.match(r"\t*", line)[0]:
                flush()
            block.append(line)
        else:
            if not (line.lstrip().startswith("//") and block):
                flush()
                out.append(line)
            else:
                flush()
                out.append(line)
    flush()
    return out


def words_of(api):
    return Words(api, go_name, constant, "empty")


def files(api):
    words = words_of(api)
    out = [f"// Code generated DO NOT EDIT. {NOTICE}", "", "package rondo", "",
           "// #include <rondo/rondo.h>", 'import "C"', ""]
    out += enums(api, words)
    for struct, fields in records(api):
        out += record(api, words, struct, fields)
    out += option_names(api)
    return {"go/records.go": "\n".join(aligned(out[:-1])) + "\n"}


def option_type(option):
    if option.kind == "number":
        return EXACT.get(option.name) or OPTION_TYPES[option.type.base]
    return {"flag": "bool", "text": "string", "enum": option.enum and ENUMS[option.enum["name"]]}[option.kind]


def field(option, words):
    return [*comment(words.about(option), 96, "// "),
            f"{go_name(option.name)} {'*' * option.recommended}{option_type(option)}"]


def said(option):
    raw, ours = f"raw.{option.name}", f"o.{go_name(option.name)}"
    if option.kind == "flag":
        return [f"{raw} = cBool({ours})"]
    if option.kind == "text":
        return [f'{raw} = s.text("{go_name(option.name)}", {ours})']
    if option.kind == "enum" or option.name in EXACT:
        kind = option.type.base.removesuffix("_t")
        return [f"{raw} = C.{kind}_t({ours})"]
    how = "real" if option.type.base == "float" else "number"
    return [f'{how}{"Given" * option.recommended}(&s, &{raw}, "{go_name(option.name)}", {ours})']


def regions(api):
    words = words_of(api)
    result = {}
    for struct, what in ((ENGINE, "engine"), (SESSION, "session")):
        of = list(options(api, struct, "log_level"))  # there is no log
        result[f"{what} options"] = sum((field(option, words) for option in of), [""])
        result[f"{what} options said"] = sum(map(said, of), [])
        if struct == SESSION:
            names = [(go_name(option.name), option_type(option), option.name)
                     for option in of if option.recommended]
            result["recommended"] = [f"options.{name} = pointer({kind}(raw.{raw}))"
                                     for name, kind, raw in names]
            result["over"] = [f"o.{name} = or(o.{name}, recommended.{name})" for name, _, _ in names]
    return {"c_api/bindings/go/options.go": result}
