"""Kotlin: options as named arguments and as settings of a block, over Java's builders."""
from api import NOTICE
from java import all_words, java_name
from options import ENGINE, SESSION, comment, options

TYPES = {"uint32_t": "Int", "int32_t": "Int", "uint64_t": "Long", "float": "Number"}

# What Java's builders take beside numbers, flags, enums and texts: (name, type, what it is, how it is said).
ENGINE_OWN = [
    ("draft", "Model", "A small model of the same vocabulary that drafts, or an assistant of this one.", None),
    ("cpus", "IntArray", "Affinity.CPUS with these, as the system counts them.", "to.cpus(*it)"),
    ("progress", "(Long, Long) -> Boolean", "Told how far the engine is, of how much; false cancels.",
     "to.progress { done, total -> it(done, total) }"),
    ("log", "(Log, String) -> Unit", "Told of what happens to the engine, by logLevel.",
     "to.log { level, text -> it(level, text) }"),
    ("executor", "Executor", "Computes in place of threads of the engine's own.", None),
]
SESSION_OWN = [
    ("recommended", "Boolean", "False: what the model's makers recommend is not followed.", None),
    ("stop", "List<String>", "Texts that end a generation, which ends before them.", None),
    ("logitBias", "Map<Int, Float>", "What is added to a token's logit, by its id.", None),
    ("adapter", "Adapter", "What is added to the model, where adapterRank has room for it.", None),
    ("grammar", "Grammar", "What each generation must be a text of.", None),
    ("jsonSchema", "String", "In its place a JSON Schema, as JSON.", None),
    ("thinkingTexts", "Pair<String, String>", "The texts around a thought.",
     "to.thinkingTexts(it.first, it.second)"),
]


def type_of(option):
    if option.kind == "enum":
        return "".join(word.capitalize() for word in option.enum["name"].removeprefix("rondo_").split("_"))
    return {"flag": "Boolean", "text": "String"}.get(option.kind) or TYPES[option.type.base]


def listed(api, struct, own, *left_out):
    """(name, type, what it is, how Java's builder is told)"""
    words = all_words(api)
    for option in options(api, struct, *left_out):
        name, kind = java_name(option.name), type_of(option)
        value = "it.toDouble()" if kind == "Number" else "it"
        yield name, kind, words.about(option), f"to.{name}({value})"
    for name, kind, about, said in own:
        yield name, kind, about, said or f"to.{name}(it)"


def settings(kind, function, all_options):
    """A class with a variable for each option, and a function with an argument for each."""
    params = [f"{name}: {'(' + of + ')' if '->' in of else of}? = null" for name, of, _, _ in all_options]
    out = ["", f"/** What differs from the defaults of [{kind}Options]; null: nothing is said. */", "@RondoDsl",
           f"class {kind}Settings internal constructor() {{"]
    for (_, _, about, _), param in zip(all_options, params):
        out += [*comment(about, 100, "    /** ", "     * ", " */"), f"    var {param}"]
    out += ["", f"    internal fun options(): {kind}Options {{", f"        val to = {kind}Options.builder()"]
    out += [f"        {name}?.let {{ {said} }}" for name, _, _, said in all_options]
    out += ["        return to.build()", "    }", "}", "",
            f"/** [{kind}Options] by the names of options, in a block, or both: see [{kind}Settings]. */",
            f"fun {function}("]
    out += [f"    {param}," for param in params]
    out += [f"    block: {kind}Settings.() -> Unit = {{}}", f"): {kind}Options {{",
            f"    val settings = {kind}Settings()"]
    out += [f"    settings.{name} = {name}" for name, _, _, _ in all_options]
    return out + ["    settings.block()", "    return settings.options()", "}"]


def files(api):
    out = [f"// {NOTICE}", "package rondo.kotlin", "", "import java.util.concurrent.Executor", "import rondo.*", "",
           "/** Of blocks that say options: inside of one, no other's are said. */", "@DslMarker",
           "annotation class RondoDsl"]
    out += settings("Engine", "engineOptions", list(listed(api, ENGINE, ENGINE_OWN)))
    out += settings("Session", "sessionOptions",
                    list(listed(api, SESSION, SESSION_OWN, "thinking_begin", "thinking_end")))
    return {"kotlin/src/rondo/kotlin/Options.kt": "\n".join(out) + "\n"}
