"""Parts of hand-written files that are generated: what stands between a line with "generated from here:
NAME" and one with "generated to here", indented as the first of them is.
"""
import os
import re

from api import ROOT

REGION = re.compile(
    r"(?m)^([ \t]*)([^\n]*\bgenerated from here: (.+?)(?: \*/)?\n)(?:.*\n)*?(?=[ \t]*\S+ generated to here)")


def fill(name, made):
    """The text of the file `name`, below the repository's root, with its regions as in
    {region: lines}."""
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        text = file.read()
    left = dict(made)

    def lines(match):
        indent, head, region = match.groups()
        if region not in left:
            raise SystemExit(f"{name}: nothing makes a region '{region}'")
        return indent + head + "".join(
            (indent + line).rstrip() + "\n" for line in left.pop(region))
    text = REGION.sub(lines, text)
    if left:
        raise SystemExit(f"{name}: there is no region '{', '.join(left)}'")
    return text
