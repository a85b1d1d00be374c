"""What each option is: a type, or the limits of an int. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit."""
from __future__ import annotations

from typing import Any

from ._checked import INT32, UINT32, UINT64
from ._enums import Affinity, GrammarBegin, Kv, Log, Policy, Speculation

ENGINE: dict[str, Any] = {
    "context": UINT32,
    "max_sessions": UINT32,
    "max_rows": UINT32,
    "threads": UINT32,
    "context_policy": Policy,
    "sink_tokens": UINT32,
    "kv_format": Kv,
    "kernels": str,
    "kv_tokens": UINT32,
    "rows_per_step": UINT32,
    "no_prefix_cache": bool,
    "profile_events": UINT32,
    "log_level": Log,
    "duty_percent": UINT32,
    "draft_head": bool,
    "affinity": Affinity,
    "adapter_rank": UINT32,
    "max_input_rows": UINT32,
    "max_media_rows": UINT32,
}

SESSION: dict[str, Any] = {
    "temperature": float,
    "top_k": INT32,
    "top_p": float,
    "min_p": float,
    "repetition_penalty": float,
    "presence_penalty": float,
    "frequency_penalty": float,
    "penalty_last_n": INT32,
    "ignore_eos": bool,
    "logprobs": bool,
    "no_repeat_ngram_size": UINT32,
    "seed": UINT64,
    "max_tokens": UINT64,
    "speculation": Speculation,
    "max_drafts": UINT32,
    "grammar_begin": GrammarBegin,
    "grammar_token": INT32,
    "grammar_goes_on": bool,
    "thinking": bool,
    "thinking_begin": str,
    "thinking_end": str,
    "thinking_tokens": UINT64,
}

# Where None stands for what a model's makers recommend.
RECOMMENDED = {
    "temperature",
    "top_k",
    "top_p",
    "min_p",
    "repetition_penalty",
    "penalty_last_n",
    "no_repeat_ngram_size",
}
