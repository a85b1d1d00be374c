#!/usr/bin/env python3
"""Writes this folder's checkpoint: random weights in the form of SmolVLM, whose pictures become up to
3 x 3 tiles and a whole one of 4 rows each, with a tokenizer of bytes and a chat template. Nothing but
Python is needed; the files are the same on every run.

    python3 tests/data/seeing/recipe.py tests/data/seeing
"""
import json
import pathlib
import random
import struct
import sys

HIDDEN, MLP, PATCH, SIDE, MERGE = 32, 48, 8, 4, 2  # of the tower
TEXT, TEXT_MLP, KEYS = 64, 96, 32
SPECIAL = ["<|bos|>", "<|eos|>", "<|pad|>", "<fake_token_around_image>", "<image>", "<global-img>",
           "<end_of_utterance>"]
SPECIAL += [f"<row_{row}_col_{column}>" for row in (1, 2, 3) for column in (1, 2, 3)]
VOCAB = 256 + len(SPECIAL)


def shapes():
    tower = "model.vision_model."
    yield "model.connector.modality_projection.proj.weight", [TEXT, HIDDEN * MERGE * MERGE]
    yield tower + "embeddings.patch_embedding.weight", [HIDDEN, 3, PATCH, PATCH]
    yield tower + "embeddings.patch_embedding.bias", [HIDDEN]
    yield tower + "embeddings.position_embedding.weight", [SIDE * SIDE, HIDDEN]
    yield tower + "post_layernorm.weight", [HIDDEN]
    yield tower + "post_layernorm.bias", [HIDDEN]
    for i in range(2):
        layer = f"{tower}encoder.layers.{i}."
        for norm in ("layer_norm1", "layer_norm2"):
            yield layer + norm + ".weight", [HIDDEN]
            yield layer + norm + ".bias", [HIDDEN]
        for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
            yield layer + f"self_attn.{part}.weight", [HIDDEN, HIDDEN]
            yield layer + f"self_attn.{part}.bias", [HIDDEN]
        yield layer + "mlp.fc1.weight", [MLP, HIDDEN]
        yield layer + "mlp.fc1.bias", [MLP]
        yield layer + "mlp.fc2.weight", [HIDDEN, MLP]
        yield layer + "mlp.fc2.bias", [HIDDEN]
    text = "model.text_model."
    yield text + "embed_tokens.weight", [VOCAB, TEXT]
    yield text + "norm.weight", [TEXT]
    for i in range(3):
        layer = f"{text}layers.{i}."
        yield layer + "input_layernorm.weight", [TEXT]
        yield layer + "post_attention_layernorm.weight", [TEXT]
        for part, rows in (("q_proj", TEXT), ("k_proj", KEYS), ("v_proj", KEYS), ("o_proj", TEXT)):
            yield layer + f"self_attn.{part}.weight", [rows, TEXT]
        yield layer + "mlp.gate_proj.weight", [TEXT_MLP, TEXT]
        yield layer + "mlp.up_proj.weight", [TEXT_MLP, TEXT]
        yield layer + "mlp.down_proj.weight", [TEXT, TEXT_MLP]


def bfloat16(value):
    return struct.pack("<f", value)[2:]


def write_weights(path):
    header, data = {}, bytearray()
    rng = random.Random(7)
    for name, shape in shapes():
        size = 1
        for n in shape:
            size *= n
        is_norm = "norm" in name and name.endswith(".weight")
        deviation = 0.1 if is_norm else shape[-1] ** -0.5  # activations keep about their size
        begin = len(data)
        for _ in range(size):
            data += bfloat16((1.0 if is_norm else 0.0) + rng.gauss(0, deviation))
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def byte_letters():
    """The letter that stands for each byte, as GPT-2's vocabulary has them."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [b for b in range(256) if b not in shown]
    letters = {b: chr(b) for b in shown}
    letters.update({b: chr(256 + i) for i, b in enumerate(hidden)})
    return [letters[b] for b in range(256)]


def tokenizer():
    added = [{"id": 256 + i, "content": text, "single_word": False, "lstrip": False,
              "rstrip": False, "normalized": False, "special": True}
             for i, text in enumerate(SPECIAL)]
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
            "normalizer": None,
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
                              "use_regex": True},
            "post_processor": None,
            "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True,
                        "use_regex": True},
            "model": {"type": "BPE", "dropout": None, "unk_token": None,
                      "continuing_subword_prefix": None, "end_of_word_suffix": None,
                      "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                      "vocab": {letter: i for i, letter in enumerate(byte_letters())},
                      "merges": []}}


CONFIG = {
    "architectures": ["SmolVLMForConditionalGeneration"], "model_type": "smolvlm",
    "scale_factor": MERGE, "tie_word_embeddings": True, "image_token_id": 260,
    "text_config": {
        "model_type": "llama", "hidden_size": TEXT, "intermediate_size": TEXT_MLP,
        "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
        "max_position_embeddings": 512, "bos_token_id": 256, "eos_token_id": 257,
        "rms_norm_eps": 1e-05, "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"},
        "vocab_size": VOCAB},
    "vision_config": {
        "model_type": "smolvlm_vision", "hidden_size": HIDDEN, "intermediate_size": MLP,
        "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": PATCH * SIDE,
        "patch_size": PATCH}}
PROCESSOR = {"image_processor": {
    "do_image_splitting": True, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5],
    "max_image_size": {"longest_edge": PATCH * SIDE}, "size": {"longest_edge": 3 * PATCH * SIDE},
    "resample": 1}}
TEMPLATE = ("{% for m in messages %}{{ m['role'] | capitalize }}:{% if m['content'] is string %} "
            "{{ m['content'] }}{% else %}{% for part in m['content'] %}"
            "{% if part['type'] == 'image' %}{{ '<image>' }}{% else %} {{ part['text'] }}"
            "{% endif %}{% endfor %}{% endif %}<end_of_utterance>\n{% endfor %}"
            "{% if add_generation_prompt %}Assistant:{% endif %}")


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, content in (("config.json", CONFIG), ("processor_config.json", PROCESSOR)):
        (folder / name).write_text(json.dumps(content, indent=1) + "\n")
    (folder / "tokenizer.json").write_text(
        json.dumps(tokenizer(), ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    write_weights(folder / "model.safetensors")


main()
