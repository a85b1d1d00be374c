"""What api.json says of options is so: defaults are what _init sets, what lies beyond a range is refused
by the option's name, and what lies at its ends is not.

Usage: options_test.py LIBRARY MODEL
"""
import ctypes
import math
import os
import sys
from ctypes import byref

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "c_api", "bindings", "generate"))
import api  # noqa: E402

TYPES = {"uint32_t": ctypes.c_uint32, "int32_t": ctypes.c_int32, "uint64_t": ctypes.c_uint64,
         "int64_t": ctypes.c_int64, "size_t": ctypes.c_size_t, "float": ctypes.c_float}
NUMBERS = ("value", "flag", "enum", "sampling", "recommended")
MESSAGE_BYTES = 512


class Struct:
    """A struct of the API, as api.json describes it."""

    def __init__(self, library, description, name):
        struct = next(s for s in description["structs"] if s["name"] == name)
        self.types = {field: TYPES.get(c_type, ctypes.c_void_p) for field, c_type, _ in struct["fields"]}
        self.type = type(name, (ctypes.Structure,), {"_fields_": list(self.types.items())})
        self.library, self.name, self.facts = library, name, description["facts"][name]
        self.enums = {f"enum {e['name']}": e for e in description["enums"]}
        self.roles = {field: role for field, _, role in struct["fields"]
                      if role.split()[0] in NUMBERS and not field.startswith("reserved")}

    def fresh(self, **values):
        options = self.type()
        init = getattr(self.library, f"{self.name}_init")
        assert init(byref(options), ctypes.c_size_t(ctypes.sizeof(options))) == 0
        for field, value in values.items():
            setattr(options, field, value)
        return options

    def wrong_defaults(self):
        options = self.fresh()
        for field in self.roles:
            value, said = getattr(options, field), self.facts[field].get("default")
            if value != said and "RONDO_CHAT_NO_CLOCK" not in self.facts[field]["doc"]:
                yield f"{self.name}.{field} is {value} after _init, in api.json {said}"

    def beyond(self, field):
        """Values that must be refused."""
        facts, of, enum = self.facts[field], self.types[field], self.enums.get(self.roles[field])
        if enum:
            return [-1, max(enum["values"].values()) + 1]
        if self.roles[field] == "flag":
            return [2]
        values = [math.nan, math.inf] if of is ctypes.c_float else []
        values += [facts[end] for end in ("above", "below") if end in facts]
        step = 0.5 if of is ctypes.c_float else 1
        values += [facts[end] + by for end, by in (("min", -step), ("max", step)) if end in facts]
        unsigned = of in (ctypes.c_uint32, ctypes.c_uint64)
        return [value for value in values if value != facts["default"] and not (unsigned and value < 0)]

    def ends(self, field):
        """Values that must be accepted."""
        facts, enum = self.facts[field], self.enums.get(self.roles[field])
        if enum:
            return list(enum["values"].values())
        if self.roles[field] == "flag":
            return [0, 1]
        return [facts[end] for end in ("min", "max", "default") if end in facts]

    def wrong_ranges(self, tried, left_out):
        """`tried` takes options and gives what the library says against them, or nothing."""
        for field in self.roles.keys() - left_out:
            beside = {"max_rows": 8192} if field == "rows_per_step" else {}  # which bounds it
            # The policy's name in sentences is older than its field's.
            name = field.removeprefix("context_") if field == "context_policy" else field
            for value in self.beyond(field):
                said = tried(self.fresh(**beside, **{field: value}))
                if name not in said:
                    yield f"{self.name}.{field} = {value} is beyond, but the library says '{said}'"
            for value in self.ends(field):
                said = tried(self.fresh(**beside, **{field: value}))
                if f"{name} is" in said and ("must be" in said or "expected" in said):
                    yield f"{self.name}.{field} = {value} is within, but the library says '{said}'"


def main(library_path, model_path):
    library, description = ctypes.CDLL(library_path), api.load()
    model, engine, why = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.create_string_buffer(MESSAGE_BYTES)
    message = (why, ctypes.c_size_t(MESSAGE_BYTES))

    def sentence(status):
        return why.value.decode() or hex(status) if status else ""

    engines, sessions, images, chats = (Struct(library, description, f"rondo_{name}_options")
                                        for name in ("engine", "session", "image", "chat"))
    said = sentence(library.rondo_model_open_path(api.abi_version(description), model_path.encode(),
                                                  byref(model), *message))
    assert not said, said
    said = sentence(library.rondo_engine_create(model, byref(engines.fresh(context=64, threads=1)), None,
                                                ctypes.c_size_t(0), byref(engine), *message))
    assert not said, said
    plan = Struct(library, description, "rondo_memory_plan").type()
    plan.struct_size = ctypes.sizeof(plan)

    def planned(options):
        return sentence(library.rondo_plan(model, byref(options), byref(plan), *message))

    def opened(options):
        session = ctypes.c_void_p()
        said = sentence(library.rondo_session_open(engine, byref(options), byref(session), *message))
        library.rondo_session_close(session)
        return said

    wrong = [line for struct in (engines, sessions, images, chats) for line in struct.wrong_defaults()]
    # Left out is what this model lacks, which is refused in words of its own.
    wrong += engines.wrong_ranges(planned, {"draft_head", "max_media_rows", "sink_tokens"})
    wrong += sessions.wrong_ranges(opened, {"grammar_begin", "grammar_token", "grammar_goes_on", "thinking_tokens"})
    for line in wrong:
        print(line, file=sys.stderr)
    library.rondo_engine_close(engine)
    library.rondo_model_close(model)
    print(f"{len(engines.roles) + len(sessions.roles)} options tried, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
