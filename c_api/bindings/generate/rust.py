"""Rust: the extern block with its types, constants, and records."""
from api import NOTICE, abi_version, camel, records, returns, variables
from options import ENGINE, SESSION, Words, comment, options

TYPES = {"uint32_t": "u32", "int32_t": "i32", "uint64_t": "u64", "int64_t": "i64", "float": "f32",
         "double": "f64", "size_t": "usize", "char": "c_char", "void": "c_void"}


def rust_type(t):
    base = t.base if t.is_handle or t.is_struct or t.is_callback else TYPES[t.base]
    if t.array:
        return f"[{base}; {t.array}]"
    if t.stars == 2:  # the array of a call's inputs is const as a whole
        inner = "*const" if t.const else "*mut"
        outer = "*const" if (t.const and t.base == "char") or t.pointer_const else "*mut"
        return f"{outer} {inner} {base}"
    return ("*const " if t.const else "*mut ") + base if t.stars else base


def files(api):
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
    out += ["}"]
    return {"rust/src/raw.rs": "\n".join(out) + "\n", "rust/src/records.rs": records_file(api)}


def records_file(api):
    out = [f"//! Constants and what the library tells. {NOTICE}",
           "#![cfg_attr(rustfmt, rustfmt_skip)]", "", "use crate::raw;", "use std::ffi::CStr;"]
    for e in api["enums"]:
        if e["flags"]:
            continue
        kind = camel(e["name"])
        out += ["", f"/// One of the constants {e['prefix']} of rondo.h; newer libraries may have more.",
                "#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]", f"pub struct {kind}(pub i32);",
                "", "#[allow(missing_docs)]", f"impl {kind} {{"]
        out += [f"    pub const {name}: {kind} = {kind}({value:#x});"
                for name, value in e["values"].items()] + ["}"]
    for struct, fields in records(api):
        kind = camel(struct["name"])
        out += ["", f"/// {struct['name']} of rondo.h.", "#[allow(missing_docs)]",
                "#[derive(Clone, PartialEq, Eq, Debug)]", "#[non_exhaustive]",
                f"pub struct {kind} {{"]
        out += [f"    pub {name}: {'String' if t.base == 'char' else TYPES[t.base]},"
                for name, t, _ in fields] + ["}"]
        out += ["", f"impl {kind} {{",
                "    /// `raw` was filled by the library.",
                f"    pub(crate) unsafe fn of(raw: &raw::{struct['name']}) -> {kind} {{",
                f"        {kind} {{"]
        for name, t, _ in fields:
            pointer = f"raw.{name}.as_ptr()" if t.array else f"raw.{name}"
            text = f"CStr::from_ptr({pointer}).to_string_lossy().into_owned()"
            out.append(f"            {name}: {text if t.base == 'char' else f'raw.{name}'},")
        out += ["        }", "    }", "}"]
    return "\n".join(out) + "\n"


def option_type(option):
    return {"flag": "bool", "enum": option.enum and camel(option.enum["name"])}.get(
        option.kind, TYPES[option.type.base])


def field(option, words):
    kind = option_type(option)
    return [*comment(words.about(option), 96, "/// "),
            f"pub {option.name}: {f'Option<{kind}>' if option.recommended else kind},"]


def default(option):
    raw = f"raw.{option.name}"
    value = "None" if option.recommended else {
        "flag": f"{raw} != 0", "enum": f"{option_type(option)}({raw})"}.get(option.kind, raw)
    return f"{option.name}: {value},"


def said(option):
    raw, ours = f"raw.{option.name}", f"self.{option.name}"
    value = f"{ours}.unwrap_or({raw})" if option.recommended else {
        "flag": f"u32::from({ours})", "enum": f"{ours}.0"}.get(option.kind, ours)
    return f"{raw} = {value};"


def regions(api):
    words = Words(api, lambda name: name, lambda enum, value: f"`{camel(enum['name'])}::{value}`",
                  "none", "one of [`{}`]")
    result = {}
    for struct, what in ((ENGINE, "engine"), (SESSION, "session")):
        # There is no log; texts are kept by hand.
        of = [option for option in options(api, struct, "log_level") if option.kind != "text"]
        result[f"{what} options"] = sum((field(option, words) for option in of), [])
        result[f"{what} options' defaults"] = [default(option) for option in of]
        result[f"{what} options' setters"] = [f"{option.name}: {option_type(option)}," for option in of]
        result[f"{what} options said"] = [said(option) for option in of]
    return {"c_api/bindings/rust/src/options.rs": result}
