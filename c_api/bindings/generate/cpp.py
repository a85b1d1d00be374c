"""C++: the options of sessions; those of engines are the struct itself."""
from options import SESSION, options


def field(option):
    if option.recommended:
        return f"std::optional<{option.type.base}> {option.name};"
    if option.kind == "text":
        return f"std::string {option.name};"
    if option.kind == "flag":
        return f"bool {option.name} = false;"
    return f"{option.type.base} {option.name} = {option.zero() or 0};"


def assignment(option):
    name = option.name
    if option.recommended:
        return f"raw.{name} = {name}.value_or(raw.{name});"
    if option.kind == "text":
        return f"if (!{name}.empty()) raw.{name} = detail::ZeroEnded({name});"
    return f"raw.{name} = {name}" + (" ? 1 : 0;" if option.kind == "flag" else ";")


def regions(api):
    of = list(options(api, SESSION))
    return {"include/rondo/rondo.hpp": {"options": [field(option) for option in of],
                                        "said": [assignment(option) for option in of]}}
