#!/usr/bin/env python3
"""GGUF files of each architecture that Rondo reads, as llama.cpp has them, with its logits.

  record_gguf.py FOLDER [NAME ...]

Of each case in gguf_cases.py this makes a tiny checkpoint by transformers, has llama.cpp's own
converter make a GGUF file of it, and takes from that the metadata, names and shapes; llama.cpp
refuses a file with a tensor too few, too many or of another shape. Then the tensors get weights by
their names in GGUF, and llama.cpp computes their logits: FOLDER/NAME.json, which belongs into
tests/data/families/gguf. How far llama.cpp's logits of the checkpoint's own weights are from
transformers' is in the file, too. About three minutes.

It runs where Debian sid has them, by root, on a copy of this folder:

  debootstrap --variant=minbase sid SID
  chroot SID apt-get install --no-install-recommends python3-transformers python3-torch \
      python3-safetensors python3-gguf llama.cpp-tools
  cp -r tests/tools/convert/coverage SID/root
  chroot SID env OMP_NUM_THREADS=1 python3 /root/coverage/record_gguf.py /root/gguf
"""
import json
import logging
import subprocess
import sys
import tempfile
from pathlib import Path

import gguf
import numpy
import torch
import transformers
from safetensors.numpy import load_file, save_file
from transformers.models.auto import configuration_auto, modeling_auto

sys.path.insert(0, "/usr/share/llama.cpp/llama.cpp-tools")  # where Debian has the converter
from conversion import ModelBase, ModelType, get_model_architecture, get_model_class

import llama_cpp
from gguf_cases import CASES
from golden import POSITIONS, TOKENS, difference, encoded, folded, patched
from make import SEED, make_one
from tiny_config import SPECIAL_TOKENS, VOCAB, shrink
from weights import kind_of, stream, values

KIND = gguf.GGUFValueType
MOST_APART = 0.1  # by the logits' standard deviation


def tokens():
    return (SPECIAL_TOKENS + stream(SEED, "ids", TOKENS) % (VOCAB - SPECIAL_TOKENS)).tolist()


def rows_by_llama_cpp(path, scratch):
    """Of POSITIONS; in a process of its own, since llama.cpp ends it where it refuses."""
    output = scratch / "logits.npy"
    run = subprocess.run([sys.executable, llama_cpp.__file__, path, output, *map(str, tokens())],
                         capture_output=True, text=True, errors="replace")
    if run.returncode != 0:
        said = [line for line in run.stderr.splitlines()
                if any(word in line for word in ("error", "ASSERT", "Error", "fatal"))]
        raise ValueError(f"llama.cpp: {' | '.join(said) or run.stderr[-200:]}")
    return numpy.load(output)[list(POSITIONS)].tolist()


def checkpoint(folder, case):
    """A tiny one; returns transformers' logits at POSITIONS."""
    named = (modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(case.model_type) or
             modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES[case.model_type])
    cls = getattr(transformers, named)
    config_class = configuration_auto.CONFIG_MAPPING[case.model_type]
    if getattr(config_class, "sub_configs", {}).get("text_config") is cls.config_class:
        config_class = cls.config_class
    config = config_class(**{**shrink(config_class()), **case.values})
    config._attn_implementation = "sdpa" if case.model_type == "falcon" else "eager"
    saved, _, logits = make_one(folder, cls, config, config._attn_implementation)
    (folder / "config.json").write_text(json.dumps(patched(saved, case.hub)))
    # Converters look for tokens that they leave out.
    vocab = {f"t{i}": i for i in range(VOCAB)}
    (folder / "tokenizer.json").write_text(
        json.dumps({"added_tokens": [], "model": {"vocab": vocab}}))
    if case.tensors:
        tensors = load_file(folder / "model.safetensors")
        for name, shape in case.tensors(saved).items():
            tensors.setdefault(name, numpy.ones(shape, dtype=numpy.float32))
        save_file(tensors, folder / "model.safetensors")
    return logits[list(POSITIONS)].tolist()


def add_vocabulary(writer):
    """VOCAB tokens; the C++ test has the same ones."""
    writer.add_tokenizer_model("llama")
    writer.add_token_list(["<unk>", "<s>", "</s>"] + [f"t{i}" for i in range(3, VOCAB)])
    writer.add_token_scores([-1.0] * VOCAB)
    writer.add_token_types([2, 3, 3] + [1] * (VOCAB - 3))
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)


def convert(folder, path):
    """By llama.cpp's converter, float32."""
    hparams = json.loads((folder / "config.json").read_text())
    # What is written there, not what transformers makes of it.
    ModelBase.load_hparams = staticmethod(lambda *_, **__: dict(hparams))
    cls = get_model_class(get_model_architecture(hparams, ModelType.TEXT))
    cls.no_mtp = True  # without what predicts tokens behind the next
    with torch.inference_mode():
        model = cls(folder, gguf.LlamaFileType.ALL_F32, path, eager=True, model_name="golden")
        maker = getattr(model, "impl", model)  # where one class stands for others
        maker.set_vocab = lambda: add_vocabulary(maker.gguf_writer)
        model.write()


def shortest(value):
    return float(str(numpy.float32(value)))


def value_of(field):
    value = field.contents()
    if KIND.FLOAT32 not in field.types:
        return value
    if isinstance(value, list):
        return [shortest(one) for one in value]
    return shortest(value)


def check_type(name, value, types):
    """The C++ test tells the type by the value."""
    one = value[0] if isinstance(value, list) else value
    usual = {bool: KIND.BOOL, str: KIND.STRING, float: KIND.FLOAT32,
             int: KIND.INT32 if isinstance(value, list) else KIND.UINT32}[type(one)]
    if types[-1] != usual:
        raise ValueError(f"{name} is {types[-1]}")


def read(path):
    """(metadata, tensors as [shape, mean, exponent] or [shape, values])."""
    reader = gguf.GGUFReader(path)
    keys = {}
    for name, field in reader.fields.items():
        if name.startswith(("GGUF.", "tokenizer.", "general.")) and name != "general.architecture":
            continue
        keys[name] = value_of(field)
        check_type(name, keys[name], field.types)
    tensors = {}
    for tensor in reader.tensors:
        shape = [int(n) for n in reversed(tensor.shape)]
        data = numpy.array(tensor.data).reshape(shape)
        if tensor.name.startswith("rope_"):
            tensors[tensor.name] = [shape, [float(str(one)) for one in data]]
        elif tensor.name.endswith("ssm_a"):  # -exp of something
            tensors[tensor.name] = [shape, -1, -1]
        else:
            tensors[tensor.name] = [shape, *kind_of(tensor.name.replace("embd", "embed"), data)]
    return keys, tensors


def write(path, keys, tensors):
    writer = gguf.GGUFWriter(path, keys["general.architecture"])
    for name, value in keys.items():
        if name == "general.architecture":
            continue
        if isinstance(value, list):
            writer.add_array(name, value)
        else:
            add = {bool: writer.add_bool, str: writer.add_string, float: writer.add_float32,
                   int: writer.add_uint32}[type(value)]
            add(name, value)
    add_vocabulary(writer)
    for name, (shape, *kind) in tensors.items():
        given = len(kind) == 1
        writer.add_tensor(name, numpy.array(kind[0], dtype=numpy.float32) if given else
                          values(SEED, name, shape, *kind))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def text_of(record):
    lines = [f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'))}"
             for key, value in record.items()]
    return "{" + ",\n".join(lines) + "}\n"


def record(case, scratch):
    expected = checkpoint(scratch / "checkpoint", case)
    convert(scratch / "checkpoint", scratch / "converted.gguf")
    keys, tensors = read(scratch / "converted.gguf")
    apart = difference(expected, rows_by_llama_cpp(scratch / "converted.gguf", scratch))
    write(scratch / "golden.gguf", keys, tensors)
    rows = rows_by_llama_cpp(scratch / "golden.gguf", scratch)
    if not numpy.isfinite(rows).all():
        raise ValueError("the logits are not finite")
    if (apart > MOST_APART) != bool(case.differs):
        raise ValueError(f"llama.cpp differs from transformers by {apart}")
    differs = {"differs": case.differs} if case.differs else {}
    return {"model_type": case.model_type, "llama.cpp": llama_cpp.VERSION, "seed": SEED,
            "keys": keys, "tensors": folded(tensors), "logits": encoded(rows), **differs,
            "apart_from_transformers": float(f"{apart:.0e}")}


def main():
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    failed = False
    for name in sys.argv[2:] or CASES:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                made = record(CASES[name], Path(scratch))
            except Exception as error:
                print(name, f"FAILED: {type(error).__name__}: {error}"[:600], flush=True)
                failed = True
                continue
            (folder / f"{name}.json").write_text(text_of(made))
            print(name, made["apart_from_transformers"], flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
