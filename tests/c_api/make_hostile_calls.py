#!/usr/bin/env python3
"""Writes hostile_calls.inc: every function of api.json called in every way in which a caller can go
wrong and the header says what happens. hostile_program.c has what the calls need.
    make_hostile_calls.py API.JSON RONDO.H OUT
A function that comes to the API is called without a line here, unless it has a parameter of a kind
that has no valid value yet: then this stops and says so."""
import json
import re
import sys

# Valid values of parameters whose type does not say enough.
VALID = {
    "abi_version": "RONDO_ABI_VERSION", "path": "model_path", "key": '"name"', "fd": "-1",
    "token": "1", "status": "0", "name": '"abi.version"',
}
# What may be NULL, as the header says.
MAY_BE_NULL = {("rondo_chat_render", "text"), ("rondo_chat_render", "text_length"),
               ("rondo_chat_render", "ids"), ("rondo_chat_render", "ids_count"),
               ("rondo_model_chat_template", "name"), ("rondo_embedding_text", "prompt"),
               ("rondo_pair_text", "instruction")}
# The roles of numbers.
BY_VALUE = ("value", "flag", "enum", "sampling", "recommended")
# Numbers that no place can have, by name; others are only required not to do harm.
NEVER = {"flags": ["0xffffffffu", "0x80000000u"]}
EXTREMES = {"int32_t": ["INT32_MIN", "-1", "INT32_MAX"], "uint32_t": ["UINT32_MAX"],
            "uint64_t": ["UINT64_MAX"], "int64_t": ["INT64_MIN", "INT64_MAX"],
            "size_t": ["SIZE_MAX"], "float": ["-1.0f", "(float)NAN", "INFINITY"]}


def listed_statuses(api, header):
    """{function: the statuses that its comment in rondo.h lists}, and what it refers to."""
    known = {name for e in api["enums"] if e["prefix"] == "RONDO_STATUS_" for name in e["values"]}
    listed, before = {}, None
    comments = re.findall(r"/\*((?:(?!\*/).)*)\*/\s*RONDO_API [^;(]*?\b(rondo_\w+)\(", header, re.S)
    for comment, name in comments:
        text = " ".join(re.sub(r"\n \*", " ", comment).split())
        listed[name] = known & set(re.findall(r"(?:\bRONDO_STATUS|(?<!\w))_([A-Z_]+)\b", text))
        for other in re.findall(r"(?:Fails as|^As) (rondo_\w+)", text):
            listed[name] |= listed[other]
        if text.startswith("The same"):
            listed[name] |= listed[before]
        before = name
    return listed


class Writer:
    def __init__(self, api, header):
        self.api, self.lines, self.count = api, [], 0
        self.listed = listed_statuses(api, header)
        self.structs = {s["name"]: s for s in api["structs"]}
        self.callbacks = {c["name"] for c in api["callbacks"]}

    def may_return(self, function):
        """What the header says of the function, and at its beginning of all functions."""
        params = function["params"]
        kinds = {p[2].split()[0] for p in params}
        structs = [self.structs[self.base(p[1])] for p in params if self.base(p[1]) in self.structs]
        types = [p[1] for p in params] + [f[1] for s in structs for f in s["fields"]]
        may = {"OK", "INVALID_ARGUMENT"} | self.listed[function["name"]]
        if any(self.base(t) in self.api["handles"] for t in types):
            may.add("INVALID_HANDLE")
        if "size" in kinds or any(s["fields"][0][0] == "struct_size" for s in structs):
            may.add("VERSION_MISMATCH")
        if "needed" in kinds and "capacity" in kinds:
            may.add("BUFFER_TOO_SMALL")
        if "one call per" in function["threads"]:
            may.add("BUSY")
        return sorted(may)

    def base(self, type_name):
        return type_name.replace("const ", "").replace("*", "").strip()

    def valid(self, function, params, index):
        name, type_name, role = params[index]
        base = self.base(type_name)
        kind = role.split()[0]
        if kind == "handle":
            return base.removeprefix("rondo_")
        if kind == "close":
            return "NULL"
        if kind == "message":
            return "message"
        if kind == "size":
            return f"sizeof(*({params[0][1]})NULL)"
        if kind == "create":
            return f"&made_{base}"
        if kind == "call":
            return "on_row" if base == "rondo_logits_row" else "NULL"
        if kind == "user":
            return "NULL"
        if base == "rondo_model_part":
            return "parts"
        if base in self.structs and type_name.endswith("*"):
            return f"({type_name})fresh_{base}()"
        if name in VALID and kind in ("value", "text"):
            return VALID[name]
        if kind == "keep":
            return "NULL" if name == "arena" else "aligned"
        if kind == "capacity":
            return "sizeof message" if role == "capacity message" else "64"
        if kind == "length":
            if role == "length arena":
                return "0"
            one = "session" in role or role in ("length inputs", "length media")
            return "1" if one else "4"
        if type_name.endswith("* const*"):
            return "&" + base.split()[0].removeprefix("rondo_")
        if kind in ("out", "in_out", "needed", "borrow", "in", "text"):
            return f"({type_name})out[{index}]" if kind != "in" else f"({type_name})input"
        if kind == "value":
            return "0"
        sys.exit(f"make_hostile_calls.py: {function}: no valid value is known of {name} ({role})")

    def call(self, function, changed, expected):
        """changed: {index: expression}; expected: an expression of `status`."""
        params = function["params"]
        arguments = [changed.get(i, self.valid(function["name"], params, i))
                     for i in range(len(params))]
        call = f"{function['name']}({', '.join(arguments)})"
        what = json.dumps(", ".join(f"{params[i][0]} = {c}" for i, c in changed.items()) or "valid")
        self.count += 1
        if function["returns"] == "status" and expected in ("kNull", "kNotOpen"):
            self.outputs(function, arguments)
        if function["returns"] == "status":
            has_message = any(p[2] == "message" for p in params)
            told = not any(params[i][2] in ("message", "capacity message") for i in changed)
            self.lines.append(
                f"  before(); may = may_{function['name']}; judge({json.dumps(function['name'])}, {what}, {call}, {expected}, "
                f"{int(has_message and told)});")
        elif function["returns"] == "void":
            self.lines.append(f"  before(); {call};")
        else:
            self.lines.append(f"  before(); (void){call};")

    def outputs(self, function, arguments):
        """What a call that fails has zeroed: numbers and pointers; `out` has something in it."""
        sized = {p[2].split()[1] for p in function["params"]
                 if p[2].split()[0] in ("capacity", "length") and len(p[2].split()) > 1}
        for i, (name, type_name, role) in enumerate(function["params"]):
            if name not in sized and role.split()[0] in ("out", "needed", "borrow") and (
                    arguments[i] == f"({type_name})out[{i}]"):
                self.lines.append(f"  expect_zero({i}, sizeof *({type_name})NULL);")

    def function(self, function):
        name, params = function["name"], function["params"]
        self.lines.append(f"  /* {name} */")
        self.call(function, {}, "kAnything")
        buffers = {p[2].split()[1]: i for i, p in enumerate(params)
                   if p[2].split()[0] in ("capacity", "length") and len(p[2].split()) > 1}
        for i, (param, type_name, role) in enumerate(params):
            kind, base = role.split()[0], self.base(type_name)
            optional = (name, param) in MAY_BE_NULL
            refused = "kAnything" if optional else "kRefused"
            if kind in ("handle", "close"):
                self.call(function, {i: "NULL"}, "kNull")
                for wrong in self.wrong_handles(base):
                    self.call(function, {i: f"({type_name}){wrong}"}, "kNotOpen")
                continue
            if type_name.endswith("* const*"):
                base = base.split()[0]
                one = "one_" + base.removeprefix("rondo_")
                for wrong in self.wrong_handles(base):
                    self.call(function, {i: f"{one}({wrong})"}, "kNotOpen")
            if type_name.endswith("*") and kind != "user":
                if param in buffers:  # NULL with a length is refused, without is a question
                    self.call(function, {i: "NULL", buffers[param]: "0"}, "kAnything")
                    if kind != "message":
                        self.call(function, {i: "NULL", buffers[param]: "1"}, refused)
                        most = "SIZE_MAX" if params[buffers[param]][1] == "size_t" else "UINT32_MAX"
                        self.call(function, {i: "NULL", buffers[param]: most}, refused)
                elif kind != "message":
                    self.call(function, {i: "NULL"}, refused)
            if type_name in self.callbacks:
                self.call(function, {i: "NULL"}, refused)
            if kind == "capacity":
                self.call(function, {i: "0"}, "kAnything")
                self.call(function, {i: "1"}, "kAnything")
            if kind == "size":
                for size in ("0", "4", f"{'sizeof(*(' + params[0][1] + ')NULL)'} - 1", "4097",
                             "SIZE_MAX"):
                    self.call(function, {i: size}, "kRefused")
            if kind == "value":
                for value in NEVER.get(param, []):
                    self.call(function, {i: value}, "kRefused")
                for value in EXTREMES.get(type_name, []):
                    self.call(function, {i: value}, "kAnything")
            if base in self.structs and kind in ("in", "in_out") and type_name.endswith("*"):
                grows = self.structs[base]["fields"][0][0] == "struct_size"
                if not grows:
                    continue
                for size in ("0", "3", f"(uint32_t)sizeof({base}) - 1", "4097", "UINT32_MAX"):
                    self.call(function, {i: f"({type_name})sized_{base}({size}, 0)"}, "kRefused")
                larger = f"(uint32_t)sizeof({base}) + 8"
                self.call(function, {i: f"({type_name})sized_{base}({larger}, 0)"}, "kAnything")
                if kind == "in":
                    self.call(function, {i: f"({type_name})sized_{base}({larger}, 1)"}, "kRefused")
                for field, field_type, _ in self.structs[base]["fields"] if kind == "in" else ():
                    if self.base(field_type) not in self.api["handles"]:
                        continue
                    for wrong in self.wrong_handles(self.base(field_type)):
                        self.call(function, {i: f"({type_name})with_{base}_{field}({wrong})"},
                                  "kNotOpen")
                for field, _, _ in self.structs[base]["fields"] if kind == "in" else ():
                    if field.startswith("reserved"):
                        self.call(function, {i: f"({type_name})with_{base}_{field}(1)"},
                                  "kReserved")
                if kind == "in" and name != "rondo_engine_create":  # which takes what memory it asks
                    for field, field_type, field_role in self.structs[base]["fields"]:
                        if field_role.split()[0] not in BY_VALUE or field == "struct_size":
                            continue
                        for value in EXTREMES.get(field_type, []):
                            self.call(function, {i: f"({type_name})with_{base}_{field}({value})"},
                                      "kAnything")

    def wrong_handles(self, base):
        """No open handles of this kind, as any pointer."""
        kind = base.removeprefix("rondo_")
        others = [h.removeprefix("rondo_") for h in self.api["handles"] if h != base]
        numbers = ["1", "4096", "UINTPTR_MAX", "(uintptr_t)input", "(uintptr_t)message",
                   f"((uintptr_t){kind} ^ UINTPTR_MAX)", f"((uintptr_t){kind} << 1)"]
        # Of the upper half each bit, and of the lower.
        numbers += [f"((uintptr_t){kind} ^ (uintptr_t)1 << {bit} * (sizeof(void*) * 8 - 1) / 15)"
                    for bit in range(8, 16)]
        return [f"(void*){wrong}" for wrong in
                [f"closed_{kind}", f"stale_{kind}", *others, *numbers]]

    def varied(self):
        """Options whose fields are given extreme values one by one."""
        return {self.base(p[1]) for f in self.api["functions"] for p in f["params"]
                if p[2] == "in" and f["name"] != "rondo_engine_create"}

    def in_c(self, field_type):
        """Handles that are wrong come as any pointer."""
        return "void*" if self.base(field_type) in self.api["handles"] else field_type

    def fixtures(self):
        for s in self.api["structs"]:
            if s["fields"][0][0] != "struct_size":
                continue
            name = s["name"]
            self.lines.append(f"""static union {{ {name} it; unsigned char bytes[8192]; }} room_{name};
static {name}* sized_{name}(uint32_t size, int tail) {{
  memset(&room_{name}, 0, sizeof room_{name});
  prepare_{name}(&room_{name}.it);
  if (tail) room_{name}.bytes[sizeof({name}) + 3] = 1;
  room_{name}.it.struct_size = size;
  return &room_{name}.it;
}}
static {name}* fresh_{name}(void) {{ return sized_{name}((uint32_t)sizeof({name}), 0); }}""")
            for field, field_type, role in s["fields"] if name in self.varied() else []:
                if role.split()[0] in BY_VALUE and field_type in EXTREMES or (
                        self.base(field_type) in self.api["handles"]):
                    self.lines.append(f"""static {name}* with_{name}_{field}({self.in_c(field_type)} value) {{
  fresh_{name}()->{field} = value;
  return &room_{name}.it;
}}""")

    def write(self):
        inits = {f["params"][0][1].rstrip("*"): f["name"] for f in self.api["functions"]
                 if f["name"].endswith("_options_init")}
        for s in self.api["structs"]:
            if s["fields"][0][0] != "struct_size":
                continue
            init = inits.get(s["name"])
            body = f"{init}(it, sizeof *it); adjust_{s['name']}(it);" if init else "(void)it;"
            self.lines.append(
                f"static void prepare_{s['name']}({s['name']}* it) {{ {body} }}")
        self.fixtures()
        for function in self.api["functions"]:
            if function["returns"] == "status":
                values = ", ".join(f"RONDO_STATUS_{s}" for s in self.may_return(function))
                self.lines.append(
                    f"static const int32_t may_{function['name']}[] = {{{values}, -1}};")
        self.lines.append("static void call_everything_badly(void) {")
        for function in self.api["functions"]:
            self.function(function)
        self.lines.append("}")
        # Inside of a callback of the engine, whatever waits for its sessions is busy.
        self.lines.append("static void call_everything_from_inside(void) {")
        for function in self.api["functions"]:
            handles = {p[1] for p in function["params"] if p[2] == "handle"}
            if function["returns"] == "status" and (
                    function["threads"] == "one call per session" and "rondo_session*" in handles or
                    function["name"] in ("rondo_engine_step", "rondo_session_open")):
                self.call(function, {}, "kBusy")
        self.lines.append("}")
        self.lines.append(f"enum {{ kHostileCalls = {self.count} }};")
        return "\n".join(self.lines) + "\n"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        api = json.load(file)
    for struct in api["structs"]:
        struct["fields"] = [field[:3] for field in struct["fields"]]  # without what is said of them
    with open(sys.argv[2], encoding="utf-8") as file:
        header = file.read()
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        file.write(Writer(api, header).write())


if __name__ == "__main__":
    main()
