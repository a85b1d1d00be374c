#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

#include "tests/tools/convert/sources/gguf/llama_cpp_gguf.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

class KeyWriter {
 public:
  KeyWriter(const json& config, GgufWriter& writer)
      : config_(config), writer_(writer), arch_(LlamaCppArchitecture(config)) {}

  void Write() {
    writer_.Key("general.architecture", arch_);
    WriteCommon();
    WriteRope();
    WriteExperts();
    WriteWindows();
    WriteRecurrence();
    WriteOwn();
  }

 private:
  // The first of these that the config has.
  json Find(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      if (config_.contains(name) && !config_[name].is_null()) return config_[name];
    }
    return {};
  }
  void Integer(const std::string& key, const json& value) {
    if (!value.is_null()) writer_.Key(arch_ + "." + key, value.get<uint32_t>());
  }
  void Number(const std::string& key, const json& value) {
    if (!value.is_null()) writer_.Key(arch_ + "." + key, value.get<float>());
  }
  void Flag(const std::string& key, const json& value) {
    if (!value.is_null()) writer_.Key(arch_ + "." + key, value.get<bool>());
  }
  template <typename T>
  void List(const std::string& key, const std::vector<T>& values) {
    writer_.Array(arch_ + "." + key, values);
  }
  bool Is(std::initializer_list<const char*> architectures) const {
    for (const char* one : architectures) {
      if (arch_ == one) return true;
    }
    return false;
  }
  std::vector<std::string> LayerTypes() const {
    const json types = Find({"layer_types", "layers_block_type"});
    return types.is_null() ? std::vector<std::string>() : types.get<std::vector<std::string>>();
  }
  uint64_t n_layers() const {
    const json n = Find({"num_hidden_layers", "n_layer", "n_layers"});
    return n.is_null() ? LayerTypes().size() : n.get<uint64_t>();
  }
  // `value` in layers of type `type`, else 0.
  void PerLayer(const std::string& key, const json& value, const std::string& type) {
    std::vector<int32_t> values;
    for (const std::string& one : LayerTypes()) {
      values.push_back(one == type ? value.get<int32_t>() : 0);
    }
    List(key, values);
  }

  void WriteCommon() {
    Integer("block_count", n_layers());
    Integer("embedding_length", Find({"hidden_size", "n_embd", "d_model"}));
    Integer("vocab_size", Find({"vocab_size"}));
    const json hidden = Find({"hidden_size", "n_embd", "d_model"});
    if (Is({"mamba2"})) {
      Integer("context_length", 1u << 20);
      Integer("feed_forward_length", 0);
      Integer("attention.head_count", 0);
      Number("attention.layer_norm_rms_epsilon", Find({"layer_norm_epsilon"}));
      return;
    }
    Integer("context_length",
            Find({"max_position_embeddings", "n_positions", "max_seq_len", "seq_length"}));
    Integer("attention.head_count", Find({"num_attention_heads", "n_head", "n_heads"}));
    Number("attention.layer_norm_rms_epsilon",
           Find({Is({"nemotron_h"}) ? "layer_norm_epsilon" : "rms_norm_eps", "norm_eps"}));
    Number("attention.layer_norm_epsilon",
           Is({"mpt", "olmo"})
               ? json(1e-5)
               : Find({"layer_norm_eps", "layer_norm_epsilon", "norm_epsilon", "norm_eps"}));
    if (Is({"bloom", "falcon", "mpt", "starcoder"})) {
      Integer("feed_forward_length", 4 * hidden.get<uint32_t>());
    } else if (Is({"llama4"})) {
      Integer("feed_forward_length", Find({"intermediate_size_mlp"}));
    } else if (Is({"nemotron_h"})) {
      PerLayer("feed_forward_length", Find({"intermediate_size"}), "mlp");
    } else if (!Is({"gemma4"}) || !config_.value("use_double_wide_mlp", false)) {
      Integer("feed_forward_length", Find({"intermediate_size", "n_inner"}));
    }
    if (Is({"deepseek2", "starcoder"}) ||
        (Is({"falcon"}) && !config_.value("new_decoder_architecture", false))) {
      Integer("attention.head_count_kv", 1);
    } else if (Is({"granitehybrid", "nemotron_h"})) {
      PerLayer("attention.head_count_kv", Find({"num_key_value_heads"}), "attention");
    } else if (Is({"lfm2moe"})) {
      PerLayer("attention.head_count_kv", Find({"num_key_value_heads"}), "full_attention");
    } else if (!Is({"gemma4"})) {
      Integer("attention.head_count_kv", Find({"num_kv_heads", "num_key_value_heads"}));
    }
    if (!Is({"deepseek2", "gemma4"})) {
      Integer("attention.key_length", Find({"head_dim"}));
      Integer("attention.value_length", Find({"head_dim"}));
    }
  }

  void WriteRope() {
    const json parameters = Find({"rope_parameters"});
    if (parameters.is_null()) return;
    const json rope = parameters.value("full_attention", parameters);
    Number("rope.freq_base", rope["rope_theta"]);
    if (parameters.contains("sliding_attention")) {
      Number("rope.freq_base_swa", parameters["sliding_attention"]["rope_theta"]);
    }
    const json head_dim = Find({"head_dim"});
    const uint32_t dim = !head_dim.is_null() ? head_dim.get<uint32_t>()
                                             : Find({"hidden_size"}).get<uint32_t>() /
                                                   Find({"num_attention_heads"}).get<uint32_t>();
    if (Is({"glm4", "glm4moe", "nemotron", "qwen3next", "qwen35", "qwen35moe"})) {
      const double usual = Is({"glm4", "glm4moe", "nemotron"}) ? 0.5 : 0.25;
      Integer("rope.dimension_count",
              static_cast<uint32_t>(dim * rope.value("partial_rotary_factor", usual)));
    } else if (Is({"minimax-m2"})) {
      Integer("rope.dimension_count", Find({"rotary_dim"}));
    } else if (Is({"deepseek2"})) {
      Integer("rope.dimension_count", Find({"qk_rope_head_dim"}));
    }
    if (Is({"qwen35", "qwen35moe"})) List<int32_t>("rope.dimension_sections", {1, 0, 0, 0});
    const std::string type = rope.value("rope_type", "default");
    if (type == "linear" || type == "yarn") {
      writer_.Key(arch_ + ".rope.scaling.type", type);
      Number("rope.scaling.factor", rope["factor"]);
      if (type == "yarn") {
        Integer("rope.scaling.original_context_length", rope["original_max_position_embeddings"]);
        Number("rope.scaling.yarn_beta_fast", rope.value("beta_fast", json()));
        Number("rope.scaling.yarn_beta_slow", rope.value("beta_slow", json()));
      }
    }
    if (Is({"deepseek2"}) && rope.contains("mscale_all_dim")) {
      Number("rope.scaling.yarn_log_multiplier", 0.1 * rope["mscale_all_dim"].get<double>());
    }
  }

  void WriteExperts() {
    const json count =
        Find({"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"});
    if (count.is_null()) return;
    Integer("expert_count", count.is_array() ? count[0] : count);
    const json used = Find({"num_experts_per_tok", "moe_k", "moe_topk", "top_k_experts"});
    Integer("expert_used_count", used.is_array() ? used[0] : used);
    Integer("expert_group_count", Find({"n_group"}));
    Integer("expert_group_used_count", Find({"topk_group"}));
    const bool by_intermediate = Is({"gpt-oss", "minimax-m2", "llama4", "hunyuan-moe"});
    const json size = Find({by_intermediate ? "intermediate_size" : "moe_intermediate_size"});
    Integer("expert_feed_forward_length", size);
    if (Is({"hunyuan-moe"})) Integer("expert_shared_feed_forward_length", size);
    if (Is({"hunyuan-moe"})) Integer("expert_shared_count", 1);
    Integer("expert_shared_feed_forward_length",
            Find({"shared_expert_intermediate_size", "shared_intermediate_size"}));
    if (Is({"ernie4_5-moe"})) {
      Integer("expert_shared_feed_forward_length",
              config_["intermediate_size"].get<uint32_t>() /
                  config_["num_key_value_heads"].get<uint32_t>());
    }
    Integer("expert_shared_count", Find({"n_shared_experts", "moe_num_shared_experts"}));
    Integer("leading_dense_block_count",
            Find({"first_k_dense_replace", "num_dense_layers", "moe_layer_start_index"}));
    Integer("interleave_moe_layer_step", Find({"interleave_moe_layer_step", "moe_layer_interval"}));
    if (Is({"deepseek2", "glm4moe", "dots1"})) {
      Number("expert_weights_scale", Find({"routed_scaling_factor"}));
      const json norm = Find({"norm_topk_prob"});
      if (!Is({"deepseek2"}) || (norm.is_boolean() && norm)) Flag("expert_weights_norm", norm);
    }
    const bool sigmoid =
        Is({"glm4moe", "lfm2moe", "dots1", "minimax-m2"}) || config_["model_type"] == "deepseek_v3";
    if (sigmoid) Integer("expert_gating_func", 2);
  }

  void WriteWindows() {
    if (!Is({"gpt-oss", "olmo2", "exaone4", "cohere2", "gemma3n", "gemma4"})) return;
    const json window = Find({"sliding_window"});
    if (window.is_null()) return;
    Integer("attention.sliding_window", window);
    if (!Is({"olmo2", "exaone4", "gemma3n", "gemma4"}) || LayerTypes().empty()) return;
    // A vector of bool has no elements to write.
    std::string values;
    for (const std::string& type : LayerTypes()) {
      values += static_cast<char>(type == "sliding_attention");
    }
    writer_.Flags(arch_ + ".attention.sliding_window_pattern", values);
  }

  void WriteRecurrence() {
    if (Is({"qwen3next", "qwen35", "qwen35moe"})) {
      const auto heads = config_["linear_num_value_heads"].get<uint32_t>();
      Integer("ssm.conv_kernel", config_["linear_conv_kernel_dim"]);
      Integer("ssm.state_size", config_["linear_key_head_dim"]);
      Integer("ssm.group_count", config_["linear_num_key_heads"]);
      Integer("ssm.time_step_rank", heads);
      Integer("ssm.inner_size", heads * config_["linear_value_head_dim"].get<uint32_t>());
      Integer("full_attention_interval", config_.value("full_attention_interval", 4));
    } else if (Is({"mamba2", "granitehybrid", "falcon-h1", "nemotron_h"})) {
      const uint32_t heads =
          Find({"mamba_n_heads", "mamba_num_heads", "num_heads"}).get<uint32_t>();
      const json dim = Find({"mamba_d_head", "mamba_head_dim", "head_dim"});
      Integer("ssm.conv_kernel", Find({"mamba_d_conv", "conv_kernel"}));
      Integer("ssm.inner_size", heads * dim.get<uint32_t>());
      Integer("ssm.state_size", Find({"mamba_d_state", "ssm_state_size", "state_size"}));
      Integer("ssm.time_step_rank", heads);
      Integer("ssm.group_count", Find({"mamba_n_groups", "n_groups"}));
    }
    if (Is({"granitehybrid"})) Flag("rope.scaling.finetuned", false);
    if (Is({"lfm2moe"})) Integer("shortconv.l_cache", config_["conv_L_cache"]);
  }

  void WriteOwn() {
    if (Is({"granitemoe", "granitehybrid"})) {
      Number("attention.scale", config_["attention_multiplier"]);
      Number("embedding_scale", config_["embedding_multiplier"]);
      Number("residual_scale", config_["residual_multiplier"]);
      Number("logit_scale", config_["logits_scaling"]);
    } else if (Is({"command-r", "cohere2"})) {
      Number("logit_scale", config_["logit_scale"]);
    } else if (Is({"olmo"})) {
      Number("attention.clamp_kqv", Find({"clip_qkv"}));
    } else if (Is({"mpt"})) {
      Number("attention.max_alibi_bias", 8);
    } else if (Is({"deepseek2"})) {
      const auto latent = config_["kv_lora_rank"].get<uint32_t>();
      const auto turned = config_["qk_rope_head_dim"].get<uint32_t>();
      Integer("attention.q_lora_rank", Find({"q_lora_rank"}));
      Integer("attention.kv_lora_rank", latent);
      Integer("attention.key_length", latent + turned);
      Integer("attention.value_length", latent);
      Integer("attention.key_length_mla", config_["qk_nope_head_dim"].get<uint32_t>() + turned);
      Integer("attention.value_length_mla", config_["v_head_dim"]);
    } else if (Is({"gemma3n"})) {
      WriteGemma3n();
    } else if (Is({"gemma4"})) {
      WriteGemma4();
    }
  }

  void WriteGemma3n() {
    Number("attention.shared_kv_layers", config_["num_kv_shared_layers"]);  // a float there
    Integer("embedding_length_per_layer_input", config_["hidden_size_per_layer_input"]);
    Integer("altup.num_inputs", config_["altup_num_inputs"]);
    Integer("altup.active_idx", config_["altup_active_idx"]);
    Number("final_logit_softcapping", Find({"final_logit_softcapping"}));
    std::vector<float> deviations;  // 1.6449: above which 5 % are
    for (const json& share : config_["activation_sparsity_pattern"]) {
      deviations.push_back(share == 0.95 ? 1.6448536269514722f : -INFINITY);
    }
    List("activation_sparsity_scale", deviations);
  }

  void WriteGemma4() {
    const auto shared = config_["num_kv_shared_layers"].get<uint64_t>();
    Integer("attention.shared_kv_layers", shared);
    Integer("embedding_length_per_layer_input", config_["hidden_size_per_layer_input"]);
    for (const char* part : {"attention.key_length", "attention.value_length"}) {
      Integer(part, config_["global_head_dim"]);
      Integer(std::string(part) + "_swa", config_["head_dim"]);
    }
    Integer("rope.dimension_count", config_["global_head_dim"]);
    Integer("rope.dimension_count_swa", config_["head_dim"]);
    Number("final_logit_softcapping", Find({"final_logit_softcapping"}));
    const json full = Find({"num_global_key_value_heads"});
    if (full.is_null()) {
      Integer("attention.head_count_kv", config_["num_key_value_heads"]);
    } else {
      std::vector<int32_t> heads;
      for (const std::string& type : LayerTypes()) {
        heads.push_back(
            (type == "sliding_attention" ? config_["num_key_value_heads"] : full).get<int32_t>());
      }
      List("attention.head_count_kv", heads);
    }
    if (config_.value("use_double_wide_mlp", false)) {
      std::vector<int32_t> sizes(n_layers(), config_["intermediate_size"].get<int32_t>());
      for (uint64_t i = n_layers() - shared; i < n_layers(); ++i) sizes[i] *= 2;
      List("feed_forward_length", sizes);
    }
    const auto dim = config_["global_head_dim"].get<double>();
    const double share =
        config_["rope_parameters"]["full_attention"].value("partial_rotary_factor", 1.0);
    std::vector<float> divisors(static_cast<size_t>(dim / 2), 1e30f);
    std::fill_n(divisors.begin(), static_cast<size_t>(dim * share / 2), 1.0f);
    writer_.Floats("rope_freqs.weight", {divisors.size()}, divisors);
  }

  const json& config_;
  GgufWriter& writer_;
  const std::string arch_;
};

}  // namespace

std::string LlamaCppArchitecture(const json& config) {
  static const std::map<std::string, std::string> kNames = {
      {"arcee", "arcee"},
      {"bloom", "bloom"},
      {"cohere", "command-r"},
      {"cohere2", "cohere2"},
      {"deepseek_v2", "deepseek2"},
      {"deepseek_v3", "deepseek2"},
      {"dots1", "dots1"},
      {"ernie4_5", "ernie4_5"},
      {"ernie4_5_moe", "ernie4_5-moe"},
      {"exaone4", "exaone4"},
      {"falcon", "falcon"},
      {"falcon_h1", "falcon-h1"},
      {"gemma3n_text", "gemma3n"},
      {"gemma4_text", "gemma4"},
      {"glm4", "glm4"},
      {"glm4_moe", "glm4moe"},
      {"gpt_bigcode", "starcoder"},
      {"gpt_oss", "gpt-oss"},
      {"granitemoe", "granitemoe"},
      {"granitemoehybrid", "granitehybrid"},
      {"granitemoeshared", "granitemoe"},
      {"hunyuan_v1_dense", "hunyuan-dense"},
      {"hunyuan_v1_moe", "hunyuan-moe"},
      {"lfm2_moe", "lfm2moe"},
      {"llama4_text", "llama4"},
      {"mamba2", "mamba2"},
      {"minimax_m2", "minimax-m2"},
      {"mpt", "mpt"},
      {"nemotron", "nemotron"},
      {"nemotron_h", "nemotron_h"},
      {"olmo", "olmo"},
      {"olmo3", "olmo2"},
      {"phimoe", "phimoe"},
      {"qwen2_moe", "qwen2moe"},
      {"qwen3_5_moe_text", "qwen35moe"},
      {"qwen3_5_text", "qwen35"},
      {"qwen3_next", "qwen3next"},
      {"seed_oss", "seed_oss"},
      {"youtu", "deepseek2"},
  };
  return kNames.at(config.at("model_type").get<std::string>());
}

void WriteLlamaCppKeys(const json& config, GgufWriter& writer) {
  KeyWriter(config, writer).Write();
}

}  // namespace rondo::convert
