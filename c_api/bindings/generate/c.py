"""The C API itself: options' defaults, what a model's makers recommend, and where the runtime has what
options say."""
from api import Type
from options import ENGINE, SESSION, options

# Where the runtime calls a field otherwise.
PLACES = {"context_policy": "policy", "log_level": "log.most"}
# What is read where it is checked (c_api/plan.cc, c_api/constraint.cc).
BY_HAND = ("kernels", "grammar_begin", "grammar_token", "grammar_goes_on", "thinking",
           "thinking_begin", "thinking_end", "thinking_tokens")


def place(option):
    return "sampler." * option.sampling + PLACES.get(option.name, option.name)


def read(option, what):
    theirs, ours = f"o.{option.name}", f"ours->{place(option)}"
    if option.kind == "enum":
        return [f"ReadEnum({theirs}, &{ours});"]
    if option.kind != "flag":
        return [f"{ours} = {theirs};"]
    call = f'ReadFlag("{what} {option.name}", {theirs}, &{ours})'
    line = f"RONDO_RETURN_IF_ERROR({call});"
    return [line] if len(line) <= 98 else ["RONDO_RETURN_IF_ERROR(", f"    {call});"]


def default(option):
    value = f"defaults.{place(option)}"
    return f"o.{option.name} = " + \
        (f"static_cast<int32_t>({value});" if option.kind == "enum" else f"{value};")


def reserved_fields(api):
    """Of the structs that the library reads."""
    read = {Type(api, t).base for f in api["functions"] for _, t, role in f["params"] if role == "in"}
    for struct in api["structs"]:
        name, names = struct["name"], [f[0] for f in struct["fields"] if f[0].startswith("reserved")]
        if name in read and names:
            lines = [f'    ReservedField{{"{field}", offsetof({name}, {field})}},' for field in names]
            yield from ["template <>", f"inline constexpr std::array kReservedFields<{name}> = {{",
                        *lines[:-1], lines[-1][:-1] + "};"]


def regions(api):
    recommended = [option.name for option in options(api, SESSION) if option.recommended]
    result = {
        "c_api/struct_sizes.h": {"reserved fields": list(reserved_fields(api))},
        "c_api/model.cc": {"recommended": [f"o.{name} = recommended.{name};" for name in recommended]},
    }
    for path, struct, what in (("c_api/plan.cc", ENGINE, "engine option"),
                               ("c_api/session.cc", SESSION, "session option")):
        of = list(options(api, struct, *BY_HAND))
        result[path] = {"reads": sum((read(option, what) for option in of), []),
                        "defaults": [default(option) for option in of]}
    return result
