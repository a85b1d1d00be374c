"""Rust: the C API as rondo-sys has it, enums and records of the safe crate, and its options."""
import re

from api import NOTICE, abi_version, camel, records, returns, variables
from options import ENGINE, SESSION, Words, comment, options

TYPES = {"uint32_t": "u32", "int32_t": "i32", "uint64_t": "u64", "int64_t": "i64", "float": "f32",
         "double": "f64", "size_t": "usize", "char": "c_char", "void": "c_void"}
# Zero of these is said by an Option; kinds of parts are ChatPart's own cases.
OPTIONAL_ENUMS, INNER_ENUMS = ("rondo_reason",), ("rondo_chat_part_kind", "rondo_rows")
ABOUT = {
    "rondo_status": "What kind of failure an [`crate::Error`] is.",
    "rondo_grammar_kind": "How a grammar is written.",
    "rondo_policy": "What happens when a session's context is full.",
    "rondo_kv": "How the KV cache holds keys and values.",
    "rondo_log": "What a message for the log is about.",
    "rondo_affinity": "Which CPUs an engine's own threads run on.",
    "rondo_segment": "The parts of the arena, in their order.",
    "rondo_speculation": "Where drafts come from: tokens that may come next, which a pass verifies.",
    "rondo_grammar_begin": "Where a session's grammar begins.",
    "rondo_reason": "Why a generation ended.",
    "rondo_channel": "What a token belongs to, in a session with the option `thinking`.",
    "rondo_pixels": "How an [`crate::Image`] holds pixels, in values of one byte.",
    "rondo_yuv_range": "From where to where Y, U and V go.",
    "rondo_yuv_matrix": "What Y, U and V are made of.",
    "rondo_calls": "Which calls an answer may have.",
    "rondo_pooling": "Which of a text's tokens its vector is made of, as the last layer leaves them.",
}
# What docs call a function of C, here.
METHODS = {"rondo_session_append_inputs": "Session::append_inputs", "rondo_media_create": "Engine::media",
           "rondo_model_eos_token": "Model::eos_tokens", "rondo_model_prompt_name": "Model::prompts",
           "rondo_session_append_media": "Session::append_media", "rondo_plan_region": "Model::plan_regions"}


def rust_type(t):
    base = t.base if t.is_handle or t.is_struct or t.is_callback else TYPES[t.base]
    if t.array:
        return f"[{base}; {t.array}]"
    if t.stars == 2:  # the array of a call's inputs is const as a whole
        inner = "*const" if t.const else "*mut"
        outer = "*const" if (t.const and t.base == "char") or t.pointer_const else "*mut"
        return f"{outer} {inner} {base}"
    return ("*const " if t.const else "*mut ") + base if t.stars else base


def constant(name):
    """JSON_SCHEMA -> JsonSchema, K8V4 as it is"""
    return "".join(word if re.fullmatch(r"(?:[A-Z]\d)+", word) else word.capitalize()
                   for word in name.split("_"))


def words(api):
    return Words(api, lambda name: name,
                 lambda enum, value: f"`{camel(enum['name'])}::{constant(value)}`", "none", "[`{}`]")


def escaped(text):
    """As rustdoc shows it: what stands in brackets is no link and no HTML."""
    for c, here in METHODS.items():
        text = re.sub(rf"\b{c}\b", f"[`crate::{here}`]", text)
    parts = re.split(r"(\[`[^`]*`\]|`[^`]*`)", text)
    return "".join(part if i % 2 else re.sub(r"([\[\]<>])", r"\\\1", part) for i, part in enumerate(parts))


def doc(text, begin="    /// "):
    return comment(escaped(text), 100, begin)


def raw_file(api):
    out = [f"//! The C API. {NOTICE}", "#![allow(non_camel_case_types, missing_docs)]",
           "// One line for each declaration, as in api.json.", "#![cfg_attr(rustfmt, rustfmt_skip)]",
           "", "use std::os::raw::{c_char, c_void};", "",
           f"pub const RONDO_ABI_VERSION: u32 = {abi_version(api)};",
           "pub const RONDO_CHAT_NO_CLOCK: i64 = i64::MIN;"]
    for e in api["enums"]:
        kind = "u32" if e["flags"] else "i32"
        out += [""] + [f"pub const {e['prefix']}{name}: {kind} = {value:#x};"
                       for name, value in e["values"].items()]
    for name in api["handles"]:
        out += ["", "#[repr(C)]", f"pub struct {name} {{", "    _private: [u8; 0],", "}"]
    out.append("")
    for c in api["callbacks"]:
        params = ", ".join(f"{name}: {rust_type(t)}" for name, t, _ in variables(api, c))
        result = returns(api, c)
        arrow = f" -> {rust_type(result)}" if result else ""
        out.append(f"pub type {c['name']} = Option<unsafe extern \"C\" fn({params}){arrow}>;")
    for s in api["structs"]:
        out += ["", "#[repr(C)]", "#[derive(Clone, Copy)]", f"pub struct {s['name']} {{"]
        out += [f"    pub {name}: {rust_type(t)}," for name, t, _ in variables(api, s)] + ["}"]
    out += ["", 'extern "C" {']
    for f in api["functions"]:
        params = ", ".join(f"{name}: {rust_type(t)}" for name, t, _ in variables(api, f))
        result = returns(api, f)
        arrow = f" -> {rust_type(result)}" if result else ""
        out.append(f"    pub fn {f['name']}({params}){arrow};")
    return "\n".join(out + ["}"]) + "\n"


def enum_lines(api, e):
    kind, say = camel(e["name"]), words(api)
    values = {constant(name): (value, e["docs"][name]) for name, value in e["values"].items()
              if not (name == "NONE" and e["name"] in OPTIONAL_ENUMS) and e["prefix"] + name != "RONDO_STATUS_OK"}
    out = ["", *doc(ABOUT.get(e["name"], f"The constants `{e['prefix']}` of rondo.h."), "/// "),
           "#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]", "#[non_exhaustive]",
           f"pub enum {kind} {{"]
    for name, (_, about) in values.items():
        out += [*doc(say.translated(about)), f"    {name},"]
    out += ["    /// Of a newer library: its number.", "    Other(i32),", "}", "", f"impl {kind} {{",
            "    /// What the C API has for it.", "    pub fn code(self) -> i32 {", "        match self {"]
    out += [f"            {kind}::{name} => {value:#x}," for name, (value, _) in values.items()]
    out += [f"            {kind}::Other(code) => code,", "        }", "    }", "",
            "    #[allow(dead_code)] // what only options have is not read",
            "    pub(crate) fn of(code: i32) -> Self {", "        match code {"]
    out += [f"            {value:#x} => {kind}::{name}," for name, (value, _) in values.items()]
    return out + [f"            code => {kind}::Other(code),", "        }", "    }", "}"]


def record_field(api, facts, name, t, role):
    """The type of a record's field, and how it is read. Docs say which numbers are flags, and which are
    none where they are -1."""
    about = facts.get("doc", "")
    raw = f"raw.{name}"
    if t.base == "char":
        pointer = f"{raw}.as_ptr()" if t.array else raw
        return "String", f"CStr::from_ptr({pointer}).to_string_lossy().into_owned()", about
    kind, _, enum = role.partition(" ")
    if kind == "enum":
        return camel(enum), f"{camel(enum)}::of({raw})", about
    if t.base == "uint32_t" and re.match(r"[01]: ", about):
        return "bool", f"{raw} != 0", about.replace("1: ", "true: ", 1).replace("0: ", "false: ", 1)
    if t.base == "int32_t" and "-1: " in about:
        about = about.replace("-1: none", "None: there is none").replace("-1: ", "None: ")
        return "Option<i32>", f"({raw} >= 0).then_some({raw})", about
    return TYPES[t.base], raw, about


def records_file(api):
    out = [f"//! Constants and what the library tells. {NOTICE}",
           "#![cfg_attr(rustfmt, rustfmt_skip)]", "", "use crate::raw;", "use std::ffi::CStr;",
           "use std::mem::{size_of, zeroed};"]
    say = words(api)
    for e in api["enums"]:
        if not e["flags"] and e["name"] not in INNER_ENUMS:
            out += enum_lines(api, e)
    for struct, fields in records(api):
        kind = camel(struct["name"])
        made = [(name, *record_field(api, api["facts"][struct["name"]][name], name, t, role))
                for name, t, role in fields]
        out += ["", f"/// `{struct['name']}` of rondo.h.",
                "#[derive(Clone, PartialEq, Eq, Debug)]", "#[non_exhaustive]", f"pub struct {kind} {{"]
        for name, rust, _, about in made:
            out += doc(say.translated(about or name)) + [f"    pub {name}: {rust},"]
        out += ["}", "", f"impl {kind} {{", "    /// What `fill` has the library write.",
                "    #[allow(dead_code)] // a profile's events are looked at before",
                f"    pub(crate) fn filled<E>(fill: impl FnOnce(*mut raw::{struct['name']}) -> Result<(), E>)"
                " -> Result<Self, E> {",
                "        // All of it is numbers, and pointers that may be null.",
                f"        let mut raw: raw::{struct['name']} = unsafe {{ zeroed() }};",
                f"        raw.struct_size = size_of::<raw::{struct['name']}>() as u32;",
                "        fill(&mut raw)?;", "        Ok(unsafe { Self::of(&raw) })", "    }", "",
                "    /// `raw` was filled by the library.",
                f"    pub(crate) unsafe fn of(raw: &raw::{struct['name']}) -> Self {{", f"        {kind} {{"]
        out += [f"            {name}: {read}," for name, _, read, _ in made]
        out += ["        }", "    }", "}"]
    return "\n".join(out) + "\n"


def files(api):
    return {"rust/rondo-sys/src/raw.rs": raw_file(api), "rust/src/records.rs": records_file(api)}


def option_type(option):
    return {"flag": "bool", "enum": option.enum and camel(option.enum["name"])}.get(
        option.kind, TYPES[option.type.base])


def field(option, say):
    kind = option_type(option)
    return [*comment(escaped(say.about(option)), 96, "/// "),
            f"pub {option.name}: {f'Option<{kind}>' if option.recommended else kind},"]


def default(option):
    raw = f"raw.{option.name}"
    value = "None" if option.recommended else {
        "flag": f"{raw} != 0", "enum": f"{option_type(option)}::of({raw})"}.get(option.kind, raw)
    return f"{option.name}: {value},"


def stated(option):
    raw, ours = f"raw.{option.name}", f"self.{option.name}"
    value = f"{ours}.unwrap_or({raw})" if option.recommended else {
        "flag": f"u32::from({ours})", "enum": f"{ours}.code()"}.get(option.kind, ours)
    return f"{raw} = {value};"


def regions(api):
    say, result = words(api), {}
    for struct, what in ((ENGINE, "engine"), (SESSION, "session")):
        # Texts are kept by hand.
        of = [option for option in options(api, struct) if option.kind != "text"]
        result[f"{what} options"] = sum((field(option, say) for option in of), [])
        result[f"{what} options' defaults"] = [default(option) for option in of]
        result[f"{what} options' setters"] = [f"{option.name}: {option_type(option)}," for option in of]
        result[f"{what} options said"] = [stated(option) for option in of]
    return {f"c_api/bindings/rust/src/{what}_options.rs": {
        name: lines for name, lines in result.items() if name.startswith(what)} for what in ("engine", "session")}
