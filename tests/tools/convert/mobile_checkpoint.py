#!/usr/bin/env python3
"""Writes a checkpoint of random weights in the layout of Gemma 4's QAT mobile files: compressed-
tensors, symmetric integers of 2, 4 and 8 bits with a scale for each row, and static scales of
activations beside them. To measure with what cannot be downloaded here:

    python3 tests/tools/convert/mobile_checkpoint.py FOLDER [SHAPE.json]

SHAPE.json: a config.json of gemma4_text; without it Gemma 4 E2B's (2.6 GB are written).
"""
import array
import json
import os
import random
import struct
import sys

E2B = {
    "hidden_size": 1536, "intermediate_size": 6144, "num_hidden_layers": 35,
    "num_attention_heads": 8, "num_key_value_heads": 1, "head_dim": 256, "global_head_dim": 512,
    "sliding_window": 512, "num_kv_shared_layers": 20, "use_double_wide_mlp": True,
    "final_logit_softcapping": 30, "hidden_size_per_layer_input": 256,
    "vocab_size_per_layer_input": 262144, "vocab_size": 262144, "max_position_embeddings": 131072,
    "tie_word_embeddings": True,
    "layer_types": ["full_attention" if i % 5 == 4 else "sliding_attention" for i in range(35)]}
DEVIATION = {2: 1.118, 4: 4.61, 8: 73.9}  # of all integers of so many bits
RANDOM = random.Random(1).randbytes(1 << 24)


class Writer:
    def __init__(self, folder):
        self.header, self.size = {}, 0
        self.path = os.path.join(folder, "model.safetensors")
        self.data = open(self.path + ".data", "wb")

    def add(self, name, dtype, shape, pieces):
        begin = self.size
        for piece in pieces:
            self.data.write(piece)
            self.size += len(piece)
        self.header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, self.size]}

    def ones(self, name, size):
        self.add(name, "F32", [size], [array.array("f", [1]).tobytes() * size])

    def matrix(self, module, rows, cols, bits):
        left = rows * (-(-cols * bits // 32)) * 4
        pieces = [RANDOM] * (left // len(RANDOM)) + [RANDOM[:left % len(RANDOM)]]
        self.add(module + ".weight_packed", "I32", [rows, -(-cols * bits // 32)], pieces)
        scale = struct.pack("<f", 1 / (DEVIATION[bits] * cols ** 0.5))
        self.add(module + ".weight_scale", "F32", [rows, 1], [scale * rows])
        self.add(module + ".weight_shape", "I64", [2], [struct.pack("<qq", rows, cols)])
        self.add(module + ".input_scale", "F32", [1], [struct.pack("<f", 0.05)])

    def close(self):
        self.data.close()
        header = json.dumps(self.header).encode()
        with open(self.path, "wb") as out, open(self.path + ".data", "rb") as data:
            out.write(struct.pack("<Q", len(header)) + header)
            while piece := data.read(1 << 24):
                out.write(piece)
        os.remove(self.path + ".data")


def main(folder, shape=None):
    c = json.load(open(shape)) if shape else dict(E2B)
    os.makedirs(folder, exist_ok=True)
    w = Writer(folder)
    hidden, per_layer, layers = (c["hidden_size"], c["hidden_size_per_layer_input"],
                                 c["num_hidden_layers"])
    own = layers - c["num_kv_shared_layers"]
    w.matrix("model.embed_tokens", c["vocab_size"], hidden, 2)
    w.matrix("model.embed_tokens_per_layer", c["vocab_size_per_layer_input"], per_layer * layers, 4)
    w.matrix("model.per_layer_model_projection", per_layer * layers, hidden, 8)
    w.ones("model.per_layer_projection_norm.weight", per_layer)
    w.ones("model.norm.weight", hidden)
    for i, kind in enumerate(c["layer_types"]):
        layer = f"model.layers.{i}."
        dim = c["global_head_dim"] if kind == "full_attention" else c["head_dim"]
        heads, kv_heads = c["num_attention_heads"], c["num_key_value_heads"]
        attention = layer + "self_attn."
        w.matrix(attention + "q_proj", heads * dim, hidden, 4)
        w.matrix(attention + "o_proj", hidden, heads * dim, 4)
        w.ones(attention + "q_norm.weight", dim)
        if i < own:
            w.matrix(attention + "k_proj", kv_heads * dim, hidden, 4)
            w.matrix(attention + "v_proj", kv_heads * dim, hidden, 4)
            w.ones(attention + "k_norm.weight", dim)
            w.add(attention + "k_scale", "F32", [1], [struct.pack("<f", 0.1)])
            w.add(attention + "v_scale", "F32", [1], [struct.pack("<f", 0.1)])
        size = c["intermediate_size"] * (2 if c["use_double_wide_mlp"] and i >= own else 1)
        bits = 4 if i < own else 2
        w.matrix(layer + "mlp.gate_proj", size, hidden, bits)
        w.matrix(layer + "mlp.up_proj", size, hidden, bits)
        w.matrix(layer + "mlp.down_proj", hidden, size, bits)
        w.matrix(layer + "per_layer_input_gate", per_layer, hidden, 8)
        w.matrix(layer + "per_layer_projection", hidden, per_layer, 8)
        w.ones(layer + "layer_scalar", 1)
        for norm in ("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm",
                     "post_feedforward_layernorm", "post_per_layer_input_norm"):
            w.ones(layer + norm + ".weight", hidden)
    w.close()
    c.update({"model_type": "gemma4_text", "architectures": ["Gemma4ForCausalLM"],
              "quantization_config": {
                  "quant_method": "compressed-tensors", "format": "pack-quantized",
                  "config_groups": {f"group_{b}": {"weights": {"num_bits": b, "symmetric": True,
                                                               "strategy": "channel"}}
                                    for b in (2, 4, 8)}}})
    json.dump(c, open(os.path.join(folder, "config.json"), "w"), indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
