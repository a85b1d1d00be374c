"""llama.cpp through the C interface of its library, as llama.h of 0.7.0 has it.

  llama_cpp.py MODEL.gguf LOGITS.npy ID ...    float32 keys and values, one thread
"""
import ctypes
import sys

import numpy

VERSION = "0.7.0"  # of the structures below
PTR, INT, UINT, FLOAT = ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint32, ctypes.c_float
BOOL, SIZE = ctypes.c_bool, ctypes.c_size_t


def fields(*groups):
    return [(name, kind) for kind, names in groups for name in names.split()]


class ModelParams(ctypes.Structure):
    _fields_ = fields(
        (PTR, "devices tensor_buft_overrides"),
        (INT, "n_gpu_layers split_mode load_mode lazy_mode main_gpu"),
        (PTR, "tensor_split progress_callback progress_callback_user_data kv_overrides"),
        (BOOL, "vocab_only check_tensors use_extra_bufts no_host no_alloc load_mtp"))


class ContextParams(ctypes.Structure):
    _fields_ = fields(
        (UINT, "n_ctx n_batch n_ubatch n_seq_max n_rs_seq n_outputs_max n_outputs_max_per_seq"),
        (INT, "n_threads n_threads_batch ctx_type rope_scaling_type pooling_type attention_type "
              "flash_attn_type"),
        (FLOAT, "rope_freq_base rope_freq_scale yarn_ext_factor yarn_attn_factor yarn_beta_fast "
                "yarn_beta_slow"),
        (UINT, "yarn_orig_ctx"), (FLOAT, "defrag_thold"), (PTR, "cb_eval cb_eval_user_data"),
        (INT, "type_k type_v"), (SIZE, "moe_cache_size"),
        (PTR, "abort_callback abort_callback_data"),
        (BOOL, "embeddings offload_kqv no_perf op_offload swa_full kv_unified"),
        (PTR, "samplers"), (SIZE, "n_samplers"), (PTR, "ctx_other"))


class Batch(ctypes.Structure):
    _fields_ = [("n_tokens", INT), ("token", ctypes.POINTER(INT)), ("embd", PTR),
                ("pos", ctypes.POINTER(INT)), ("n_seq_id", ctypes.POINTER(INT)),
                ("seq_id", ctypes.POINTER(ctypes.POINTER(INT))),
                ("logits", ctypes.POINTER(ctypes.c_int8))]


def library():
    ctypes.CDLL("libggml.so.0", ctypes.RTLD_GLOBAL).ggml_backend_load_all()
    lib = ctypes.CDLL("libllama.so.0")
    for name, result, arguments in [
            ("llama_version", ctypes.c_char_p, []),
            ("llama_model_default_params", ModelParams, []),
            ("llama_context_default_params", ContextParams, []),
            ("llama_model_load_from_file", PTR, [ctypes.c_char_p, ModelParams]),
            ("llama_init_from_model", PTR, [PTR, ContextParams]),
            ("llama_model_get_vocab", PTR, [PTR]),
            ("llama_vocab_n_tokens", INT, [PTR]),
            ("llama_batch_init", Batch, [INT, INT, INT]),
            ("llama_decode", INT, [PTR, Batch]),
            ("llama_get_logits", ctypes.POINTER(FLOAT), [PTR])]:
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    version = lib.llama_version().decode()
    if version != VERSION:
        sys.exit(f"llama.cpp is {version}; its llama.h has to be compared with {__file__} first")
    return lib


def logits_of(path, ids):
    """Of all tokens, in one batch. Where llama.cpp refuses, it may end the process."""
    lib = library()
    params = lib.llama_model_default_params()
    params.use_extra_bufts = False  # they compute with other roundings
    model = lib.llama_model_load_from_file(path.encode(), params)
    if not model:
        raise ValueError("llama.cpp does not load it")
    params = lib.llama_context_default_params()
    params.n_ctx = params.n_batch = params.n_ubatch = 256
    params.n_threads = params.n_threads_batch = 1
    params.flash_attn_type = 0  # none
    params.type_k = params.type_v = 0  # float32
    context = lib.llama_init_from_model(model, params)
    if not context:
        raise ValueError("llama.cpp makes no context")
    batch = lib.llama_batch_init(len(ids), 0, 1)
    batch.n_tokens = len(ids)
    for i, token in enumerate(ids):
        batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.logits[i] = token, i, 1, 1
        batch.seq_id[i][0] = 0
    if lib.llama_decode(context, batch) != 0:
        raise ValueError("llama.cpp does not run it")
    cols = lib.llama_vocab_n_tokens(lib.llama_model_get_vocab(model))
    return numpy.ctypeslib.as_array(lib.llama_get_logits(context), (len(ids), cols)).copy()


if __name__ == "__main__":
    numpy.save(sys.argv[2], logits_of(sys.argv[1], [int(token) for token in sys.argv[3:]]))
