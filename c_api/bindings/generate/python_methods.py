"""Python's methods that take options: with a parameter and a doc for each of them, as help() and editors
show them. What they do with the options, the classes do that are made of these (python/rondo/*.py)."""
from api import camel
from options import ENGINE, SESSION, comment, options

CHAT = "rondo_chat_options"


class Parameter:
    def __init__(self, name, kind, default, doc):
        self.name, self.kind, self.default, self.doc = name, kind, default, doc


def of_struct(api, words, struct):
    """The options that are numbers, flags, enums and texts."""
    for option in options(api, struct):
        kind = "float" if option.type.base == "float" else "int"
        default = f"{float(option.default or 0)}" if kind == "float" else str(option.default or 0)
        if option.kind == "flag":
            kind, default = "bool", "False"
        elif option.kind == "enum":
            kind = camel(option.enum["name"])
            default = words.value(option.enum, next(
                name for name, value in option.enum["values"].items() if value == option.default))
        elif option.kind == "text" or option.recommended:
            kind, default = f"{'str' if option.kind == 'text' else kind} | None", "None"
        doc = words.about(option)
        if option.recommended:
            doc += " None: as the model's makers recommend, else that default."
        yield Parameter(option.name, kind, default, doc)


def fact(api, words, struct, field):
    return words.translated(api["facts"][struct][field]["doc"])


def chat_options(api, words):
    def flag(name):
        return words.translated(next(e for e in api["enums"] if e["name"] == "rondo_chat_flags")["docs"][name])
    yield Parameter("tools", "Tools | None", "None", fact(api, words, CHAT, "tools"))
    yield Parameter("variables", "Mapping[str, Any] | str | None", "None",
                    "More names for the template: {\"enable_thinking\": False}.")
    yield Parameter("add_generation_prompt", "bool", "True", flag("ADD_GENERATION_PROMPT"))
    yield Parameter("continue_final", "bool", "False",
                    "The text ends inside of the last message, which the model goes on with.")
    yield Parameter("plain_content", "bool", "True",
                    "Of the ids only what the template itself wrote becomes special tokens, whatever "
                    "messages say. For chat with strangers.")
    yield Parameter("local_time", "datetime | None", "None",
                    "What the clock on the wall shows, for templates that write the date.")
    yield Parameter("template_name", "str | None", "None", fact(api, words, CHAT, "template_name"))
    yield Parameter("template", "str | None", "None", fact(api, words, CHAT, "template_text"))


def engine_options(api, words):
    yield from of_struct(api, words, ENGINE)
    yield Parameter("draft", "Model | None", "None",
                    "A small model of the same vocabulary, for sessions of Speculation.DRAFT_MODEL.")
    yield Parameter("cpus", "Sequence[int]", "()",
                    "Numbers of CPUs for the engine's threads: Affinity.CPUS is meant where they are given.")


def session_options(api, words):
    yield Parameter("recommended", "bool", "True",
                    "Begin with what the model's makers recommend for sampling; False: with the "
                    "library's defaults.")
    yield Parameter("stop", "str | Sequence[str] | None", "None",
                    "Texts that end a generation, and are no part of it; a str is one. None: those that "
                    "the makers recommend.")
    yield Parameter("logit_bias", "Mapping[int, float] | None", "None",
                    "What is added to the logits of tokens, -inf forbids one. None: as the makers "
                    "recommend.")
    yield Parameter("grammar", "Grammar | None", "None",
                    "Of Model.grammar(): what each generation must be a text of.")
    yield Parameter("json_schema", "Schema | None", "None",
                    "A JSON Schema (JSON, or its Python value), of which the session makes a grammar of "
                    "its own, with one_space and named_only: JSON as people write it.")
    yield from of_struct(api, words, SESSION)


ADAPTER = Parameter("adapter", "Adapter | None", "None",
                    "Of Model.adapter(), where the engine's adapter_rank has room for it.")
MEDIA = Parameter("media", "Sequence[Media]", "()",
                  "Pictures of Engine.media(), one for each part {\"type\": \"image\"} of the messages.")
ENGINE_ONLY = [
    Parameter("arena", "Any", "None",
              "A writable buffer (mmap, bytearray, NumPy array) of the plan's size and alignment, for the "
              "engine alone; None: taken from the system."),
    Parameter("progress", "Callable[[int, int], object] | None", "None",
              "Called as progress(done, total), maybe on another thread. What it raises cancels, and is "
              "raised here."),
    Parameter("log", "Callable[[Log, str], object] | None", "None",
              "Called as log(level, message) on any thread.")]

HEAD = '''from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ._enums import Affinity, Calls, GrammarBegin, Kv, Log, Policy, Speculation
from ._handle import Handle

if TYPE_CHECKING:
    from ._records import MemoryPlan, MemoryRegion
    from .adapter import Adapter
    from .chat import ChatParser, ChatPart, Messages, Reply, Tools
    from .engine import Engine
    from .grammar import Grammar, Schema
    from .media import Media
    from .model import Model
    from .session import Session
'''


def text(api, words, notice):
    engine = list(engine_options(api, words))
    session = list(session_options(api, words))
    chat = list(chat_options(api, words))
    answer = [MEDIA, *(option for option in chat if option.name != "add_generation_prompt")]
    said = [("messages", "Messages")]
    calls = [Parameter("calls", "Calls", "Calls.AUTO", "Which calls there may be."),
             Parameter("function", "str | None", "None", "The only one that may be called.")]
    classes = [
        ("ModelMethods", [
            ("engine", [], engine + ENGINE_ONLY, "Engine", "Makes the model runnable."),
            ("plan", [], engine, "MemoryPlan", "What an engine with these options takes, to the byte."),
            ("plan_regions", [], engine, "list[MemoryRegion]",
             "The parts of that plan, lowest address first."),
            ("plan_fit", [("size", "int")], engine, "int",
             "The largest context whose plan fits into `size` bytes."),
            ("render_chat", said, chat, "str",
             'The text of a conversation: [{"role": "user", "content": "Hello!"}, ...].'),
            ("chat_ids", said, chat, "list[int]", "The token ids of a conversation."),
            ("chat_parser", said, chat, "ChatParser",
             "Takes answers to this conversation apart. Of the options tools say what may be called."),
            ("chat_grammar", said, calls + chat, "str",
             "The GBNF of answers whose calls parse, for grammar(gbnf=...). Tools are needed."),
            ("chat_thinking", said, chat, "tuple[str, str]",
             "What the template puts around a thought: what begins and what ends it; empty where it has "
             "none.")]),
        ("EngineMethods", [
            ("session", [], [*session, ADAPTER], "Session", "An empty session in one of the engine's places.")]),
        ("SessionMethods", [
            ("fork", [], session, "Session",
             "A session with the same tokens, and with options of its own: not those of this one."),
            ("chat", said, answer, "Reply",
             "The answer to a conversation. The session's tokens become the conversation's."),
            ("chat_stream", said, answer, "Iterator[ChatPart]",
             "As chat(), part by part as they come."),
            ("achat", said, answer, "Reply", "As chat(), beside what the event loop does."),
            ("achat_stream", said, answer, "AsyncIterator[ChatPart]",
             "As chat_stream(), beside what the event loop does.")])]
    lines = [f'"""The methods that take options. {notice}"""', "from __future__ import annotations", "",
             *HEAD.splitlines(), ""]
    for name, methods in classes:
        lines += ["", f"class {name}(Handle):"]
        for method in methods:
            lines += method_lines(*method)
        lines.append("")
    return lines[:-1]


def method_lines(name, positional, keywords, result, about):
    waits = "async " if name == "achat" else ""
    lines = ["", f"    {waits}def {name}(", "        self,"]
    lines += [f"        {given}: {kind}," for given, kind in positional]
    lines += ["        *,"] + [f"        {p.name}: {p.kind} = {p.default}," for p in keywords]
    lines += [f"    ) -> {result}:", *comment(about, 100, '        """', "        ", ""), ""]
    for p in keywords:
        lines += comment(f"{p.name}: {p.doc}", 100, "        ", "            ")
    lines += ['        """']
    call = f"self._{name}({''.join(f'{given}, ' for given, _ in positional)}{{"
    lines += [f"        return {'await ' if waits else ''}{call}"]
    lines += [f'            "{p.name}": {p.name},' for p in keywords]
    lines += ["        })"]
    # What the class does that is made of this one.
    lines += ["", f"    {waits}def _{name}(self, {''.join(f'{given}: {kind}, ' for given, kind in positional)}"
              f"given: dict[str, Any]) -> {result}:", "        raise NotImplementedError"]
    return lines
