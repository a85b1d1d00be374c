"""Writes the generated part of every binding from c_api/abi/api.json, and of READMEs from examples.

    generate.py           writes the files
    generate.py --check   fails where a file differs from what would be written
"""
import os
import sys

import api
import csharp
import go
import java
import kotlin
import node
import python
import rust
import shown
import swift
import web

GENERATORS = [csharp, go, java, kotlin, node, python, rust, shown, swift, web]


def main(check):
    description = api.load()
    stale = []
    for generator in GENERATORS:
        for name, text in generator.files(description).items():
            path = os.path.join(api.ROOT, "c_api", "bindings", name)
            if not check:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                continue
            with open(path, encoding="utf-8") as file:
                if file.read() != text:
                    stale.append(name)
    for name in stale:
        print(f"c_api/bindings/{name} is not what generate.py makes: run it",
              file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
