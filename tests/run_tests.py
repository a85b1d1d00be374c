#!/usr/bin/env python3
"""Runs a build's tests, but for those that would give what they gave before: build/tests.json.

  run_tests.py KIND FOLDER LABELS JOBS [again] [short]
      LABELS is a regular expression for CTest's labels in the build FOLDER; KIND names a row of
      build/tests.json and of tests/budgets.txt. `again` runs all of them; `short`, whose machine
      is anybody's, tells of outgrown budgets and does not fail for them.

A test is spared that passed with its command, its environment, the machine and every file that it
reads or runs as they are now, byte for byte: the program itself, the library, the tool and the
examples where it calls them, data, sources. Of what was compiled, the debugging information does
not count, so comments may change. What a test reads of the tree is in TREE and SCRIPTS; one that no
line there is about reads all of it. Without git nothing is spared and nothing recorded.

Recorded is only what CTest's own report calls passed, where the files are the same after the run as
before it, and the test within its budget; a script that skipped something is not, as the reason may
be gone. Exits with 1 where a test failed. The last line begins with RESULT; what was skipped and
spared, and why, is added to build/test-notes.txt.
"""
import collections
import contextlib
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import budget
import ledger

LEDGER, NOTES = Path("build/tests.json"), Path("build/test-notes.txt")
KEPT = 8  # passes of a test, for whoever goes to and fro between commits
TOP = Path.cwd()

GOOGLE_TEST = re.compile(r"/rondo_\w+_tests$")
# What GoogleTest's programs read beside tests/data and the shared data, by the source that asks for
# it with kSourceFolder. A source that is not here makes its program read everything.
TREE = {
    "tests/layers_test.cc": r"^(include|c_api|runtime|platforms|tools)/.*\.(h|cc)$",
    "tests/tools/common/output_test.cc": r"^tools/.*\.cc$",
    "tests/tools/convert/calibrate/calibration_model_test.cc": r"^include/rondo/rondo\.h$",
    "tests/c_api/allocation_walk_test.cc": r"^c_api/abi/api\.json$",
    "tests/c_api/cpp_binding_test.cc": r"^c_api/bindings/calling\.jinja$",
    "tests/c_api/generation_test.cc": r"^tests/c_api/ctypes_generation\.py$",  # by kTestData
}

# What scripts read of the tree, and whether they read what a build would install; the first that
# matches. What their command names they read in any case.
SHELL = r"^tests/support/.*\.sh$"
INSTALLED = r"^(include|c_api/examples)/|^LICENSE$"
SCRIPTS = [(re.compile(name), tree, installed) for name, tree, installed in (
    (r"unit\.coverage$", r"^tests/(tools/convert/coverage|data)/", False),
    (r"unit\.site$", r"\.md$|^(tools/manual|c_api/(reference|examples)|include)/", False),
    (r"model\.documents$", r"^tests/runtime/grammar/.*\.py$", False),
    (r"model\.embed$", r"^tests/tools/embed/|^tests/data/", False),
    (r"model\.serve\.", r"^tests/(tools/serve|data)/|^c_api/bindings/tiny_embedders\.py$", False),
    (r"model\.manual$", r"\.md$|^(include|runtime|c_api|platforms|tools)/|^tests/(data|tools/manual)/", False),
    (r"model\.page$", r"^tests/(tools/serve|support|data)/", False),
    (r"model\.(judge|media)\.", r"^tests/tools/judge/|^c_api/bindings/python/", False),
    (r"abi\.(examples|hostile)$", r"^tests/(data|c_api)/|^c_api/bindings/picture_files\.py$", False),
    (r"abi\.exports$", r"^include/", False),
    (r"abi\.reference$", r"^(c_api/reference|include)/", False),
    (r"abi\.(description|header)$", r"^(c_api/abi|include)/", False),
    (r"abi\.options$", r"^(c_api/(abi|bindings/generate)|tests/data)/", False),
    (r"abi\.recorded$", r"^(c_api/abi/|c_api/rondo\.map|include/|tests/(data|c_api)/)", True),
    (r"abi\.bindings\.(whole|generated|behaviours)$", r"^(c_api|include)/", False),
    (r"abi\.bindings\.(?P<name>\w+)$", r"^c_api/bindings/({name}/|java/|generate/|[^/]*(?<!\.md)$)|"
     r"^c_api/abi/|^tests/data/|" + INSTALLED, True),
    (r"abi\.install$", r"^tests/(data|c_api)/|" + INSTALLED, True),
    # Configured only: of sources the names count.
    (r"abi\.(subproject|configure)$", r"(^|/)CMake[^/]*$|\.(cmake|in)$|^(platforms|include)/|"
     r"^LICENSE$|^c_api/abi/api\.json$", False),
)]


@functools.lru_cache(None)
def content(path, *_):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@functools.lru_cache(None)
def code(objcopy, path, *_):
    """The hash of something compiled without what is for debuggers alone."""
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder, "bare")
        done = subprocess.run([objcopy, "-D", "-g", "-R", ".note.gnu.build-id", path, bare],
                              capture_output=True, check=False)
        text = Path(path) if done.returncode else bare  # a script
        return hashlib.sha256(text.read_bytes()).hexdigest()


class Build:
    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        cache = (self.folder / "CMakeCache.txt").read_text()
        self.cache = dict(re.findall(r"^(\w+):\w+=(.*)$", cache, re.M))
        tool = self.cache.get("RONDO_TEST_TOOL")
        self.tool = [Path(tool)] if tool else [self.folder / "rondo"]
        shared = self.cache.get("RONDO_SHARED_DATA")
        self.shared = Path(os.path.normpath(shared)) if shared else None
        self.tree = ledger.tracked()
        self.machine = ledger.machine()

    def library(self):
        return [*self.folder.glob("librondo*.so*"), *self.folder.glob("archive/*.a")]

    def mentions(self, program, names):
        """Whether an object of the program has one of these symbols; so, too, without objects."""
        rules = self.folder / "build.ninja"
        linked = rules.exists() and re.search(rf"^build {program}: \S+ ([^|\n]+)",
                                              rules.read_text(), re.M)
        if not linked:
            return True
        # Of the helpers, of which it takes what it calls, that of RunTraced alone is known to.
        helpers = self.matching(r"^tests/(?!c_api/).*(?<!_test)(?<!_main)(?<!_benchmark)"
                                r"(?<!_fuzzer)(?<!/places)(?<!/traced_tool)\.cc$")
        asks = re.compile(rb"kSourceFolder|kToolProgram|/(run_tool|tool_process|terminal)\.h")
        return any(asks.search(Path(name).read_bytes()) for name in helpers) or \
            any(name in (self.folder / path).read_bytes()
                for path in linked.group(1).split() for name in names)

    @functools.lru_cache(None)
    def tree_of(self, program):
        """What the GoogleTest program reads of the tree."""
        data = "^tests/data/"
        mine = {"rondo_unit_tests": r"^tests/(?!c_api/|tools/).*(?<!_model)_test\.cc$",
                "rondo_model_tests": r"^tests/(?!tools/).*_model_test\.cc$",
                "rondo_tools_unit_tests": r"^tests/tools/.*(?<!_model)_test\.cc$",
                "rondo_tools_model_tests": r"^tests/tools/.*_model_test\.cc$",
                "rondo_abi_tests": r"^tests/c_api/"}.get(program)
        if not mine:
            return self.matching("" if self.mentions(program, [b"kSourceFolder"]) else data)
        asking = {name for name in self.matching(r"^tests/.*(?<!_benchmark)\.(cc|h)$")
                  if b"kSourceFolder" in Path(name).read_bytes()}
        if asking - set(TREE) - {"tests/support/places.cc", "tests/support/places.h"}:
            return self.matching("")
        return self.matching("|".join([data] + [TREE[n] for n in TREE if re.search(mine, n)]))

    def matching(self, pattern):
        return {name for name in self.tree if re.search(pattern, name)}

    def reads(self, test):
        """The files that the test reads, and more that it depends on."""
        words = test["command"] + [v for name, v in test["properties"] if name == "ENVIRONMENT"]
        words = [piece for word in words for part in (word if isinstance(word, list) else [word])
                 for piece in {part, part.partition("=")[2]}]
        named = [Path(os.path.normpath(word)) for word in words if word.startswith("/")]
        files = {path for path in named if path.is_file()}
        folders = {path for path in named if path.is_dir()}
        more = []
        program = next((path.name for path in files if GOOGLE_TEST.search(str(path))), None)
        if program:
            tree = self.tree_of(program)
            folders.add(self.shared)
            if re.fullmatch("rondo_(tools_unit|tools_model|abi)_tests", program) or \
                    self.mentions(program, [b"kToolProgram", b"RunTraced"]):
                files.update(self.tool, self.folder.glob("rondo_example_*"),
                             self.folder.glob("emulated/*"))
        else:
            for name, tree, installed in SCRIPTS:
                if match := name.match(test["name"]):
                    binding = match.groupdict().get("name", "")
                    if binding not in ("", "prepare") and \
                            not self.matching(f"^c_api/bindings/{binding}/"):
                        continue
                    tree = self.matching(tree.replace("{name}", binding) + "|" + SHELL)
                    break
            else:
                tree, installed = set(self.tree), True
            if re.match(r"abi\.(subproject|configure)$", test["name"]):
                more = sorted(self.matching(r"\.(cc|c|h|fbs)$"))
            if installed:
                files.update(self.tool, self.library(), self.folder.glob("manual/**/*"),
                             self.folder.glob("*.cmake"), self.folder.glob("*.pc"),
                             self.folder.glob("CMakeFiles/Export/**/*.cmake"))
        for folder in folders - {None}:
            if self.shared and (folder == self.shared or self.shared in folder.parents):
                files.update(path for path in folder.rglob("*") if path.is_file())
            elif (folder / "lib").is_dir():  # an emulator's
                more += [f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}"
                         for path in sorted((folder / "lib").glob("*.so*"))]
        for script in [path for path in files if path.parent == self.folder / "emulated"]:
            files.update(map(Path, re.findall(r"'(/[^']+)'", script.read_text())))
        # What an emulator's script starts may be built later, or never.
        if any(b"librondo" in path.read_bytes() for path in files
               if path.parent == self.folder and path.is_file()):
            files.update(self.library())
        return files | {TOP / name for name in tree}, more

    def digest(self, test):
        files, more = self.reads(test)
        lines = [json.dumps([test["command"], test["properties"]]), *self.machine, *more]
        whole = test["name"] == "abi.recorded"  # which reads what is for debuggers
        for path in sorted(str(path) for path in files):
            if not os.path.isfile(path):
                continue
            status = os.stat(path)
            stamp = (status.st_size, status.st_mtime_ns, status.st_ino)
            compiled = Path(path) in self.tool or \
                Path(path).parent in (self.folder, self.folder / "archive")
            objcopy = self.cache.get("CMAKE_OBJCOPY") or "objcopy"
            lines.append(path + " " + (code(objcopy, path, *stamp) if compiled and not whole
                                       else content(path, *stamp)))
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def listed(folder, labels):
    out = subprocess.check_output(["ctest", "--test-dir", folder, "-L", labels,
                                   "--show-only=json-v1"])
    tests = []
    for test in json.loads(out)["tests"]:
        properties = sorted((p["name"], p["value"]) for p in test.get("properties", [])
                            if p["name"] not in ("COST", "TIMEOUT"))
        tests.append({"name": test["name"], "command": test.get("command", []),
                      "properties": properties})
    return tests


class Meter(threading.Thread):
    """The CPU seconds of each test that CTest runs, to half a second. CTest itself tells wall time
    alone, which is another's, too, on a busy machine."""

    def __init__(self, pid, tests):
        super().__init__(daemon=True)
        self.pid, self.tests, self.seconds, self.names = pid, tests, {}, {}
        self.ended = threading.Event()

    def run(self):
        while not self.ended.wait(0.5):
            spent, children = {}, collections.defaultdict(list)
            for process in Path("/proc").glob("[0-9]*"):
                with contextlib.suppress(OSError):  # it has ended
                    fields = (process / "stat").read_text().rpartition(")")[2].split()
                    children[int(fields[1])].append(int(process.name))
                    spent[int(process.name)] = sum(map(int, fields[11:15]))

            def tree(pid):
                return spent[pid] + sum(map(tree, children[pid]))
            for pid in children[self.pid]:
                if name := self.names.get(pid) or self.name_of(pid):
                    self.names[pid] = name
                    self.seconds[name] = tree(pid) / os.sysconf("SC_CLK_TCK")

    def name_of(self, pid):
        """The test with this command and environment."""
        with contextlib.suppress(OSError):
            words, variables = (Path(f"/proc/{pid}/{file}").read_text().split("\0")[:-1]
                                for file in ("cmdline", "environ"))
            for test in self.tests:
                wanted = dict(test["properties"]).get("ENVIRONMENT", [])
                if words[-len(test["command"]):] == test["command"] and \
                        set(wanted) <= set(variables):
                    return test["name"]
        return None


def run(folder, labels, jobs, tests, names):
    """CTest's exit code, what its report says of each test, and the CPU seconds of each."""
    report = Path(folder).resolve() / "Testing" / "report.xml"
    report.unlink(missing_ok=True)
    command = ["ctest", "--test-dir", folder, "-L", labels, "-j", jobs, "--no-tests=error",
               "--output-on-failure", "--output-junit", str(report),
               "--test-output-size-passed", "100000000"]
    if names:
        command += ["-R", "^(%s)$" % "|".join(map(re.escape, names))]
    with subprocess.Popen(command) as ctest:
        meter = Meter(ctest.pid, tests)
        meter.start()
        status = ctest.wait()
        meter.ended.set()
    cases = ElementTree.parse(report).getroot().iter("testcase") if report.exists() else []
    return status, {case.get("name"): case for case in cases}, meter.seconds


def said(case):
    """How many tests passed in there, and why each that was skipped was."""
    output = case.findtext("system-out") or ""
    left_out = re.findall(r"^SKIPPED: *(.*)", output, re.M)
    skip = case.find("skipped")
    if skip is not None and skip.get("message").startswith("SKIP_"):
        return 0, left_out or ["no reason is given"]
    if case.get("status") != "run":
        return 0, []
    if left_out:
        return 1, left_out
    passed = re.search(r"^\[  PASSED  \] (\d+) test", output, re.M)
    skipped = re.search(r"^\[  SKIPPED \] (\d+) test", output, re.M)
    skipped = int(skipped.group(1)) if skipped else 0
    # Of what is not there the reason alone counts, not where it would be.
    reasons = [re.sub(r'"?/\S*', "...", reason)
               for reason in re.findall(r": Skipped\n(.*)", output)][:skipped]
    reasons += ["no reason is given"] * (skipped - len(reasons))
    return int(passed.group(1)) if passed else 1, reasons


def counted(items):
    return ", ".join(f"{n} x {item}" for item, n in collections.Counter(items).most_common())


def write(passes):
    new = LEDGER.with_suffix(".new")
    new.write_text(json.dumps(passes, indent=1) + "\n")
    new.replace(LEDGER)


def main(kind, folder, labels, jobs, *words):
    tests = listed(folder, labels)
    build = Build(folder)
    passes = json.loads(LEDGER.read_text()) if LEDGER.exists() else {}
    digests = {test["name"]: build.digest(test) for test in tests} if build.tree else {}
    spared = {name: entry for name, digest in digests.items() if "again" not in words
              for entry in passes.get(f"{kind} {name}", []) if entry["digest"] == digest}
    names = [test["name"] for test in tests if test["name"] not in spared]
    status, cases, spent = 0, {}, {}
    if "again" in words and digests:  # what fails now has not passed, whatever ends this
        for name in names:
            passes[f"{kind} {name}"] = [entry for entry in passes.get(f"{kind} {name}", [])
                                        if entry["digest"] != digests[name]]
        write(passes)
    if names or not tests:
        status, cases, spent = run(folder, labels, jobs, tests, names if spared else [])

    passed = {name: case for name, case in cases.items() if case.get("status") == "run"}
    seconds = {name: spent.get(name, 0.0) for name in passed}
    over = {}
    if not os.environ.get("RONDO_TESTS_WEEKLY"):  # which take longer
        known = {name: entry["seconds"] for name, entry in spared.items()}
        over = budget.over(kind, seconds, known, [name for name in names if name not in passed])
    tested, skips, moved = 0, [], []
    build = Build(folder)
    commit, dirty = ledger.revision() if build.tree else ("", False)
    for test in tests:
        name = test["name"]
        if name not in cases:
            continue
        count, reasons = said(cases[name])
        tested += count
        skips += reasons
        if not build.tree:
            continue
        key = f"{kind} {name}"
        kept = [entry for entry in passes.get(key, []) if entry["digest"] != digests[name]]
        script = not any(GOOGLE_TEST.search(word) for word in test["command"])
        if name in passed and budget.group(name) not in over and not (script and reasons):
            if build.digest(test) == digests[name]:
                kept.insert(0, {"digest": digests[name], "commit": commit, "dirty": dirty,
                                "seconds": round(seconds[name], 2), "tests": count,
                                "skips": reasons})
            else:
                moved.append(name)
        passes[key] = kept[:KEPT]
    if cases and build.tree:
        write(passes)

    skips += [reason for entry in spared.values() for reason in entry["skips"]]
    since = [f"since {entry['commit']}" + (" and what was not committed" if entry["dirty"] else "")
             for entry in spared.values()]
    lines = list(over.values())
    if skips:
        lines.append(f"skipped {len(skips)}: {counted(skips)}")
    if spared:
        groups = dict.fromkeys(map(budget.group, spared))
        lines.append(f"not run, as all that they depend on is as it was when they passed: "
                     f"{', '.join(groups)} ({counted(since)})")
    if moved:
        lines.append(f"files changed meanwhile, so not recorded: {', '.join(moved)}")
    with NOTES.open("a") as notes:
        notes.writelines(f"{kind:<10} {line}\n" for line in lines)
    print("\n".join(over.values()))
    print(f"RESULT ok, {tested} tests" + (f" ({len(skips)} skipped)" if skips else "") +
          (f", {sum(entry['tests'] for entry in spared.values())} unchanged" if spared else ""))
    return 1 if status or (over and "short" not in words) or set(names) - set(cases) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
