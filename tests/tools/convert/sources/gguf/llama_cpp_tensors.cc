#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <stdexcept>
#include <vector>

#include "tests/tools/convert/sources/gguf/llama_cpp_gguf.h"
#include "tests/tools/convert/sources/gguf/llama_cpp_names.h"
#include "tools/convert/sources/checkpoint_folder.h"
#include "tools/convert/sources/gguf/tensor_names.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

struct Tensor {
  std::vector<uint64_t> shape;
  std::vector<float> values;

  uint64_t cols() const { return values.size() / shape[0]; }
};

// Rows (or columns) i of the result are those at source(i).
template <typename Source>
Tensor Rows(const Tensor& tensor, uint64_t rows, const Source& source) {
  Tensor result = tensor;
  const uint64_t cols = tensor.cols();
  result.shape[0] = rows;
  result.values.resize(rows * cols);
  for (uint64_t i = 0; i < rows; ++i) {
    std::copy_n(tensor.values.begin() + static_cast<std::ptrdiff_t>(source(i) * cols), cols,
                result.values.begin() + static_cast<std::ptrdiff_t>(i * cols));
  }
  return result;
}

Tensor Transposed(const Tensor& tensor) {
  const uint64_t rows = tensor.shape[0], cols = tensor.shape[1];
  Tensor result{{cols, rows}, std::vector<float>(rows * cols)};
  for (uint64_t i = 0; i < rows * cols; ++i) {
    result.values[i % cols * rows + i / cols] = tensor.values[i];
  }
  return result;
}

class TensorWriter {
 public:
  TensorWriter(const Checkpoint& checkpoint, const json& config, GgufWriter& writer)
      : checkpoint_(checkpoint),
        config_(config),
        writer_(writer),
        arch_(LlamaCppArchitecture(config)) {}

  void Write() {
    for (const auto& [name, entry] : checkpoint_.tensors()) {
      Tensor tensor{entry.shape, std::vector<float>(entry.elements())};
      checkpoint_.Read(name, 0, tensor.values);
      Add(ParseName(name), std::move(tensor));
    }
    for (const auto& [name, parts] : stacks_) {
      Tensor stacked{parts.at(0).shape, {}};
      stacked.shape.insert(stacked.shape.begin(), parts.size());
      for (const auto& [number, one] : parts) {
        stacked.values.insert(stacked.values.end(), one.values.begin(), one.values.end());
      }
      writer_.Floats(name, stacked.shape, stacked.values);
    }
  }

 private:
  uint64_t Size(const char* key) const { return config_.at(key).get<uint64_t>(); }
  double Factor(const char* key) const { return config_.at(key).get<double>(); }
  bool Is(std::initializer_list<const char*> architectures) const {
    return std::ranges::any_of(architectures, [&](const char* one) { return arch_ == one; });
  }

  void Add(const ParsedName& name, Tensor tensor) {
    const size_t end = name.stem.find(".{}.");
    if (name.stem.ends_with(".{}")) {
      stacks_[kNames.at(name.stem) + name.suffix][std::stoi(name.numbers[0])] = std::move(tensor);
      return;
    }
    if (end == std::string::npos) {
      Scale(name.stem, tensor);
      return Put(kNames.at(name.stem) + name.suffix, AddOne(name, std::move(tensor)));
    }
    const std::string own = name.stem.substr(end + 4);
    const std::string layer = "blk." + name.numbers.front() + ".";
    const size_t dot = own.rfind('.');
    const std::string last = own.substr(dot + 1);
    const bool is_shared =
        own.find("shared_expert") != std::string::npos || own.starts_with("mlp.shared_mlp.");
    if (is_shared && kExpert.count(last) != 0) {
      Put(layer + kExpert.at(last) + "_shexp" + name.suffix, tensor);
    } else if (own.find("experts.{}.") != std::string::npos) {
      const bool is_fused = Is({"gemma4"}) && last != "down_proj";
      const std::string part = is_fused ? "ffn_gate_up" : kExpert.at(last);
      Append(tensor, stacks_[layer + part + "_exps" + name.suffix][std::stoi(name.numbers[1])]);
    } else if (own.find("experts.gate_up_proj") != std::string::npos ||
               own.find("experts.down_proj") != std::string::npos ||
               own == "block_sparse_moe.input_linear" || own == "block_sparse_moe.output_linear") {
      AddStack(layer, last, tensor);
    } else if (own.starts_with("shared_mlp.")) {
      AddSharedMlp(layer, last, tensor);
    } else if (own == "self_attn.kv_b_proj") {
      AddKvUp(layer, tensor);
    } else if (own == "linear_attn.in_proj_qkvz") {
      AddQkvz(layer, tensor);
    } else if ((own.starts_with("mamba.") || own.starts_with("mixer.") ||
                own.starts_with("linear_attn.")) &&
               kRecurrent.count(last) != 0) {
      AddRecurrent(layer, name, own, last, std::move(tensor));
    } else {
      Scale(own, tensor);
      const bool is_post = own == "post_attention_layernorm" && kPostNorm.count(arch_) != 0;
      const std::string target = is_post ? "post_attention_norm" : kNames.at(own);
      // Its rule for this one is of the whole name, ".weight" and all.
      const std::string suffix = own == "pre_ff_layernorm" ? "" : name.suffix;
      Put(layer + target + suffix, Moved(own, AddOne(name, std::move(tensor))));
    }
  }

  // Rows behind those that are there.
  static void Append(const Tensor& tensor, Tensor& whole) {
    const uint64_t rows = whole.shape.empty() ? 0 : whole.shape[0];
    whole.shape = tensor.shape;
    whole.shape[0] += rows;
    whole.values.insert(whole.values.end(), tensor.values.begin(), tensor.values.end());
  }

  void Put(const std::string& name, const Tensor& tensor) {
    writer_.Floats(name, tensor.shape, tensor.values);
  }

  Tensor AddOne(const ParsedName& name, Tensor tensor) const {
    const bool shifted = Is({"nemotron", "qwen3next", "qwen35", "qwen35moe"});
    if (shifted && name.stem.ends_with("norm") && name.suffix == ".weight") {
      for (float& value : tensor.values) value += 1.0f;
    }
    return tensor;
  }

  // Falcon-H1's multipliers of what is not a recurrence.
  void Scale(const std::string& own, Tensor& tensor) const {
    if (!Is({"falcon-h1"})) return;
    const auto has = [&](const char* part) { return own.find(part) != std::string::npos; };
    double factor = 1;
    if (has("down_proj")) factor = config_["mlp_multipliers"][1].get<double>();
    if (has("gate_proj")) factor = config_["mlp_multipliers"][0].get<double>();
    if (has("q_proj") || has("k_proj") || has("v_proj")) factor = Factor("attention_in_multiplier");
    if (has("k_proj")) factor *= Factor("key_multiplier");
    if (has("o_proj")) factor = Factor("attention_out_multiplier");
    if (has("lm_head")) factor = Factor("lm_head_multiplier");
    if (has("embed_tokens")) factor = Factor("embedding_multiplier");
    for (float& value : tensor.values) value *= static_cast<float>(factor);
  }

  // Rows in another order.
  Tensor Moved(const std::string& own, const Tensor& tensor) const {
    const bool is_query = own == "self_attn.q_proj", is_key = own == "self_attn.k_proj";
    if ((is_query || is_key) && Is({"arcee", "granitemoe", "granitehybrid", "olmo"})) {
      const uint64_t heads = Size(is_query ? "num_attention_heads" : "num_key_value_heads");
      const uint64_t dim = tensor.shape[0] / heads;
      return Rows(tensor, tensor.shape[0],
                  [&](uint64_t i) { return i / dim * dim + i % 2 * (dim / 2) + i % dim / 2; });
    }
    if (own == "self_attention.query_key_value") {
      const bool is_new = config_.value("new_decoder_architecture", false);
      const uint64_t heads = Size("num_attention_heads");
      const uint64_t groups = Is({"bloom"}) ? heads : is_new ? Size("num_kv_heads") : 1;
      const uint64_t dim = Size("hidden_size") / heads, per_group = heads / groups;
      return Rows(tensor, tensor.shape[0], [&](uint64_t i) {
        const uint64_t head = i / dim;
        const uint64_t from = head < heads ? head / per_group * (per_group + 2) + head % per_group
                              : head < heads + groups
                                  ? (head - heads) * (per_group + 2) + per_group
                                  : (head - heads - groups) * (per_group + 2) + per_group + 1;
        return from * dim + i % dim;
      });
    }
    if (own == "conv.conv") return {{tensor.shape[0], tensor.shape[2]}, tensor.values};
    const bool is_tiled = Is({"qwen35", "qwen35moe"}) && own.starts_with("linear_attn.");
    return is_tiled ? Tiled(tensor) : tensor;
  }

  // The last channels, which are the value heads': those of a key head lay beside each other.
  Tensor Tiled(const Tensor& tensor) const {
    const uint64_t keys = Size("linear_num_key_heads"), values = Size("linear_num_value_heads");
    const uint64_t dim = tensor.shape[0] == values ? 1 : Size("linear_value_head_dim");
    const uint64_t first = tensor.shape[0] - values * dim;
    return Rows(tensor, tensor.shape[0], [&](uint64_t i) {
      if (i < first) return i;
      const uint64_t head = (i - first) / dim;
      return first + (head % keys * (values / keys) + head / keys) * dim + (i - first) % dim;
    });
  }

  void AddRecurrent(const std::string& layer, const ParsedName& name, const std::string& own,
                    const std::string& last, Tensor tensor) {
    const bool is_delta = own.starts_with("linear_attn.");
    const bool is_tiled = is_delta && Is({"qwen35", "qwen35moe"});
    if (last == "out_proj") {
      if (is_tiled) tensor = Transposed(Tiled(Transposed(tensor)));
      if (Is({"falcon-h1"})) Multiply(tensor, 0, tensor.shape[0], Factor("ssm_out_multiplier"));
    } else if (last == "in_proj" && Is({"falcon-h1"})) {
      MultiplyParts(tensor);
    } else if (is_tiled && last != "norm") {
      tensor = Tiled(tensor);
    }
    if (last == "conv1d" && name.suffix == ".weight") {
      tensor.shape = {tensor.shape[0], tensor.shape[2]};
    } else if (last == "A_log") {
      for (float& value : tensor.values) value = -std::exp(value);
    }
    if (!is_delta && (last == "A_log" || last == "D")) tensor.shape.push_back(1);
    if (!is_delta && last == "norm") {
      const char* const key = config_.contains("mamba_n_groups") ? "mamba_n_groups" : "n_groups";
      tensor.shape = {Size(key), tensor.shape[0] / Size(key)};
    }
    Put(layer + kRecurrent.at(last) + name.suffix, tensor);
  }

  static void Multiply(Tensor& tensor, uint64_t first, uint64_t rows, double factor) {
    const uint64_t cols = tensor.cols();
    for (uint64_t i = first * cols; i < (first + rows) * cols; ++i) {
      tensor.values[i] *= static_cast<float>(factor);
    }
  }

  void MultiplyParts(Tensor& tensor) const {
    const uint64_t inner = Size("mamba_n_heads") * Size("mamba_d_head");
    const uint64_t group = Size("mamba_n_groups") * Size("mamba_d_state");
    uint64_t first = 0;
    for (size_t i = 0; i < 5; ++i) {
      const uint64_t rows = i < 2 ? inner : i < 4 ? group : Size("mamba_n_heads");
      Multiply(tensor, first, rows,
               Factor("ssm_in_multiplier") * config_["ssm_multipliers"][i].get<double>());
      first += rows;
    }
  }

  // All experts in one tensor: of each, rows of gate, then of up, or in turns and by columns.
  void AddStack(const std::string& layer, const std::string& last, const Tensor& stack) {
    const uint64_t count = stack.shape[0];
    const bool is_bias = last.ends_with("_bias"), by_columns = Is({"gpt-oss", "llama4"});
    const bool is_down = last.starts_with("down") || last.starts_with("output");
    const std::string suffix = is_bias ? ".bias" : ".weight";
    const std::string gate = layer + "ffn_gate_exps" + suffix, up = layer + "ffn_up_exps" + suffix;
    const std::string down = layer + "ffn_down_exps" + suffix;
    for (uint64_t e = 0; e < count; ++e) {
      const uint64_t size = stack.values.size() / count;
      Tensor one{{stack.shape.begin() + 1, stack.shape.end()},
                 {stack.values.begin() + static_cast<std::ptrdiff_t>(e * size),
                  stack.values.begin() + static_cast<std::ptrdiff_t>((e + 1) * size)}};
      if (by_columns && !is_bias) one = Transposed(one);
      const int number = static_cast<int>(e);
      if (is_down) {
        stacks_[down][number] = std::move(one);
        continue;
      }
      const uint64_t half = one.shape[0] / 2;
      const bool in_turns = Is({"gpt-oss"});
      stacks_[gate][number] = Rows(one, half, [&](uint64_t i) { return in_turns ? 2 * i : i; });
      stacks_[up][number] =
          Rows(one, half, [&](uint64_t i) { return in_turns ? 2 * i + 1 : half + i; });
    }
  }

  void AddSharedMlp(const std::string& layer, const std::string& last, const Tensor& tensor) {
    const char* const end = config_.value("num_local_experts", 0) > 0 ? "_shexp.weight" : ".weight";
    if (last == "output_linear") return Put(layer + "ffn_down" + end, tensor);
    const uint64_t half = tensor.shape[0] / 2;
    Put(layer + "ffn_gate" + end, Rows(tensor, half, [](uint64_t i) { return i; }));
    Put(layer + "ffn_up" + end, Rows(tensor, half, [&](uint64_t i) { return half + i; }));
  }

  void AddKvUp(const std::string& layer, const Tensor& tensor) {
    const uint64_t heads = Size("num_attention_heads"), keys = Size("qk_nope_head_dim");
    const uint64_t values = Size("v_head_dim"), latent = tensor.shape[1];
    Tensor k{{heads, latent, keys}, {}}, v{{heads, values, latent}, {}};
    for (uint64_t head = 0; head < heads; ++head) {
      const uint64_t first = head * (keys + values);
      const Tensor of_keys = Transposed(Rows(tensor, keys, [&](uint64_t i) { return first + i; }));
      const Tensor of_values = Rows(tensor, values, [&](uint64_t i) { return first + keys + i; });
      k.values.insert(k.values.end(), of_keys.values.begin(), of_keys.values.end());
      v.values.insert(v.values.end(), of_values.values.begin(), of_values.values.end());
    }
    Put(layer + "attn_k_b.weight", k);
    Put(layer + "attn_v_b.weight", v);
  }

  void AddQkvz(const std::string& layer, const Tensor& tensor) {
    const uint64_t heads = Size("linear_num_key_heads"), key = Size("linear_key_head_dim");
    const uint64_t value = Size("linear_num_value_heads") / heads * Size("linear_value_head_dim");
    const uint64_t block = 2 * key + 2 * value;
    const uint64_t begins[] = {0, key, 2 * key, 2 * key + value};
    std::vector<uint64_t> rows[2];
    for (size_t part = 0; part < 4; ++part) {
      for (uint64_t i = 0; i < heads * (part < 2 ? key : value); ++i) {
        const uint64_t size = part < 2 ? key : value;
        rows[part / 3].push_back(i / size * block + begins[part] + i % size);
      }
    }
    for (size_t i = 0; i < 2; ++i) {
      Put(layer + (i == 0 ? "attn_qkv.weight" : "attn_gate.weight"),
          Rows(tensor, rows[i].size(), [&](uint64_t row) { return rows[i][row]; }));
    }
  }

  const Checkpoint& checkpoint_;
  const json& config_;
  GgufWriter& writer_;
  const std::string arch_;
  std::map<std::string, std::map<int, Tensor>> stacks_;  // by name, then by number
};

}  // namespace

void WriteLlamaCppTensors(const Checkpoint& checkpoint, const json& config, GgufWriter& writer) {
  TensorWriter(checkpoint, config, writer).Write();
}

void WriteLlamaCppGguf(const std::filesystem::path& folder, const std::filesystem::path& path) {
  const json config = json::parse(std::ifstream(folder / "config.json"));
  GgufWriter writer;
  WriteLlamaCppKeys(config, writer);
  WriteLlamaCppTensors(CheckpointFolder(folder), config, writer);
  writer.Save(path);
}

}  // namespace rondo::convert
