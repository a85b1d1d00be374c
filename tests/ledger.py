#!/usr/bin/env python3
"""What each stage of tests/run.sh gave when it last ran whole: build/stages.json.

  ledger.py hash STAGE [WORD]...
      prints the hash that decides whether the stage lint or fuzz must run again; in the others each
      test decides (run_tests.py)
  ledger.py unchanged STAGE HASH [weekly]
      prints the last run that passed, and exits with 0, where it had this hash; a weekly run proves
      all that a daily one does
  ledger.py write STAGE HASH OUTCOME SECONDS [weekly]
      records a run, which passed where OUTCOME is ok; its lines are in build/test-summary.txt

The hash is over every file that git tracks or does not ignore, as it is in the work tree, but for
those that the stage does not read (LEFT_OUT); the shared data; the machine; and the WORDs, which
say how the stage runs. The machine is what is installed, what the CPU can do, and what builds and
tests read of the environment (READ).
"""
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

LEFT_OUT = {  # by regular expressions
    "lint": r"^(?!tests/data/).*\.md$|^\.ci/|^tests/data/|^c_api/bindings/(?!.*\.(c|cc|h|hpp)$)|\.(rondo|safetensors)$",
    "fuzz": r"^(?!tests/data/).*\.md$|^\.ci/|^\.clang-|/\.clang-tidy$|"
            r"^tests/(tidy|format|ledger\.py|run_tests\.py|budget|mutat)",
}
# Beside what Debian's packages are: what may come from elsewhere.
TOOLS = ("cc c++ clang clang++ clang-tidy clang-format cmake ninja python3 aarch64-linux-gnu-g++ "
         "qemu-aarch64 build/qemu/usr/bin/qemu-aarch64 abidiff doxygen groff node npm go cargo "
         "rustc java javac kotlinc swift swiftc dotnet pkg-config bash zsh fish")
# Variables of the environment that builds and tests read.
READ = re.compile(r"(CC|CXX|C(XX|PP)?FLAGS|LDFLAGS|LD_PRELOAD|LD_LIBRARY_PATH|PYTHONPATH|"
                  r"LANG|LC_ALL|(C_INCLUDE_|CPLUS_INCLUDE_|LIBRARY_|C)PATH|JAVA_TOOL_OPTIONS|"
                  r"RUSTFLAGS|NODE_OPTIONS)$|(CMAKE|RONDO|QEMU|ASAN|LSAN|TSAN|UBSAN|GTEST|HF)_")
LEDGER = Path("build/stages.json")


def git(*arguments, **more):
    return subprocess.check_output(("git",) + arguments, text=True, **more)


def tracked():
    """What git tracks or does not ignore and is there; nothing where git knows no commit."""
    try:
        git("rev-parse", "-q", "--verify", "HEAD", stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return []
    listed = set(git("ls-files", "-co", "--exclude-standard", "-z").split("\0")) - {""}
    return sorted(name for name in listed if Path(name).is_file())


def revision():
    return (git("rev-parse", "--short=12", "HEAD").strip(),
            bool(git("status", "--porcelain").strip()))


def machine():
    lines = [platform.release(), platform.machine(), str(os.cpu_count())]
    packages = Path("/var/lib/dpkg/status")
    lines.append(hashlib.sha256(packages.read_bytes()).hexdigest() if packages.exists() else "")
    for name in TOOLS.split() + [os.environ.get("CC", ":"), os.environ.get("CXX", ":")]:
        path = os.path.realpath(shutil.which(name) or "/")
        lines.append(f"{name} {path} {os.stat(path).st_size} {os.stat(path).st_mtime_ns}"
                     if path != "/" else f"no {name}")
    said = subprocess.run(["python3", "--version"], capture_output=True, text=True, check=False)
    lines.append(said.stdout)
    cpu = Path("/proc/cpuinfo")
    flags = re.search(r"^(flags|Features)\s*:.*", cpu.read_text(), re.M) if cpu.exists() else None
    lines.append(flags.group(0) if flags else "")
    return lines + sorted(f"{name}={value}" for name, value in os.environ.items()
                          if READ.match(name))


def stage_hash(stage, words):
    left_out = re.compile(LEFT_OUT[stage])
    names = [name for name in tracked() if not left_out.search(name)]
    contents = git("hash-object", "--stdin-paths", input="\n".join(names) + "\n").split()
    lines = [f"{name} {content}" for name, content in zip(names, contents)]
    for path in sorted(Path("../shared/data").rglob("*")):
        if path.is_file():
            lines.append(f"{path} {hashlib.sha256(path.read_bytes()).hexdigest()}")
    lines += [line for line in machine() if not line.startswith("RONDO_TESTS_WEEKLY=")]
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
    unchanged = sum(int(n) for line in lines for n in re.findall(r", (\d+) unchanged", line))
    commit, dirty = revision()
    run = {
        "commit": commit,
        "dirty": dirty,
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "seconds": int(seconds),
        "result": outcome + (f", {tests} tests" if tests else "") +
                  (f" ({skipped} skipped)" if skipped else "") +
                  (f", {unchanged} unchanged" if unchanged else ""),
        "tests": tests,
        "skipped": skipped,
        "unchanged": unchanged,
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
