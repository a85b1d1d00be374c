#!/usr/bin/env python3
"""Lays the repository's pages out for Sphinx, which wants one folder: each under a name of its own, with links
between them that lead to those, and to copies of files that are no pages.

    stage.py SOURCE_DIR OUT
"""
import os
import re
import shutil
import sys
from pathlib import Path

SOURCE, OUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2])

LANGUAGES = [("python", "Python"), ("node", "Node"), ("web", "Browser"), ("rust", "Rust"), ("go", "Go"),
             ("java", "Java"), ("kotlin", "Kotlin, Android"), ("csharp", "C#"), ("swift", "Swift"), ("cpp", "C++")]
# Caption, and its pages: a file of the repository, its name in the site, its title in the list.
PARTS = [
    ("Guides", [(f"tools/manual/{name}.md", name, "") for name in (
        "running", "conversion", "quantisation", "memory", "programs", "serving", "grammars", "speculation",
        "adapters", "embedding", "vision", "systems", "models", "troubleshooting", "measurements")]),
    ("Languages", [("c_api/bindings/README.md", "bindings", "All bindings")] +
     [(f"c_api/bindings/{folder}/README.md", folder, title) for folder, title in LANGUAGES]),
    ("Reference", [("", "reference", "C API"), ("c_api/examples/README.md", "examples", "Programs in C"),
                   ("c_api/abi/README.md", "abi", "ABI"),
                   ("tests/data/families/COVERAGE.md", "coverage", "Architectures")]),
    ("Inside", [("runtime/README.md", "runtime", "The engine"), ("tools/convert/README.md", "converter", ""),
                ("tools/serve/README.md", "server", ""), ("tests/README.md", "tests", ""),
                ("c_api/bindings/behaviours.md", "behaviours", ""),
                ("tools/manual/README.md", "manual", "This manual")]),
]
NAMES = {"README.md": "index"}
NAMES.update((file, name) for _, pages in PARTS for file, name, _ in pages if file)
HEADERS = {"include/rondo/rondo.h": "reference"}


def target_of(file, link):
    """Where a link in the page `file` leads in the site; None: nowhere."""
    path, _, anchor = link.partition("#")
    anchor = f"#{anchor}" if anchor else ""
    if re.match(r"\w+:", link) or not path:
        return link
    to = os.path.relpath((SOURCE / file).parent.joinpath(path).resolve(), SOURCE)
    if to in NAMES or to in HEADERS:
        return f"{NAMES.get(to) or HEADERS[to]}.md{anchor}"
    if f"{to}/README.md" in NAMES:
        return f"{NAMES[f'{to}/README.md']}.md"
    if (SOURCE / to).is_file():
        copy = OUT / "files/files" / f"{to}.txt"  # as a text, which browsers show
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(SOURCE / to, copy)
        return f"files/{to}.txt"
    return None


def with_links(file, text):
    def link(match):
        target = target_of(file, match[2])
        if target is None:
            return match[1]
        # Raw, as Sphinx would look for a page of that name.
        if target.startswith("files/"):
            shown = re.sub(r"`([^`]*)`", r"<code>\1</code>", match[1])
            return f'<a href="{target}">{shown}</a>'
        return f"[{match[1]}]({target})"

    pieces = re.split(r"(^```.*?^```$)", text, flags=re.S | re.M)
    return "".join(piece if piece.startswith("```") else
                   re.sub(r"\[([^\]\[]+)\]\(([^)\s]+)\)", link, piece) for piece in pieces)


def main():
    lost = [page.name for page in (SOURCE / "tools/manual").glob("*.md") if f"tools/manual/{page.name}" not in NAMES]
    if lost:
        sys.exit(f"stage.py: PARTS has no place for {', '.join(lost)}")
    shutil.rmtree(OUT, ignore_errors=True)
    (OUT / "files/files").mkdir(parents=True)
    here = Path(__file__).parent
    for name in ("conf.py", "site.css"):
        shutil.copyfile(here / name, OUT / name)
    for file, name in NAMES.items():
        text = with_links(file, (SOURCE / file).read_text())
        text = re.sub(r"^<!-- .* -->\n", "", text, flags=re.M)
        text = re.sub(r"^```(sh|console)$", "```sh", text, flags=re.M)
        if name == "index":
            for caption, pages in PARTS:
                rows = "\n".join(f"{title} <{page}>" if title else page for _, page, title in pages)
                text += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{rows}\n```\n"
        (OUT / f"{name}.md").write_text(text)
    (OUT / "reference.md").write_text(
        "# C API\n\nEvery function and struct of `rondo/rondo.h`, which is there "
        '<a href="files/include/rondo/rondo.h.txt">as it is</a>, too, as is '
        '<a href="files/include/rondo/rondo.hpp.txt">rondo.hpp</a>; <a href="genindex.html">all names</a>.\n\n'
        "## What holds for all of it\n\n```{doxygenpage} index\n:content-only:\n```\n\n"
        "```{doxygenfile} rondo.h\n```\n")
    target_of("README.md", "include/rondo/rondo.hpp")
    copy = OUT / "files/files/include/rondo/rondo.h.txt"
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(SOURCE / "include/rondo/rondo.h", copy)


main()
