"""Tiny checkpoints of each type, as save_pretrained writes them, and their logits."""
import json
import sys

import numpy
import torch
import transformers
from safetensors.numpy import load_file, save_file
from transformers.models.auto import configuration_auto, modeling_auto

from golden import POSITIONS, TOKENS, encoded, folded, patch_of, patched, text_of
from tiny_config import (SPECIAL_TOKENS, VOCAB, WHOLE, WITHOUT_TOWERS, shrink, variants)
from weights import kind_of, stream, values

SEED = 1
MOST_PARAMETERS = 8000000


def leave_out_towers(cls):
    module = sys.modules[cls.__module__]
    whole = module.AutoModel

    class TextOnly:
        @staticmethod
        def from_config(config):
            if config.model_type.endswith("_text"):
                return whole.from_config(config)
            return torch.nn.Linear(2, 2)

    module.AutoModel = TextOnly


def without_nulls(value):
    if isinstance(value, dict):
        return {key: without_nulls(one) for key, one in value.items() if one is not None}
    return value


def write_weights(path):
    """In place of what save_pretrained wrote; returns [shape, mean, exponent] by name."""
    tensors = load_file(path)
    kinds = {}
    for name in sorted(tensors):
        tensor = tensors[name]
        if tensor.dtype != numpy.float32:
            continue  # counters of towers
        kinds[name] = [list(tensor.shape), *kind_of(name, tensor)]
        tensors[name] = values(SEED, name, *kinds[name])
    save_file(tensors, path, metadata={"format": "pt"})
    return kinds


def inputs_of(cls, ids):
    """What a text is given as. PaliGemma's processor says of a prompt that it sees itself whole."""
    inputs = {"input_ids": ids, "use_cache": False}
    if cls.__name__ == "PaliGemmaForConditionalGeneration":
        inputs["token_type_ids"] = torch.zeros_like(ids)
    return inputs


def make_one(target, cls, config, attention):
    """Writes a checkpoint; returns its config, tensors and all rows of logits."""
    torch.manual_seed(0)
    with torch.device("meta"):
        size = sum(p.numel() for p in cls(config).parameters())
    if size > MOST_PARAMETERS:
        raise ValueError(f"{size} parameters: the rules for sizes do not know this config")
    cls(config).float().save_pretrained(target)
    kinds = write_weights(target / "model.safetensors")
    model, info = cls.from_pretrained(target, dtype=torch.float32, attn_implementation=attention,
                                      output_loading_info=True)
    if info["missing_keys"] or info["unexpected_keys"] or info["mismatched_keys"]:
        raise ValueError(f"does not load what it saved: {info}")
    model.eval()
    ids = SPECIAL_TOKENS + torch.from_numpy(stream(SEED, "ids", TOKENS)) % (VOCAB - SPECIAL_TOKENS)
    ids = ids[None]
    with torch.no_grad():
        logits = model(**inputs_of(cls, ids)).logits[0].float()
        rope = getattr(model.config, "rope_parameters", None) or {}
        if rope.get("rope_type") == "longrope":
            # Rows of a text that is still short turn by the short factors.
            short = rope["original_max_position_embeddings"]
            logits[:short] = model(input_ids=ids[:, :short], use_cache=False).logits[0].float()
    if not torch.isfinite(logits).all():
        raise ValueError("the logits are not finite")
    saved = json.loads((target / "config.json").read_text())
    saved.pop("transformers_version", None)
    (target / "config.json").write_text(json.dumps(saved))
    (target / "ids.json").write_text(json.dumps(ids[0].tolist()))
    return saved, kinds, logits


def rows_of(logits):
    return encoded(logits[list(POSITIONS)].tolist())


def variant_of(base, made, label):
    """What is different from the base."""
    config, kinds, logits = made
    one = {"label": label, "config": patch_of(base[0], config)}
    if without_nulls(patched(base[0], one["config"])) != without_nulls(config):
        raise ValueError(f"{label}: the patch does not make the config")
    tensors = folded({name: kind for name, kind in kinds.items() if base[1].get(name) != kind})
    tensors.update(folded({name: None for name in base[1] if name not in kinds}))
    if tensors:
        one["tensors"] = tensors
    if logits.shape != base[2].shape or not torch.equal(logits, base[2]):
        one["logits"] = rows_of(logits)
    return one


def make_type(target, kind, class_name):
    """The golden of a type, its checkpoints in folders of `target`."""
    cls = getattr(transformers, class_name)
    config_class = configuration_auto.CONFIG_MAPPING[kind.removesuffix(WHOLE)]
    if getattr(config_class, "sub_configs", {}).get("text_config") is cls.config_class:
        config_class = cls.config_class  # of a model with more than text
    if kind in WITHOUT_TOWERS:
        leave_out_towers(cls)
    # Falcon's eager attention adds ALiBi twice.
    attention = "sdpa" if kind == "falcon" else "eager"
    values_of_base = shrink(config_class())
    if "is_decoder" in config_class().to_dict():
        values_of_base["is_decoder"] = True

    def build(keywords):
        config = config_class(**keywords)
        config._attn_implementation = attention
        return config

    base = make_one(target / "base", cls, build(values_of_base), attention)
    golden = {"type": kind, "class": class_name, "seed": SEED, "config": base[0],
              "tensors": folded(base[1]), "logits": rows_of(base[2]), "variants": []}
    for label, key, value, inner in variants(cls(build(values_of_base)).config):
        keywords = dict(values_of_base)
        if inner:
            keywords["text_config"] = {**keywords.get("text_config", {}), key: value}
        else:
            keywords[key] = value
        folder = target / f"v{len(golden['variants'])}"
        try:
            made = make_one(folder, cls, build(keywords), attention)
        except Exception as error:  # the model cannot be that
            with (target / "impossible.txt").open("a") as out:
                out.write(f"{label}: {type(error).__name__}: {error}\n")
            continue
        golden["variants"].append(variant_of(base, made, label))
    return golden


def make(folder, wanted):
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    names = dict(modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)
    for kind, name in modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES.items():
        if names.get(kind) != name:
            names[kind + WHOLE if kind in names else kind] = name
    for kind in wanted or names:
        target = folder / kind
        if (target / "golden.json").exists() and not wanted:
            continue
        target.mkdir(parents=True, exist_ok=True)
        try:
            golden = make_type(target, kind, names[kind])
            said = f"and {len(golden['variants'])} variants"
        except Exception as error:
            said = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            golden = {"type": kind, "class": names[kind], "error": said, "variants": []}
        (target / "golden.json").write_text(text_of(golden))
        print(kind, said, flush=True)
