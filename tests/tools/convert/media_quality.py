#!/usr/bin/env python3
"""What fewer bits for what sees cost: how far the text's predictions behind pictures move.

    media_quality.py BINARY FOLDER...    prints a Markdown table: mean, largest divergence, and
                                         the share with the same most likely token, in percent

FOLDER is a checkpoint with cases.json (the shared data's media/FAMILY/a) or answers.json
(tests/data/reading). The cache is in float, and so is all else that a column does not name. Rows
are those that saw a picture: the divergence is from float's predictions, in thousandths.
"""
import argparse
import array
import json
import math
import subprocess
import tempfile
from pathlib import Path

# Of the text, and of what sees for it.
EXACT, OTHERS = ("f32", "f32"), {"tower in q8": ("f32", "q8"), "tower in q4": ("f32", "q4"),
                                 "text in q8": ("q8", "f32")}


def cases_of(folder):
    """Prompts and their pictures."""
    if (folder / "answers.json").exists():
        for answer in json.loads((folder / "answers.json").read_text()):
            yield (f"User:<image> {answer['asked']}<end_of_utterance>\nAssistant:",
                   [folder / answer["picture"]])
        return
    pictures = folder.parent.parent / "pictures"
    for case in json.loads((folder / "cases.json").read_text())["cases"]:
        if not case.get("pictures") or case.get("sounds"):
            continue
        # Gemma 3's processor writes what the converter writes into the chat template.
        prompt = case["prompt"].replace(
            "<start_of_image>",
            "\n\n<start_of_image><image_soft_token><end_of_image>\n\n")
        yield prompt, [pictures / f"{name}.png" for name in case["pictures"]]


def logits_of(rondo, model, prompt, pictures, path):
    """Of each token of the text."""
    command = [rondo, "logits", model, "--prompt", prompt, "--kv", "f32", "--threads", "1", "-o",
               path]
    for picture in pictures:
        command += ["--image", picture]
    subprocess.run(command, check=True, capture_output=True)
    data = path.read_bytes()
    header = data[10:128].decode("latin-1")
    vocab = int(header.split("(")[1].split(")")[0].split(",")[1])
    values = array.array("f", data[128:])
    return [values[i:i + vocab] for i in range(0, len(values), vocab)]


def log_probabilities(row):
    most = max(row)
    total = math.log(sum(math.exp(value - most) for value in row))
    return [value - most - total for value in row]


def divergence(exact, other):
    exact, other = log_probabilities(exact), log_probabilities(other)
    return sum(math.exp(p) * (p - q) for p, q in zip(exact, other))


def best(row):
    return max(range(len(row)), key=row.__getitem__)


def convert(rondo, folder, formats, path):
    subprocess.run([rondo, "convert", folder, "-o", path, "--weights", formats[0],
                    "--media-weights", formats[1]], check=True, capture_output=True)
    return path


def measure(rondo, folder, work):
    exact_model = convert(rondo, folder, EXACT, work / "exact.rondo")
    models = {name: convert(rondo, folder, formats, work / f"{name}.rondo")
              for name, formats in OTHERS.items()}
    found = {name: [] for name in OTHERS}
    for prompt, pictures in cases_of(folder):
        exact = logits_of(rondo, exact_model, prompt, pictures, work / "logits.npy")
        others = {name: logits_of(rondo, model, prompt, pictures, work / "logits.npy")
                  for name, model in models.items()}
        for at, row in enumerate(exact):
            # What stands before all pictures has the same bits whatever the tower.
            if row == others["tower in q8"][at]:
                continue
            for name, rows in others.items():
                found[name].append((divergence(row, rows[at]), best(row) == best(rows[at])))
    cells = []
    for rows in found.values():
        divergences = [kl * 1000 for kl, _ in rows]
        cells.append(f"{sum(divergences) / len(rows):.2f}, {max(divergences):.1f}, "
                     f"{100 * sum(same for _, same in rows) / len(rows):.0f}")
    return len(rows), cells


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rondo")
    parser.add_argument("folders", nargs="+", type=Path)
    arguments = parser.parse_args()
    print("| | rows | " + " | ".join(OTHERS) + " |\n|---|---|" + "---|" * len(OTHERS))
    for folder in arguments.folders:
        name = folder.parent.name if folder.name == "a" else folder.name
        with tempfile.TemporaryDirectory() as work:
            rows, cells = measure(arguments.rondo, folder, Path(work))
        print(f"| {name} | {rows} | " + " | ".join(cells) + " |", flush=True)


main()
