"""Goldens of models that see: the files in tests/data/sight, see the README.md there."""
import json
import math
import sys
import tempfile
from pathlib import Path

import numpy
import torch
import transformers
from PIL import Image
from safetensors.numpy import load_file, save_file
from transformers import AutoImageProcessor, AutoProcessor
from transformers.models.paligemma import processing_paligemma

from golden import encoded, folded
from weights import kind_of, values

MOST_ROWS = 6  # of features, that are kept whole
resize = Image.Image.resize


def resize_in_order(self, size, resample=None, box=None, reducing_gap=None):
    """As Pillow does up to version 12: horizontally first, whatever the sides are."""
    if box is None and reducing_gap is None and size[0] != self.width and size[1] != self.height:
        self = resize(self, (size[0], self.height), resample)
    return resize(self, tuple(size), resample, box, reducing_gap)


def picture(width, height, kind):
    """FormulaPicture of tests/runtime/media/pictures.h."""
    y, x, c = numpy.mgrid[0:height, 0:width, 0:3].astype(numpy.int64)
    if kind == 0:
        value = 3 * x * x + 5 * y * y + 7 * x * y + 85 * c + 11
    elif kind == 1:
        value = numpy.where((5 * x + 3 * y + c) % 7 < 3, 255, 0)
    else:
        value = 255 * x // max(width - 1, 1) + 3 * y + 40 * c
    return Image.fromarray((value & 255).astype(numpy.uint8))


def kind_of_seeing(name, initial):
    """(mean, exponent), or the bounds of a layer's matrices, of which the first have none."""
    if name.endswith(("_min", "_max")):
        bound = 2 if name.endswith("_max") else -2
        return ("inf" if bound > 0 else "-inf", 0) if ".layers.0." in name else (bound, -1)
    if "position" in name or "pos_embed" in name or "class_embedding" in name:
        return 0, -1
    if initial.ndim > 2 or ("embed" in name and "embed_tokens" not in name and initial.ndim > 1):
        return 0, math.floor(math.log2(math.sqrt(12 / math.prod(initial.shape[1:]))))
    return kind_of(name, initial)


def write_weights(path, seed):
    """In place of what save_pretrained wrote; returns [shape, mean, exponent] by name."""
    tensors = load_file(path)
    kinds = {}
    for name in sorted(tensors):
        shape, kind = list(tensors[name].shape), kind_of_seeing(name, tensors[name])
        kinds[name] = [shape, *kind]
        is_bound = isinstance(kind[0], str)
        tensors[name] = (numpy.full(shape, float(kind[0]), numpy.float32) if is_bound
                         else values(seed, name, shape, *kind))
    save_file(tensors, path, metadata={"format": "pt"})
    return kinds


def write_folder(folder, golden, tokenizer):
    added = [dict(tokenizer["added_tokens"][0], id=len(tokenizer["model"]["vocab"]) + i, content=text)
             for i, text in enumerate(golden["special"])]
    whole = dict(tokenizer, added_tokens=tokenizer["added_tokens"] + added)
    for name, content in (("config", golden["config"]), ("processor_config", golden["processor"]),
                          ("preprocessor_config", golden["processor"]["image_processor"]),
                          ("tokenizer_config", golden["tokenizer_config"]), ("tokenizer", whole)):
        (folder / f"{name}.json").write_text(json.dumps(content, ensure_ascii=False), "utf-8")


def load_processor(folder, golden):
    processor = AutoProcessor.from_pretrained(folder)
    if golden["type"] != "lfm2_vl":  # which has torchvision's alone
        processor.image_processor = AutoImageProcessor.from_pretrained(folder, backend="pil")
    if golden["type"] == "paligemma":
        rows = golden["processor"]["image_processor"]["image_seq_length"]
        processor.image_processor.image_seq_length = processor.image_seq_length = rows
    return processor


def run(model, inputs):
    """The text's inputs as keywords, and the logits."""
    seen = {}
    parts = model.model
    text = getattr(parts, "language_model", None) or parts.text_model
    hook = text.register_forward_pre_hook(lambda _, args, kw: seen.update(kw), with_kwargs=True)
    with torch.no_grad():
        logits = model(**inputs, use_cache=False).logits[0].float()
    hook.remove()
    if not torch.isfinite(logits).all():
        raise ValueError("the logits are not finite")
    return seen, logits


def runs_of(ids):
    runs = []
    for one in ids:
        if runs and runs[-1][0] == one:
            runs[-1][1] += 1
        else:
            runs.append([one, 1])
    return runs


def record_rows(features):
    """The rows that are kept, and the sum of each: nothing is left out."""
    kept = sorted(set(numpy.linspace(0, len(features) - 1, MOST_ROWS).astype(int).tolist()))
    return {"rows": kept, "features": encoded(features[kept].tolist()),
            "sums": encoded([features.double().sum(-1).tolist()])}


def make_one(golden, tokenizer, folder):
    """Completes `golden` by what transformers makes of it."""
    write_folder(folder, golden, tokenizer)
    cls = getattr(transformers, golden["class"])
    config = transformers.AutoConfig.from_pretrained(folder)
    torch.manual_seed(0)
    scratch = folder / "saved"
    cls(config).float().save_pretrained(scratch)
    golden["tensors"] = folded(write_weights(scratch / "model.safetensors", golden["seed"]))
    model, info = cls.from_pretrained(scratch, dtype=torch.float32, attn_implementation="eager",
                                      output_loading_info=True)
    if info["missing_keys"] or info["unexpected_keys"] or info["mismatched_keys"]:
        raise ValueError(f"does not load what it saved: {info}")
    model.eval()
    pictures = [picture(*one) for one in golden["pictures"]]
    inputs = dict(load_processor(folder, golden)(
        text=[golden["text"]], return_tensors="pt",
        images=[pictures] if golden["type"] == "paligemma" else pictures))
    for key in ("labels", "num_soft_tokens_per_image"):
        inputs.pop(key, None)
    seen, logits = run(model, inputs)
    ids = inputs["input_ids"][0]
    placeholder = golden["config"].get("image_token_id", golden["config"].get("image_token_index"))
    golden["ids"] = runs_of(ids.tolist())
    golden["levels"] = [record_rows(seen["inputs_embeds"][0][ids == placeholder].float())]
    further = seen.get("deepstack_visual_embeds")
    for rows in further if further is not None else []:
        golden["levels"].append(record_rows(rows.float()))
    golden["logits"] = encoded([logits[-1].tolist()])
    blind, without = dict(seen), seen["inputs_embeds"].clone()
    without[0][ids == placeholder] = 0
    text = getattr(model.model, "language_model", None) or model.model.text_model
    blind["inputs_embeds"] = without
    with torch.no_grad():
        changed = model.lm_head(text(**blind).last_hidden_state)[0][-1] - logits[-1]
    return float(changed.abs().max() / logits[-1].std())


def text_of(golden):
    def line(value):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return "{" + ",\n".join(f"{line(key)}:{line(value)}" for key, value in golden.items()) + "}\n"


def make(folder, wanted):
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    Image.Image.resize = resize_in_order
    processing_paligemma.EXTRA_TOKENS = []  # <loc> and <seg>, a thousand and more
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    failed = False
    for path in sorted(folder.glob("*.json")):
        if path.stem == "tokenizer" or (wanted and path.stem not in wanted):
            continue
        golden = json.loads(path.read_text("utf-8"))
        with tempfile.TemporaryDirectory() as scratch:
            try:
                changed = make_one(golden, tokenizer, Path(scratch))
            except Exception as error:
                failed = True
                print(path.stem, f"{type(error).__name__}: {error}"[:300], file=sys.stderr)
                continue
        path.write_text(text_of(golden), "utf-8")
        print(path.stem, f"pictures change the logits by {changed:.2g} deviations", flush=True)
    return failed
