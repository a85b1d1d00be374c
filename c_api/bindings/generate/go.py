"""Go: constants and records. cgo reads the header itself."""
from api import NOTICE, records
from options import ENGINE, SESSION, Words, comment, options

INITIALISMS = {"kv": "KV", "ok": "OK", "eos": "EOS", "io": "IO", "id": "ID",
               "cpus": "CPUs", "logprobs": "LogProbs", "rgb8": "RGB8", "rgba8": "RGBA8",
               "bgra8": "BGRA8", "nv12": "NV12", "nv21": "NV21", "bt601": "BT601", "bt709": "BT709"}
TYPES = {"uint32_t": "uint32", "int32_t": "int32", "uint64_t": "uint64", "int64_t": "int64",
         "float": "float32", "size_t": "int"}
ENUMS = {"rondo_status": "Status", "rondo_policy": "Policy", "rondo_kv": "KVFormat",
         "rondo_segment": "Segment", "rondo_log": "LogLevel", "rondo_reason": "Reason",
         "rondo_speculation": "Speculation", "rondo_affinity": "Affinity",
         "rondo_grammar_begin": "GrammarBegin", "rondo_channel": "Channel",
         "rondo_chat_part_kind": "ChatPartKind", "rondo_calls": "Calls",
         "rondo_pooling": "Pooling", "rondo_pixels": "Pixels", "rondo_yuv_range": "YUVRange",
         "rondo_yuv_matrix": "YUVMatrix"}


def go_name(name):
    return "".join(INITIALISMS.get(word, word.capitalize()) for word in name.lower().split("_"))


def prefix(enum):
    kind = ENUMS[enum]
    return {"KVFormat": "KV", "LogLevel": "Log", "ChatPartKind": "ChatPart", "YUVRange": "YUV",
            "YUVMatrix": "YUV"}.get(kind, kind)


def files(api):
    out = [f"// Code generated DO NOT EDIT. {NOTICE}", "", "package rondo", "",
           "// #include <rondo/rondo.h>", 'import "C"', ""]
    for e in api["enums"]:
        kind = ENUMS.get(e["name"])
        if kind is None:
            continue
        out += [f"// {kind} is one of the constants {e['prefix']} of rondo.h.", f"type {kind} int32",
                "", "// What rondo.h says of each.", "const ("]
        names = [prefix(e["name"]) + go_name(name) for name in e["values"]]
        width = max(len(name) for name in names)
        out += [f"\t{name:{width}} {kind} = {value}" for name, value in zip(names, e["values"].values())]
        out += [")", ""]
    for struct, fields in records(api):
        kind = go_name(struct["name"].removeprefix("rondo_"))
        out += [f"// {kind} is {struct['name']} of rondo.h.", f"type {kind} struct {{"]
        names = [go_name(name) for name, _, _ in fields]
        width = max(len(name) for name in names)
        types = ["string" if t.base == "char" else TYPES[t.base] for _, t, _ in fields]
        out += [f"\t{name:{width}} {t}" for name, t in zip(names, types)] + ["}", ""]
        out += [f"func {kind[0].lower() + kind[1:]}Of(from *C.{struct['name']}) {kind} {{",
                f"\treturn {kind}{{"]
        for (field, t, _), name, go_type in zip(fields, names, types):
            c_field = {"type": "_type"}.get(field, field)
            if t.array:
                value = f"C.GoString(&from.{c_field}[0])"
            elif go_type == "string":
                value = f"C.GoString(from.{c_field})"
            else:
                value = f"{go_type}(from.{c_field})"
            space = " " * (width - len(name))
            out.append(f"\t\t{name}: {space}{value},")
        out += ["\t}", "}", ""]
    return {"go/records.go": "\n".join(out[:-1]) + "\n"}


def field(option, words):
    kind = {"number": TYPES.get(option.type.base), "flag": "bool", "text": "string",
            "enum": option.enum and ENUMS[option.enum["name"]]}[option.kind]
    return [*comment(words.about(option), 96, "// "),
            f"{go_name(option.name)} {'*' * option.recommended}{kind}"]


def said(option):
    raw, ours = f"raw.{option.name}", f"o.{go_name(option.name)}"
    if option.kind == "flag":
        return [f"{raw} = cBool({ours})"]
    if option.kind == "text":
        return [f'if {ours} != "" {{', f"\t{raw} = C.CString({ours})",
                f"\tdefer C.free(unsafe.Pointer({raw}))", "}"]
    return [f"{'setGiven' if option.recommended else 'set'}(&{raw}, {ours})"]


def regions(api):
    words = Words(api, go_name, lambda enum, value: prefix(enum["name"]) + go_name(value), "empty")
    result = {}
    for struct, what in ((ENGINE, "engine"), (SESSION, "session")):
        of = list(options(api, struct, "log_level"))  # there is no log
        result[f"{what} options"] = sum((field(option, words) for option in of), [""])
        result[f"{what} options said"] = sum(map(said, of), [])
        if struct == SESSION:
            names = [(go_name(option.name), TYPES[option.type.base], option.name)
                     for option in of if option.recommended]
            result["recommended"] = [f"options.{name} = pointer({kind}(raw.{raw}))"
                                     for name, kind, raw in names]
            result["over"] = [f"o.{name} = or(o.{name}, recommended.{name})" for name, _, _ in names]
    return {"c_api/bindings/go/options.go": result}
