"""Each binding's tests have a test for each line of behaviours.md, or left_out.json says why not.

    check_behaviours.py
"""
import json
import re
import sys
from pathlib import Path

BINDINGS = Path(__file__).resolve().parent
TEST = re.compile(r"(^|/)(tests?|behaviours?|[^/]*life)(/|[^/]*\.)|\.test\.m?js$|_test\.go$|/life/", re.I)
NUMBER = re.compile(r"(?:(?<![A-Za-z0-9])[bB]|(?<=[a-z])B)(\d\d)(?!\d)")


def tested(binding):
    """The numbers that its tests name."""
    numbers = set()
    for path in (BINDINGS / binding).rglob("*"):
        name = path.relative_to(BINDINGS / binding).as_posix()
        if path.is_file() and TEST.search(name):
            numbers |= {f"b{number}" for number in NUMBER.findall(path.read_text(errors="replace"))}
    return numbers


def main():
    listed = re.findall(r"^- (b\d\d): ", (BINDINGS / "behaviours.md").read_text(), re.M)
    reasons = json.loads((BINDINGS / "left_out.json").read_text()).get("behaviours", {})
    bindings = sorted(path.name for path in BINDINGS.iterdir() if path.is_dir() and path.name != "generate")
    wrong = []
    for binding in bindings:
        have, left = tested(binding), reasons.get(binding, {})
        for number in listed:
            if number in have and number in left:
                wrong.append(f"{binding}: {number} is tested, and left_out.json says why it is not")
            if number not in have and not left.get(number):
                wrong.append(f"{binding}: no test has {number}, and left_out.json does not say why")
        wrong += [f"{binding}: {number} is not in behaviours.md" for number in (have | set(left)) - set(listed)]
        print(f"{binding}: {len(have & set(listed))} of {len(listed)} tested, {len(left)} left out")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
