"""Every function of the API is in every binding's own sources, or left out with a reason.

    check_bindings.py     c_api/bindings/left_out.json has the reasons
"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINDINGS = ROOT / "c_api" / "bindings"
NOT_ITS_OWN = re.compile(r"(^|/)(tests?|examples?|README\.md)(/|$)|\.test\.m?js$|_test\.go$")


OVER = {"kotlin": "java"}  # another binding's classes are its own


def sources(binding):
    """What people wrote of it: neither what generate.py makes nor tests and examples."""
    texts = [sources(OVER[binding])] if binding in OVER else []
    for path in sorted((BINDINGS / binding).rglob("*")):
        name = path.relative_to(BINDINGS / binding).as_posix()
        if not path.is_file() or NOT_ITS_OWN.search(name):
            continue
        text = path.read_text(errors="replace")
        if "Generated from c_api/abi/api.json" not in text[:300]:
            texts.append(text)
    if binding == "cpp":
        texts.append((ROOT / "include" / "rondo" / "rondo.hpp").read_text())
    return "\n".join(texts)


def main():
    functions = [f["name"] for f in
                 json.loads((ROOT / "c_api" / "abi" / "api.json").read_text())["functions"]]
    left_out = json.loads((BINDINGS / "left_out.json").read_text())
    bindings = sorted(path.name for path in BINDINGS.iterdir()
                      if path.is_dir() and path.name != "generate")
    wrong = []
    for binding in bindings:
        text = sources(binding)
        reasons = left_out.get(binding, {})
        # Options have their defaults through one function that takes the struct's name.
        made = "_init`" in text
        for function in functions:
            used = re.search(rf"\b{function}\b", text) or (made and function.endswith("_init"))
            if used and function in reasons:
                wrong.append(f"{binding}: {function} is there, and left_out.json says why it is not")
            if not used and not reasons.get(function):
                wrong.append(f"{binding}: {function} is not there, and left_out.json does not say why")
        wrong += [f"{binding}: left_out.json names {name}, which rondo.h has not"
                  for name in reasons if name not in functions]
    wrong += [f"left_out.json names {name}, which is no binding"
              for name in left_out if name not in [*bindings, "about", "behaviours"]]
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{len(functions)} functions, {len(bindings)} bindings, "
          f"{sum(len(r) for r in left_out.values() if isinstance(r, dict))} left out with a reason")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
