#include "tests/tools/convert/sources/gguf/reference_gguf.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "tests/tools/convert/sources/gguf/gguf_writer.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/sources/checkpoint_folder.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

struct Tensor {
  std::vector<uint64_t> shape;
  std::vector<float> values;
};

Tensor ReadTensor(const Checkpoint& checkpoint, const std::string& name) {
  Tensor tensor{checkpoint.tensors().at(name).shape, {}};
  uint64_t elements = 1;
  for (const uint64_t size : tensor.shape) elements *= size;
  tensor.values.resize(elements);
  checkpoint.Read(name, 0, tensor.values);
  return tensor;
}

// Row i of the result is row `source(i)` of the tensor.
template <typename Source>
Tensor Reorder(const Tensor& tensor, const Source& source) {
  Tensor result = tensor;
  const uint64_t rows = tensor.shape[0], cols = tensor.values.size() / rows;
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

// What llama.cpp's converter does to a tensor of one layer.
Tensor Changed(const Tensor& tensor, Change change, uint64_t n_heads, uint64_t head_dim) {
  switch (change) {
    case Change::kPairedHeads:  // [heads, 2, head_dim / 2] -> [heads, head_dim / 2, 2]
      return Reorder(tensor, [&](uint64_t i) {
        return i / head_dim * head_dim + i % 2 * (head_dim / 2) + i % head_dim / 2;
      });
    case Change::kGroupedQkv:  // [heads, 3, head_dim] -> [3, heads, head_dim]
      return Reorder(tensor, [&](uint64_t i) {
        const uint64_t third = i / (n_heads * head_dim), head = i / head_dim % n_heads;
        return (head * 3 + third) * head_dim + i % head_dim;
      });
    case Change::kPlusOne: {
      Tensor result = tensor;
      for (float& value : result.values) value += 1.0f;
      return result;
    }
    case Change::kTransposed:
      return tensor.shape.size() == 2 ? Transposed(tensor) : tensor;
    default:
      return tensor;
  }
}

// The rule whose Hugging Face side is this.
const NameRule& RuleFor(const std::vector<NameRule>& rules, const std::string& stem) {
  const auto found = std::find_if(rules.rbegin(), rules.rend(), [&](const NameRule& rule) {
    return rule.hugging_face == stem && !rule.gguf.ends_with(".{}");
  });
  if (found == rules.rend()) throw std::runtime_error(stem + " has no rule");
  return *found;
}

void AddTensors(const Checkpoint& checkpoint, const NameRules& rules, uint64_t n_heads,
                uint64_t head_dim, GgufWriter& writer) {
  std::map<std::string, std::map<int, Tensor>> experts;  // by name, then by number
  for (const auto& [name, entry] : checkpoint.tensors()) {
    const ParsedName parsed = ParseName(name);
    const NameRule& rule = RuleFor(rules, parsed.stem);
    const std::string target = FillIn(rule.gguf, parsed.numbers, parsed.suffix);
    const Tensor tensor = Changed(ReadTensor(checkpoint, name), rule.change, n_heads, head_dim);
    if (rule.change == Change::kExperts) {
      experts[target][std::stoi(parsed.numbers.at(1))] = tensor;
    } else {
      writer.Floats(target, tensor.shape, tensor.values);
    }
  }
  for (const auto& [name, tensors] : experts) {
    Tensor stacked{tensors.at(0).shape, {}};
    stacked.shape.insert(stacked.shape.begin(), tensors.size());
    for (const auto& [number, tensor] : tensors) {
      stacked.values.insert(stacked.values.end(), tensor.values.begin(), tensor.values.end());
    }
    writer.Floats(name, stacked.shape, stacked.values);
  }
}

// llama.cpp's converter leaves do_sample out.
void AddSampling(const std::filesystem::path& path, GgufWriter& writer) {
  if (!std::filesystem::exists(path)) return;
  const json generation = json::parse(std::ifstream(path));
  for (const auto& [name, key] : {std::pair{"temperature", "temp"},
                                  {"top_p", "top_p"},
                                  {"min_p", "min_p"},
                                  {"repetition_penalty", "penalty_repeat"}}) {
    if (!generation.contains(name)) continue;
    writer.Key(std::string("general.sampling.") + key, generation[name].get<float>());
  }
  if (generation.contains("top_k")) {
    writer.Key("general.sampling.top_k", generation["top_k"].get<int32_t>());
  }
}

}  // namespace

void WriteGgufOf(const std::filesystem::path& folder, const std::string& architecture,
                 const std::filesystem::path& path) {
  const json config = json::parse(std::ifstream(folder / "config.json"));
  // The first of these names that the config has.
  const auto find = [&](std::initializer_list<const char*> names) -> json {
    for (const char* name : names) {
      if (config.contains(name) && !config[name].is_null()) return config[name];
    }
    return {};
  };
  GgufWriter writer;
  writer.Key("general.architecture", architecture);
  const auto integer = [&](const char* key, const json& value) {
    if (!value.is_null()) writer.Key(architecture + "." + key, value.get<uint32_t>());
  };
  const auto number = [&](const char* key, const json& value) {
    if (!value.is_null()) writer.Key(architecture + "." + key, value.get<float>());
  };
  const auto hidden = find({"hidden_size", "n_embd"}).get<uint32_t>();
  const auto n_heads = find({"num_attention_heads", "n_head"}).get<uint32_t>();
  const json given_head_dim = find({"head_dim"});
  const uint32_t head_dim =
      given_head_dim.is_null() ? hidden / n_heads : given_head_dim.get<uint32_t>();
  integer("block_count", find({"num_hidden_layers", "n_layer"}));
  integer("context_length", find({"max_position_embeddings", "n_positions"}));
  integer("embedding_length", hidden);
  integer("feed_forward_length",
          architecture == "gpt2" ? json(4 * hidden) : find({"intermediate_size"}));
  integer("attention.head_count", n_heads);
  integer("attention.head_count_kv", find({"num_key_value_heads"}));
  integer("attention.key_length", given_head_dim);
  integer("attention.value_length", given_head_dim);
  number("attention.layer_norm_rms_epsilon", find({"rms_norm_eps"}));
  number("attention.layer_norm_epsilon",
         find({"layer_norm_eps", "norm_epsilon", "layer_norm_epsilon"}));
  integer("expert_count", find({"num_experts", "num_local_experts"}));
  integer("expert_used_count", find({"num_experts_per_tok"}));
  integer("expert_feed_forward_length", find({"moe_intermediate_size"}));
  integer("rope.scaling.original_context_length", find({"original_max_position_embeddings"}));
  if (const json parallel = find({"use_parallel_residual"}); !parallel.is_null()) {
    writer.Key(architecture + ".use_parallel_residual", parallel.get<bool>());
  }
  if (const json rope = find({"rope_parameters"}); !rope.is_null()) {
    number("rope.freq_base", rope.at("rope_theta"));
    integer("rope.dimension_count",
            static_cast<uint32_t>(head_dim * rope.value("partial_rotary_factor", 1.0)));
    for (const char* length : {"short", "long"}) {
      const auto factors = rope.find(std::string(length) + "_factor");
      if (factors == rope.end()) continue;
      const auto values = factors->get<std::vector<float>>();
      writer.Floats("rope_factors_" + std::string(length) + ".weight", {values.size()}, values);
    }
  }
  AddSampling(folder / "generation_config.json", writer);
  const NameRules& names = FindArchitecture(Config::Load(folder / "config.json")).gguf_names;
  AddTensors(CheckpointFolder(folder), names, n_heads, head_dim, writer);
  writer.Save(path);
}

}  // namespace rondo::convert
