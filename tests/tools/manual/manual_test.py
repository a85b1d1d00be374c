#!/usr/bin/env python3
"""The manual tells the truth: the guides' commands run, each page's in a fresh practice folder; links lead
somewhere; programs are those of the examples; sentences of errors are those of the sources. README's programs
in C and Python run, too.

    manual_test.py SOURCE_DIR TOOL LIBRARY
"""
import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE, TOOL, LIBRARY = (Path(argument).resolve() for argument in sys.argv[1:])
MANUAL = SOURCE / "tools/manual"
README = SOURCE / "README.md"
PAGES = sorted(MANUAL.glob("*.md"))
SERVER_PORT = "8080"  # in the guides; a free one here
wrong = []


def skipped(reason):
    print(f"SKIPPED: {reason}")
    if os.environ.get("RONDO_NO_SKIP"):
        wrong.append(f"skipped: {reason}")


def fences(text):
    """Code blocks: (kind, code, the line before)."""
    return [(kind, code, before) for before, kind, code in
            re.findall(r"(?:^|\n)([^\n]*)\n```(\w*)\n(.*?)\n```(?=\n|$)", text, re.S)]


def anchors(page):
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
            for title in re.findall(r"^#+ (.*)$", prose, re.M)}


def check_links(page):
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            wrong.append(f"{page.relative_to(SOURCE)}: {target} does not exist")
        elif anchor and anchor not in anchors(file):
            wrong.append(f"{page.relative_to(SOURCE)}: {target} has no such heading")


def check_programs(page):
    """A block behind <!-- FILE --> is the file, or a part of it."""
    for kind, code, before in fences(page.read_text()):
        name = re.fullmatch(r"<!-- (\S+) -->", before)
        if name and code + "\n" not in (SOURCE / name[1]).read_text():
            wrong.append(f"{page.relative_to(SOURCE)}: its {kind} block is not in {name[1]}")


def check_sentences(page):
    """What of an error is between backquotes at a list item's begin is in some source, as parts between
    "...": literals that C++ would join are joined."""
    literals = []
    for folder in ("runtime", "c_api", "platforms", "tools"):
        for file in (SOURCE / folder).rglob("*"):
            if file.suffix in (".cc", ".h"):
                text = re.sub(r'"\s*\n\s*"', "", file.read_text(errors="replace"))
                literals += re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)
    spoken = "\n".join(literals)
    sentences = re.findall(r"^- `([^`]+)`", page.read_text(), re.M)
    if len(sentences) < 40:
        wrong.append(f"{page.name}: only {len(sentences)} sentences")
    for sentence in sentences:
        for part in " ".join(sentence.split()).split("..."):
            if part.strip(" :;,") not in spoken:
                wrong.append(f"{page.name}: no source says \"{part.strip()}\"")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


def run_guide(page, practice, folder):
    blocks = [code for kind, code, _ in fences(page.read_text()) if kind == "sh"]
    if not blocks:
        return
    if "curl " in "\n".join(blocks) and not shutil.which("curl"):
        skipped(f"no curl here for the commands of {page.name}")
        return
    shutil.copytree(practice, folder)
    script = "set -eu\n" + "\n".join(blocks).replace(SERVER_PORT, free_port()) + "\n"
    environment = dict(os.environ, PATH=f"{TOOL.parent}{os.pathsep}{os.environ['PATH']}", LC_ALL="C.UTF-8")
    with (folder / "log.of.commands").open("w+") as log:  # a file: servers would keep a pipe open
        process = subprocess.Popen(["sh", "-x", "-c", script], cwd=folder, env=environment, stdout=log,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, start_new_session=True)
        code = process.wait()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)  # what a guide began beside it
        log.seek(0)
        last = log.read().splitlines()[-15:]
    if code:
        wrong.append(f"{page.name}: its commands end with {code}:\n" + "\n".join(last))


def run_programs(practice):
    """README's programs, which write what `rondo run` writes."""
    programs = {kind: code for kind, code, _ in fences(README.read_text())}
    environment = dict(os.environ, RONDO_LIBRARY=str(LIBRARY), LD_LIBRARY_PATH=str(LIBRARY.parent),
                       PYTHONPATH=str(SOURCE / "c_api/bindings/python"), PYTHONDONTWRITEBYTECODE="1")
    asked = [TOOL, "run", "model.rondo", "Once upon a time", "--max-tokens", "64"]

    def output(command, **more):
        done = subprocess.run(command, cwd=practice, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
        return done.stdout.strip() if done.returncode == 0 else f"{done.returncode}: {done.stderr}"

    commands = {"python": [sys.executable, "-c", programs["python"]]}
    if shutil.which("cc"):
        (practice / "program.c").write_text(programs["c"])
        built = output(["cc", "-std=c99", "-Wall", "-Werror", f"-I{SOURCE / 'include'}", "program.c",
                        "-o", "program", LIBRARY])
        commands["c"] = [practice / "program"]
        if built:
            wrong.append(f"README.md: its program in C is not compiled: {built}")
            return
    else:
        skipped("no cc here for README's program in C")
    want = output(asked)
    for kind, command in commands.items():
        got = output(command)
        if got != want:
            wrong.append(f"README.md: its program in {kind} writes {got!r}, and rondo run {want!r}")


def main():
    everywhere = [README, *PAGES, *SOURCE.glob("c_api/bindings/*/README.md"),
                  *(SOURCE / f"{folder}/README.md" for folder in
                    ("c_api/bindings", "c_api/examples", "c_api/abi", "tools/convert", "tools/serve"))]
    for page in everywhere:
        check_links(page)
    for page in [README, *PAGES]:
        check_programs(page)
    check_sentences(MANUAL / "troubleshooting.md")
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        made = subprocess.run(["sh", MANUAL / "practice.sh", top / "practice", TOOL], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if made.returncode:
            wrong.append(f"practice.sh fails: {made.stdout}")
        else:
            for page in [README, *PAGES]:
                run_guide(page, top / "practice", top / f"{page.parent.name}-{page.stem}")
            run_programs(top / "practice")
    if wrong:
        sys.exit("\n".join(wrong))


main()
