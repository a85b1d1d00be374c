#!/usr/bin/env python3
"""Writes what /VERSION says into the manifests that must carry it; CMake and scripts read the file itself.
    version.py            writes them
    version.py --check    says which differ, and fails where any does
A manifest that a binding gains is one line of MANIFESTS: a path, and what stands before and behind the
version at its first place there.
"""
import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
NUMBER = r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?"
MANIFESTS = [
    ("c_api/bindings/node/package.json", r'"version": "', '"'),
    ("c_api/bindings/web/package.json", r'"version": "', '"'),
    ("c_api/bindings/python/rondo/_version.py", r'^__version__ = "', '"'),
    ("c_api/bindings/rust/Cargo.toml", r'^version = "', '"'),
    ("c_api/bindings/rust/Cargo.toml", r'^rondo-sys = \{ version = "=', '"'),
    ("c_api/bindings/rust/rondo-sys/Cargo.toml", r'^version = "', '"'),
    ("c_api/bindings/rust/README.md", r'^rondo = \{ version = "', '"'),
    ("c_api/bindings/rust/README.md", r'^rondo = \{ path = "\.\./rondo-', '"'),
    ("c_api/bindings/rust/README.md", r'^rondo-sys = \{ path = "\.\./rondo-sys-', '"'),
    ("c_api/bindings/java/README.md", r"<artifactId>rondo</artifactId><version>", "</version></dependency>"),
    ("c_api/bindings/java/README.md", r"<artifactId>rondo</artifactId><version>", "</version><classifier>"),
    ("c_api/bindings/kotlin/README.md", r"`rondo:rondo-kotlin:", "`"),
    ("c_api/bindings/kotlin/README.md", r"`rondo:rondo:", "`"),
    ("c_api/bindings/go/README.md", r"-require=rondo@v", " "),
    ("c_api/bindings/go/README.md", r"-replace=rondo@v", "="),
    ("c_api/bindings/go/README.md", r"tags `c_api/bindings/go/v", "`"),
    ("c_api/bindings/swift/README.md", r'from: "', '"'),
    ("c_api/bindings/java/pom.xml", r"<artifactId>rondo</artifactId>\s*<version>", "<"),
    ("c_api/bindings/go/version.go", r'PackageVersion = "', '"'),
    ("c_api/bindings/kotlin/pom.xml", r"<artifactId>rondo-kotlin</artifactId>\s*<version>", "<"),
    ("c_api/bindings/csharp/Rondo.csproj", r"<Version>", "<"),
    ("c_api/bindings/swift/Sources/Rondo/Failures.swift", r'packageVersion = "', '"'),
]


def main():
    with open(os.path.join(ROOT, "VERSION"), encoding="utf-8") as file:
        version = file.read().strip()
    if not re.fullmatch(NUMBER, version):
        sys.exit(f"VERSION: '{version}' is no semantic version")
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    wrong = []
    for path, before, behind in MANIFESTS:
        whole = os.path.join(ROOT, path)
        with open(whole, encoding="utf-8") as file:
            text = file.read()
        place = re.search(f"({before})({NUMBER})({re.escape(behind)})", text, re.M)
        if not place:
            wrong.append(f"{path}: no version is there")
        elif place.group(2) != version:
            if check:
                wrong.append(f"{path}: {place.group(2)}, but VERSION is {version}")
            else:
                with open(whole, "w", encoding="utf-8") as file:
                    file.write(text[:place.start(2)] + version + text[place.end(2):])
    if wrong:
        sys.exit("\n".join(wrong + ["platforms/packages/version.py writes them"]))


main()
