"""Writes the generated part of every binding from c_api/abi/api.json and the header's comments, what
reads options in C, and what READMEs show of examples.

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
import java
import kotlin
import node
import python
import regions
import rust
import shown
import swift
import web

GENERATORS = [c, cpp, csharp, go, java, kotlin, node, python, rust, shown, swift, web]


def texts(description):
    """(file, its text), of files that are generated as a whole and of those that are in parts."""
    for generator in GENERATORS:
        for name, text in getattr(generator, "files", lambda _: {})(description).items():
            yield f"c_api/bindings/{name}", text
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
