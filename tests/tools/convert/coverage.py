#!/usr/bin/env python3
"""Which causal language models of transformers Rondo runs: measured, not listed.

  coverage.py make FOLDER [TYPE ...]                  where transformers and torch are installed
  coverage.py compare FOLDER --rondo BINARY [TYPE ...]  anywhere; prints a Markdown table

`make` walks transformers' maps of causal language models and of those that see, too, which are then
given text alone. Of each type it makes a tiny checkpoint of random weights, the logits of a prompt
and of the tokens that follow greedily; and one more of these for every key of the config that can
be set otherwise (switches turned, numbers moved, RoPE scaled).
`compare` converts each with --weights f32 and compares the logits: supported, refused (with the
sentence), or WRONG. A key that changes what the model computes must be read or refused: a variant
that the converter overlooks is WRONG, too. Exits with 1 if anything is WRONG.
"""
import argparse
import array
import json
import math
import re
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

# Worst difference from transformers' logits, by their standard deviation, both in float32.
TOLERANCE = 1e-3
# Logits nearer to each other than this, by the same measure, may change places.
MARGIN = 1e-3
PROMPT_TOKENS, GREEDY_TOKENS = 40, 8
VOCAB = 96
SPECIAL_TOKENS = 4  # padding, BOS, EOS, what stands for pictures: not in texts
MOST_PARAMETERS = 8000000

# ---- make

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
WHOLE = " (whole)"
MROPE = {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 1, 1]}
# What the rule above does not know, by type.
SPECIAL = {
    "apertus": {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}},
    "bamba": {"mamba_n_heads": 4, "mamba_d_head": 16, "mamba_n_groups": 1, "mamba_chunk_size": 16,
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
                     "activation_sparsity_pattern": [0.9, 0.5, 0.0, 0.0]},
    "gemma4_text": {"layer_types": ["sliding_attention", "full_attention"] * 2,
                    "num_kv_shared_layers": 1, "num_global_key_value_heads": 1,
                    "num_experts": 4, "top_k_experts": 2, "moe_intermediate_size": 24},
    "glm": {"partial_rotary_factor": 0.5},
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
    "youtu": {"num_key_value_heads": 4},
}
# Of these the towers for pictures and sound need what few have installed: a matrix stands for each.
WITHOUT_TOWERS = ("gemma3n",)
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
    r"use_mamba_kernels|per_layer_config"
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
    values.update(SPECIAL.get(config.model_type, {}))
    return values


def variants(config):
    """Yields (what is different, keyword arguments), one key at a time."""
    inner = config.to_dict().get("text_config")
    for key, value in sorted((inner or config.to_dict()).items()):
        if QUIET.search(key):
            continue
        others = []
        if isinstance(value, bool):
            others = [not value]
        elif isinstance(value, float):
            others = [value * 0.5] if value else [0.5]
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
                if "partial_rotary_factor" in rope and "partial_rotary_factor" not in str(value):
                    continue  # the class does not read it
                changed = {**value, **rope} if flat else {
                    layers: {**(one or {}), **rope} for layers, one in value.items()}
                yield f"rope {next(iter(rope.values()))}", key, changed, inner is not None
        for other in others:
            yield f"{key}={other}", key, other, inner is not None


def randomize(model, torch):
    """Weights by their names, so that a variant has the same ones."""
    tensors = dict(model.named_parameters())
    tensors.update((n, b) for n, b in model.named_buffers()
                   if n.endswith(("correction_bias", "expert_bias")))
    with torch.no_grad():
        for name, tensor in tensors.items():
            noise = torch.randn(tensor.shape, generator=torch.Generator().manual_seed(
                zlib.crc32(name.encode())))
            if tensor.dim() < 2 or min(tensor.shape) == 1 or "norm" in name:
                tensor.add_(0.2 * noise)
            elif "embed" in name or "wte" in name or "wpe" in name:
                tensor.copy_(noise)
            else:
                fan = min(tensor.shape[-2:]) if "experts" in name else tensor.shape[-1]
                tensor.copy_(noise * 1.5 / math.sqrt(fan))


def leave_out_towers(cls, torch):
    module = sys.modules[cls.__module__]
    whole = module.AutoModel

    class TextOnly:
        @staticmethod
        def from_config(config):
            if config.model_type.endswith("_text"):
                return whole.from_config(config)
            return torch.nn.Linear(2, 2)

    module.AutoModel = TextOnly


def make_one(folder, name, build, torch):
    """One checkpoint and its reference; returns its logits."""
    torch.manual_seed(0)
    with torch.device("meta"):
        size = sum(p.numel() for p in build().parameters())
    if size > MOST_PARAMETERS:
        raise ValueError(f"{size} parameters: the rules for sizes do not know this config")
    model = build().float().eval()
    randomize(model, torch)
    model.tie_weights()
    ids = torch.randint(SPECIAL_TOKENS, VOCAB, (1, PROMPT_TOKENS),
                        generator=torch.Generator().manual_seed(7))
    with torch.no_grad():
        for _ in range(GREEDY_TOKENS):
            logits = model(input_ids=ids, use_cache=False).logits
            ids = torch.cat([ids, logits[:, -1:, SPECIAL_TOKENS:VOCAB].argmax(-1) +
                             SPECIAL_TOKENS], 1)
        logits = model(input_ids=ids, use_cache=False).logits[0].float()
        rope = getattr(model.config, "rope_parameters", None) or {}
        if rope.get("rope_type") == "longrope":
            # Rows of a text that is still short turn by the short factors.
            short = rope["original_max_position_embeddings"]
            logits[:short] = model(input_ids=ids[:, :short], use_cache=False).logits[0].float()
    if not torch.isfinite(logits).all():
        raise ValueError("the logits are not finite")
    target = folder / name
    model.save_pretrained(target)
    (target / "logits.f32").write_bytes(logits.contiguous().numpy().tobytes())
    (target / "ids.json").write_text(json.dumps(ids[0].tolist()))
    return logits


def make(folder, wanted):
    import torch
    import transformers
    from transformers.models.auto import configuration_auto, modeling_auto
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    names = dict(modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)
    for kind, name in modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES.items():
        if names.get(kind) != name:
            names[kind + WHOLE if kind in names else kind] = name
    for kind in wanted or names:
        target = folder / kind
        if (target / "type.json").exists() and not wanted:
            continue
        target.mkdir(parents=True, exist_ok=True)
        facts = {"class": names[kind], "error": None, "variants": []}
        try:
            cls = getattr(transformers, names[kind])
            config_class = configuration_auto.CONFIG_MAPPING[kind.removesuffix(WHOLE)]
            if getattr(config_class, "sub_configs", {}).get("text_config") is cls.config_class:
                config_class = cls.config_class  # of a model with more than text
            if kind in WITHOUT_TOWERS:
                leave_out_towers(cls, torch)
            base = shrink(config_class())
            if "is_decoder" in config_class().to_dict():
                base["is_decoder"] = True

            def build(values):
                config = config_class(**values)
                # Falcon's eager attention adds ALiBi twice.
                config._attn_implementation = "sdpa" if kind == "falcon" else "eager"
                return cls(config)

            logits = make_one(target, "base", lambda: build(base), torch)
            config = build(base).config
            for i, (label, key, value, inner) in enumerate(variants(config)):
                values = dict(base)
                if inner:
                    values["text_config"] = {**base.get("text_config", {}), key: value}
                else:
                    values[key] = value
                try:
                    other = make_one(target, f"v{i}", lambda: build(values), torch)
                except Exception:  # the model cannot be that
                    continue
                same = other.shape == logits.shape and bool(torch.equal(other, logits))
                facts["variants"].append({"folder": f"v{i}", "label": label, "same": same})
        except Exception as error:
            facts["error"] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        (target / "type.json").write_text(json.dumps(facts))
        print(kind, facts["error"] or f"and {len(facts['variants'])} variants", flush=True)


# ---- compare


def read_npy(path):
    data = path.read_bytes()
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    values = array.array("f")
    values.frombytes(data[begin:])
    return values


def outcome_of(folder, rondo, scratch):
    """("ok", difference), ("refused", sentence) or ("WRONG", why)."""
    model, output = scratch / "model.rondo", scratch / "logits.npy"
    ids = json.loads((folder / "ids.json").read_text())
    for command in ([rondo, "convert", folder, "-o", model, "--weights", "f32"],
                    [rondo, "logits", model, "-o", output, "--kv", "f32", "--threads", "1",
                     "--ids", ",".join(map(str, ids))]):
        run = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if run.returncode != 0:
            said = [line for line in run.stderr.splitlines() if line.strip()]
            sentence = (said or [f"exit status {run.returncode}"])[-1]
            if run.returncode < 0 or not said:
                return "WRONG", sentence
            sentence = re.sub(r"^rondo: |; known: .*", "", sentence)
            return "refused", sentence.replace(str(folder) + "/", "")
    want, got = array.array("f"), read_npy(output)
    want.frombytes((folder / "logits.f32").read_bytes())
    if len(want) != len(got):
        return "WRONG", f"{len(got)} logits in place of {len(want)}"
    mean = sum(want) / len(want)
    deviation = math.sqrt(sum((x - mean) ** 2 for x in want) / len(want))
    worst = max(abs(a - b) for a, b in zip(want, got)) / deviation
    if not worst <= TOLERANCE:
        return "WRONG", f"differs by {worst:.1e} of a standard deviation"
    cols = len(want) // len(ids)
    for i in range(PROMPT_TOKENS - 1, len(ids) - 1):
        row = got[i * cols:(i + 1) * cols]
        best = max(row[SPECIAL_TOKENS:])
        token = row.index(best, SPECIAL_TOKENS)
        if token != ids[i + 1] and best - row[ids[i + 1]] > MARGIN * deviation:
            return "WRONG", f"token {i + 1} is {token} in place of {ids[i + 1]}"
    return "ok", worst


def compare(folder, rondo, wanted):
    counts = {"ok": 0, "refused": 0, "WRONG": 0}
    print("| model_type | class | result | worst difference | keys varied |")
    print("| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as temporary:
        for path in sorted(folder.glob("*/type.json")):
            kind, facts = path.parent.name, json.loads(path.read_text())
            if wanted and kind not in wanted:
                continue
            if facts["error"]:
                print(f"| {kind} | {facts['class']} | not made: {facts['error']} | | |")
                continue
            result, detail = outcome_of(path.parent / "base", rondo, Path(temporary))
            worst, said = "", ""
            if result == "ok":
                kept, refused, wrong = 0, [], []
                for one in facts["variants"]:
                    outcome, why = outcome_of(path.parent / one["folder"], rondo, Path(temporary))
                    if outcome == "ok":
                        kept, detail = kept + 1, max(detail, why)
                    elif outcome == "refused":
                        refused.append(one["label"])
                    else:
                        wrong.append(f"{one['label']} ({one['folder']}: {why})")
                worst = f"{detail:.0e}"
                said = f"{kept} as they should"
                said += f"; refused: {', '.join(refused)}" if refused else ""
                said += f"; **WRONG**: {', '.join(wrong)}" if wrong else ""
                result = "WRONG" if wrong else "ok"
            counts[result] += 1
            shown = {"ok": "supported", "refused": f"refused: {detail}", "WRONG": "**WRONG**"}
            if result == "WRONG" and not said:
                shown["WRONG"] += f": {detail}"
            print(f"| {kind} | {facts['class']} | {shown[result]} | {worst} | {said} |", flush=True)
    print(f"\n{counts['ok']} supported, {counts['refused']} refused, {counts['WRONG']} wrong")
    return counts["WRONG"] > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("types", nargs="*")
    parser.add_argument("--rondo", default="rondo", help="the program to test")
    arguments = parser.parse_args()
    if arguments.what == "make":
        make(arguments.folder, arguments.types)
        return 0
    return compare(arguments.folder, arguments.rondo, arguments.types)


if __name__ == "__main__":
    sys.exit(main())
