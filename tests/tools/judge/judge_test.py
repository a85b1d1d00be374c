"""Holds `rondo` to what other programs made of the same checkpoint.

    python3 tests/tools/judge/judge_test.py build/release/rondo FOLDER

with the Python binding in PYTHONPATH and RONDO_LIBRARY for the kind "sampling".

The folder's name begins with its kind; it has inputs.json, expected.npz and the checkpoint, or a
base and an adapter. Its README names the program that judges. Exits with 77 where numpy is not
there, but 1 with RONDO_NO_SKIP; or where the folder is not, but 1 with RONDO_REQUIRE_REFERENCE.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("SKIPPED: no numpy here")
    sys.exit(1 if os.environ.get("RONDO_NO_SKIP") else 77)

# Of the expected values' standard deviation: float arithmetic in another order is within.
LIMIT = 4e-5

# Lengths behind which a model's positions are turned by the length of the text, so that no row
# keeps its keys: Rondo ends the context there.
LAST_ROW = {"family_llama_hub_dynamic": 32}

# Of modules that stay as they are under an adapter, and why it is refused there.
MERGED_ALONE = {"lora_qwen3_embed_nobase": "is the embedding or the output head"}

# generation_config.json keys that `rondo convert` names as not followed.
NOT_FOLLOWED = {
    "begin_suppress": "begin_suppress_tokens",
    "seqbias": "sequence_bias",
}


class Judge:
    def __init__(self, rondo, folder, work):
        self.rondo, self.folder, self.work = rondo, folder, work
        self.expected = np.load(folder / "expected.npz")
        self.inputs = json.loads((folder / "inputs.json").read_text())
        self.failures = []

    def run(self, *arguments):
        """The program's output; an error of its own ends the test with what it said."""
        command = [self.rondo, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{self.folder.name}: rondo {arguments[0]}: {done.stderr.strip()}")
        return done.stdout, done.stderr

    def convert(self, source, *more, name="model.rondo"):
        model = self.work / name
        self.run("convert", source, "-o", model, "--weights", "f32", *more)
        return model

    def compare(self, what, ours, theirs):
        ours, theirs = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
        if ours.shape != theirs.shape:
            self.failures.append(f"{what}: shape {ours.shape}, expected {theirs.shape}")
            return
        off = np.abs(ours - theirs).max() / theirs.std()
        print(f"{self.folder.name}: {what}: off by {off:.1e} of the deviation")
        if not off <= LIMIT:
            rows = np.abs(ours - theirs).reshape(len(ours), -1).max(axis=1) / theirs.std()
            self.failures.append(f"{what}: rows {np.flatnonzero(~(rows <= LIMIT)).tolist()}")

    def logits(self, what, model, key, *more):
        ids = self.expected["ids"]
        rows = LAST_ROW.get(self.folder.name, len(ids))
        file = self.work / "logits.npy"
        named = ",".join(map(str, ids[:rows]))
        self.run("logits", model, "--ids", named, "--kv", "f32", "-o", file, "--force", *more)
        self.compare(what, np.load(file), self.expected[key][:rows])

    def quant(self):
        key = "logits" if "logits" in self.expected else "float activations"
        self.logits(key, self.convert(self.folder / "checkpoint"), key)

    family = quant

    def lora(self):
        base, adapter = self.folder / "base", self.folder / "adapter"
        self.logits("merged", self.convert(base, "--merge", adapter), "logits")
        plain, at_run_time = self.convert(base, name="base.rondo"), self.work / "adapter.rondo"
        command = [self.rondo, "convert", adapter, "--adapter-for", plain, "-o", at_run_time]
        command += ["--weights", "f32"]
        done = subprocess.run(command, capture_output=True, text=True)
        refusal = MERGED_ALONE.get(self.folder.name)
        if refusal is None and done.returncode == 0:
            self.logits("at run time", plain, "logits", "--adapter", at_run_time)
        elif refusal is None or done.returncode == 0 or refusal not in done.stderr:
            self.failures.append(f"at run time: {done.stderr.strip() or 'not refused'}")

    def embed(self):
        model = self.convert(self.folder / "checkpoint")
        names = [key for key in self.expected if key.startswith("st_")]
        assert names
        for name in names:
            prompt = []
            if name != "st_default":
                prompt = ["--prompt", name.removeprefix("st_prompt_").replace("st_none", "")]
            output, _ = self.run(
                "embed", model, "--json", "--kv", "f32", *prompt, "--", *self.inputs["texts"]
            )
            self.compare(name, json.loads(output), self.expected[name])

    def rerank(self):
        more = ["--reranker"] if "qwen3" in self.folder.name else []
        model = self.convert(self.folder / "checkpoint", *more)
        for query, logits in zip(self.inputs["queries"], self.expected["logit"]):
            output, _ = self.run(
                "rerank", model, "--json", "--kv", "f32", "--query", query, "--",
                *self.inputs["documents"],
            )  # fmt: skip
            answers = sorted(json.loads(output), key=lambda answer: answer["document"])
            theirs = logits.astype(np.float64)
            self.compare(f"query {query!r}", [a["logit"] for a in answers], theirs)
            scores = [a["score"] for a in answers]
            self.compare(f"scores of {query!r}", scores, 1 / (1 + np.exp(-theirs)))

    def sampling(self):
        for kind in sorted({key.split("|")[0] for key in self.expected}):
            options = self.inputs["generation"][kind]
            checkpoint = self.work / kind
            checkpoint.mkdir()
            for file in (self.folder / "checkpoint").iterdir():
                if file.name != "generation_config.json":
                    (checkpoint / file.name).symlink_to(file)
            own = json.loads((self.folder / "checkpoint/generation_config.json").read_text())
            (checkpoint / "generation_config.json").write_text(json.dumps(own | options))
            model = self.work / f"{kind}.rondo"
            said = "".join(self.run("convert", checkpoint, "-o", model, "--weights", "f32"))
            if kind in NOT_FOLLOWED:
                if NOT_FOLLOWED[kind] not in said:
                    self.failures.append(f"{kind}: not named as not followed: {said!r}")
                continue
            for number, prompt in enumerate(self.inputs["prompts"]):
                theirs = self.expected[f"{kind}|{number}"].tolist()
                ours = self.generate(model, prompt, len(theirs))
                if ours != theirs:
                    self.failures.append(f"{kind}, prompt {number}: {ours}, expected {theirs}")

    @staticmethod
    def generate(path, prompt, count):
        """Token ids, as the model's own settings draw them; ends of a text do not end it."""
        import rondo

        with rondo.Model(path) as model, model.engine(kv_format=rondo.Kv.FLOAT32) as engine:
            with engine.session(max_tokens=count, ignore_eos=True) as session:
                session.prefill(model.tokenize(prompt, add_special=False))
                return [event.token for event in session.stream() if event.token >= 0]


def main():
    rondo, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    if not (folder / "expected.npz").exists():
        print(f"SKIPPED: no reference data at {folder}")
        return 1 if os.environ.get("RONDO_REQUIRE_REFERENCE") else 77
    with tempfile.TemporaryDirectory() as work:
        judge = Judge(rondo, folder, pathlib.Path(work))
        getattr(judge, folder.name.split("_")[0])()
    for failure in judge.failures:
        print(f"{folder.name}: {failure}", file=sys.stderr)
    return 1 if judge.failures else 0


if __name__ == "__main__":
    sys.exit(main())
