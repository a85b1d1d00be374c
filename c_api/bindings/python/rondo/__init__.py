"""Rondo: language models on edge devices, in one planned block of memory.

    with rondo.Model("model.rondo") as model, model.engine() as engine:
        with engine.session(max_tokens=64) as session:
            print(session.generate("Once upon a time"))
"""
from __future__ import annotations

import ctypes

from ._checked import word
from ._enums import (Affinity, Calls, Channel, ChatPartKind, GrammarBegin, Kv, Log, Pixels, Policy,
                     Pooling, Reason, Rows, Segment, Speculation, Status, YuvMatrix, YuvRange)
from ._errors import (Busy, Cancelled, Closed, ContextFull, InvalidArgument, ModelError, OutOfMemory,
                      RondoError)
from ._library import check, library
from ._raw import ABI_VERSION
from ._records import (AdapterFacts, EmbedderFacts, EngineCounters, ImageFacts, MemoryPlan,
                       MemoryRegion, ModelFacts, ProfileEvent, SessionCounters)
from ._version import __version__
from .adapter import Adapter
from .chat import Call, ChatParser, ChatPart, Messages, Reply, Tools
from .grammar import Grammar, Schema
from .inputs import Input
from .media import Image, Media
from .session import Event, Prompt, Session
from .engine import Engine  # behind those that it makes
from .model import Model

__all__ = [
    "ABI_VERSION", "Adapter", "AdapterFacts", "Affinity", "Busy", "Call", "Calls", "Cancelled", "Channel",
    "ChatParser", "ChatPart", "ChatPartKind", "Closed", "ContextFull", "EmbedderFacts", "Engine",
    "EngineCounters", "Event", "Grammar", "GrammarBegin", "Image", "ImageFacts", "Input",
    "InvalidArgument", "Kv", "Log", "Media", "MemoryPlan", "MemoryRegion", "Messages", "Model",
    "ModelError", "ModelFacts", "OutOfMemory", "Pixels", "Policy", "Pooling", "ProfileEvent", "Prompt",
    "Reason", "Reply", "RondoError", "Rows", "Schema", "Segment", "Session", "SessionCounters",
    "Speculation", "Status", "Tools", "YuvMatrix", "YuvRange", "__version__", "library_version", "query"]

for _public in list(globals().values()):  # is told by the name that one has it by
    if isinstance(_public, type) and _public.__module__.startswith(f"{__name__}."):
        _public.__module__ = __name__


def library_version() -> str:
    """The library's release."""
    release: bytes = library.rondo_version_string()
    return release.decode()


def query(name: str) -> int:
    """What the library can do, by name: "limit.sessions", "chat" and others of rondo.h."""
    value = ctypes.c_int64()
    check(library.rondo_query(word("name", name), ctypes.byref(value)))
    return value.value
