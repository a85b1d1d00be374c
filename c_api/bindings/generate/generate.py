"""Writes what is made from c_api/abi/api.json: rondo.h's structs and enums, what reads options in C, and the
generated part of every binding; and what READMEs show of examples.

    generate.py           writes the files
    generate.py --check   fails where a file differs from what would be written
"""
import os
import sys

import api
import c
import cpp
import csharp
import go
import header
import java
import kotlin
import node
import python
import regions
import rust
import shown
import swift
import web

GENERATORS = [c, cpp, csharp, go, header, java, kotlin, node, python, rust, shown, swift, web]


def texts(description):
    """(file, its text), of files that are generated as a whole and of those that are in parts."""
    for generator in GENERATORS:
        for name, text in getattr(generator, "files", lambda _: {})(description).items():
            yield f"c_api/bindings/{name}", text
        yield from getattr(generator, "wholes", lambda _: {})(description).items()
        for name, made in getattr(generator, "regions", lambda _: {})(description).items():
            yield name, regions.fill(name, made)


def main(check):
    stale = []
    for name, text in texts(api.load()):
        path = os.path.join(api.ROOT, name)
        if not check:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            continue
        with open(path, encoding="utf-8") as file:
            if file.read() != text:
                stale.append(name)
    for name in stale:
        print(f"{name} is not what generate.py makes: run it", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
