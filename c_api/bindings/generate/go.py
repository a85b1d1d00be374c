"""Go: constants and records. cgo reads the header itself."""
from api import NOTICE, records

INITIALISMS = {"kv": "KV", "ok": "OK", "eos": "EOS", "io": "IO", "id": "ID",
               "cpus": "CPUs"}
TYPES = {"uint32_t": "uint32", "int32_t": "int32", "uint64_t": "uint64", "int64_t": "int64",
         "float": "float32", "size_t": "int"}
ENUMS = {"rondo_status": "Status", "rondo_policy": "Policy", "rondo_kv": "KVFormat",
         "rondo_segment": "Segment", "rondo_log": "LogLevel", "rondo_reason": "Reason",
         "rondo_speculation": "Speculation", "rondo_affinity": "Affinity",
         "rondo_grammar_begin": "GrammarBegin", "rondo_channel": "Channel",
         "rondo_chat_part_kind": "ChatPartKind", "rondo_calls": "Calls",
         "rondo_pooling": "Pooling"}


def go_name(name):
    return "".join(INITIALISMS.get(word, word.capitalize()) for word in name.lower().split("_"))


def files(api):
    out = [f"// Code generated DO NOT EDIT. {NOTICE}", "", "package rondo", "",
           "// #include <rondo/rondo.h>", 'import "C"', ""]
    for e in api["enums"]:
        kind = ENUMS.get(e["name"])
        if kind is None:
            continue
        out += [f"// {kind} is one of the constants {e['prefix']} of rondo.h.", f"type {kind} int32",
                "", "// What rondo.h says of each.", "const ("]
        prefix = {"KVFormat": "KV", "LogLevel": "Log", "ChatPartKind": "ChatPart"}.get(kind, kind)
        names = [prefix + go_name(name) for name in e["values"]]
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
