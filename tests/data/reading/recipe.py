#!/usr/bin/env python3
"""Trains this folder's model, and asks transformers about pictures that it never saw.

  recipe.py begin FOLDER    writes the checkpoint's texts, and a tower that was trained by itself
  recipe.py train FOLDER    trains all of it, in rounds
  recipe.py ask FOLDER      writes held_out/*, and transformers' answers to answers.json

A model in the form of Idefics 3 and SmolVLM (a SigLIP, a pixel shuffle, a Llama's text) that reads
coloured digits and their places off pictures.
"""
import json
import math
import sys
import time
from pathlib import Path

import numpy as np
import torch
import transformers
from PIL import Image
from safetensors.torch import save_file
from transformers.image_utils import load_image
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

import pictures

EDGE, TILE, PATCH, MERGE = 96, 48, 8, 2
HIDDEN, TOWER_MLP, TEXT_MLP, LAYERS = 64, 192, 160, 3
SPECIAL = ["<|bos|>", "<end_of_utterance>", "<|pad|>", "<fake_token_around_image>", "<image>",
           "<global-img>", "<row_1_col_1>", "<row_1_col_2>", "<row_2_col_1>", "<row_2_col_2>"]
TEMPLATE = ("{% for m in messages %}{{ m['role'] | capitalize }}:{% if m['content'] is string %} "
            "{{ m['content'] }}{% else %}{% for part in m['content'] %}"
            "{% if part['type'] == 'image' %}{{ '<image>' }}{% else %} {{ part['text'] }}"
            "{% endif %}{% endfor %}{% endif %}<end_of_utterance>\n{% endfor %}"
            "{% if add_generation_prompt %}Assistant:{% endif %}")

# ---- the folder


def tokenizer():
    """Bytes, and what occurs in questions and answers."""
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = decoders.ByteLevel()
    rng = np.random.default_rng(1)
    texts = []
    for _ in range(400):
        content = [(int(rng.integers(10)), str(rng.choice(list(pictures.COLOURS))))
                   if rng.random() < 0.5 else None for _ in range(4)]
        if any(content):
            asked, right = pictures.question(rng, content, [0.25] * 4)
            texts.append(f"User: {asked}\nAssistant: {right}\n")
    tok.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=384, special_tokens=[], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tok.add_special_tokens(SPECIAL)
    return tok


def write_folder(folder, tok):
    bos, end, pad, image = (tok.token_to_id(SPECIAL[i]) for i in (0, 1, 2, 4))
    config = {
        "architectures": ["Idefics3ForConditionalGeneration"], "model_type": "idefics3",
        "scale_factor": MERGE, "tie_word_embeddings": True, "image_token_id": image,
        "pad_token_id": pad, "dtype": "bfloat16",
        "text_config": {
            "model_type": "llama", "hidden_size": HIDDEN, "intermediate_size": TEXT_MLP,
            "num_hidden_layers": LAYERS, "num_attention_heads": 4, "num_key_value_heads": 2,
            "max_position_embeddings": 512, "bos_token_id": bos, "eos_token_id": end,
            "pad_token_id": pad, "rms_norm_eps": 1e-05, "tie_word_embeddings": True,
            "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"},
            "vocab_size": tok.get_vocab_size()},
        "vision_config": {
            "model_type": "idefics3_vision", "hidden_size": HIDDEN,
            "intermediate_size": TOWER_MLP, "num_hidden_layers": LAYERS, "num_attention_heads": 2,
            "image_size": TILE, "patch_size": PATCH}}
    processor = {
        "processor_class": "Idefics3Processor", "image_seq_len": (TILE // PATCH // MERGE) ** 2,
        "image_processor": {
            "image_processor_type": "Idefics3ImageProcessor", "do_image_splitting": False,
            "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5],
            "max_image_size": {"longest_edge": TILE}, "size": {"longest_edge": EDGE},
            "resample": 1}}
    of_text = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": SPECIAL[0],
               "eos_token": SPECIAL[1], "pad_token": SPECIAL[2], "model_max_length": 512,
               "clean_up_tokenization_spaces": False}
    for name, content in (("config.json", config), ("processor_config.json", processor),
                          ("generation_config.json", {"eos_token_id": end, "pad_token_id": pad}),
                          ("tokenizer_config.json", of_text)):
        (folder / name).write_text(json.dumps(content, indent=1) + "\n")
    tok.save(str(folder / "tokenizer.json"), pretty=False)
    (folder / "chat_template.jinja").write_text(TEMPLATE)


def write_weights(folder, model):
    tensors = {name: value.detach().to(torch.bfloat16).contiguous()
               for name, value in model.state_dict().items() if name != "lm_head.weight"}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


# ---- training


class Pool:
    """Pictures, as large as the model sees them; new ones take the place of others."""

    def __init__(self, seed, most):
        self.rng, self.most, self.known = np.random.default_rng(seed), most, []

    def add(self, n):
        for _ in range(n):
            image, content = pictures.scene(self.rng)
            if self.rng.random() < 0.7:
                image = pictures.from_jpeg(pictures.as_jpeg(image, int(self.rng.integers(60, 95))))
            scale = EDGE / max(image.size)
            image = image.resize([round(side * scale) for side in image.size], Image.LANCZOS)
            entry = np.asarray(image.resize((TILE, TILE), Image.LANCZOS)), content
            if len(self.known) < self.most:
                self.known.append(entry)
            else:
                self.known[int(self.rng.integers(self.most))] = entry

    def batch(self, n):
        """Pixels and contents."""
        chosen = [self.known[int(i)] for i in self.rng.integers(len(self.known), size=n)]
        pixels = torch.from_numpy(np.stack([pixels for pixels, _ in chosen]))
        return pixels.permute(0, 3, 1, 2) / 127.5 - 1, [content for _, content in chosen]


def row_of(rng, tok, content, questions, shares):
    """Ids of some questions side by side behind one picture, the places and the question (0: the
    picture) of each, and the ids with all but answers -100."""
    seen = "<image>" * (TILE // PATCH // MERGE) ** 2
    ids = tok.encode("User:<fake_token_around_image><global-img>" + seen +
                     "<fake_token_around_image>").ids
    places, blocks, labels = list(range(len(ids))), [0] * len(ids), [-100] * len(ids)
    first = len(ids)
    for block in range(1, questions + 1):
        asked, right = pictures.question(rng, content, shares)
        front = tok.encode(f" {asked}<end_of_utterance>\nAssistant:").ids
        answer = tok.encode(f" {right}<end_of_utterance>").ids
        ids += front + answer
        places += range(first, first + len(front) + len(answer))
        blocks += [block] * (len(front) + len(answer))
        labels += [-100] * len(front) + answer
    return ids, places, blocks, labels


def padded(rows, value):
    longest = max(len(row) for row in rows)
    return torch.tensor([list(row) + [value] * (longest - len(row)) for row in rows])


def random_weights(model):
    """In sizes that keep a small model's activations."""
    for module in model.modules():
        if isinstance(module, (torch.nn.Linear, torch.nn.Conv2d)):
            torch.nn.init.normal_(module.weight, 0, 0.6 * module.weight[0].numel() ** -0.5)
    torch.nn.init.normal_(model.model.text_model.embed_tokens.weight, 0, 0.1)
    torch.nn.init.normal_(model.model.vision_model.embeddings.position_embedding.weight, 0, 0.3)


def patches_of(model, pixels):
    return model.model.vision_model(pixel_values=pixels).last_hidden_state


def entropy(logits, target):
    """And the share of what is right."""
    return torch.nn.functional.cross_entropy(logits, target), \
        (logits.argmax(-1) == target).float().mean()


class Quarters(torch.nn.Module):
    """Tells from the tower's patches which digit in which colour is in each quarter of a picture,
    so that the tower can begin without a text."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.heads = torch.nn.Linear(HIDDEN, 11 + 1 + len(pictures.COLOURS))

    def forward(self, pixels, contents, _):
        half = TILE // PATCH // 2
        patches = patches_of(self.model, pixels).unflatten(1, (2, half, 2, half))
        logits = self.heads(patches.mean((2, 4)).flatten(1, 2)).flatten(0, 1)
        colours = list(pictures.COLOURS)
        digit = torch.tensor([10 if q is None else q[0] for c in contents for q in c])
        colour = torch.tensor([len(colours) if q is None else colours.index(q[1])
                               for c in contents for q in c])
        of_digit, of_colour = entropy(logits[:, :11], digit), entropy(logits[:, 11:], colour)
        return of_digit[0] + of_colour[0], (of_digit[1] + of_colour[1]) / 2


class Answers(torch.nn.Module):
    """Tells the answers to some questions about each picture."""

    def __init__(self, model, tok, questions, shares):
        super().__init__()
        self.model, self.tok, self.questions, self.shares = model, tok, questions, shares

    def forward(self, pixels, contents, rng):
        rows = [row_of(rng, self.tok, content, self.questions, self.shares)
                for content in contents]
        ids, places, blocks, labels = (
            padded(part, value) for part, value in
            zip(zip(*rows), (self.tok.token_to_id("<|pad|>"), 0, -1, -100)))
        inner = self.model.model
        is_image = (ids == self.tok.token_to_id("<image>"))[..., None]
        inputs = inner.text_model.embed_tokens(ids).masked_scatter(
            is_image, inner.connector(patches_of(self.model, pixels)))
        # A question sees the picture and itself.
        sees = (blocks[:, :, None] == blocks[:, None]) | (blocks[:, None] == 0)
        sees &= torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).tril()
        hidden = inner.text_model(inputs_embeds=inputs, position_ids=places, use_cache=False,
                                  attention_mask=sees[:, None]).last_hidden_state
        wanted = labels[:, 1:] != -100
        return entropy(self.model.lm_head(hidden[:, :-1][wanted]), labels[:, 1:][wanted])


def learn(folder, trainee, seed, steps, peak, horizon, batch):
    """`steps` of a cosine over `horizon` from `peak` on."""
    began = time.time()
    pool = Pool(seed, 8000)
    pool.add(1000)
    optimizer = torch.optim.AdamW(trainee.parameters(), lr=0, weight_decay=0.02, betas=(0.9, 0.98))
    for step in range(steps):
        rate = peak * min(1, (step + 1) / 150) * (0.01 + 0.99 * 0.5 *
                                                  (1 + math.cos(math.pi * step / horizon)))
        for group in optimizer.param_groups:
            group["lr"] = rate
        pool.add(5)
        pixels, contents = pool.batch(batch)
        loss, right = trainee(pixels, contents, pool.rng)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trainee.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if step % 50 == 49:
            print(step + 1, "loss", round(loss.item(), 3), "right", round(right.item(), 3),
                  round(time.process_time()), "of", round(time.time() - began), "s", flush=True)
        if step % 100 == 99 or step == steps - 1:
            write_weights(folder, trainee.model)


def begin(folder):
    tok = tokenizer()
    write_folder(folder, tok)
    config = transformers.AutoConfig.from_pretrained(folder)
    config.dtype = torch.float32
    model = transformers.AutoModelForImageTextToText.from_config(config).float()
    quarters = Quarters(model)
    random_weights(model)
    learn(folder, quarters, 7, steps=1250, peak=3e-3, horizon=5000, batch=48)


# Of each round of `train`: questions about a picture and the shares of their kinds (colours and
# places of a digit are hardest), steps, the highest rate.
ROUNDS = ((3, (0.25, 0.25, 0.25, 0.25), 2000, 2e-3), (5, (0.15, 0.3, 0.35, 0.2), 2500, 2e-3),
          (5, (0.25, 0.1, 0.5, 0.15), 1700, 1.5e-3))


def train(folder):
    tok = Tokenizer.from_file(str(folder / "tokenizer.json"))
    for number, (questions, shares, steps, peak) in enumerate(ROUNDS):
        model = transformers.AutoModelForImageTextToText.from_pretrained(folder,
                                                                         dtype=torch.float32)
        learn(folder, Answers(model.train(), tok, questions, shares), 8 + number, steps=steps,
              peak=peak, horizon=steps, batch=32)


# ---- pictures that it never saw


def held_out(folder, count=128, seed=1):
    """Pictures in files as other programs write them, and a question of each kind about each."""
    rng = np.random.default_rng(seed)
    (folder / "held_out").mkdir(exist_ok=True)
    for number in range(count):
        image, content = pictures.scene(rng)
        name = f"held_out/{number:03}.{'png' if number % 32 == 31 else 'jpg'}"
        pictures.save(rng, image, folder / name)
        yield name, pictures.questions(rng, content)


def ask(folder):
    processor = transformers.AutoProcessor.from_pretrained(folder)
    model = transformers.AutoModelForImageTextToText.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager").eval()
    answers, right, least = [], 0, math.inf
    for name, questions in held_out(folder):
        image = load_image(str(folder / name))
        for asked, wanted in questions:
            content = [{"type": "image"}, {"type": "text", "text": asked}]
            prompt = processor.apply_chat_template([{"role": "user", "content": content}],
                                                   add_generation_prompt=True)
            inputs = processor(text=prompt, images=[image], return_tensors="pt")
            made = model.generate(**inputs, do_sample=False, max_new_tokens=12,
                                  output_logits=True, return_dict_in_generate=True)
            for logits in made.logits:
                first, second = logits[0].topk(2).values
                least = min(least, (first - second).item())
            said = processor.decode(made.sequences[0, inputs["input_ids"].shape[1]:],
                                    skip_special_tokens=True).strip()
            right += said == wanted
            answers.append({"picture": name, "asked": asked, "right": wanted, "said": said})
    lines = ",\n".join(json.dumps(answer) for answer in answers)
    (folder / "answers.json").write_text(f"[\n{lines}\n]\n")
    print(f"{right} of {len(answers)} are right; the least margin of a token is {least:.2g}")


def main():
    folder = Path(sys.argv[2])
    torch.manual_seed(7)
    torch.set_num_threads(1)
    {"begin": begin, "train": train, "ask": ask}[sys.argv[1]](folder)


main()
