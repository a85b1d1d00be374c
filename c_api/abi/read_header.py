"""Reads a C header of Rondo's and tells what it declares, in the form of api.json without its roles.

It knows the C that rondo.h allows itself (fixed-width types, structs, anonymous enums, function
pointers) and stops at anything else.
"""
import re

THREAD_TAG = re.compile(
    r"\[((?:any thread|one call per \w+)[^\]]*?)(?:, since ABI (\d+))?\]\s*$")


def _split(text, separator):
    """Splits at separators outside of parentheses."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == separator and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [part for part in parts + [text[start:].strip()] if part]


class Header:
    def __init__(self, text):
        self.api = {"macros": {}, "handles": [], "enums": [], "callbacks": [], "structs": [],
                    "functions": []}
        text = re.sub(r"\\\n", " ", text)
        text = re.sub(r'#ifdef __cplusplus.*?#endif', "", text, flags=re.S)
        text = re.sub(r'#if defined\(_WIN32\).*?#endif', "", text, flags=re.S)
        for name, value in re.findall(r"^#define (RONDO_\w+) ([^\s/]+)", text, flags=re.M):
            self.api["macros"][name] = value
        text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
        comments = []

        def put_away(match):  # a comment may have anything in it: a number stands for it
            comments.append(re.sub(r"\s*\n\s*\*?\s?", " ", match[1]).strip())
            return f"@{len(comments) - 1}@"
        text = re.sub(r"/\*(.*?)\*/", put_away, text, flags=re.S)
        item = re.compile(r"\s*(?P<comments>(?:@\d+@\s*)*)(?P<code>[^;{}]+(?:\{[^}]*\}[^;{}]*)?);")
        position = 0
        while re.sub(r"@\d+@", "", text[position:]).strip():
            match = item.match(text, position)
            if not match:
                raise ValueError(f"not understood: {text[position:position + 80]!r}")
            before = re.findall(r"\d+", match["comments"])
            code = " ".join(re.sub(r"@\d+@", " ", match["code"]).split())
            self._declaration(code, comments[int(before[-1])] if before else "")
            position = match.end()

    def _callback(self, name, returns, params):
        self.api["callbacks"].append(
            {"name": name, "returns": returns, "params": self._variables(_split(params, ","), name)})
        return name

    def _variables(self, declarations, owner):
        """[name, type] of each parameter or field; an array's length is part of its type."""
        result = []
        for text in declarations:
            pointer = re.fullmatch(r"(\w+) \(\*(\w+)\)\((.*)\)", text)
            array = re.fullmatch(r"(.*\W)(\w+)\[(\w+)\]", text)
            plain = re.fullmatch(r"(.*\W)(\w+)", text)
            if pointer:
                name = pointer[2]
                result.append([name, self._callback(f"{owner}_{name}", pointer[1], pointer[3])])
            elif array:
                result.append([array[2], f"{array[1].strip()}[{array[3]}]"])
            elif plain:
                result.append([plain[2], plain[1].strip()])
            elif text != "void":
                raise ValueError(f"not understood: {text!r} of {owner}")
        return result

    def _declaration(self, code, comment):
        handle = re.fullmatch(r"typedef struct (\w+) \1", code)
        enum = re.fullmatch(r"enum \{(.*)\}", code)
        struct = re.fullmatch(r"typedef struct (\w+) \{(.*)\} \1", code)
        callback = re.fullmatch(r"typedef (\w+) \(\*(\w+)\)\((.*)\)", code)
        function = re.fullmatch(r"RONDO_API (.*?)(\w+)\((.*)\)", code)
        if handle:
            self.api["handles"].append(handle[1])
        elif enum:
            values = dict(re.split(r"\s*=\s*", value) for value in _split(enum[1], ","))
            self.api["enums"].append({name: int(value, 0) for name, value in values.items()})
        elif struct:
            self.api["structs"].append(
                {"name": struct[1], "fields": self._variables(_split(struct[2], ";"), struct[1])})
        elif callback:
            self._callback(callback[2], callback[1], callback[3])
        elif function:
            tag = THREAD_TAG.search(comment)
            self.api["functions"].append(
                {"name": function[2], "returns": function[1].strip(),
                 "params": self._variables(_split(function[3], ","), function[2]),
                 "threads": tag[1] if tag else "",
                 "since": int(tag[2]) if tag and tag[2] else None})
        else:
            raise ValueError(f"not understood: {code!r}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return Header(file.read()).api

