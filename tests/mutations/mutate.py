"""The edits of tests/mutations/*.txt, one at a time, against the tests that should notice.

A file of edits has paragraphs of four or more lines; lines that begin with # say something:

  runtime/sampling/sampler.cc          the file
  - sum > target                       what stands in it, exactly once
  + sum >= target                      what stands there instead
  = unit SamplerTest.*:Chat*           the program of tests, and which of its tests should notice
  = model Stories260K.*                and of another program, where more than one should
"""
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutate"
TREE, BUILD = WORK / "tree", WORK / "tree" / "build" / "release"
SHARED_DATA = ROOT.parent / "shared" / "data"
# An edit can make a loop endless: then the tests have noticed.
TEST_SECONDS = 300


class Edit:
    def __init__(self, name, lines):
        self.name, self.path, self.tests = name, lines[0], []
        self.old = self.new = ""
        for line in lines[1:]:
            kind, text = line[:2], line[2:]
            if kind == "- ":
                self.old = text
            elif kind == "+ ":
                self.new = text
            elif kind == "= ":
                self.tests.append(tuple(text.split()))
            else:
                sys.exit(f"{name}: {line!r} begins with none of '- ', '+ ', '= '")
        if not self.old or not self.tests or any(len(test) != 2 for test in self.tests):
            sys.exit(f"{name}: needs a line '- ', and '= PROGRAM FILTER'")

    def mutated(self, tree):
        """The file's text with the edit in it; an explanation where it has no place."""
        text = (tree / self.path).read_text() if (tree / self.path).exists() else ""
        found = text.count(self.old)
        if found != 1:
            return None, f"{self.path} has it {found} times, expected once: {self.old}"
        return text.replace(self.old, self.new), ""

    def targets(self):
        return sorted({f"rondo_{program}_tests" for program, _ in self.tests})


def read_edits(wanted):
    edits = []
    for path in sorted((ROOT / "tests" / "mutations").glob("*.txt")):
        lines = [line.rstrip("\n") for line in path.open() if not line.startswith("#")]
        paragraphs = [p.split("\n") for p in re.split(r"\n\s*\n", "\n".join(lines)) if p.strip()]
        for i, paragraph in enumerate(paragraphs, 1):
            names = {path.stem, f"{path.stem}.{i}"}
            if not wanted or names & set(wanted):
                edits.append(Edit(f"{path.stem}.{i}", [l for l in paragraph if l.strip()]))
    return edits


def copy_tree():
    """The work tree as git sees it; a file that has not changed keeps its time."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT,
                            capture_output=True, check=True).stdout.decode().split("\0")
    names = {name for name in listed if name and (ROOT / name).is_file()}
    for path in TREE.rglob("*"):
        name = path.relative_to(TREE).as_posix()
        if path.is_file() and not name.startswith("build/") and name not in names:
            path.unlink()
    for name in names:
        source, copy = ROOT / name, TREE / name
        if not copy.exists() or copy.read_bytes() != source.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)


def build(targets):
    run = subprocess.run(["cmake", "--build", BUILD, "-j", str(os.cpu_count()), "--target", *targets],
                         capture_output=True, text=True)
    return run.returncode == 0, run.stdout[-3000:]


def run_tests(edit):
    """("passed" | "failed" | "ran none", the tests that failed)."""
    for program, pattern in edit.tests:
        command = [BUILD / f"rondo_{program}_tests", f"--gtest_filter={pattern}"]
        environment = dict(os.environ, GTEST_FAIL_FAST="1")
        try:
            run = subprocess.run(command, capture_output=True, text=True, errors="replace",
                                 timeout=TEST_SECONDS, env=environment)
        except subprocess.TimeoutExpired:
            return "failed", "no end"
        ran = re.search(r"\[==========\] (\d+) tests? from .* ran", run.stdout)
        if run.returncode != 0:
            failed = re.findall(r"\[  FAILED  \] (\S+?),? ", run.stdout + " ")
            return "failed", failed[0] if failed else f"exit status {run.returncode}"
        if not ran or ran.group(1) == "0":
            return "ran none", f"{program} {pattern}"
    return "passed", ""


def try_edit(edit):
    text, why = edit.mutated(TREE)
    if text is None:
        return "STALE", why
    path = TREE / edit.path
    original = path.read_text()
    path.write_text(text)
    try:
        built, log = build(edit.targets())
        if not built:
            return "NOT BUILT", log.strip().splitlines()[-1] if log.strip() else ""
        outcome, which = run_tests(edit)
    finally:
        path.write_text(original)
    return {"failed": "killed", "passed": "SURVIVED", "ran none": "NO TEST"}[outcome], which


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    edits = read_edits([a for a in arguments if a != "--check"])
    if not edits:
        sys.exit("mutate.sh: no such edits; there are the files tests/mutations/*.txt")
    if check:
        stale = [(edit.name, edit.mutated(ROOT)[1]) for edit in edits if edit.mutated(ROOT)[1]]
        for name, why in stale:
            print(f"{name}: {why}")
        print(f"{len(edits)} edits, {len(stale)} without their line")
        return 1 if stale else 0
    TREE.mkdir(parents=True, exist_ok=True)
    copy_tree()
    subprocess.run(["cmake", "--preset", "release", f"-DRONDO_SHARED_DATA={SHARED_DATA}"], cwd=TREE,
                   check=True, stdout=subprocess.DEVNULL)
    built, log = build(sorted({target for edit in edits for target in edit.targets()}))
    if not built:
        sys.exit("mutate.sh: the code does not build without any edit:\n" + log)
    for program, pattern in sorted({test for edit in edits for test in edit.tests}):
        listed = subprocess.run([BUILD / f"rondo_{program}_tests", "--gtest_list_tests",
                                 f"--gtest_filter={pattern}"], capture_output=True).stdout
        if b"\n  " not in listed:
            sys.exit(f"mutate.sh: no test of {program} is {pattern}")
    passed = set()
    for edit in edits:  # a test that fails anyway notices nothing
        if str(edit.tests) in passed:
            continue
        outcome, which = run_tests(edit)
        passed.add(str(edit.tests))
        if outcome != "passed":
            sys.exit(f"mutate.sh: {edit.name}'s tests, without the edit: {outcome} {which}")
    counts = {}
    with (WORK / "result.txt").open("w") as result:
        for edit in edits:
            begun = time.time()
            outcome, which = try_edit(edit)
            counts[outcome] = counts.get(outcome, 0) + 1
            line = f"{outcome:9} {edit.name:14} {edit.path}: {edit.new.strip()}  [{which}] " \
                   f"{time.time() - begun:.0f} s"
            print(line, flush=True)
            print(line, file=result, flush=True)
        tally = f"{len(edits)} tried, " + ", ".join(f"{n} {what}" for what, n in counts.items())
        print(tally)
        print(tally, file=result)
    return 0 if set(counts) == {"killed"} else 1


if __name__ == "__main__":
    sys.exit(main())
