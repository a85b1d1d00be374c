#!/usr/bin/env python3
"""Records the ABI that include/rondo/rondo.h describes, as c_api/abi/MAJOR.MINOR/:
    rondo/rondo.h   the header, for programs that were compiled against it
    layout.c        its functions' types, its offsets, sizes and constants, for compilers to compare
    librondo.abi    the library's, by libabigail, on x86-64, for abidiff to compare
and gives functions that are new in it their own version in c_api/rondo.map, so that the loader
refuses a program that needs them where the library is older.

    python3 c_api/abi/record.py build/release/librondo.so           makes the record
    python3 c_api/abi/record.py build/release/librondo.so OUT.ABI   only describes the library

A record is made when a minor version is done, with the library built, and never changed after.
"""
import pathlib
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

sys.dont_write_bytecode = True
import read_header  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
HEADER = HERE.parent.parent / "include" / "rondo" / "rondo.h"
MAP = HERE.parent / "rondo.map"
# Bytes and alignment where pointers have 8 bytes; where they have 4; and on i386, where numbers of
# 64 bits are aligned to 4.
WORD = [(8, 8), (4, 4), (4, 4)]
LONG = [(8, 8), (8, 8), (8, 4)]
INT = [(4, 4)] * 3


def size_and_alignment(type_name, callbacks):
    array = re.fullmatch(r"char\[(\d+)\]", type_name)
    if array:
        return [(int(array[1]), 1)] * 3
    if type_name in ("uint32_t", "int32_t", "float"):
        return INT
    if type_name in ("uint64_t", "int64_t", "double"):
        return LONG
    if type_name == "size_t" or type_name.endswith("*") or type_name in callbacks:
        return WORD
    sys.exit(f"record.py: no size is known of {type_name}")


def places(fields, callbacks):
    """[name, [offset in each model], [size]] of each field, and the struct's sizes."""
    at, widest, result = [0] * 3, [1] * 3, []
    for name, type_name in fields:
        facts = size_and_alignment(type_name, callbacks)
        at = [-(-a // align) * align for a, (_, align) in zip(at, facts)]
        widest = [max(w, align) for w, (_, align) in zip(widest, facts)]
        result.append((name, at, [size for size, _ in facts]))
        at = [a + size for a, (size, _) in zip(at, facts)]
    return result, [-(-a // w) * w for a, w in zip(at, widest)]


def layout(api, version):
    callbacks = {c["name"]: c for c in api["callbacks"]}

    def parameters(params):
        return ", ".join(spelled(t) for _, t in params) or "void"

    def spelled(type_name):  # callbacks of struct fields have no name in the header
        c = callbacks.get(type_name)
        return f"{c['returns']} (*)({parameters(c['params'])})" if c else type_name

    lines = [
        f"/* ABI {version}, written by record.py; compiled against the header of today. */",
        "/* clang-format off */",
        "#include <rondo/rondo.h>",
        "",
        "struct aligned { char c; uint64_t number; };",
        "#define MODEL(p64, p32, i386) \\",
        "  (sizeof(void*) == 8 ? (p64) : offsetof(struct aligned, number) == 8 ? (p32) : (i386))",
        "#define FIELD(type, field, at, bytes, ...) \\",
        "  _Static_assert(offsetof(type, field) == MODEL at && \\",
        "                     sizeof(((type*)0)->field) == MODEL bytes && \\",
        "                     _Generic(((type*)0)->field, __VA_ARGS__: 1, default: 0), \\",
        '                 #type "." #field)',
        '#define GROWS(type, bytes) _Static_assert(sizeof(type) >= MODEL bytes, #type)',
        '#define FIXED(type, bytes) _Static_assert(sizeof(type) == MODEL bytes, #type)',
        '#define VALUE(name, value) _Static_assert((name) == (value), #name)',
        "#define FUNCTION(name, ...) \\",
        '  _Static_assert(_Generic(&name, __VA_ARGS__: 1, default: 0), #name)',
        "",
        f"_Static_assert(RONDO_ABI_VERSION >= {api['macros']['RONDO_ABI_VERSION']}, \"version\");",
    ]
    three = lambda numbers: "(" + ", ".join(map(str, numbers)) + ")"
    for struct in api["structs"]:
        fields, size = places(struct["fields"], callbacks)
        grows = struct["fields"][0][0] == "struct_size"
        lines += ["", f"{'GROWS' if grows else 'FIXED'}({struct['name']}, {three(size)});"]
        lines += [f"FIELD({struct['name']}, {name}, {three(at)}, {three(bytes_)}, "
                  f"{spelled(re.sub(r'^char.*]$', 'char*', type_name))});"
                  for (name, at, bytes_), (_, type_name) in zip(fields, struct["fields"])
                  if not name.startswith("reserved")]  # a later version may use its place
    for values in api["enums"]:
        lines += [""] + [f"VALUE({name}, {value});" for name, value in values.items()]
    lines.append("")
    for function in api["functions"]:
        lines.append(f"FUNCTION({function['name']}, "
                     f"{function['returns']} (*)({parameters(function['params'])}));")
    return "\n".join(lines) + "\n"


def describe(library, path):
    """The library's functions and the types that they lead to, as the header shows them: handles
    stay declarations. libabigail would write every type that the library has inside."""
    subprocess.run(["abidw", "--headers-dir", HEADER.parent, "--drop-private-types",
                    "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs",
                    "--out-file", path, library], check=True)
    tree = ElementTree.parse(path)
    items = [(unit, item) for unit in tree.getroot().iter("abi-instr") for item in unit]
    owner = {part.get("id"): item for _, item in items for part in item.iter() if part.get("id")}
    kept, todo = set(), [item for _, item in items
                         if item.tag == "function-decl" and item.get("elf-symbol-id")]
    while todo:
        item = todo.pop()
        if item in kept:
            continue
        kept.add(item)
        todo += [owner[part.get(key)] for part in item.iter()
                 for key in ("type-id", "naming-typedef-id") if part.get(key) in owner]
    for unit, item in items:
        if item not in kept:
            unit.remove(item)
    for unit in tree.getroot().findall("abi-instr"):
        if len(unit) == 0:
            tree.getroot().remove(unit)
    for unit in tree.getroot().iter("abi-instr"):  # whatever folder it was compiled in
        unit.set("path", re.sub(r"^.*/c_api/", "../../c_api/", unit.get("path")))
    needed = tree.getroot().find("elf-needed")  # no part of the ABI
    if needed is not None:
        tree.getroot().remove(needed)
    tree.write(path, encoding="utf-8")


def recorded():
    """The versions that are there, oldest first."""
    folders = [p for p in HERE.iterdir() if re.fullmatch(r"\d+\.\d+", p.name)]
    return sorted(folders, key=lambda p: [int(n) for n in p.name.split(".")])


def write_map():
    known, nodes, before = set(), [], ""
    for folder in recorded():
        names = [f["name"] for f in read_header.read(folder / "rondo" / "rondo.h")["functions"]]
        new = [name for name in names if name not in known]
        if known and new:
            node = f"RONDO_{folder.name}"
            nodes.append(f"\n/* New in ABI {folder.name}. */\n{node} {{\n  global:\n" +
                         "".join(f"    {name};\n" for name in new) + f"}} {before or 'RONDO_0'};\n")
            before = node
        known.update(names)
    text = MAP.read_text(encoding="utf-8")
    end = text.index("};\n") + len("};\n")
    MAP.write_text(text[:end] + "".join(nodes), encoding="utf-8")


def main():
    if len(sys.argv) == 3:
        describe(sys.argv[1], sys.argv[2])
        return
    if len(sys.argv) != 2:
        sys.exit("usage: python3 c_api/abi/record.py LIBRONDO.SO [OUT.ABI]")
    api = read_header.read(HEADER)
    number = int(api["macros"]["RONDO_ABI_VERSION"].rstrip("u"))
    version = f"{number >> 16}.{number & 0xffff}"
    folder = HERE / version
    if folder.exists():
        sys.exit(f"record.py: {folder} is there already; a new minor version has a new number")
    (folder / "rondo").mkdir(parents=True)
    shutil.copyfile(HEADER, folder / "rondo" / "rondo.h")
    (folder / "layout.c").write_text(layout(api, version), encoding="utf-8")
    describe(sys.argv[1], folder / "librondo.abi")
    write_map()
    print(f"recorded {version}; where c_api/rondo.map has changed, build again and describe once more: "
          f"record.py {sys.argv[1]} {folder}/librondo.abi")


if __name__ == "__main__":
    main()
