#!/usr/bin/env python3
"""What each stage of tests/run.sh gave when it last ran whole: build/stages.json.

  ledger.py hash STAGE [WORD]...
      prints the hash that decides whether a stage must run again
  ledger.py unchanged STAGE HASH [weekly]
      prints the last run that passed, and exits with 0, where it had this hash; a weekly run proves
      all that a daily one does
  ledger.py write STAGE HASH OUTCOME SECONDS [weekly]
      records a run, which passed where OUTCOME is ok; its lines are in build/test-summary.txt

The hash is over every file that git tracks or does not ignore, as it is in the work tree, but for
those that the stage does not read (LEFT_OUT); the shared data; the versions of compilers and tools;
what the CPU can do; the environment (READ); and the WORDs, which say how the stage runs.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

LEFT_OUT = {  # by regular expressions
    "lint": r"^(?!tests/data/).*\.md$|^\.ci/|^tests/data/|^c_api/bindings/|\.(rondo|safetensors)$",
    "": r"^(?!tests/data/).*\.md$|^\.ci/|^\.clang-|/\.clang-tidy$|^tests/(tidy|format|ledger\.py|mutat)",
}
TOOLS = {
    "lint": "clang++ clang-tidy clang-format cmake python3",
    "release": "c++ cc cmake python3",
    "asan": "clang++ cmake python3",
    "fuzz": "clang++ cmake python3",
    "tsan": "c++ cc cmake python3",
    "arm64": "aarch64-linux-gnu-g++ qemu-aarch64 build/qemu/usr/bin/qemu-aarch64 cmake python3",
}
# Variables of the environment that builds and tests read.
READ = re.compile(r"(CC|CXX|C(XX|PP)?FLAGS|LDFLAGS|LD_PRELOAD|LD_LIBRARY_PATH)$|"
                  r"(RONDO|QEMU|ASAN|LSAN|TSAN|UBSAN)_")
LEDGER = Path("build/stages.json")


def git(*arguments, **more):
    return subprocess.check_output(("git",) + arguments, text=True, **more)


def stage_hash(stage, words):
    left_out = re.compile(LEFT_OUT.get(stage, LEFT_OUT[""]))
    listed = set(git("ls-files", "-co", "--exclude-standard", "-z").split("\0")) - {""}
    names = sorted(n for n in listed if not left_out.search(n) and Path(n).is_file())
    contents = git("hash-object", "--stdin-paths", input="\n".join(names) + "\n").split()
    lines = [f"{name} {content}" for name, content in zip(names, contents)]
    shared = Path("../shared/data")
    for path in sorted(shared.rglob("*")):
        if path.is_file():
            lines.append(f"{path} {hashlib.sha256(path.read_bytes()).hexdigest()}")
    for tool in TOOLS[stage].split() + [os.environ.get("CC", ":"), os.environ.get("CXX", ":")]:
        said = subprocess.run(f"{tool} --version", shell=True, capture_output=True, text=True)
        lines.append(f"{tool} {said.stdout}")
    cpu = Path("/proc/cpuinfo")
    flags = re.search(r"^(flags|Features)\s*:.*", cpu.read_text(), re.M) if cpu.exists() else None
    lines.append(flags.group(0) if flags else "")
    lines += sorted(f"{name}={value}" for name, value in os.environ.items()
                    if READ.match(name) and name != "RONDO_TESTS_WEEKLY")
    return hashlib.sha256("\n".join(lines + words).encode()).hexdigest()


def ledger():
    return json.loads(LEDGER.read_text()) if LEDGER.exists() else {}


def unchanged(stage, digest, *weekly):
    for name in [stage] * (not weekly) + [f"{stage} weekly"]:
        run = ledger().get(name, {}).get("passed")
        if run and run["hash"] == digest:
            revision = run["commit"] + (" and what was not committed" if run["dirty"] else "")
            print(f"unchanged since {revision}: {run['result']}, {run['seconds']} s")
            return 0
    return 1


def write(stage, digest, outcome, seconds, *weekly):
    lines = [line for line in Path("build/test-summary.txt").read_text().splitlines()
             if line.startswith(f"{stage} ")]
    tests = sum(int(n) for line in lines for n in re.findall(r"ok, (\d+) tests", line))
    skipped = sum(int(n) for line in lines for n in re.findall(r"\((\d+) skipped\)", line))
    run = {
        "commit": git("rev-parse", "--short=12", "HEAD").strip(),
        "dirty": bool(git("status", "--porcelain").strip()),
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "seconds": int(seconds),
        "result": outcome + (f", {tests} tests" if tests else "") +
                  (f" ({skipped} skipped)" if skipped else ""),
        "tests": tests,
        "skipped": skipped,
        "hash": digest,
    }
    stages = ledger()
    entry = stages.setdefault(" ".join((stage,) + weekly), {})
    entry["last"] = run
    if outcome == "ok":
        entry["passed"] = run
    new = LEDGER.with_suffix(".new")
    new.write_text(json.dumps(stages, indent=2) + "\n")
    new.replace(LEDGER)
    return 0


def main(command, stage, *rest):
    if command == "hash":
        print(stage_hash(stage, list(rest)))
        return 0
    return {"unchanged": unchanged, "write": write}[command](stage, *rest)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
