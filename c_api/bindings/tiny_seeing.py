"""The tiny model as one that sees, of SmolVLM's family: FOLDER/seeing.

    tiny_seeing.py TINY FOLDER
"""
import json
import shutil
import struct
import sys
from pathlib import Path

MARKS = ["<image>", "<fake_token_around_image>", "<global-img>",
         *(f"<row_{row}_col_{column}>" for row in (1, 2) for column in (1, 2))]
HIDDEN, MLP, PATCH, TILE, MERGE = 32, 64, 16, 32, 2
TEMPLATE = """{% for message in messages %}{% for part in message['content'] %}\
{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}\
{% endfor %}{% endfor %}"""
PROCESSOR = {"do_resize": True, "resample": 1, "do_rescale": True, "rescale_factor": 1 / 255,
             "do_normalize": True, "image_mean": [0.5] * 3, "image_std": [0.5] * 3,
             "do_image_splitting": True, "size": {"longest_edge": 2 * TILE},
             "max_image_size": {"longest_edge": TILE}}
ONE, ZERO = b"\x80\x3f", b"\0\0"  # in bfloat16


def tower():
    """(name, shape, its one value, or None: any)."""
    def linear(name, rows, columns):
        return [(name + ".weight", [rows, columns], None), (name + ".bias", [rows], ZERO)]

    def norm(name):
        return [(name + ".weight", [HIDDEN], ONE), (name + ".bias", [HIDDEN], ZERO)]

    see, layer = "model.vision_model.", "model.vision_model.encoder.layers.0."
    return [(see + "embeddings.patch_embedding.weight", [HIDDEN, 3, PATCH, PATCH], None),
            (see + "embeddings.patch_embedding.bias", [HIDDEN], ZERO),
            (see + "embeddings.position_embedding.weight", [(TILE // PATCH) ** 2, HIDDEN], None),
            *norm(layer + "layer_norm1"), *norm(layer + "layer_norm2"),
            *(tensor for name in "qkv"
              for tensor in linear(f"{layer}self_attn.{name}_proj", HIDDEN, HIDDEN)),
            *linear(layer + "self_attn.out_proj", HIDDEN, HIDDEN),
            *linear(layer + "mlp.fc1", MLP, HIDDEN), *linear(layer + "mlp.fc2", HIDDEN, MLP),
            *norm(see + "post_layernorm")]


def make_seeing(tiny, folder):
    """What sees has weights of the text's; so have the tokens around a picture."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(tiny, folder)

    def write(name, value):
        (folder / name).write_text(json.dumps(value))

    text = json.loads((tiny / "config.json").read_text())
    first_mark, width = text["vocab_size"], text["hidden_size"]
    text["vocab_size"] += len(MARKS)
    write("config.json", {
        "architectures": ["SmolVLMForConditionalGeneration"], "model_type": "smolvlm",
        "scale_factor": MERGE, "tie_word_embeddings": True, "text_config": text,
        "vision_config": {"model_type": "smolvlm_vision", "hidden_size": HIDDEN,
                          "intermediate_size": MLP, "num_attention_heads": 2,
                          "num_hidden_layers": 1, "patch_size": PATCH, "image_size": TILE}})
    write("preprocessor_config.json", PROCESSOR)
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    tokenizer = json.loads((tiny / "tokenizer.json").read_text())
    tokenizer["added_tokens"] += [
        {"id": first_mark + i, "content": mark, "single_word": False, "lstrip": False,
         "rstrip": False, "normalized": False, "special": True} for i, mark in enumerate(MARKS)]
    write("tokenizer.json", tokenizer)

    file = (tiny / "model.safetensors").read_bytes()
    (size,) = struct.unpack_from("<Q", file)
    header, data = json.loads(file[8:8 + size]), file[8 + size:]
    del header["__metadata__"]
    made, values = {}, bytearray()

    def add(name, shape, content):
        made[name] = {"dtype": "BF16", "shape": shape,
                      "data_offsets": [len(values), len(values) + len(content)]}
        values.extend(content)

    for name, tensor in header.items():
        content, shape = data[slice(*tensor["data_offsets"])], tensor["shape"]
        if name == "model.embed_tokens.weight":
            table = content
            content, shape = table + table[:len(MARKS) * 2 * width], [text["vocab_size"], width]
        add(name.replace("model.", "model.text_model.", 1), shape, content)
    for name, shape, one in [*tower(), ("model.connector.modality_projection.proj.weight",
                                        [width, HIDDEN * MERGE ** 2], None)]:
        n = 2
        for side in shape:
            n *= side
        add(name, shape, table[n:2 * n] if one is None else one * (n // 2))
    text = json.dumps(made).encode()
    text += b" " * (-len(text) % 8)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + values)


if __name__ == "__main__":
    make_seeing(Path(sys.argv[1]), Path(sys.argv[2]) / "seeing")
