"""Holds the library's size: the table of runtime/README.md has the KB of each part.

    sizes_test.py SOURCE_DIR PROCESSOR STRIP LIBRARY MAP LEAST

MAP is what the linker says of LIBRARY (-Wl,-Map), LEAST the library without optional parts. A part
that is a twentieth larger than the table says, or has no row, fails; so does a row of no part.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HEADING = "## What it takes on disk"
WHOLE, LEAST = "the library, stripped", "the same without patterns, grammars and chat"
MOST = 1.05
LEFT_OUT = (".debug", ".comment", ".note", ".group", ".gnu", ".symtab", ".strtab")


def part_of_sources(source_dir):
    """File names to the part that they are in; of a name in two parts, none."""
    parts = {}
    for folder in ("runtime", "platforms", "c_api"):
        for path in (source_dir / folder).rglob("*.cc"):
            pieces = path.relative_to(source_dir).parts
            part = "/".join(pieces[:2]) if folder == "runtime" else folder
            parts.setdefault(path.name, set()).add(part)
    return {name: its.pop() for name, its in parts.items() if len(its) == 1}


def part_of_object(name, sources):
    """The part of an object file, or of an archive's member, as the linker calls it."""
    unity = re.search(r"unity_(?:(?:chat|grammar)_)?(?:runtime_([a-z]+)|(c_api))_", name)
    if unity:
        return "runtime/" + unity[1] if unity[1] else unity[2]
    file = re.split(r"[/(]", name.rstrip(")"))[-1]
    if file.endswith(".cc.o"):
        return sources.get(file[:-2], "c_api" if "c_api" in name else "?" + file)
    return "XNNPACK, pthreadpool" if file.endswith(".c.o") else "the linker"


def sizes_of_map(path, sources):
    """Bytes of each part: code, constants, tables of unwinding, data."""
    sizes = {}
    text = path.read_text().split("Linker script and memory map", 1)[1]
    # A section's name may stand on a line of its own.
    row = re.compile(r"^ (\.\S+|\*fill\*)\s+0x[0-9a-f]+\s+0x([0-9a-f]+)(?:[ \t]+(\S.*))?$", re.M)
    for section, size, name in row.findall(re.sub(r"^( \.\S+)\n\s+", r"\1 ", text, flags=re.M)):
        if section.startswith(LEFT_OUT):
            continue
        part = "the linker"
        if name and section != ".eh_frame_hdr" and not name.startswith("linker stubs"):
            part = part_of_object(name, sources)
        sizes[part] = sizes.get(part, 0) + int(size, 16)
    return sizes


def stripped_size(strip, library):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "library")
        subprocess.run([strip, "-o", out, library], check=True)
        return os.path.getsize(out)


def table_of(readme, processor):
    """The rows below HEADING: names to KB."""
    section = readme.read_text().split(HEADING + "\n", 1)[1].split("\n## ", 1)[0]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")]
            for line in section.splitlines() if line.startswith("|")]
    column = rows[0].index(processor)
    return {row[0].strip("`"): float(row[column].replace(",", "")) for row in rows[2:]}


def main():
    source_dir, processor, strip, library, map_file, least = sys.argv[1:]
    source_dir = Path(source_dir)
    sizes = sizes_of_map(Path(map_file), part_of_sources(source_dir))
    sizes[WHOLE] = stripped_size(strip, library)
    sizes[LEAST] = stripped_size(strip, least)
    table = table_of(source_dir / "runtime/README.md", processor)
    wrong = [f"{name}: the table has no such part" for name in sizes.keys() - table.keys()]
    wrong += [f"{name}: no such part is linked" for name in table.keys() - sizes.keys()]
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        print(f"{size / 1000:8.1f} KB  {name}")
        if name in table and size / 1000 > table[name] * MOST:
            wrong.append(f"{name}: {size / 1000:.1f} KB, the table allows {table[name]:g}")
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
