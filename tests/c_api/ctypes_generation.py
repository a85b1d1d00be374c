"""A whole generation through rondo.h by ctypes: what a binding in any language has to do.

Usage: ctypes_generation.py LIBRARY MODEL PROMPT
"""
import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_float, c_int32, c_size_t, c_uint32, c_uint64, c_void_p


class EngineOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_uint32), ("context", c_uint32), ("max_sessions", c_uint32),
                ("max_rows", c_uint32), ("threads", c_uint32), ("context_policy", c_int32),
                ("sink_tokens", c_uint32), ("kv_format", c_int32), ("kernels", c_char_p)]


class SessionOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_uint32), ("temperature", c_float), ("top_k", c_int32),
                ("top_p", c_float), ("min_p", c_float), ("repetition_penalty", c_float),
                ("presence_penalty", c_float), ("frequency_penalty", c_float),
                ("penalty_last_n", c_int32), ("ignore_eos", c_uint32), ("logprobs", c_uint32),
                ("no_repeat_ngram_size", c_uint32), ("seed", c_uint64), ("max_tokens", c_uint64),
                ("logit_bias", c_void_p), ("n_logit_bias", c_size_t),
                ("stop_strings", POINTER(c_char_p)), ("n_stop_strings", c_size_t)]


class Event(ctypes.Structure):
    _fields_ = [("struct_size", c_uint32), ("token", c_int32), ("logprob", c_float),
                ("reason", c_int32), ("bytes", c_void_p), ("bytes_count", c_size_t),
                ("text", c_void_p), ("text_bytes", c_size_t)]


def main(library, path, prompt):
    rondo = ctypes.CDLL(library)
    why = ctypes.create_string_buffer(256)

    def check(status):
        if status != 0:
            raise RuntimeError(f"status {status:#x}: {why.value.decode()}")

    model, engine, session = c_void_p(), c_void_p(), c_void_p()
    check(rondo.rondo_model_open_path(c_uint32(rondo.rondo_abi_version()), path.encode(),
                                      byref(model), why, c_size_t(256)))
    options = EngineOptions()
    check(rondo.rondo_engine_options_init(byref(options), c_size_t(ctypes.sizeof(options))))
    options.context = 256
    check(rondo.rondo_engine_create(model, byref(options), None, c_size_t(0), byref(engine), why,
                                    c_size_t(256)))
    session_options = SessionOptions()
    check(rondo.rondo_session_options_init(byref(session_options),
                                           c_size_t(ctypes.sizeof(session_options))))
    session_options.max_tokens = 24
    check(rondo.rondo_session_open(engine, byref(session_options), byref(session), why,
                                   c_size_t(256)))
    text = prompt.encode()
    ids, count = (c_int32 * 256)(), c_size_t()
    check(rondo.rondo_tokenize(model, text, c_size_t(len(text)), c_uint32(1), ids, c_size_t(256),
                               byref(count)))
    check(rondo.rondo_session_prefill(session, ids, count))
    event = Event(struct_size=ctypes.sizeof(Event))
    while event.reason == 0:
        check(rondo.rondo_session_next(session, byref(event)))
        sys.stdout.buffer.write(ctypes.string_at(event.text, event.text_bytes))
    rondo.rondo_model_close(model)
    rondo.rondo_session_close(session)
    rondo.rondo_engine_close(engine)


main(*sys.argv[1:])
