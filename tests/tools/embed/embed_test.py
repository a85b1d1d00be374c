"""Holds `rondo convert` and `rondo embed` against plain numpy, family by family.

    python3 tests/tools/embed/embed_test.py build/release/rondo [family ...]

Exits with 77 where numpy is not there, but 1 with RONDO_NO_SKIP.
"""

import json
import math
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

import models
from checkpoint import Weights, write_json, write_modules, write_safetensors

SIZES = {
    "vocab_size": 300,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "max_position_embeddings": 1024,
}
IDENTITY = "torch.nn.modules.linear.Identity"

# name: (config, forward pass, pooling, sizes and activations of dense layers, normalises)
FAMILIES = {
    "qwen3": (
        SIZES
        | {
            "architectures": ["Qwen3Model"],
            "model_type": "qwen3",
            "num_key_value_heads": 2,
            "head_dim": 24,
            "rms_norm_eps": 1e-6,
            "rope_theta": 1e6,
            "tie_word_embeddings": True,
        },
        models.qwen3,
        "lasttoken",
        [],
        True,
    ),
    "gemma3": (
        SIZES
        | {
            "architectures": ["Gemma3TextModel"],
            "model_type": "gemma3_text",
            "num_key_value_heads": 1,
            "head_dim": 32,
            "rms_norm_eps": 1e-6,
            "rope_theta": 1e6,
            "rope_local_base_freq": 1e4,
            "query_pre_attn_scalar": 32,
            "sliding_window": 40,
            "use_bidirectional_attention": True,
            "layer_types": ["sliding_attention", "sliding_attention", "full_attention"],
        },
        models.gemma3,
        "mean",
        [(160, IDENTITY, False), (64, "torch.nn.modules.activation.Tanh", True)],
        True,
    ),
    "bert": (
        SIZES
        | {
            "architectures": ["BertModel"],
            "model_type": "bert",
            "hidden_act": "gelu",
            "layer_norm_eps": 1e-12,
            "type_vocab_size": 2,
            "pad_token_id": 0,
        },
        models.bert,
        "cls",
        [],
        True,
    ),
    "roberta": (
        SIZES
        | {
            "architectures": ["RobertaModel"],
            "model_type": "roberta",
            "hidden_act": "gelu",
            "layer_norm_eps": 1e-5,
            "type_vocab_size": 1,
            "pad_token_id": 1,
        },
        models.roberta,
        "mean",
        [],
        True,
    ),
    "xlm-roberta": (
        SIZES
        | {
            "architectures": ["XLMRobertaModel"],
            "model_type": "xlm-roberta",
            "hidden_act": "gelu",
            "layer_norm_eps": 1e-5,
            "type_vocab_size": 1,
            "pad_token_id": 1,
        },
        models.roberta,
        "mean",
        [],
        False,
    ),
    "modernbert": (
        SIZES
        | {
            "architectures": ["ModernBertModel"],
            "model_type": "modernbert",
            "hidden_activation": "gelu",
            "norm_eps": 1e-5,
            "norm_bias": False,
            "attention_bias": False,
            "mlp_bias": False,
            "global_attn_every_n_layers": 3,
            "local_attention": 32,
            "global_rope_theta": 160000.0,
            "local_rope_theta": 10000.0,
        },
        models.modernbert,
        "mean",
        [],
        True,
    ),
    "nomic_bert": (
        {
            "architectures": ["NomicBertModel"],
            "model_type": "nomic_bert",
            "vocab_size": 300,
            "n_embd": 64,
            "n_head": 4,
            "n_layer": 3,
            "n_inner": 96,
            "n_positions": 1024,
            "activation_function": "swiglu",
            "layer_norm_epsilon": 1e-12,
            "type_vocab_size": 2,
            "rotary_emb_fraction": 1.0,
            "rotary_emb_base": 1000,
            "rotary_emb_interleaved": False,
            "prenorm": False,
            "qkv_proj_bias": False,
            "mlp_fc1_bias": False,
            "mlp_fc2_bias": False,
        },
        models.nomic_bert,
        "mean",
        [],
        True,
    ),
    "nomic_bert of transformers": (
        SIZES
        | {
            "architectures": ["NomicBertModel"],
            "model_type": "nomic_bert",
            "hidden_act": "silu",
            "layer_norm_eps": 1e-12,
            "type_vocab_size": 2,
            "rope_parameters": {"rope_theta": 1000.0, "rope_type": "default"},
        },
        models.nomic_bert,
        "mean",
        [],
        True,
    ),
}
LENGTHS = [1, 7, 64, 65, 130, 700]


def run(*arguments, **more):
    result = subprocess.run(arguments, capture_output=True, text=True, **more)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {result.stderr}")
    return result.stdout


def cosine(a, b):
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def expected(family, weights, dense, ids):
    config, forward, pooling, _, normalizes = FAMILIES[family]
    vector = models.pool(forward(config, weights, ids), pooling)
    for matrix, bias, activation in dense:
        vector = matrix.astype(np.float64) @ vector + (0 if bias is None else bias)
        if activation.endswith("Tanh"):
            vector = np.tanh(vector)
    return vector / np.linalg.norm(vector) if normalizes else vector


def write(folder, family):
    config, forward, pooling, dense_sizes, normalizes = FAMILIES[family]
    weights = Weights(seed=7)
    forward(config, weights, [0])  # makes them
    dense, size = [], config.get("hidden_size", config.get("n_embd"))
    for rows, activation, has_bias in dense_sizes:
        matrix = weights.random.normal(0, size**-0.5, (rows, size)).astype(np.float32)
        bias = weights.random.normal(0, 0.1, rows).astype(np.float32) if has_bias else None
        dense.append((matrix, bias, activation))
        size = rows
    write_json(folder / "config.json", config)
    write_safetensors(folder / "model.safetensors", weights)
    write_modules(folder, pooling, dense, normalizes, {"query": "search: ", "document": ""})
    return weights, dense


def check(rondo, family, folder):
    weights, dense = write(folder / "checkpoint", family)
    random = np.random.default_rng(1)
    texts = [random.integers(0, 300, n).tolist() for n in LENGTHS]
    wanted = [expected(family, weights, dense, text) for text in texts]
    worst = {}
    for format_, kv in (("f32", "f32"), ("f32", "int8"), ("q8", "int8"), ("q4", "int8")):
        model = folder / f"{format_}.rondo"
        if not model.exists():
            run(rondo, "convert", folder / "checkpoint", "-o", model, "--weights", format_)
        cosines = []
        for text, vector in zip(texts, wanted):
            ids = ",".join(map(str, text))
            made = np.array(
                json.loads(run(rondo, "embed", model, "--ids", ids, "--kv", kv, "--json"))[0]
            )
            cosines.append(cosine(made, vector))
            if (format_, kv) == ("f32", "f32"):
                length = np.linalg.norm(vector)
                assert abs(np.linalg.norm(made) - length) < 1e-4 * length, "the length is wrong"
        worst[f"{format_}/{kv}"] = min(cosines)
    print(f"{family:12}", *(f"{name} {1 - value:.1e}" for name, value in worst.items()))
    assert worst["f32/f32"] >= 0.99999, f"{family}: {worst}"
    cut = run(rondo, "embed", folder / "f32.rondo", "--ids", "5,6,7", "--dimensions", "16")
    vector = expected(family, weights, dense, [5, 6, 7])[:16]
    made = np.array([float(x) for x in cut.split()])
    assert cosine(made, vector) > 0.99, "cut"
    if FAMILIES[family][4]:
        assert abs(np.linalg.norm(made) - 1) < 1e-5, "a cut vector is not of length 1"


def check_text(rondo, folder):
    """BERT's tokenizer in front: words to pieces, [CLS] and [SEP] around, a prompt before."""
    checkpoint = folder / "checkpoint"
    write(checkpoint, "bert")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "search", ":", "play", "##ing", "cafe", "!"]
    special = {"special": True, "normalized": False, "lstrip": False, "rstrip": False}
    tokenizer = {
        "added_tokens": [
            {"id": i, "content": words[i], "single_word": False} | special for i in range(4)
        ],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
            ],
            "pair": [],
            "special_tokens": {
                name: {"id": name, "ids": [id_], "tokens": [name]}
                for name, id_ in (("[CLS]", 2), ("[SEP]", 3))
            },
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {word: i for i, word in enumerate(words)},
        },
    }
    write_json(checkpoint / "tokenizer.json", tokenizer)
    write_json(
        checkpoint / "sentence_bert_config.json", {"max_seq_length": 8, "do_lower_case": True}
    )
    model = folder / "text.rondo"
    run(rondo, "convert", checkpoint, "-o", model, "--weights", "q8")
    for arguments, ids in (
        (["Playing caf\u00e9!"], "2,6,7,8,9,3"),
        (["--prompt", "query", "Playing"], "2,4,5,6,7,3"),
        (["what"], "2,1,3"),
    ):
        by_text = run(rondo, "embed", model, *arguments)
        assert by_text == run(rondo, "embed", model, "--ids", ids), arguments
    # What is too long loses its last tokens but for the tokenizer's; others do not notice.
    texts = ["what", "play " * 9, " what\u3000"]
    long = subprocess.run([rondo, "embed", model, *texts], capture_output=True, text=True)
    assert "text 2 has 11 tokens, the model takes 8: it is cut" in long.stderr, long.stderr
    assert long.stdout == "".join(
        run(rondo, "embed", model, "--ids", ids) for ids in ("2,1,3", "2,6,6,6,6,6,6,3", "2,1,3")
    )
    lines = subprocess.run(
        [rondo, "embed", model], input="\n".join(texts), capture_output=True, text=True
    )
    assert lines.stdout == long.stdout and "line 2 has 11 tokens" in lines.stderr, lines.stderr
    refused = subprocess.run(
        [rondo, "embed", model, "--too-long", "refuse", *texts], capture_output=True, text=True
    )
    assert refused.returncode == 1 and refused.stdout == "", refused
    assert "text 2 has 11 tokens, the model takes 8" in refused.stderr, refused.stderr


def check_reranker(rondo, folder):
    """Qwen3-Reranker: the chance of one token against another behind the last one."""
    config, forward, *_ = FAMILIES["qwen3"]
    weights = Weights(seed=8)
    forward(config, weights, [0])
    weights["model.embed_tokens.weight"] *= np.float32(0.1)  # no score is near 0 or 1
    checkpoint = folder / "checkpoint"
    write_json(checkpoint / "config.json", config | {"architectures": ["Qwen3ForCausalLM"]})
    write_safetensors(checkpoint / "model.safetensors", weights)
    write_json(checkpoint / "1_LogitScore/config.json", {"true_token_id": 77, "false_token_id": 31})
    write_json(
        checkpoint / "modules.json",
        [
            {"path": "", "type": "sentence_transformers.base.modules.transformer.Transformer"},
            {
                "path": "1_LogitScore",
                "type": "sentence_transformers.cross_encoder.modules.logit_score.LogitScore",
            },
        ],
    )
    tokenizer = {
        "added_tokens": [],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False},
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "merges": [], "vocab": byte_alphabet()},
    }
    write_json(checkpoint / "tokenizer.json", tokenizer)
    run(rondo, "convert", checkpoint, "-o", folder / "r.rondo", "--weights", "f32")
    query, documents = "capital of China?", ["Beijing.", "Gravity is a force.", "{query}", ""]
    made = json.loads(
        run(rondo, "rerank", folder / "r.rondo", "--query", query, "--json", "--kv", "f32", *documents)
    )
    assert [one["score"] for one in made] == sorted([one["score"] for one in made], reverse=True)
    head = weights["model.embed_tokens.weight"].astype(np.float64)
    worst = 0
    assert all(0.02 < one["score"] < 0.98 for one in made), made
    for one in made:
        text = PAIR % (INSTRUCTION, query, documents[one["document"]])
        logits = head @ forward(config, weights, list(text.encode()))[-1]
        wanted = 1 / (1 + np.exp(logits[31] - logits[77]))
        worst = max(worst, abs(wanted - one["score"]))
    # As a class with a head of one number.
    weights.matrix("score.weight", 1, config["hidden_size"])
    write_safetensors(checkpoint / "model.safetensors", weights)
    write_json(
        checkpoint / "config.json",
        config | {"architectures": ["Qwen3ForSequenceClassification"], "id2label": {"0": "a"}},
    )
    run(rondo, "convert", checkpoint, "-o", folder / "c.rondo", "--weights", "f32")
    classified = json.loads(
        run(rondo, "rerank", folder / "c.rondo", "--query", query, "--json", "--kv", "f32", "a")
    )[0]["score"]
    states = forward(config, weights, list((PAIR % (INSTRUCTION, query, "a")).encode()))
    score = weights["score.weight"].astype(np.float64) @ states[-1]
    assert abs(float(1 / (1 + np.exp(-score[0]))) - classified) < 1e-5
    write_json(checkpoint / "config.json", config | {"architectures": ["Qwen3ForCausalLM"]})
    del weights["score.weight"]
    write_safetensors(checkpoint / "model.safetensors", weights)
    # Without a modules.json the flag says it, and the tokens' texts which they are.
    (checkpoint / "modules.json").unlink()
    tokenizer["added_tokens"] = [
        {"id": id_, "content": text, "special": False, "normalized": False}
        | {"lstrip": False, "rstrip": False, "single_word": False}
        for text, id_ in (("yes", 277), ("no", 278))
    ]
    tokenizer["model"]["vocab"] |= {"yes": 277, "no": 278}
    write_json(checkpoint / "tokenizer.json", tokenizer)
    run(rondo, "convert", "--reranker", checkpoint, "-o", folder / "f.rondo", "--weights", "f32")
    flagged = json.loads(
        run(rondo, "rerank", folder / "f.rondo", "--query", "a", "--json", "--instruction", "b", "c")
    )
    assert len(flagged) == 1 and 0 < flagged[0]["score"] < 1, flagged
    print(f"qwen3 reranker: scores within {worst:.1e}")
    assert worst < 1e-5 and len(made) == len(documents)


def bert_score(config, weights, query, document):
    """BERT: tokens of the second text have the second type; a pooler with tanh."""
    w = {name: tensor.astype(np.float64) for name, tensor in weights.items()}
    ids, types = [256, *query, 257], [0] * (len(query) + 2)
    if document:  # transformers takes an empty second text for none
        ids += [*document, 257]
        types += [1] * (len(document) + 1)
    x = models.bert(config, weights, ids, prefix="bert.", types=types)[0]
    x = np.tanh(w["bert.pooler.dense.weight"] @ x + w["bert.pooler.dense.bias"])
    return w["classifier.weight"] @ x + w["classifier.bias"]


def roberta_score(config, weights, query, document):
    w = {name: tensor.astype(np.float64) for name, tensor in weights.items()}
    x = models.roberta(config, weights, [256, *query, 257, 257, *document, 257])[0]
    x = np.tanh(w["classifier.dense.weight"] @ x + w["classifier.dense.bias"])
    return w["classifier.out_proj.weight"] @ x + w["classifier.out_proj.bias"]


def modernbert_score(config, weights, query, document):
    """ModernBERT: the mean or [CLS], and a head with GELU and a norm."""
    w = {name: tensor.astype(np.float64) for name, tensor in weights.items()}
    rows = models.modernbert(config, weights, [256, *query, 257, *document, 257], "model.")
    x = rows.mean(0) if config["classifier_pooling"] == "mean" else rows[0]
    x = models.gelu(w["head.dense.weight"] @ x)
    x = models.layer_norm(x, w["head.norm.weight"], None, config["norm_eps"])
    return w["classifier.weight"] @ x + w["classifier.bias"]


ONE_LABEL = {"id2label": {"0": "LABEL_0"}}
# name: (config, score, matrices of the head, vectors of the head, special tokens of a pair)
CLASSIFIERS = {
    "bert": (
        FAMILIES["bert"][0] | ONE_LABEL | {"architectures": ["BertForSequenceClassification"]},
        bert_score,
        {"bert.pooler.dense": 64, "classifier": 1},
        {"bert.pooler.dense.bias": 64, "classifier.bias": 1},
        "bert",
    ),
    "xlm-roberta": (
        FAMILIES["xlm-roberta"][0]
        | ONE_LABEL
        | {"architectures": ["XLMRobertaForSequenceClassification"]},
        roberta_score,
        {"classifier.dense": 64, "classifier.out_proj": 1},
        {"classifier.dense.bias": 64, "classifier.out_proj.bias": 1},
        "roberta",
    ),
}
for name, pooling in (("modernbert", "mean"), ("modernbert-cls", "cls")):
    CLASSIFIERS[name] = (
        FAMILIES["modernbert"][0]
        | ONE_LABEL
        | {
            "architectures": ["ModernBertForSequenceClassification"],
            "classifier_pooling": pooling,
            "sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity"},
        },
        modernbert_score,
        {"head.dense": 64, "classifier": 1},
        {"head.norm.weight": 64, "classifier.bias": 1},
        "template",
    )


def pair_processor(kind):
    if kind == "roberta":
        return {"type": "RobertaProcessing", "sep": ["</s>", 257], "cls": ["<s>", 256]}
    if kind == "bert":
        return {"type": "BertProcessing", "sep": ["</s>", 257], "cls": ["<s>", 256]}

    def special(name, type_id=0):
        return {"SpecialToken": {"id": name, "type_id": type_id}}

    def text(name, type_id=0):
        return {"Sequence": {"id": name, "type_id": type_id}}

    return {
        "type": "TemplateProcessing",
        "single": [special("<s>"), text("A"), special("</s>")],
        "pair": [special("<s>"), text("A"), special("</s>"), text("B", 1), special("</s>", 1)],
        "special_tokens": {
            name: {"id": name, "ids": [id_], "tokens": [name]}
            for name, id_ in (("<s>", 256), ("</s>", 257))
        },
    }


def check_classifier(rondo, folder, name):
    """Rerankers with a head of one number: both texts between special tokens."""
    config, score, matrices, vectors, processor = CLASSIFIERS[name]
    weights = Weights(seed=9)
    for tensor, rows in matrices.items():
        weights.matrix(tensor + ".weight", rows, config["hidden_size"])
    for tensor, size in vectors.items():
        weights.vector(tensor, size, mean=1.0 if "norm" in tensor else 0.0)
    score(config, weights, b"a", b"b")  # makes the others
    checkpoint = folder / "checkpoint"
    write_json(checkpoint / "config.json", config)
    write_safetensors(checkpoint / "model.safetensors", weights)
    plain = {"normalized": False, "lstrip": False, "rstrip": False, "single_word": False}
    tokenizer = {
        "added_tokens": [
            {"id": id_, "content": text, "special": True} | plain
            for text, id_ in (("<s>", 256), ("</s>", 257))
        ],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False},
        "post_processor": pair_processor(processor),
        "decoder": {"type": "ByteLevel"},
        "model": {
            "type": "BPE",
            "merges": [],
            "vocab": byte_alphabet() | {"<s>": 256, "</s>": 257},
        },
    }
    write_json(checkpoint / "tokenizer.json", tokenizer)
    write_json(checkpoint / "tokenizer_config.json", {"model_max_length": 40})
    run(rondo, "convert", checkpoint, "-o", folder / "r.rondo", "--weights", "f32")
    # Tokens beyond 40 are cut off the longer of the two, and off both where both are long.
    worst = 0
    for query in ("a question", "q" * 90, ""):
        documents = ["an answer", "another one", "", "d" * 29, "long " * 30]
        made = json.loads(
            run(rondo, "rerank", folder / "r.rondo", "--query", query, "--json", "--kv", "f32",
                *documents)
        )
        assert len(made) == len(documents)
        for one in made:
            q, d = query.encode(), documents[one["document"]].encode()
            around = 4 if processor == "roberta" else 2 if name == "bert" and not d else 3
            room = 40 - around
            if len(q) + len(d) > room:
                shorter = min(len(q), len(d), room // 2)
                n = shorter if len(q) <= len(d) else room - shorter
                q, d = q[:n], d[: room - n]
            wanted = float(score(config, weights, q, d)[0])
            if "sentence_transformers" not in config:
                wanted = 1 / (1 + math.exp(-wanted))
            worst = max(worst, abs(wanted - one["score"]))
    print(f"{name} reranker: scores within {worst:.1e}")
    assert worst < 1e-5, name


def byte_alphabet():
    """Each byte is the token of its number, under the character that GPT-2 writes for it."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return {chr(byte if byte in plain else next(others)): byte for byte in range(256)}


INSTRUCTION = "Given a web search query, retrieve relevant passages that answer the query"
PAIR = (
    "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and "
    'the Instruct provided. Note that the answer can only be "yes" or "no".<|im_end|>\n'
    "<|im_start|>user\n<Instruct>: %s\n<Query>: %s\n<Document>: %s<|im_end|>\n"
    "<|im_start|>assistant\n<think>\n\n</think>\n\n"
)


def main():
    rondo, families = sys.argv[1], sys.argv[2:] or list(FAMILIES)
    print("1 - cosine, the worst of", len(LENGTHS), "texts: weights/KV")
    for family in families:
        with tempfile.TemporaryDirectory() as folder:
            check(rondo, family, pathlib.Path(folder))
    if len(sys.argv) == 2:
        with tempfile.TemporaryDirectory() as folder:
            check_reranker(rondo, pathlib.Path(folder))
        with tempfile.TemporaryDirectory() as folder:
            check_text(rondo, pathlib.Path(folder))
        for name in CLASSIFIERS:
            with tempfile.TemporaryDirectory() as folder:
                check_classifier(rondo, pathlib.Path(folder), name)


if __name__ == "__main__":
    main()
