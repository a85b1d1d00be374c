"""What transformers computes, in plain numpy and double precision: ids in, hidden states out.

Each function takes the config, the weights, which it makes where they are not there yet, and the ids
of one text; it returns what the last norm leaves, [tokens, hidden].
"""

import math

import numpy as np

erf = np.vectorize(math.erf)


def rms_norm(x, weight, epsilon):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * weight


def layer_norm(x, weight, bias, epsilon):
    x = x - x.mean(-1, keepdims=True)
    x = x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * weight
    return x if bias is None else x + bias


def silu(x):
    return x / (1 + np.exp(-x))


def gelu(x):
    return x * (1 + erf(x / math.sqrt(2))) / 2


def gelu_tanh(x):
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


def rotate(x, theta, dim=None):
    """x: [tokens, heads, channels], of which the first `dim` turn."""
    dim = dim or x.shape[-1]
    frequencies = theta ** -(np.arange(0, dim, 2) / dim)
    angles = np.arange(x.shape[0])[:, None] * frequencies
    cos = np.cos(np.concatenate([angles, angles], -1))[:, None]
    sin = np.sin(np.concatenate([angles, angles], -1))[:, None]
    turned, rest = x[..., :dim], x[..., dim:]
    half = np.concatenate([-turned[..., dim // 2 :], turned[..., : dim // 2]], -1)
    return np.concatenate([turned * cos + half * sin, rest], -1)


def attend(q, k, v, scale, sees):
    """q: [tokens, heads, channels]; sees: [tokens, tokens]."""
    share = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, share, 1), np.repeat(v, share, 1)
    scores = np.einsum("ihd,jhd->hij", q, k) * scale
    scores = np.where(sees[None], scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return np.einsum("hij,jhd->ihd", weights, v).reshape(q.shape[0], -1)


def causal(n):
    return np.tril(np.ones((n, n), bool))


def both_sides(n, window=None):
    """Positions less than `window` away."""
    distance = np.abs(np.arange(n)[:, None] - np.arange(n))
    return distance < (n if window is None else window)


def qwen3(c, w, ids):
    hidden, head = c["hidden_size"], c["head_dim"]
    n_heads, n_kv = c["num_attention_heads"], c["num_key_value_heads"]
    inner, eps, n = c["intermediate_size"], c["rms_norm_eps"], len(ids)
    x = w.matrix("model.embed_tokens.weight", c["vocab_size"], hidden, 1.0)[ids]
    for i in range(c["num_hidden_layers"]):
        p = f"model.layers.{i}."

        def linear(y, name, rows):
            return y @ w.matrix(p + name + ".weight", rows, y.shape[-1]).T

        y = rms_norm(x, w.vector(p + "input_layernorm.weight", hidden, 1), eps)
        q = linear(y, "self_attn.q_proj", n_heads * head).reshape(n, n_heads, head)
        k = linear(y, "self_attn.k_proj", n_kv * head).reshape(n, n_kv, head)
        v = linear(y, "self_attn.v_proj", n_kv * head).reshape(n, n_kv, head)
        q = rms_norm(q, w.vector(p + "self_attn.q_norm.weight", head, 1), eps)
        k = rms_norm(k, w.vector(p + "self_attn.k_norm.weight", head, 1), eps)
        q, k = rotate(q, c["rope_theta"]), rotate(k, c["rope_theta"])
        x = x + linear(attend(q, k, v, head**-0.5, causal(n)), "self_attn.o_proj", hidden)
        y = rms_norm(x, w.vector(p + "post_attention_layernorm.weight", hidden, 1), eps)
        gate, up = linear(y, "mlp.gate_proj", inner), linear(y, "mlp.up_proj", inner)
        x = x + linear(silu(gate) * up, "mlp.down_proj", hidden)
    return rms_norm(x, w.vector("model.norm.weight", hidden, 1), eps)


def gemma3(c, w, ids):
    hidden, head = c["hidden_size"], c["head_dim"]
    n_heads, n_kv = c["num_attention_heads"], c["num_key_value_heads"]
    inner, eps, n = c["intermediate_size"], c["rms_norm_eps"], len(ids)
    window = c["sliding_window"] // 2 + 1
    x = w.matrix("embed_tokens.weight", c["vocab_size"], hidden, 1.0)[ids] * math.sqrt(hidden)
    for i in range(c["num_hidden_layers"]):
        p = f"layers.{i}."
        slides = c["layer_types"][i] == "sliding_attention"

        def linear(y, name, rows):
            return y @ w.matrix(p + name + ".weight", rows, y.shape[-1]).T

        def norm(y, name):
            return rms_norm(y, 1 + w.vector(p + name + ".weight", y.shape[-1]), eps)

        y = norm(x, "input_layernorm")
        q = linear(y, "self_attn.q_proj", n_heads * head).reshape(n, n_heads, head)
        k = linear(y, "self_attn.k_proj", n_kv * head).reshape(n, n_kv, head)
        v = linear(y, "self_attn.v_proj", n_kv * head).reshape(n, n_kv, head)
        q, k = norm(q, "self_attn.q_norm"), norm(k, "self_attn.k_norm")
        theta = c["rope_local_base_freq"] if slides else c["rope_theta"]
        q, k = rotate(q, theta), rotate(k, theta)
        sees = both_sides(n, window if slides else None)
        y = attend(q, k, v, c["query_pre_attn_scalar"] ** -0.5, sees)
        x = x + norm(linear(y, "self_attn.o_proj", hidden), "post_attention_layernorm")
        y = norm(x, "pre_feedforward_layernorm")
        gate, up = linear(y, "mlp.gate_proj", inner), linear(y, "mlp.up_proj", inner)
        y = linear(gelu_tanh(gate) * up, "mlp.down_proj", hidden)
        x = x + norm(y, "post_feedforward_layernorm")
    return rms_norm(x, 1 + w.vector("norm.weight", hidden), eps)


def bert(c, w, ids, first_position=0, prefix="", types=0):
    """Also RoBERTa, whose positions begin behind that of the padding. `types`: of the tokens."""
    hidden, n_heads, inner = c["hidden_size"], c["num_attention_heads"], c["intermediate_size"]
    eps, n, head = c["layer_norm_eps"], len(ids), hidden // n_heads
    e = prefix + "embeddings."
    words = w.matrix(e + "word_embeddings.weight", c["vocab_size"], hidden, 1.0)
    places = w.matrix(e + "position_embeddings.weight", c["max_position_embeddings"], hidden, 0.3)
    of_types = w.matrix(e + "token_type_embeddings.weight", c["type_vocab_size"], hidden, 0.3)

    def norm(y, name):
        bias = w.vector(name + ".bias", hidden)
        return layer_norm(y, w.vector(name + ".weight", hidden, 1), bias, eps)

    x = words[ids] + places[first_position : first_position + n] + of_types[types]
    x = norm(x, e + "LayerNorm")
    for i in range(c["num_hidden_layers"]):
        p = f"{prefix}encoder.layer.{i}."

        def linear(y, name, rows):
            bias = w.vector(p + name + ".bias", rows)
            return y @ w.matrix(p + name + ".weight", rows, y.shape[-1]).T + bias

        q, k, v = (
            linear(x, "attention.self." + part, hidden).reshape(n, n_heads, head)
            for part in ("query", "key", "value")
        )
        y = linear(attend(q, k, v, head**-0.5, both_sides(n)), "attention.output.dense", hidden)
        x = norm(x + y, p + "attention.output.LayerNorm")
        y = linear(gelu(linear(x, "intermediate.dense", inner)), "output.dense", hidden)
        x = norm(x + y, p + "output.LayerNorm")
    return x


def roberta(c, w, ids):
    return bert(c, w, ids, c["pad_token_id"] + 1, "roberta.")


def modernbert(c, w, ids, prefix=""):
    hidden, n_heads, inner = c["hidden_size"], c["num_attention_heads"], c["intermediate_size"]
    eps, n, head = c["norm_eps"], len(ids), hidden // n_heads

    def norm(y, name):
        return layer_norm(y, w.vector(prefix + name + ".weight", hidden, 1), None, eps)

    x = w.matrix(prefix + "embeddings.tok_embeddings.weight", c["vocab_size"], hidden, 1.0)[ids]
    x = norm(x, "embeddings.norm")
    for i in range(c["num_hidden_layers"]):
        p = f"layers.{i}."
        is_global = i % c["global_attn_every_n_layers"] == 0
        y = x if i == 0 else norm(x, p + "attn_norm")
        qkv = y @ w.matrix(prefix + p + "attn.Wqkv.weight", 3 * hidden, hidden).T
        q, k, v = qkv.reshape(n, 3, n_heads, head).transpose(1, 0, 2, 3)
        theta = c["global_rope_theta"] if is_global else c["local_rope_theta"]
        q, k = rotate(q, theta), rotate(k, theta)
        # At most half of it away, on either side.
        sees = both_sides(n, None if is_global else c["local_attention"] // 2 + 1)
        y = attend(q, k, v, head**-0.5, sees)
        x = x + y @ w.matrix(prefix + p + "attn.Wo.weight", hidden, hidden).T
        y = norm(x, p + "mlp_norm") @ w.matrix(prefix + p + "mlp.Wi.weight", 2 * inner, hidden).T
        y = gelu(y[:, :inner]) * y[:, inner:]
        x = x + y @ w.matrix(prefix + p + "mlp.Wo.weight", hidden, inner).T
    return norm(x, "final_norm")


def nomic_bert(c, w, ids):
    """In the keys of its makers' code, or of transformers 5."""
    if "hidden_size" in c:
        c = c | {
            "n_embd": c["hidden_size"],
            "n_head": c["num_attention_heads"],
            "n_layer": c["num_hidden_layers"],
            "n_inner": c["intermediate_size"],
            "layer_norm_epsilon": c["layer_norm_eps"],
            "rotary_emb_base": c["rope_parameters"]["rope_theta"],
        }
    hidden, n_heads, inner = c["n_embd"], c["n_head"], c["n_inner"]
    eps, n, head = c["layer_norm_epsilon"], len(ids), hidden // n_heads

    def norm(y, name):
        bias = w.vector(name + ".bias", hidden)
        return layer_norm(y, w.vector(name + ".weight", hidden, 1), bias, eps)

    words = w.matrix("embeddings.word_embeddings.weight", c["vocab_size"], hidden, 1.0)
    types = w.matrix("embeddings.token_type_embeddings.weight", c["type_vocab_size"], hidden, 0.3)
    x = norm(words[ids] + types[0], "emb_ln")
    for i in range(c["n_layer"]):
        p = f"encoder.layers.{i}."
        qkv = x @ w.matrix(p + "attn.Wqkv.weight", 3 * hidden, hidden).T
        q, k, v = qkv.reshape(n, 3, n_heads, head).transpose(1, 0, 2, 3)
        q, k = rotate(q, c["rotary_emb_base"]), rotate(k, c["rotary_emb_base"])
        y = attend(q, k, v, head**-0.5, both_sides(n))
        x = norm(x + y @ w.matrix(p + "attn.out_proj.weight", hidden, hidden).T, p + "norm1")
        up = x @ w.matrix(p + "mlp.fc11.weight", inner, hidden).T
        gate = x @ w.matrix(p + "mlp.fc12.weight", inner, hidden).T
        y = (up * silu(gate)) @ w.matrix(p + "mlp.fc2.weight", hidden, inner).T
        x = norm(x + y, p + "norm2")
    return x


def pool(states, pooling):
    return {"mean": states.mean(0), "lasttoken": states[-1], "cls": states[0]}[pooling]
