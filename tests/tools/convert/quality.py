#!/usr/bin/env python3
"""What quantisation costs families of which no small trained checkpoint exists.

  quality.py train FOLDER --teacher DIR --text FILE [TYPE ...]  where transformers and torch are
  quality.py table FOLDER --rondo BINARY [TYPE ...]             anywhere; prints a Markdown table

Random weights tell little: nothing in them is large where it matters or small where it does not.
`train` makes stand-ins: a small model of each type learns the predictions of a small trained model
(the teacher), in minutes. `table` converts each by several settings and compares their predictions
on the first quarter of the text; students and calibration see the rest alone.
"""
import argparse
import json
import math
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHUNK = 128
BATCH, LEARNED = 4, 256  # chunks
VOCAB, HIDDEN = 512, 64
MEASURED, TAUGHT = "measured.txt", "taught.txt"
CALIBRATION = 20000  # characters

MOE = {"num_experts_per_tok": 2, "moe_intermediate_size": 64}
LATENT = {"kv_lora_rank": 64, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16,
          "num_key_value_heads": 4, "n_routed_experts": 8, "n_shared_experts": 1, **MOE}
MAMBA = {"mamba_n_heads": 8, "mamba_d_head": 16, "mamba_d_state": 32, "mamba_n_groups": 1,
         "mamba_chunk_size": 16}
# What the types have of their own, small; what all have is in `config_of`.
SIZES = {
    "qwen3_5_text": {"head_dim": 32, "linear_key_head_dim": 32, "linear_value_head_dim": 32,
                     "linear_num_key_heads": 2, "linear_num_value_heads": 4},
    "gemma4_text": {"num_hidden_layers": 6, "head_dim": 16, "global_head_dim": 32,
                    "sliding_window": 32, "num_kv_shared_layers": 2,
                    "hidden_size_per_layer_input": 16, "vocab_size_per_layer_input": VOCAB,
                    "final_logit_softcapping": 30.0,
                    "layer_types": [*["sliding_attention"] * 2, "full_attention"] * 2},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"] * 2, "num_dense_layers": 1,
                 "num_experts": 8, **MOE},
    "gpt_oss": {"head_dim": 16, "sliding_window": 32, "num_local_experts": 8,
                "num_experts_per_tok": 2, "intermediate_size": 64,
                "layer_types": ["sliding_attention", "full_attention"] * 2},
    "granitemoehybrid": {"layer_types": ["mamba", "attention"] * 2, "num_local_experts": 8,
                         "num_experts_per_tok": 2, "intermediate_size": 64,
                         "shared_intermediate_size": 64, "attention_multiplier": 0.25, **MAMBA},
    "falcon_h1": {"mamba_d_ssm": 128, **MAMBA},
    "deepseek_v2": {"q_lora_rank": None, "first_k_dense_replace": 1, **LATENT},
}

# ---- train


def config_of(kind, transformers):
    values = {
        "vocab_size": VOCAB, "hidden_size": HIDDEN, "intermediate_size": 160,
        "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2,
        "max_position_embeddings": 512, "tie_word_embeddings": True, "pad_token_id": 0,
        "bos_token_id": 1, "eos_token_id": 2, "initializer_range": 0.1, **SIZES[kind]}
    return transformers.models.auto.configuration_auto.CONFIG_MAPPING[kind](**values)


def chunks_of(tokenizer, text, torch):
    """As `rondo eval --context CHUNK` cuts a text."""
    ids = torch.tensor([1] + tokenizer.encode(text, add_special_tokens=False))
    chunks = ids[:len(ids) // CHUNK * CHUNK].view(-1, CHUNK).clone()
    chunks[:, 0] = 1
    return chunks


def perplexity(model, chunks, torch):
    """As `rondo eval` computes it."""
    total, count = 0.0, 0
    for chunk in chunks.split(BATCH):
        logits = model(chunk).logits[:, CHUNK // 2:-1].double()
        target = chunk[:, CHUNK // 2 + 1:]
        total += torch.nn.functional.cross_entropy(
            logits.reshape(-1, VOCAB), target.reshape(-1), reduction="sum").item()
        count += target.numel()
    return math.exp(total / count)


def teach(model, ids, logits, steps, torch):
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0, betas=(0.9, 0.98), weight_decay=0.01)
    begin = time.monotonic()
    for step in range(steps):
        cooling = math.cos(math.pi / 2 * step / steps) ** 2
        for group in optimizer.param_groups:
            group["lr"] = 4e-3 * min(1, (step + 1) / 20) * (0.02 + 0.98 * cooling)
        rows = torch.randint(len(ids), (BATCH,))
        target = logits[rows].softmax(-1)
        found = model(ids[rows]).logits.float().log_softmax(-1)
        loss = (torch.special.xlogy(target, target) - target * found).sum(-1).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 20 == 19:
            print(f"  step {step + 1}: KL {loss.item():.4f}, {time.monotonic() - begin:.0f} s",
                  flush=True)
    model.eval()


def train(folder, kinds, teacher_folder, text, steps):
    import torch
    import transformers
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = transformers.AutoTokenizer.from_pretrained(teacher_folder)
    teacher = transformers.AutoModelForCausalLM.from_pretrained(teacher_folder).float().eval()
    measured, taught = text[:len(text) // 4], text[len(text) // 4:]
    (folder / MEASURED).write_text(measured)
    (folder / TAUGHT).write_text(taught[:CALIBRATION])
    ids = chunks_of(tokenizer, taught, torch)[:LEARNED]
    with torch.no_grad():
        logits = torch.cat([teacher(part).logits for part in ids.split(16)])
    for kind in kinds:
        torch.manual_seed(2)
        config = config_of(kind, transformers)
        config._attn_implementation = "eager"
        model = transformers.AutoModelForCausalLM.from_config(config).float()
        embedding = model.get_input_embeddings()
        scale = getattr(embedding, "scalar_embed_scale", 1.0)
        with torch.no_grad():  # words that mean something from the first step on
            embedding.weight.copy_(teacher.get_input_embeddings().weight / scale)
        print(kind, sum(p.numel() for p in model.parameters()), "parameters", flush=True)
        teach(model, ids, logits, steps, torch)
        target = folder / kind
        model.save_pretrained(target)
        for part in ("tokenizer.json", "tokenizer_config.json"):
            shutil.copy(teacher_folder / part, target / part)
        with torch.no_grad():
            reached = perplexity(model, chunks_of(tokenizer, measured, torch), torch)
        (target / "reference.json").write_text(json.dumps({"perplexity": reached}))
        print(f"{kind}: perplexity {reached:.4f}", flush=True)


# ---- table

# Columns: weights, with calibration, cache.
SETTINGS = [("f32", False, "int8"), ("q8", False, "f32"), ("q8", False, "int8"),
            ("q4", False, "int8"), ("q4", True, "int8")]


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def title(weights, calibrated, kv):
    return f"{weights}{' calibrated' if calibrated else ''}, {kv}"


def table(folder, kinds, rondo):
    """Perplexity in float, then for each setting KL divergence in thousandths and top-1."""
    print("| model_type | transformers | f32, f32 | "
          + " | ".join(title(*setting) for setting in SETTINGS) + " |")
    print("|---" * (len(SETTINGS) + 3) + "|")
    with tempfile.TemporaryDirectory() as temporary:
        original, model = Path(temporary) / "f32.rondo", Path(temporary) / "model.rondo"
        for kind in kinds:
            source = folder / kind
            cells = [f"{json.loads((source / 'reference.json').read_text())['perplexity']:.3f}"]
            run([rondo, "convert", source, "-o", original, "--weights", "f32"])
            for weights, calibrated, kv in SETTINGS:
                calibration = ["--calibrate", folder / TAUGHT] if calibrated else []
                run([rondo, "convert", source, "-o", model, "--weights", weights, *calibration])
                found = json.loads(run([rondo, "eval", model, "--text", folder / MEASURED,
                                        "--context", CHUNK, "--threads", 1, "--kv", kv,
                                        "--against", original, "--json"]))
                if len(cells) == 1:
                    cells.append(f"{found['against']['perplexity']:.3f}")
                cells.append(f"{1000 * found['kl']:.2f} {100 * found['top1']:.1f}")
            print(f"| {kind} | {' | '.join(cells)} |", flush=True)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["train", "table"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("types", nargs="*")
    parser.add_argument("--teacher", type=Path, help="a Hugging Face folder")
    parser.add_argument("--text", type=Path, help="what is learned and measured")
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--rondo", default="rondo", help="the program to measure")
    arguments = parser.parse_intermixed_args()
    kinds = arguments.types or list(SIZES)
    if arguments.what == "train":
        if not arguments.teacher or not arguments.text:
            parser.error("train needs --teacher and --text")
        train(arguments.folder, kinds, arguments.teacher, arguments.text.read_text(),
              arguments.steps)
        return 0
    return table(arguments.folder, kinds, arguments.rondo)


if __name__ == "__main__":
    sys.exit(main())
