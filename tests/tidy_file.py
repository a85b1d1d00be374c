#!/usr/bin/env python3
"""clang-tidy over one source file, unless this found it clean before, as it is.

  tidy_file.py FOLDER FILE      FOLDER holds compile_commands.json; FILE may include others that are
                                compiled together, which are looked at, too

What clang-tidy says depends on its version, its configuration, the options of the compiler, and the
text of the source and of all that it includes. The hash of these is kept in the user's cache folder
for each file that is clean; where the sources lie is no part of it.
Exits with 1 where the file is not.
"""
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

folder, source = sys.argv[1], Path(sys.argv[2])
top = Path(__file__).resolve().parent.parent
run = hashlib.sha256(subprocess.check_output(["clang-tidy", "--version"]))
more = []
if "Unity" in source.parts:
    together = re.findall(r'^#include "(.*)"', source.read_text(), re.M)
    # Sources are no headers.
    more = [r"--header-filter=/(runtime|c_api|platforms|tools|tests|include)/.*\.(h|cc)$",
            "--checks=-bugprone-suspicious-include,-google-global-names-in-headers"]
    if Path(together[0]).resolve().is_relative_to(top / "tests"):
        more[1] += "," + re.search("^Checks: '(.*)'", (top / "tests/.clang-tidy").read_text(),
                                   re.M)[1]
run.update(repr(more).encode())
for parent in source.resolve().parents:
    config = parent / ".clang-tidy"
    run.update(config.read_bytes() if config.exists() else b"")
commands = [entry for entry in json.loads(Path(folder, "compile_commands.json").read_text())
            if entry["file"] == str(source)]
if not commands:
    sys.exit(f"{source} is not in {folder}/compile_commands.json")
for entry in commands:
    words = shlex.split(entry["command"])
    options = words[next(i for i, word in enumerate(words) if word.startswith("-")):]
    options.remove("-c")
    del options[options.index("-o"):options.index("-o") + 2]
    compiler = "clang" if source.suffix == ".c" else "clang++"
    text = subprocess.check_output([compiler, "-w", "-E", "-frewrite-includes"] + options,
                                   cwd=entry["directory"])
    seen = " ".join(options).encode() + text
    for place in (top, os.environ.get("PWD", top)):  # as a link leads there, too
        seen = seen.replace(bytes(Path(place)), b"")
    run.update(seen)

cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
clean = Path(cache, "rondo", "tidy", run.hexdigest())
if clean.exists():
    sys.exit(0)
if subprocess.call(["clang-tidy", "--quiet", "-p", folder,
                    "--extra-arg=-Wno-unknown-warning-option", *more, str(source)]) != 0:
    sys.exit(1)
clean.parent.mkdir(parents=True, exist_ok=True)
clean.touch()
