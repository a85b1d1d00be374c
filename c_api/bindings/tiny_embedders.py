"""The tiny model as one that makes vectors and as one that scores pairs: FOLDER/embedder, FOLDER/scorer.

    tiny_embedders.py TINY FOLDER
"""
import json
import shutil
import struct
import sys
from pathlib import Path

ONE = b"\x80\x3f"  # in bfloat16
TOKEN = 100


def copy(tiny, folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(tiny, folder)


def write(folder, name, value):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value))


def make_embedder(tiny, folder):
    """With what sentence-transformers writes beside a model."""
    copy(tiny, folder)
    write(folder, "modules.json", [{"path": path, "type": f"a.{kind}"} for path, kind in [
        ("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]])
    write(folder, "1_Pooling/config.json", {"pooling_mode_mean_tokens": True})
    write(folder, "sentence_bert_config.json", {"max_seq_length": 100})
    write(folder, "config_sentence_transformers.json", {
        "prompts": {"query": "Query: ", "document": ""}, "default_prompt_name": "query"})


def make_scorer(tiny, folder):
    """A class of Qwen3, whose attention has norms of queries and keys, here of ones, and whose score is
    one row of numbers, here those of a token."""
    copy(tiny, folder)
    config = json.loads((tiny / "config.json").read_text())
    config.update(architectures=["Qwen3ForSequenceClassification"], model_type="qwen3",
                  id2label={"0": "score"})
    write(folder, "config.json", config)

    file = (tiny / "model.safetensors").read_bytes()
    (size,) = struct.unpack_from("<Q", file)
    header, data = json.loads(file[8:8 + size]), bytearray(file[8 + size:])

    def add(name, shape, values):
        header[name] = {"dtype": "BF16", "shape": shape,
                        "data_offsets": [len(data), len(data) + len(values)]}
        data.extend(values)

    for layer in range(config["num_hidden_layers"]):
        for norm in ("q_norm", "k_norm"):
            add(f"model.layers.{layer}.self_attn.{norm}.weight", [config["head_dim"]],
                ONE * config["head_dim"])
    row = 2 * config["hidden_size"]
    begin = header["model.embed_tokens.weight"]["data_offsets"][0] + TOKEN * row
    add("score.weight", [1, config["hidden_size"]], data[begin:begin + row])
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


if __name__ == "__main__":
    make_embedder(Path(sys.argv[1]), Path(sys.argv[2]) / "embedder")
    make_scorer(Path(sys.argv[1]), Path(sys.argv[2]) / "scorer")
