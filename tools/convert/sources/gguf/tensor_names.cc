#include "tools/convert/sources/gguf/tensor_names.h"

#include <algorithm>
#include <map>

namespace rondo::convert {
namespace {

using Rules = std::vector<NameRule>;

// Common to most; the rules of an architecture that follow go before these.
const Rules kUsual = {
    {"token_embd", "model.embed_tokens"},
    {"output_norm", "model.norm"},
    {"output", "lm_head"},
    {"blk.{}.attn_norm", "model.layers.{}.input_layernorm"},
    {"blk.{}.attn_q", "model.layers.{}.self_attn.q_proj"},
    {"blk.{}.attn_k", "model.layers.{}.self_attn.k_proj"},
    {"blk.{}.attn_v", "model.layers.{}.self_attn.v_proj"},
    {"blk.{}.attn_q_norm", "model.layers.{}.self_attn.q_norm"},
    {"blk.{}.attn_k_norm", "model.layers.{}.self_attn.k_norm"},
    {"blk.{}.attn_output", "model.layers.{}.self_attn.o_proj"},
    {"blk.{}.ffn_norm", "model.layers.{}.post_attention_layernorm"},
    {"blk.{}.ffn_gate", "model.layers.{}.mlp.gate_proj"},
    {"blk.{}.ffn_up", "model.layers.{}.mlp.up_proj"},
    {"blk.{}.ffn_down", "model.layers.{}.mlp.down_proj"},
};

const Rules kPairedHeads = {
    {"blk.{}.attn_q", "model.layers.{}.self_attn.q_proj", Change::kPairedHeads},
    {"blk.{}.attn_k", "model.layers.{}.self_attn.k_proj", Change::kPairedHeads},
};

// Files made before experts were stacked have a tensor for each.
const Rules kMixtral = {
    {"blk.{}.ffn_gate_inp", "model.layers.{}.block_sparse_moe.gate"},
    {"blk.{}.ffn_gate_exps", "model.layers.{}.block_sparse_moe.experts.{}.w1", Change::kExperts},
    {"blk.{}.ffn_down_exps", "model.layers.{}.block_sparse_moe.experts.{}.w2", Change::kExperts},
    {"blk.{}.ffn_up_exps", "model.layers.{}.block_sparse_moe.experts.{}.w3", Change::kExperts},
    {"blk.{}.ffn_gate.{}", "model.layers.{}.block_sparse_moe.experts.{}.w1"},
    {"blk.{}.ffn_down.{}", "model.layers.{}.block_sparse_moe.experts.{}.w2"},
    {"blk.{}.ffn_up.{}", "model.layers.{}.block_sparse_moe.experts.{}.w3"},
};

const Rules kExperts = {
    {"blk.{}.ffn_gate_inp", "model.layers.{}.mlp.gate"},
    {"blk.{}.ffn_gate_exps", "model.layers.{}.mlp.experts.{}.gate_proj", Change::kExperts},
    {"blk.{}.ffn_up_exps", "model.layers.{}.mlp.experts.{}.up_proj", Change::kExperts},
    {"blk.{}.ffn_down_exps", "model.layers.{}.mlp.experts.{}.down_proj", Change::kExperts},
};

const Rules kGemma = {
    {"output_norm", "model.norm", Change::kPlusOne},
    {"blk.{}.attn_norm", "model.layers.{}.input_layernorm", Change::kPlusOne},
    {"blk.{}.ffn_norm", "model.layers.{}.post_attention_layernorm", Change::kPlusOne},
};

const Rules kGemma2And3 = {
    {"output_norm", "model.norm", Change::kPlusOne},
    {"blk.{}.attn_norm", "model.layers.{}.input_layernorm", Change::kPlusOne},
    {"blk.{}.post_attention_norm", "model.layers.{}.post_attention_layernorm", Change::kPlusOne},
    {"blk.{}.ffn_norm", "model.layers.{}.pre_feedforward_layernorm", Change::kPlusOne},
    {"blk.{}.post_ffw_norm", "model.layers.{}.post_feedforward_layernorm", Change::kPlusOne},
    {"blk.{}.attn_q_norm", "model.layers.{}.self_attn.q_norm", Change::kPlusOne},
    {"blk.{}.attn_k_norm", "model.layers.{}.self_attn.k_norm", Change::kPlusOne},
};

const Rules kPhi2 = {
    {"output_norm", "model.final_layernorm"},
    {"blk.{}.attn_qkv", "model.layers.{}.self_attn.{}_proj", Change::kFusedQkv},
    {"blk.{}.attn_output", "model.layers.{}.self_attn.dense"},
    {"blk.{}.ffn_up", "model.layers.{}.mlp.fc1"},
    {"blk.{}.ffn_down", "model.layers.{}.mlp.fc2"},
};

const Rules kPhi3 = {
    {"blk.{}.attn_qkv", "model.layers.{}.self_attn.qkv_proj"},
    {"blk.{}.ffn_up", "model.layers.{}.mlp.gate_up_proj"},
};

const Rules kOlmo2 = {
    {"blk.{}.post_attention_norm", "model.layers.{}.post_attention_layernorm"},
    {"blk.{}.post_ffw_norm", "model.layers.{}.post_feedforward_layernorm"},
};

const Rules kStableLm = {
    {"blk.{}.attn_q_norm", "model.layers.{}.self_attn.q_layernorm.norms.{}", Change::kHeads},
    {"blk.{}.attn_k_norm", "model.layers.{}.self_attn.k_layernorm.norms.{}", Change::kHeads},
};

const Rules kStarcoder2 = {
    {"blk.{}.ffn_up", "model.layers.{}.mlp.c_fc"},
    {"blk.{}.ffn_down", "model.layers.{}.mlp.c_proj"},
};

const Rules kGpt2 = {
    {"token_embd", "transformer.wte"},
    {"position_embd", "transformer.wpe"},
    {"output_norm", "transformer.ln_f"},
    {"output", "lm_head"},
    {"blk.{}.attn_norm", "transformer.h.{}.ln_1"},
    {"blk.{}.attn_qkv", "transformer.h.{}.attn.c_attn", Change::kTransposed},
    {"blk.{}.attn_output", "transformer.h.{}.attn.c_proj", Change::kTransposed},
    {"blk.{}.ffn_norm", "transformer.h.{}.ln_2"},
    {"blk.{}.ffn_up", "transformer.h.{}.mlp.c_fc", Change::kTransposed},
    {"blk.{}.ffn_down", "transformer.h.{}.mlp.c_proj", Change::kTransposed},
};

const Rules kGptNeoX = {
    {"token_embd", "gpt_neox.embed_in"},
    {"output_norm", "gpt_neox.final_layer_norm"},
    {"output", "embed_out"},
    {"blk.{}.attn_norm", "gpt_neox.layers.{}.input_layernorm"},
    {"blk.{}.attn_qkv", "gpt_neox.layers.{}.attention.query_key_value", Change::kSplitByThird},
    {"blk.{}.attn_output", "gpt_neox.layers.{}.attention.dense"},
    {"blk.{}.ffn_norm", "gpt_neox.layers.{}.post_attention_layernorm"},
    {"blk.{}.ffn_up", "gpt_neox.layers.{}.mlp.dense_h_to_4h"},
    {"blk.{}.ffn_down", "gpt_neox.layers.{}.mlp.dense_4h_to_h"},
};

const Rules kLfm2 = {
    {"token_embd_norm", "model.embedding_norm"},
    {"output_norm", "model.embedding_norm"},
    {"blk.{}.attn_norm", "model.layers.{}.operator_norm"},
    {"blk.{}.attn_output", "model.layers.{}.self_attn.out_proj"},
    {"blk.{}.attn_q_norm", "model.layers.{}.self_attn.q_layernorm"},
    {"blk.{}.attn_k_norm", "model.layers.{}.self_attn.k_layernorm"},
    {"blk.{}.ffn_norm", "model.layers.{}.ffn_norm"},
    {"blk.{}.ffn_gate", "model.layers.{}.feed_forward.w1"},
    {"blk.{}.ffn_down", "model.layers.{}.feed_forward.w2"},
    {"blk.{}.ffn_up", "model.layers.{}.feed_forward.w3"},
    {"blk.{}.shortconv.conv", "model.layers.{}.conv.conv", Change::kDepthwise},
    {"blk.{}.shortconv.in_proj", "model.layers.{}.conv.in_proj"},
    {"blk.{}.shortconv.out_proj", "model.layers.{}.conv.out_proj"},
};

Rules Join(std::initializer_list<const Rules*> parts) {
  Rules all;
  for (const Rules* part : parts) all.insert(all.end(), part->begin(), part->end());
  return all;
}

}  // namespace

ParsedName ParseName(const std::string& name) {
  ParsedName parsed;
  std::string rest = name;
  for (const char* suffix : {".weight", ".bias"}) {
    if (rest.ends_with(suffix)) {
      parsed.suffix = suffix;
      rest.resize(rest.size() - parsed.suffix.size());
      break;
    }
  }
  for (size_t begin = 0; begin <= rest.size();) {
    const size_t end = std::min(rest.find('.', begin), rest.size());
    const std::string component = rest.substr(begin, end - begin);
    const bool is_number = !component.empty() && std::ranges::all_of(component, [](char c) {
      return c >= '0' && c <= '9';
    });
    if (is_number) parsed.numbers.push_back(component);
    parsed.stem += (begin == 0 ? "" : ".") + (is_number ? "{}" : component);
    begin = end + 1;
  }
  return parsed;
}

const NameRule* FindRule(std::span<const NameRule> rules, const std::string& stem) {
  const auto found = std::find_if(rules.rbegin(), rules.rend(),
                                  [&](const NameRule& rule) { return rule.gguf == stem; });
  return found == rules.rend() ? nullptr : &*found;
}

std::string FillIn(std::string_view pattern, const std::vector<std::string>& numbers,
                   const std::string& suffix) {
  std::string name;
  size_t next = 0;
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (pattern.substr(at, 2) == "{}" && next < numbers.size()) {
      name += numbers[next++];
      ++at;
    } else {
      name += pattern[at];
    }
  }
  return name + suffix;
}

std::vector<NameRule> NameRules(const std::string& name, bool has_experts) {
  static const std::map<std::string, Rules> rules = {
      {"llama", Join({&kUsual, &kPairedHeads})},
      {"qwen2", kUsual},
      {"qwen3", kUsual},
      {"qwen3moe", Join({&kUsual, &kExperts})},
      {"gemma", Join({&kUsual, &kGemma})},
      {"gemma2", Join({&kUsual, &kGemma2And3})},
      {"gemma3", Join({&kUsual, &kGemma2And3})},
      {"phi2", Join({&kUsual, &kPhi2})},
      {"phi3", Join({&kUsual, &kPhi3})},
      {"olmo2", Join({&kUsual, &kOlmo2})},
      {"olmoe", Join({&kUsual, &kExperts})},
      {"smollm3", Join({&kUsual, &kPairedHeads})},
      {"granite", Join({&kUsual, &kPairedHeads})},
      {"stablelm", Join({&kUsual, &kStableLm})},
      {"starcoder2", Join({&kUsual, &kStarcoder2})},
      {"gpt2", kGpt2},
      {"gptneox", kGptNeoX},
      {"lfm2", Join({&kUsual, &kLfm2})},
  };
  const auto found = rules.find(name);
  if (found == rules.end()) return {};
  return has_experts && name == "llama" ? Join({&found->second, &kMixtral}) : found->second;
}

}  // namespace rondo::convert
