"""READMEs: what they show of an example is the example's, which a test runs.

    <!-- example/tools.py -->
    ```python
    what stands in that file between lines with "shown from here" and "shown to here"
    ```
"""
import glob
import os
import re
import textwrap

from api import ROOT

BINDINGS = os.path.join(ROOT, "c_api", "bindings")
BLOCK = re.compile(r"(<!-- (\S+) -->\n```\w*\n).*?(```\n)", re.S)


def shown(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    inside = re.search(r"[^\n]*shown from here[^\n]*\n(.*?)[^\n]*shown to here", text, re.S)
    return textwrap.dedent(inside[1])


def files(_):
    result = {}
    for readme in sorted(glob.glob(os.path.join(BINDINGS, "*", "README.md"))):
        with open(readme, encoding="utf-8") as file:
            text = file.read()
        folder = os.path.dirname(readme)
        filled = BLOCK.sub(lambda m: m[1] + shown(os.path.join(folder, m[2])) + m[3], text)
        result[os.path.relpath(readme, BINDINGS)] = filled
    return result
