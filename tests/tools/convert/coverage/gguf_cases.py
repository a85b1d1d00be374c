"""The tiny models of record_gguf.py: each GGUF architecture that Rondo reads, in its forms."""
from dataclasses import dataclass, field
from typing import Callable


@dataclass
class Case:
    model_type: str  # of transformers
    # In place of what tiny_config.py has: where llama.cpp knows one value alone, or where this is a
    # form of its own.
    values: dict = field(default_factory=dict)
    # What config.json on the Hub has, llama.cpp's converter reads, and transformers does not write.
    hub: dict = field(default_factory=dict)
    # Tensors that checkpoints on the Hub have, llama.cpp demands and transformers does not write:
    # shapes by name, of a config.
    tensors: Callable = None
    # Why llama.cpp's logits are not transformers', which Rondo has: names and shapes count alone.
    differs: str = None


LFM2_LAYERS = ["conv", "full_attention", "conv", "full_attention"]


def rope(**more):
    return {"rope_type": "default", "rope_theta": 1e4, **more}


def gemma3n_shared(config):
    """Keys and values of layers that have none of their own."""
    kv = config["num_key_value_heads"] * config["head_dim"]
    shapes = {}
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}.self_attn."
        shapes.update({layer + "k_proj.weight": [kv, config["hidden_size"]],
                       layer + "v_proj.weight": [kv, config["hidden_size"]],
                       layer + "k_norm.weight": [config["head_dim"]]})
    return shapes


def gemma3n(layer_types, shared):
    count = len(layer_types)
    return Case("gemma3n_text", {
        "num_hidden_layers": count, "num_kv_shared_layers": shared, "layer_types": layer_types,
        "activation_sparsity_pattern": [0.95 if i < 10 else 0.0 for i in range(count)],
        "hidden_size": 16, "intermediate_size": 1024,
        # These two are in llama.cpp's code, too.
        "hidden_size_per_layer_input": 256, "laurel_rank": 64}, tensors=gemma3n_shared)


YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}
CASES = {
    "arcee": Case("arcee"),
    "bloom": Case("bloom", hub={"seq_length": 128}),
    "command-r": Case("cohere"),
    "cohere2": Case("cohere2", hub={"rotary_pct": 1.0}),
    "deepseek2_v2": Case("deepseek_v2"),
    "deepseek2_v3": Case("deepseek_v3", {"n_routed_experts": 8}, {"scoring_func": "sigmoid"}),
    "deepseek2_v2_yarn": Case("deepseek_v2", {"rope_parameters": rope(
        **YARN, mscale=0.707, mscale_all_dim=0.707)},
        differs="transformers does not multiply scores by the square of mscale, llama.cpp does"),
    "deepseek2_v3_yarn": Case("deepseek_v3", {"n_routed_experts": 8, "rope_parameters": rope(
        **YARN, mscale=1.0, mscale_all_dim=1.0)}, {"scoring_func": "sigmoid"}),
    "deepseek2_youtu": Case("youtu", {"pad_token_id": None}),
    "dots1": Case("dots1", {"num_key_value_heads": 4}, {"scoring_func": "sigmoid"}),
    "ernie4_5": Case("ernie4_5"),
    "ernie4_5-moe": Case("ernie4_5_moe", {"intermediate_size": 96}),
    "exaone4": Case("exaone4", {"sliding_window": None, "layer_types": ["full_attention"] * 4}),
    # llama.cpp knows the windows by the number of layers.
    "exaone4_windows": Case("exaone4", {
        "num_hidden_layers": 64, "hidden_size": 16, "num_attention_heads": 2,
        "layer_types": (["sliding_attention"] * 3 + ["full_attention"]) * 16}),
    "falcon": Case("falcon", {"ffn_hidden_size": 128}, {"num_kv_heads": 1}),
    "falcon_groups": Case("falcon", {"new_decoder_architecture": True, "num_kv_heads": 2,
                                     "ffn_hidden_size": 128}),
    "falcon-h1": Case("falcon_h1", hub={"head_dim": 8}),
    "gemma": Case("gemma"),
    "gemma2": Case("gemma2", {"query_pre_attn_scalar": 8}),
    "gemma3": Case("gemma3_text", {
        "query_pre_attn_scalar": 8, "num_hidden_layers": 7,
        "layer_types": ["sliding_attention"] * 5 + ["full_attention", "sliding_attention"]}),
    # llama.cpp has sparse gates in the first ten layers, whatever the file says, and its deviation
    # is of a sample: with few channels it is another one.
    "gemma3n": gemma3n(["sliding_attention"] * 4 + ["full_attention"], shared=0),
    # It shares keys and values from layer 20 on.
    "gemma3n_shared": gemma3n(["sliding_attention", "full_attention"] * 11, shared=2),
    "gemma4": Case("gemma4_text", {"final_logit_softcapping": 30.0,
        "num_kv_shared_layers": 2, "num_global_key_value_heads": None, "num_experts": None,
        "top_k_experts": None, "moe_intermediate_size": None}),
    "gemma4_experts": Case("gemma4_text", {"final_logit_softcapping": 30.0,
        "enable_moe_block": True, "hidden_size_per_layer_input": 0, "num_kv_shared_layers": 0,
        "num_global_key_value_heads": None}),
    "gemma4_keys": Case("gemma4_text", {"final_logit_softcapping": 30.0,
        "hidden_size_per_layer_input": 0, "num_kv_shared_layers": 0,
        "attention_k_eq_v": True, "num_experts": None,
        "top_k_experts": None, "moe_intermediate_size": None}),
    "glm4": Case("glm4"),
    "glm4moe": Case("glm4_moe"),
    # llama.cpp rounds where YaRN's ramp begins and ends, whatever the file says: here it has none.
    "gpt-oss": Case("gpt_oss", {"rope_parameters": rope(
        rope_type="yarn", factor=8.0, beta_fast=32.0, beta_slow=1.0, truncate=False,
        original_max_position_embeddings=32)}),
    "gpt2": Case("gpt2", hub={"n_ctx": 128}),
    "gptneox": Case("gpt_neox", {"rope_parameters": rope(partial_rotary_factor=0.5)},
                    {"rotary_pct": 0.5}),
    "granite": Case("granite"),
    "granitehybrid": Case("granitemoehybrid"),
    "granitehybrid_dense": Case("granitemoehybrid",
                                {"num_local_experts": 0, "num_experts_per_tok": 0}),
    "granitemoe": Case("granitemoe"),
    "granitemoe_shared": Case("granitemoeshared"),
    "hunyuan-dense": Case("hunyuan_v1_dense"),
    "hunyuan-moe": Case("hunyuan_v1_moe", hub={"moe_intermediate_size": [48] * 4,
                                               "num_shared_expert": [1] * 4, "moe_topk": [2] * 4}),
    "lfm2": Case("lfm2", {"layer_types": LFM2_LAYERS}),
    "lfm2moe": Case("lfm2_moe", {"layer_types": LFM2_LAYERS}),
    "llama": Case("llama"),
    "llama_llama3": Case("llama", {"rope_parameters": rope(
        rope_type="llama3", factor=4.0, low_freq_factor=1.0, high_freq_factor=4.0,
        original_max_position_embeddings=32)}),
    "llama_linear": Case("llama", {"rope_parameters": rope(rope_type="linear", factor=2.0)}),
    "llama_yarn": Case("llama", {"rope_parameters": rope(**YARN)}),
    "llama_bias": Case("llama", {"attention_bias": True, "tie_word_embeddings": True}),
    "llama_mixtral": Case("mixtral"),
    "llama4": Case("llama4_text"),
    "mamba2": Case("mamba2"),
    "minimax-m2": Case("minimax_m2", {"rope_parameters": rope(partial_rotary_factor=0.5)},
                       {"rotary_dim": 4, "scoring_func": "sigmoid"}),
    "mistral3": Case("mistral3"),
    "mpt": Case("mpt", hub={"architectures": ["MPTForCausalLM"]}),
    "nemotron": Case("nemotron"),
    "nemotron_h": Case("nemotron_h", {"layers_block_type": ["mamba", "mlp", "attention", "mamba"]},
                       {"hybrid_override_pattern": "M-*M", "num_hidden_layers": 4,
                        "layers_block_type": None, "num_experts_per_tok": None,
                        "n_routed_experts": None, "rms_norm_eps": 1e-5, "n_group": None,
                        "topk_group": None}),
    "olmo": Case("olmo"),
    "olmo2": Case("olmo2"),
    "olmo2_olmo3": Case("olmo3"),
    "olmoe": Case("olmoe", {"num_key_value_heads": 4}),
    "phi2": Case("phi", {"num_key_value_heads": 4, "intermediate_size": 128}),
    "phi3": Case("phi3"),
    "phi3_window": Case("phi3", {"sliding_window": 8}, differs="llama.cpp has no windows here"),
    # Not longer than the original context: llama.cpp chooses by the context that it is given.
    "phi3_longrope": Case("phi3", {
        "max_position_embeddings": 1024, "original_max_position_embeddings": 512,
        "rope_parameters": rope(
            rope_type="longrope", original_max_position_embeddings=512,
            short_factor=[1.0, 1.5, 2.0, 3.0], long_factor=[2.0, 4.0, 9.0, 9.0])}),
    "phimoe": Case("phimoe", {"attention_bias": True, "lm_head_bias": True},
                   {"architectures": ["PhiMoEForCausalLM"],
                    "original_max_position_embeddings": 32},
                   differs="llama.cpp has softmax over all experts where transformers masks some"),
    "qwen2": Case("qwen2"),
    "qwen2moe": Case("qwen2_moe"),
    "qwen2vl": Case("qwen2_vl"),
    "qwen3": Case("qwen3"),
    "qwen35": Case("qwen3_5_text", {"head_dim": 16, "rope_parameters": rope(
        partial_rotary_factor=0.5, mrope_section=[2, 1, 1])}),
    "qwen35moe": Case("qwen3_5_moe_text", {"head_dim": 16, "rope_parameters": rope(
        partial_rotary_factor=0.5, mrope_section=[2, 1, 1])}),
    "qwen3moe": Case("qwen3_moe", {"norm_topk_prob": True}),
    "qwen3next": Case("qwen3_next"),
    "qwen3vl": Case("qwen3_vl"),
    "seed_oss": Case("seed_oss"),
    "smollm3": Case("smollm3"),
    "stablelm": Case("stablelm"),
    "starcoder": Case("gpt_bigcode"),
    "starcoder2": Case("starcoder2"),
}
