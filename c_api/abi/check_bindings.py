"""Every function of the API, and every field of its options, is in every binding's own sources, or left
out with a reason.

    check_bindings.py     c_api/bindings/left_out.json has the reasons
"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINDINGS = ROOT / "c_api" / "bindings"
RAW = re.compile(r"(^|/)_?(raw|native)\.\w+$|/layout\.js$|/records\.h$|/jni/|-sys/", re.I)
NOT_ITS_OWN = re.compile(r"(^|/)(tests?|examples?|README\.md)(/|$)|\.test\.m?js$|_test\.go$")


OVER = {"kotlin": "java"}  # another binding's classes are its own


def sources(binding):
    """What it has beside tests and examples: {path: text}."""
    texts = sources(OVER[binding]) if binding in OVER else {}
    for path in sorted((BINDINGS / binding).rglob("*")):
        name = path.relative_to(BINDINGS / binding).as_posix()
        if path.is_file() and not NOT_ITS_OWN.search(name):
            texts[name] = path.read_text(errors="replace")
    if binding == "cpp":
        texts["rondo.hpp"] = (ROOT / "include" / "rondo" / "rondo.hpp").read_text()
    return texts


def written(texts):
    """What people wrote of it: not what generate.py makes."""
    return "\n".join(text for text in texts.values()
                     if "Generated from c_api/abi/api.json" not in text[:300])


def shown(texts):
    """What its users see: not the raw part."""
    return "\n".join(text for name, text in texts.items() if not RAW.search(name))


def option_fields(api):
    """STRUCT.FIELD of what a user may say."""
    for struct in api["structs"]:
        # What is said of a conversation are arguments of calls, which each language names.
        if struct["name"].endswith("_options") and struct["name"] != "rondo_chat_options":
            for name, _, role, *_ in struct["fields"]:
                if role.split()[0] not in ("size", "length", "user") and not name.startswith("reserved"):
                    yield f"{struct['name']}.{name}"


def spellings(field):
    """As code has it, in snake_case or camelCase, and Go's, whose initialisms are whole; prose has no sign
    behind it."""
    words = field.partition(".")[2].removesuffix("_strings").split("_")  # stop_strings: stop
    return rf"(?i)(?<![a-z0-9])(?:{'_'.join(words)}|{''.join(words)})(?:['\"?]?\s*[(:;={{]| +\*?[A-Z]\w*$)"


def main():
    api = json.loads((ROOT / "c_api" / "abi" / "api.json").read_text())
    functions, fields = [f["name"] for f in api["functions"]], list(option_fields(api))
    left_out = json.loads((BINDINGS / "left_out.json").read_text())
    bindings = sorted(path.name for path in BINDINGS.iterdir()
                      if path.is_dir() and path.name != "generate")
    wrong = []
    for binding in bindings:
        texts = sources(binding)
        text, seen = written(texts), shown(texts)
        reasons = left_out.get(binding, {})
        # Options have their defaults through one function that takes the struct's name.
        made = "_init`" in text
        for function in functions:
            used = re.search(rf"\b{function}\b", text) or (made and function.endswith("_init"))
            if used and function in reasons:
                wrong.append(f"{binding}: {function} is there, and left_out.json says why it is not")
            if not used and not reasons.get(function):
                wrong.append(f"{binding}: {function} is not there, and left_out.json does not say why")
        wrong += [f"{binding}: {field} cannot be said, and left_out.json does not say why"
                  for field in fields if binding != "cpp" and not reasons.get(field)
                  and not re.search(spellings(field), seen, re.M)]
        wrong += [f"{binding}: left_out.json names {name}, which rondo.h has not"
                  for name in reasons if name not in functions and name not in fields]
    wrong += [f"left_out.json names {name}, which is no binding"
              for name in left_out if name not in [*bindings, "about", "behaviours"]]
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{len(functions)} functions, {len(fields)} fields of options, {len(bindings)} bindings, "
          f"{sum(len(r) for r in left_out.values() if isinstance(r, dict))} left out with a reason")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
