"""Holds api.json against rondo.h: the same declarations in the same order, and roles that fit.

Usage: check_api.py HEADER API
"""
import itertools
import json
import pathlib
import sys

from read_header import read

SIZED = ("size", "length", "capacity", "needed")


def without_roles(api):
    """api.json as read_header tells a header."""
    def pairs(variables):
        return [variable[:2] for variable in variables]
    return {
        "macros": api["macros"],
        "handles": api["handles"],
        "enums": [{e["prefix"] + name: value for name, (value, _) in e["values"].items()}
                  for e in api["enums"]],
        "callbacks": [{"name": c["name"], "returns": c["returns"], "params": pairs(c["params"])}
                      for c in api["callbacks"]],
        "structs": [{"name": s["name"], "fields": pairs(s["fields"])} for s in api["structs"]],
        "functions": [{"name": f["name"], "params": pairs(f["params"]), "threads": f["threads"],
                       "since": f["since"],
                       "returns": "int32_t" if f["returns"] == "status" else f["returns"]}
                      for f in api["functions"]]}


def differences(expected, actual, where):
    """What differs, by name rather than by place in a list."""
    if isinstance(expected, list) and expected and isinstance(expected[0], dict) and \
            "name" in expected[0]:
        names = [[item["name"] for item in items] for items in (expected, actual)]
        if names[0] != names[1]:
            both = [set(names[0]), set(names[1])]
            if both[0] == both[1]:
                yield f"{where}: another order than the header"
            for name in sorted(both[0] - both[1]):
                yield f"{where}: {name} is missing"
            for name in sorted(both[1] - both[0]):
                yield f"{where}: {name} is not in the header"
        by_name = {item["name"]: item for item in actual}
        for item in expected:
            if item["name"] in by_name:
                yield from differences(item, by_name[item["name"]], item["name"])
    elif isinstance(expected, dict) and "name" in expected:
        for key, value in expected.items():
            yield from differences(value, actual[key], f"{where}, {key}")
    elif isinstance(expected, dict) and isinstance(actual, dict):
        yield from differences(list(expected.items()), list(actual.items()), where)
    elif isinstance(expected, list) and isinstance(actual, list):
        for i, (e, a) in enumerate(itertools.zip_longest(expected, actual)):
            yield from differences(e, a, f"{where}, number {i + 1}")
    elif expected != actual:
        yield f"{where}: {actual}, in the header {expected}"


def wrong_roles(api):
    """Roles that are not known, that speak of what is not there, or that contradict the type."""
    handles = set(api["handles"])
    enums = {e["name"] for e in api["enums"]}
    for kind in ("callbacks", "structs", "functions"):
        for item in api[kind]:
            variables = item["fields" if kind == "structs" else "params"]
            names = {variable[0] for variable in variables}
            for name, c_type, role, *_ in variables:
                where = f"{item['name']}, {name}: role '{role}'"
                word, _, of = role.partition(" ")
                if word in SIZED and of:
                    if of not in names:
                        yield f"{where}: no '{of}' there"
                    if f"{word} X" not in api["roles"]:
                        yield f"{where} is not one of 'roles'"
                elif word == "enum":
                    if of not in enums:
                        yield f"{where}: no such enum"
                elif role not in api["roles"]:
                    yield f"{where} is not one of 'roles'"
                pointer = c_type.endswith("*")
                constant = c_type.startswith("const ") or "* const*" in c_type
                base = c_type.replace("const ", "").rstrip("*").strip()
                is_handle = base in handles and c_type.count("*") == 1
                fits = {"value": not pointer, "flag": c_type == "uint32_t",
                        "enum": c_type == "int32_t", "sampling": not pointer,
                        "recommended": not pointer,
                        "in": constant, "text": constant or "[" in c_type,
                        "out": pointer and not constant, "in_out": pointer and not constant,
                        "handle": is_handle, "close": is_handle,
                        "create": base in handles and c_type.endswith("**"),
                        "message": c_type == "char*", "user": c_type == "void*",
                        "length": not pointer, "capacity": not pointer, "needed": pointer}
                if not fits.get(word, True):
                    yield f"{where} does not fit the type {c_type}"


def wrong_facts(api):
    """Fields and values of which nothing is said, or in words that "facts" does not know."""
    for struct in api["structs"]:
        for name, _, role, *facts in struct["fields"]:
            where = f"{struct['name']}, {name}"
            if not facts:
                if role != "size" and not name.startswith("reserved"):
                    yield f"{where}: nothing is said of it"
                continue
            for word in facts[0].keys() - api["facts"].keys():
                yield f"{where}: '{word}' is not one of 'facts'"
            if not facts[0].get("doc"):
                yield f"{where} has no doc"
    for enum in api["enums"]:
        for name, (_, doc) in enum["values"].items():
            if not doc:
                yield f"{enum['prefix']}{name} has no doc"


def wrong_since(api):
    """What says another ABI than the first that was recorded with it, or, not recorded, than today's."""
    first = {}
    folders = pathlib.Path(__file__).resolve().parent.glob("0.*")
    for minor, folder in sorted((int(f.name.partition(".")[2]), f) for f in folders):
        recorded = read(folder / "rondo" / "rondo.h")
        for function in recorded["functions"]:
            first.setdefault(function["name"], minor)
        for struct in recorded["structs"]:
            first.setdefault(struct["name"], minor)
            for name, _ in struct["fields"]:
                first.setdefault((struct["name"], name), minor)
    today = int(api["macros"]["RONDO_ABI_VERSION"].rstrip("u")) & 0xffff
    said = {item["name"]: item["since"] for item in [*api["functions"], *api["structs"]]}
    for struct in api["structs"]:
        said |= {(struct["name"], name): facts[0].get("since", struct["since"])
                 for name, _, _, *facts in struct["fields"] if facts}
    for what, since in said.items():
        if since != first.get(what, today):
            yield f"{what}: since ABI {since}, recorded with {first.get(what, today)}"


def main(header, api_path):
    with open(api_path, encoding="utf-8") as file:
        api = json.load(file)
    expected, actual = read(header), without_roles(api)
    problems = [problem for key in expected
                for problem in differences(expected[key], actual[key], key)]
    problems += wrong_roles(api)
    problems += wrong_facts(api)
    problems += wrong_since(api)
    for problem in problems:
        print(f"{api_path}: {problem}", file=sys.stderr)
    if not problems:
        print(f"{len(api['functions'])} functions, {len(api['structs'])} structs and "
              f"{len(api['enums'])} enums as in the header")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
