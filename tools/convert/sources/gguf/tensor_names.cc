#include "tools/convert/sources/gguf/tensor_names.h"

#include <algorithm>

namespace rondo::convert {

ParsedName ParseName(const std::string& name) {
  ParsedName parsed;
  std::string rest = name;
  for (const char* suffix :
       {".weight", ".bias", ".input_min", ".input_max", ".output_min", ".output_max"}) {
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

const NameRule* FindRule(const NameRules& rules, const ParsedName& name) {
  const std::string whole = name.stem + name.suffix;
  const auto find = [&](const std::string& gguf) {
    const auto found = std::find_if(rules.rbegin(), rules.rend(),
                                    [&](const NameRule& rule) { return rule.gguf == gguf; });
    return found == rules.rend() ? nullptr : &*found;
  };
  const NameRule* const own = find(whole);
  return own != nullptr ? own : find(name.stem);
}

std::string NameBy(const NameRule& rule, const ParsedName& name,
                   const std::vector<std::string>& numbers) {
  const bool is_own = rule.gguf == name.stem + name.suffix;
  return FillIn(rule.hugging_face, numbers, is_own ? "" : name.suffix);
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

NameRules UsualNames() {
  return {
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
}

NameRules PairedHeadNames() {
  return {
      {"blk.{}.attn_q", "model.layers.{}.self_attn.q_proj", Change::kPairedHeads},
      {"blk.{}.attn_k", "model.layers.{}.self_attn.k_proj", Change::kPairedHeads},
  };
}

NameRules StackedExpertNames() {
  return {
      {"blk.{}.ffn_gate_inp", "model.layers.{}.mlp.gate"},
      {"blk.{}.ffn_gate_exps", "model.layers.{}.mlp.experts.{}.gate_proj", Change::kExperts},
      {"blk.{}.ffn_up_exps", "model.layers.{}.mlp.experts.{}.up_proj", Change::kExperts},
      {"blk.{}.ffn_down_exps", "model.layers.{}.mlp.experts.{}.down_proj", Change::kExperts},
  };
}

NameRules MixtralNames() {
  return {
      {"blk.{}.ffn_gate_inp", "model.layers.{}.block_sparse_moe.gate"},
      {"blk.{}.ffn_gate_exps", "model.layers.{}.block_sparse_moe.experts.{}.w1", Change::kExperts},
      {"blk.{}.ffn_down_exps", "model.layers.{}.block_sparse_moe.experts.{}.w2", Change::kExperts},
      {"blk.{}.ffn_up_exps", "model.layers.{}.block_sparse_moe.experts.{}.w3", Change::kExperts},
  };
}

NameRules SharedExpertNames() {
  return {
      {"blk.{}.ffn_gate_shexp", "model.layers.{}.mlp.shared_experts.gate_proj"},
      {"blk.{}.ffn_up_shexp", "model.layers.{}.mlp.shared_experts.up_proj"},
      {"blk.{}.ffn_down_shexp", "model.layers.{}.mlp.shared_experts.down_proj"},
  };
}

NameRules GraniteExpertNames() {
  return {
      {"blk.{}.ffn_gate_inp", "model.layers.{}.block_sparse_moe.router.layer"},
      {"blk.{}.ffn_gate_exps", "model.layers.{}.block_sparse_moe.experts.{}.gate_proj",
       Change::kExperts},
      {"blk.{}.ffn_up_exps", "model.layers.{}.block_sparse_moe.experts.{}.up_proj",
       Change::kExperts},
      {"blk.{}.ffn_down_exps", "model.layers.{}.block_sparse_moe.experts.{}.down_proj",
       Change::kExperts},
      {"blk.{}.ffn_gate_shexp", "model.layers.{}.shared_mlp.input_linear.gate"},
      {"blk.{}.ffn_up_shexp", "model.layers.{}.shared_mlp.input_linear.up"},
      {"blk.{}.ffn_down_shexp", "model.layers.{}.shared_mlp.output_linear"},
  };
}

NameRules With(NameRules rules, const NameRules& others) {
  rules.insert(rules.end(), others.begin(), others.end());
  return rules;
}

}  // namespace rondo::convert
