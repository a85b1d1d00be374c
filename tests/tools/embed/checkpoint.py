"""Tiny random checkpoints in the form of Hugging Face folders."""

import json
import pathlib
import struct

import numpy as np


def write_safetensors(path, tensors):
    header, offset = {}, 0
    for name, tensor in tensors.items():
        size = tensor.size * 4
        header[name] = {
            "dtype": "F32",
            "shape": list(tensor.shape),
            "data_offsets": [offset, offset + size],
        }
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(tensor.astype("<f4").tobytes())


class Weights(dict):
    """Tensors by name; a name that is new gets random values of the shape that is asked for."""

    def __init__(self, seed):
        super().__init__()
        self.random = np.random.default_rng(seed)

    def matrix(self, name, rows, cols, scale=None):
        scale = cols**-0.5 if scale is None else scale
        return self._make(name, lambda: self.random.normal(0, scale, (rows, cols)))

    def vector(self, name, size, mean=0.0, scale=0.1):
        return self._make(name, lambda: self.random.normal(mean, scale, size))

    def _make(self, name, values):
        if name not in self:
            self[name] = values().astype(np.float32)
        return self[name].astype(np.float64)


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2))


POOLING_FLAGS = {
    "mean": "pooling_mode_mean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
    "cls": "pooling_mode_cls_token",
}


def write_modules(folder, pooling, dense=(), normalize=True, prompts=None, prefix="sentence_transformers.models."):
    """modules.json and what it names. `dense`: (weights, activation's class) of each layer."""
    folder = pathlib.Path(folder)
    modules = [("Transformer", "")]
    write_json(
        folder / "1_Pooling/config.json",
        {flag: pooling == mode for mode, flag in POOLING_FLAGS.items()},
    )
    modules.append(("Pooling", "1_Pooling"))
    for weights, bias, activation in dense:
        path = f"{len(modules)}_Dense"
        write_json(
            folder / path / "config.json",
            {
                "in_features": weights.shape[1],
                "out_features": weights.shape[0],
                "bias": bias is not None,
                "activation_function": activation,
            },
        )
        tensors = {"linear.weight": weights}
        if bias is not None:
            tensors["linear.bias"] = bias
        write_safetensors(folder / path / "model.safetensors", tensors)
        modules.append(("Dense", path))
    if normalize:
        modules.append(("Normalize", f"{len(modules)}_Normalize"))
    write_json(
        folder / "modules.json",
        [
            {"idx": i, "name": str(i), "path": path, "type": prefix + kind}
            for i, (kind, path) in enumerate(modules)
        ],
    )
    write_json(folder / "config_sentence_transformers.json", {"prompts": prompts or {}})
