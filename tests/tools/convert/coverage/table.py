"""The page that tells what the goldens say."""
import json
import textwrap

from record import FAMILIES, LISTED, NOT_MADE

PAGE = FAMILIES / "COVERAGE.md"
HEAD = """# Causal language models of transformers that Rondo runs, and of those that see

Written by `tests/tools/convert/coverage table` from the goldens beside it, which the model tests
hold `rondo convert` to. Of each type there is a tiny model, and one more for each key of its config
that can be set otherwise. The worst difference of a logit is a share of the logits' standard
deviation, both in float32. "Refused" are settings that `rondo convert` refuses by their key.

| model_type | worst difference | configs | refused |
|---|---|---|---|
"""
TAIL = """
"_whole" is the model that also sees, where there is one of text alone by the same name; all of
these were given text. bamba: configs say that half of a head turns, which Rondo and earlier
versions of transformers follow and 5.12.1 does not; the model here has it whole.

Why the others are not here, is told in `refused.json`.
"""


def page():
    rows = []
    for path in sorted(FAMILIES.glob("*.json")):
        if path.name == LISTED:
            continue
        golden = json.loads(path.read_text())
        refused = [one["label"] for one in golden["variants"] if "refused" in one]
        taken = 1 + len(golden["variants"]) - len(refused)
        rows.append(f"| {golden['type']} | {golden['worst']:.0e} | {taken} | "
                    f"{', '.join(refused)} |\n")
    listed = json.loads((FAMILIES / LISTED).read_text())
    refused = [kind for kind, why in listed.items() if not why.startswith(NOT_MADE)]
    others = [kind for kind in listed if kind not in refused]
    return HEAD + "".join(rows) + TAIL + paragraph("Refused", refused) + paragraph(
        "Not made by the script, and so not tried", others)


def paragraph(head, names):
    text = f"{head}: {', '.join(names)}."
    return "\n" + textwrap.fill(text, 100, break_on_hyphens=False) + "\n"


def table(check):
    """Writes the page, or tells whether it is what it would write."""
    if not check:
        PAGE.write_text(page())
    elif PAGE.read_text() != page():
        print(f"{PAGE} is not what the goldens say: run tests/tools/convert/coverage table")
        return True
    return False
