#!/usr/bin/env python3
"""The third parties that are inside the libraries and the program, out of what pins them:
platforms/cmake/{third_party,bundled_libraries,bundled_curl}.cmake and tool_libraries.sh.
    third_parties.py [library]     one line each, of all or of the library's: NAME PATH_IN_POOL SHA256
"""
import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))

# By name: its licence as SPDX calls it, who made it, where it lives, and what it is inside of.
FACTS = {
    "xnnpack": ("BSD-3-Clause", "Google LLC", "https://github.com/google/XNNPACK", "library"),
    "pthreadpool": ("BSD-2-Clause", "Marat Dukhan", "https://github.com/Maratyszcza/pthreadpool", "library"),
    "fxdiv": ("MIT", "Marat Dukhan", "https://github.com/Maratyszcza/FXdiv", "library"),
    "pcre2": ("BSD-3-Clause", "University of Cambridge", "https://github.com/PCRE2Project/pcre2", "library"),
    "utf8proc": ("MIT", "The Julia project", "https://github.com/JuliaStrings/utf8proc", "library"),
    "xxhash": ("BSD-2-Clause", "Yann Collet", "https://github.com/Cyan4973/xxHash", "library"),
    "flatbuffers": ("Apache-2.0", "Google LLC", "https://github.com/google/flatbuffers", "library"),
    "json": ("MIT", "Niels Lohmann", "https://github.com/nlohmann/json", "program"),
    "cli11": ("BSD-3-Clause", "University of Cincinnati", "https://github.com/CLIUtils/CLI11", "program"),
    "libmicrohttpd": ("LGPL-2.1-or-later", "Christian Grothoff", "https://www.gnu.org/software/libmicrohttpd", "program"),
    "mbedtls": ("Apache-2.0", "Arm Limited", "https://github.com/Mbed-TLS/mbedtls", "program"),
    "curl": ("curl", "Daniel Stenberg", "https://curl.se", "program"),
}


def _read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def third_parties():
    """Of each: name, version, pool, sha256, commit (or None), licence, supplier, home, inside."""
    found = {}
    for block in re.findall(r"^rondo_third_party\((.*?)\)$", _read("platforms/cmake/third_party.cmake"), re.M | re.S):
        fields = dict(zip(*[iter(block.split())] * 2))
        found[fields["NAME"]] = (fields["POOL"], fields["SHA256"], fields["COMMIT"])
    for name, pool, digest, rest in re.findall(
            r"^ *rondo_bundled\((\w+) (\S+)\s+([0-9a-f]{64})([^)]*)\)",
            _read("platforms/cmake/bundled_libraries.cmake") + _read("platforms/cmake/bundled_curl.cmake"), re.M):
        commit = re.search(r"\b[0-9a-f]{40}\b", rest)
        if name in FACTS:  # the tests' own are inside of nothing
            found[name] = (pool, digest, commit and commit.group())
    for name, pool, digest in re.findall(
            r"^ *fetch (\w+) (\S+)[ \\\n]+([0-9a-f]{64})", _read("platforms/packages/tool_libraries.sh"), re.M):
        found[name] = (pool, digest, None)
    absent = sorted(set(FACTS) ^ set(found))
    if absent:
        raise SystemExit(f"third_parties.py: pinned or described, but not both: {', '.join(absent)}")
    for name, (licence, supplier, home, inside) in FACTS.items():
        pool, digest, commit = found[name]
        version = re.search(r"_([^_]*?)(?:\+d\w+)?\.orig\.tar", pool).group(1)
        yield dict(name=name, version=version, pool=pool, sha256=digest, commit=commit,
                   licence=licence, supplier=supplier, home=home, inside=inside)


if __name__ == "__main__":
    for party in third_parties():
        if sys.argv[1:] in ([], [party["inside"]]):
            print(party["name"], party["pool"], party["sha256"])
