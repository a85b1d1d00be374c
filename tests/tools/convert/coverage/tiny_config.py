"""Configs that make a type of transformers tiny, and what can be set otherwise in them."""
import re

VOCAB = 40
SPECIAL_TOKENS = 4  # padding, BOS, EOS, what stands for pictures: not in texts

# Sizes under any of the names that configs have for them.
SIZES = {
    VOCAB: "vocab_size text_vocab_size vocab_size_per_layer_input",
    32: "hidden_size n_embd d_model dim n_embed word_embed_proj_dim embedding_size "
        "embed_dim out_hidden_size vision_output_dim projector_input_dim projector_output_dim "
        "projector_hidden_size alignment_intermediate_size",
    48: "intermediate_size ffn_dim n_inner d_ff dff dim_ff ffn_hidden_size encoder_ffn_dim "
        "decoder_ffn_dim shared_intermediate_size dense_intermediate_size",
    24: "moe_intermediate_size shared_expert_intermediate_size expert_ffn_hidden_size "
        "moe_shared_expert_intermediate_size",
    4: "num_hidden_layers n_layer n_layers num_layers encoder_layers decoder_layers "
       "num_encoder_layers num_decoder_layers num_attention_heads n_head n_heads num_heads "
       "encoder_attention_heads decoder_attention_heads num_encoder_attention_heads "
       "num_decoder_attention_heads num_experts num_local_experts n_routed_experts "
       "moe_num_experts depth",
    2: "num_key_value_heads num_experts_per_tok moe_k moe_topk num_experts_per_token "
       "linear_num_key_heads",
    8: "head_dim rotary_dim v_head_dim qk_nope_head_dim qk_rope_head_dim "
       "sliding_window window_size attention_window_size kv_channels "
       "hidden_size_per_layer_input",
    16: "qk_head_dim global_head_dim q_lora_rank kv_lora_rank linear_key_head_dim "
        "linear_value_head_dim mamba_d_state "
        "mamba_d_head state_size ssm_state_size lru_width mamba_head_dim",
    128: "max_position_embeddings n_positions n_ctx max_seq_len max_sequence_length "
         "max_target_positions seq_length",
}
NULLABLE = ("head_dim", "num_key_value_heads", "global_head_dim")
# Where a type has a model of text alone, too: behind the name of the one that also sees.
WHOLE = "_whole"
MROPE = {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 1, 1]}
# What the rule above does not know, by type.
SPECIAL = {
    "apertus": {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}},
    # Half of a head turns by every config, and in transformers the whole of it, whatever that says.
    "bamba": {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4,
                                  "partial_rotary_factor": 1.0},
              "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_n_groups": 1, "mamba_chunk_size": 16,
              "attn_layer_indices": [1, 3]},
    "codegen": {"n_head": 4, "rotary_dim": 4},
    "cohere2_moe": {"num_shared_experts": 1, "num_experts": 4,
                    "mlp_layer_types": ["dense", "sparse", "sparse", "sparse"],
                    "layer_types": ["full_attention", "sliding_attention", "sliding_attention",
                                    "full_attention"]},
    "cpmant": {"prompt_types": 8, "prompt_length": 8, "segment_types": 8, "dim_head": 8},
    "deepseek_v2": {"topk_group": 1, "n_group": 1, "first_k_dense_replace": 1,
                    "num_key_value_heads": 4, "num_experts_per_tok": 2},
    "deepseek_v3": {"topk_group": 1, "n_group": 2, "first_k_dense_replace": 1,
                    "num_key_value_heads": 4},
    "deepseek_v32": {"topk_group": 1, "n_group": 2, "first_k_dense_replace": 1,
                     "num_key_value_heads": 4},
    "doge": {"keep_window_size": 64, "num_experts": 16},
    "dots1": {"first_k_dense_replace": 1, "n_group": 1, "topk_group": 1, "n_shared_experts": 1,
              "n_routed_experts": 4, "num_experts_per_tok": 2},
    "falcon_h1": {"mamba_d_ssm": 64, "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_n_groups": 1,
                  "mamba_chunk_size": 16},
    "gemma3n_text": {"layer_types": ["sliding_attention", "full_attention"] * 2,
                     "num_kv_shared_layers": 2, "laurel_rank": 6,
                     "intermediate_size": [48, 24, 48, 40],
                     "activation_sparsity_pattern": [0.9, 0.5, 0.0, 0.0]},
    "gemma4_text": {"layer_types": ["sliding_attention", "full_attention"] * 2,
                    "num_kv_shared_layers": 1, "num_global_key_value_heads": 1,
                    "num_experts": 4, "top_k_experts": 2, "moe_intermediate_size": 24},
    "glm": {"partial_rotary_factor": 0.5},
    "glm4v_text": {"rope_parameters": MROPE},
    "glm4v_moe_text": {"rope_parameters": {**MROPE, "mrope_section": [1, 1, 0],
                                           "partial_rotary_factor": 0.5}},
    "glm_ocr_text": {"rope_parameters": MROPE},
    "glm4_moe_lite": {"num_key_value_heads": 4},
    "glm_moe_dsa": {"num_key_value_heads": 4},
    "gpt_neo": {"attention_types": [[["global", "local"], 2]], "intermediate_size": None},
    "granitemoehybrid": {"mamba_n_heads": 4, "mamba_d_head": 16, "mamba_n_groups": 1,
                         "mamba_chunk_size": 16,
                         "layer_types": ["mamba", "attention", "mamba", "attention"]},
    "laguna": {"num_attention_heads_per_layer": [4, 2, 4, 6],
               "layer_types": ["full_attention", "sliding_attention", "sliding_attention",
                               "full_attention"]},
    "lfm2_moe": {"layer_types": ["conv", "full_attention", "conv", "full_attention"],
                 "num_dense_layers": 1},
    "mamba2": {"num_heads": 4, "head_dim": 16, "n_groups": 1, "chunk_size": 16},
    "mellum": {"layer_types": ["full_attention", "sliding_attention", "sliding_attention",
                               "full_attention"]},
    # Its states behind the first chunk are wrong: they change with the chunk's size.
    "nemotron_h": {"mamba_num_heads": 4, "mamba_head_dim": 16, "n_groups": 1, "chunk_size": 64,
                   "n_routed_experts": 4, "n_group": 1, "topk_group": 1},
    "openai-gpt": {"afn": "gelu"},
    "phi3": {"original_max_position_embeddings": 32},
    "qwen2_vl_text": {"rope_parameters": MROPE},
    "qwen2_5_vl_text": {"rope_parameters": MROPE},
    "qwen3_vl_text": {"rope_parameters": MROPE},
    "qwen3_vl_moe_text": {"rope_parameters": MROPE, "num_experts": 4},
    "xglm": {"attention_heads": 4, "num_layers": 4},
    "xlm": {"emb_dim": 32, "causal": True, "asm": False, "n_langs": 1},
    # transformers 5.12.1 makes the padding's row zero, whatever the file holds.
    "youtu": {"num_key_value_heads": 4, "pad_token_id": None},
}
# Of these the towers for pictures and sound need what few have installed: a matrix stands for each.
WITHOUT_TOWERS = ("gemma3n",)
# Of these transformers does not read a key that Rondo follows.
UNREAD = {"bamba": "partial_rotary_factor"}
# Keys that no computed logit hangs on (training, bookkeeping), or whose change makes another size.
QUIET = re.compile(
    r"dropout|drop_rate|jitter|initializer|init_std|aux_loss|z_loss|_token_id$|_name_or_path|"
    r"architectures|model_type|transformers_version|dtype|output_|return_dict|use_cache|"
    r"pretraining_tp|id2label|label2id|problem_type|summary_|is_encoder_decoder|is_decoder|"
    r"add_cross_attention|chunk_size_feed_forward|layerdrop|gradient|vocab_size|_attn_impl|"
    r"forced_|decoder_start|num_beams|hidden_layers|n_layers?$|num_layers|scale_embedding_only|"
    r"hidden_size$|n_embd|n_embed|d_model|max_position|n_positions|n_ctx|max_seq|n_heads?$|"
    r"num_heads|attention_heads|intermediate_size|ffn_dim|n_inner|head_dim|tp_plan|pp_plan|"
    r"vision|audio|image|video|boi_|eoi_|mm_tokens|cross_attention|training|seed|quantization|"
    r"encoder_|type_vocab_size|max_target|seq_length|classifier|router_bias_update|"
    r"use_mamba_kernels|per_layer_config|rescale_prenorm"
)
ROPES = [
    {"rope_theta": 100.0},
    {"rope_type": "linear", "factor": 2.0},
    {"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
     "original_max_position_embeddings": 32},
    {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32},
    {"partial_rotary_factor": 0.5},
]
# Its numbers are as many as half a head's channels: for those types that are published with it.
LONGROPE = {"rope_type": "longrope", "original_max_position_embeddings": 32,
            "short_factor": [1.0, 1.5, 2.0, 3.0], "long_factor": [2.0, 4.0, 9.0, 9.0],
            "short_mscale": 1.25, "long_mscale": 1.5}
LONGROPE_TYPES = ("phi3", "phimoe")


def shrink(config):
    """The keyword arguments that make a config of this class tiny."""
    values = {}
    for size, names in SIZES.items():
        for name in names.split():
            if isinstance(getattr(type(config), name, None), property):
                continue
            if isinstance(getattr(config, name, None), int) or (
                    getattr(config, name, 0) is None and name in NULLABLE):
                values[name] = size
    for name, value in config.to_dict().items():
        if name.endswith("_token_id"):
            values[name] = {"pad": 0, "bos": 1, "eos": 2}.get(name[:3], 3)
    for part, inner in vars(config).items():
        if hasattr(inner, "to_dict"):
            values[part] = shrink(inner)
            if config.model_type == "minicpmv4_6" and part == "text_config":
                values[part]["model_type"] = inner.model_type  # by which its class is found
    values.update(SPECIAL.get(config.model_type, {}))
    return values


def variants(config):
    """Yields (what is different, keyword arguments), one key at a time."""
    inner = config.to_dict().get("text_config")
    for key, value in sorted((inner or config.to_dict()).items()):
        if QUIET.search(key) or key == UNREAD.get(config.model_type):
            continue
        others = []
        if isinstance(value, bool):
            others = [not value]
        elif isinstance(value, float):
            # Half of an epsilon is nothing beside what it is added to.
            others = [0.1 if "eps" in key else value * 0.5 if value else 0.5]
        elif isinstance(value, int):
            others = [value + 1]
        elif value is None:
            others = [True, 0.5, 2, 4]
        elif isinstance(value, str) and re.search(r"act|^afn$", key):
            others = ["relu"]
        elif isinstance(value, dict) and key == "rope_parameters":
            if config.model_type in LONGROPE_TYPES:
                yield "rope longrope", key, {**value, **LONGROPE}, inner is not None
            flat = "rope_type" in value
            for rope in ROPES:
                if UNREAD.get(config.model_type) in rope or (
                        "partial_rotary_factor" in rope and
                        "partial_rotary_factor" not in str(value)):
                    continue  # the class does not read it
                changed = {**value, **rope} if flat else {
                    layers: {**(one or {}), **rope} for layers, one in value.items()}
                yield f"rope {next(iter(rope.values()))}", key, changed, inner is not None
        for other in others:
            yield f"{key}={other}", key, other, inner is not None
