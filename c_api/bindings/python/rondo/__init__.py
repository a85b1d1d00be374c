"""Rondo: language models on edge devices, in one planned block of memory.

    with rondo.Model("model.rondo") as model, model.engine(context=512) as engine:
        with engine.session(max_tokens=64) as session:
            session.prefill(model.tokenize("Once upon a time"))
            for event in session.stream():
                print(event.text, end="", flush=True)
"""
from __future__ import annotations

import ctypes

from ._library import (Cancelled, ContextFull, InvalidArgument, ModelError, OutOfMemory, RondoError,
                       check, library)
from ._raw import (ABI_VERSION, Affinity, Calls, Channel, ChatPartKind, GrammarBegin, Kv, Log, Pixels,
                   Policy, Pooling, Reason, Rows, Segment, Speculation, Status, YuvMatrix, YuvRange)
from ._records import (AdapterFacts, EmbedderFacts, EngineCounters, ImageFacts, MemoryPlan,
                       MemoryRegion, ModelFacts, ProfileEvent, SessionCounters)
from .adapter import Adapter
from .chat import ChatParser, ChatPart
from .engine import Engine
from .grammar import Grammar
from .inputs import Input
from .media import Image, Media
from .model import Model
from .session import Event, Session

__all__ = ["ABI_VERSION", "Adapter", "AdapterFacts", "Affinity", "Calls", "Cancelled", "Channel",
           "ChatParser", "ChatPart", "ChatPartKind", "ContextFull", "EmbedderFacts", "Engine",
           "EngineCounters", "Event", "Grammar",
           "GrammarBegin", "Image", "ImageFacts", "Input", "InvalidArgument", "Kv", "Log", "Media",
           "MemoryPlan", "MemoryRegion", "Model", "ModelError", "ModelFacts", "OutOfMemory", "Pixels",
           "Policy", "Pooling", "ProfileEvent", "Reason", "RondoError", "Rows", "Segment", "Session",
           "SessionCounters", "Speculation", "Status", "YuvMatrix", "YuvRange", "query", "version"]


def version() -> str:
    """The library's release."""
    return library.rondo_version_string().decode()


def query(name: str) -> int:
    """What the library can do, by name: "limit.sessions", "chat" and others of rondo.h."""
    value = ctypes.c_int64()
    check(library.rondo_query(name.encode(), ctypes.byref(value)))
    return value.value
