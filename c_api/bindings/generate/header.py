"""rondo.h: what its structs hold and its enums name. What is said around them is written there by hand."""
import re
import textwrap

from api import ROOT

WIDTH = 100
SIZE = "sizeof this struct, as the caller was compiled"


def declared(name, c_type, callback=None):
    """`uint32_t context`; of a callback that has no name of its own its parameters, too."""
    if callback:
        params = ", ".join(declared(param, of) for param, of, _ in callback["params"])
        return f"{callback['returns']} (*{name})({params})"
    base, _, array = c_type.partition("[")
    return f"{base} {name}" + (f"[{array}" if array else "")


def block(text):
    """The lines of a comment in front of what it is about."""
    lines = []
    for paragraph in text.split("\n"):
        lines += textwrap.wrap(paragraph, WIDTH - len("  /*  */"), initial_indent=" *   " if lines else "/* ",
                               subsequent_indent=" * ", break_long_words=False, break_on_hyphens=False)
    return lines[:-1] + [lines[-1] + " */"]


def body(items):
    """Items are (code, what is said of it): behind the code where that fits on its line, as many of them
    in a column as follow each other, else before it."""
    lines, column = [], []

    def flush():
        width = max((len(code) for code, _ in column), default=0)
        lines.extend(f"  {code:{width}} /* {text} */" for code, text in column)
        column.clear()

    for code, text in items:
        longest = max([len(code), *(len(other) for other, _ in column)])
        texts = [text, *(other for _, other in column)]
        if "\n" not in text and longest + max(map(len, texts)) + len("   /*  */") <= WIDTH:
            column.append((code, text))
            continue
        flush()
        if "\n" not in text and len(code) + len(text) + len("   /*  */") <= WIDTH:
            column.append((code, text))
            continue
        lines.extend("  " + line for line in block(text))
        lines.append("  " + code)
    flush()
    return "\n".join(lines) + "\n"


def struct_body(api, struct):
    own = {c["name"]: c for c in api["callbacks"] if c["name"].startswith(struct["name"])}
    comments = api["comments"][struct["name"]]
    return body([(declared(name, c_type, own.get(c_type)) + ";",
                  comments[name] or (SIZE if role == "size" else "0"))
                 for name, c_type, role in struct["fields"]])


def enum_body(enum):
    number = "{:#04x}" if enum["name"] == "rondo_status" else "{}"  # a status is of a group: its high digit
    items = [(f"{enum['prefix']}{name} = {number.format(value)},", enum["docs"][name])
             for name, value in enum["values"].items()]
    items[-1] = (items[-1][0].rstrip(","), items[-1][1])
    return body(items)


def wholes(api):
    """{file: its text}"""
    path = "include/rondo/rondo.h"
    with open(f"{ROOT}/{path}", encoding="utf-8") as file:
        text = file.read()
    for struct in api["structs"]:
        pattern = rf"(?ms)^(typedef struct {struct['name']} {{\n).*?(?=^}} {struct['name']};)"
        text, n = re.subn(pattern, lambda m: m[1] + struct_body(api, struct), text)
        if n != 1:
            raise SystemExit(f"{path} has {n} structs {struct['name']}")
    enums = {enum["prefix"] + next(iter(enum["values"])): enum for enum in api["enums"]}

    def enum(match):
        return "enum {\n" + enum_body(enums.pop(re.search(r"(\w+) =", match[0])[1])) + "};"
    text = re.sub(r"(?ms)^enum {.*?};", enum, text)
    if enums:
        raise SystemExit(f"{path} has no enums with {', '.join(enums)}")
    return {path: text}
