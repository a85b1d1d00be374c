"""C#: P/Invoke structures and functions, and enums."""
from api import NOTICE, abi_version, camel, records, returns, variables
from options import ENGINE, SESSION, Words, comment, options

SCALARS = {"uint32_t": "uint", "int32_t": "int", "uint64_t": "ulong", "int64_t": "long",
           "float": "float", "double": "double", "size_t": "UIntPtr"}
ARRAYS = {"char": "byte[]", "void": "byte[]", "int32_t": "int[]", "float": "float[]",
          "size_t": "UIntPtr[]"}
WORDS = {"event", "params", "in", "out", "ref", "fork", "base", "string", "lock"}


def pascal(name):
    return "".join(word.capitalize() for word in name.lower().split("_"))


def cs_name(name):
    words = name.split("_")
    result = words[0] + "".join(word.capitalize() for word in words[1:])
    return "@" + result if result in WORDS else result


def field_type(t):
    return SCALARS[t.base] if t.stars == 0 and not t.is_callback else "IntPtr"


def param(t, role, name):
    """Texts and buffers are byte arrays: UTF-8 whatever the platform."""
    name = cs_name(name)
    if t.is_callback:
        return f"{camel(t.base)} {name}"
    if t.stars == 0:
        return f"{SCALARS[t.base]} {name}"
    if t.is_handle:
        if role == "create":
            return f"out IntPtr {name}"
        return f"IntPtr[] {name}" if t.stars == 2 else f"IntPtr {name}"
    if t.is_struct:
        return f"{'ref' if role == 'in_out' or role == 'in' else 'out'} {camel(t.base)} {name}"
    if t.stars == 2:
        return f"out IntPtr {name}"
    if role in ("keep", "user"):
        return f"IntPtr {name}"
    if role.startswith("needed"):  # null: not wanted
        return f"[In, Out] UIntPtr[] {name}"
    if role == "in_out":
        return f"ref {SCALARS[t.base]} {name}"
    if t.base in ("char", "void", "float") or t.const or name == "ids":
        return f"{'[In, Out] ' if not t.const else ''}{ARRAYS[t.base]} {name}"
    return f"out {SCALARS[t.base]} {name}"


def result_type(t):
    if t is None:
        return "void"
    return "IntPtr" if t.stars else SCALARS[t.base]


def files(api):
    out = [f"// {NOTICE}", "using System;", "using System.Runtime.InteropServices;", "",
           "namespace Rondo", "{"]
    for e in api["enums"]:
        if e["flags"]:
            out.append("    [Flags]")
        base = "uint" if e["flags"] else "int"
        out += [f"    /// <summary>The constants {e['prefix']} of rondo.h.</summary>",
                f"    public enum {camel(e['name'])} : {base}", "    {"]
        out += [f"        {pascal(name)} = {value}," for name, value in e["values"].items()]
        out += ["    }", ""]
    for struct, fields in records(api):
        out += [f"    /// <summary>{struct['name']} of rondo.h.</summary>",
                f"    public sealed class {camel(struct['name'])}", "    {"]
        for name, t, _ in fields:
            kind = "string" if t.base == "char" else field_type(t)
            out.append(f"        public readonly {kind} {pascal(name)};")
        out += ["", f"        internal {camel(struct['name'])}(Raw.{camel(struct['name'])} raw)",
                "        {"]
        for name, t, _ in fields:
            value = f"raw.{name}"
            if t.base == "char":
                value = f"Native.Text(raw.{name})"
            out.append(f"            {pascal(name)} = {value};")
        out += ["        }", "    }", ""]
    out += ["    /// <summary>The C API as P/Invoke sees it.</summary>",
            "    internal static class Raw", "    {", '        private const string Library = "rondo";',
            f"        internal const uint AbiVersion = {abi_version(api)};"]
    for c in api["callbacks"]:
        params = ", ".join(f"{field_type(t)} {cs_name(name)}" for name, t, _ in variables(api, c))
        out += ["", "        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]",
                f"        internal delegate {result_type(returns(api, c))} {camel(c['name'])}({params});"]
    for s in api["structs"]:
        out += ["", "        [StructLayout(LayoutKind.Sequential)]",
                f"        internal struct {camel(s['name'])}", "        {"]
        for name, t, _ in variables(api, s):
            if t.array:
                out.append(f"            [MarshalAs(UnmanagedType.ByValArray, SizeConst = {t.array})]")
                out.append(f"            internal byte[] {name};")
            else:
                out.append(f"            internal {field_type(t)} {name};")
        out.append("        }")
    for f in api["functions"]:
        params = ", ".join(param(t, role, name) for name, t, role in variables(api, f))
        out += ["", "        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]",
                f"        internal static extern {result_type(returns(api, f))} {f['name']}({params});"]
    out += ["    }", "}"]
    return {"csharp/src/Raw.cs": "\n".join(out) + "\n"}


def field(option, words):
    kind = {"number": f"{SCALARS.get(option.type.base)}?", "flag": "bool", "text": "string",
            "enum": option.enum and camel(option.enum["name"]) + "?"}[option.kind]
    return [*comment(words.about(option), 92, "/// <summary>", "/// ", "</summary>"),
            f"public {kind} {pascal(option.name)};"]


def said(option):
    name = pascal(option.name)
    value = {"number": f"{name} ?? raw.{option.name}", "enum": f"(int?){name} ?? raw.{option.name}",
             "flag": f"{name} ? 1u : 0u",
             "text": f"lent.Bytes(Native.ZeroTerminated({name}))"}[option.kind]
    return f"raw.{option.name} = {value};"


def regions(api):
    words = Words(api, pascal, lambda enum, value: f"{camel(enum['name'])}.{pascal(value)}", "null")
    result = {}
    for struct, what in ((ENGINE, "engine"), (SESSION, "session")):
        of = list(options(api, struct, "log_level"))  # there is no log
        result[f"{what} options"] = sum((field(option, words) for option in of), [])
        result[f"{what} options said"] = [said(option) for option in of]
        if struct == SESSION:
            names = [(pascal(option.name), option.name) for option in of if option.recommended]
            result["recommended"] = [f"options.{name} = raw.{raw};" for name, raw in names]
            result["over"] = [f"both.{name} = {name} ?? recommended.{name};" for name, _ in names]
    return {"c_api/bindings/csharp/src/Options.cs": result}
