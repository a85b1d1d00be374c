"""What an engine and its sessions share, whichever of them is closed first."""
from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from ._handle import Reference
from ._records import EmbedderFacts, ModelFacts


@dataclass(eq=False)
class Core:
    model: Reference
    info: ModelFacts
    embedder: EmbedderFacts
    max_sessions: int
    recommended: Any  # rondo_session_options as the model's makers recommend them
    kept: object  # arena and callbacks
    embedding: threading.Lock = field(default_factory=threading.Lock)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _workers: ThreadPoolExecutor | None = None

    def model_handle(self) -> int:
        return self.model.usable("Engine")

    def submit(self, job: Callable[[], Any]) -> Any:
        """A concurrent Future of job(), on threads of this engine's own, of which each session may have
        one at a time: an event loop's usual executor has fewer than sessions that are served together,
        and others need it."""
        with self._lock:
            if self._workers is None:
                self._workers = ThreadPoolExecutor(self.max_sessions, "rondo")
        return self._workers.submit(job)
