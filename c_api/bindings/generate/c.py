"""The C API itself: options' defaults, and where the runtime has what they say."""
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


def regions(api):
    result = {}
    for path, struct, what in (("c_api/plan.cc", ENGINE, "engine option"),
                               ("c_api/session.cc", SESSION, "session option")):
        of = list(options(api, struct, *BY_HAND))
        result[path] = {"reads": sum((read(option, what) for option in of), []),
                        "defaults": [default(option) for option in of]}
    return result
