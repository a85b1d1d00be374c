#include "tests/tools/convert/families/mlx_layout.h"

#include <algorithm>
#include <optional>

namespace rondo::convert {
namespace {

// What stands before `part` in `name`, and behind it.
std::optional<std::pair<std::string, std::string>> Around(const std::string& name,
                                                          const std::string& part) {
  const size_t at = name.find(part);
  if (at == std::string::npos) return std::nullopt;
  return std::pair(name.substr(0, at), name.substr(at + part.size()));
}

void Append(const std::vector<float>& values, size_t first, size_t n, std::vector<float>& out) {
  out.insert(out.end(), values.begin() + static_cast<ptrdiff_t>(first),
             values.begin() + static_cast<ptrdiff_t>(first + n));
}

// The matrices of a stack turned.
TensorValues Turned(const TensorValues& stack) {
  const uint64_t n = stack.shape[0], rows = stack.shape[1], cols = stack.shape[2];
  TensorValues turned = {{n, cols, rows}, std::vector<float>(stack.values.size())};
  for (uint64_t i = 0; i < n * rows * cols; ++i) {
    const uint64_t matrix = i / (rows * cols), row = i / cols % rows, col = i % cols;
    turned.values[(matrix * cols + col) * rows + row] = stack.values[i];
  }
  return turned;
}

// Of each matrix' rows (a bias: numbers) those from `first` on, `n` or every other of them.
TensorValues Rows(const TensorValues& stack, uint64_t first, uint64_t n, uint64_t step) {
  const uint64_t cols = stack.shape.size() == 3 ? stack.shape[2] : 1;
  TensorValues rows = {stack.shape, {}};
  rows.shape[1] = n;
  for (uint64_t matrix = 0; matrix < stack.shape[0]; ++matrix) {
    for (uint64_t i = 0; i < n; ++i) {
      Append(stack.values, (matrix * stack.shape[1] + first + i * step) * cols, cols, rows.values);
    }
  }
  return rows;
}

std::string Replaced(const std::string& name, const std::string& part, const std::string& other) {
  const auto around = Around(name, part);
  return around ? around->first + other + around->second : name;
}

class Rewriting {
 public:
  Rewriting(const CheckpointTensors& tensors, const std::string& model_type)
      : in_(tensors), type_(model_type) {}

  CheckpointTensors Run() {
    for (const auto& [name, tensor] : in_) {
      if (name.find(".visual.") != std::string::npos) continue;
      if (Stacked(name, tensor) || Numbered(name, tensor) || KeysAndValues(name, tensor)) continue;
      Alone(name, tensor);
    }
    return out_;
  }

 private:
  bool Is(const char* begin) const { return type_.starts_with(begin); }

  // gate_up_proj and down_proj of all experts.
  bool Stacked(const std::string& name, const TensorValues& tensor) {
    const bool turned = (Is("gpt_oss") || Is("llama4")) && tensor.shape.size() == 3;
    if (const auto granite = Around(name, "block_sparse_moe.input_linear.weight")) {
      Halves(granite->first + "block_sparse_moe.switch_mlp.", ".weight", tensor);
      return true;
    }
    if (const auto granite = Around(name, "block_sparse_moe.output_linear.weight")) {
      out_[granite->first + "block_sparse_moe.switch_mlp.down_proj.weight"] = tensor;
      return true;
    }
    const std::string stem = Is("gemma4") ? "experts.switch_glu." : "experts.";
    if (const auto both = Around(name, "experts.gate_up_proj")) {
      const std::string end = both->second == "_bias" ? ".bias" : ".weight";
      Halves(both->first + stem, end, turned ? Turned(tensor) : tensor);
      return true;
    }
    const auto down = Around(name, "experts.down_proj");
    if (!down || (!down->second.empty() && down->second != "_bias")) return false;
    out_[down->first + stem + "down_proj" + (down->second.empty() ? ".weight" : ".bias")] =
        turned ? Turned(tensor) : tensor;
    return true;
  }

  void Halves(const std::string& stem, const std::string& end, const TensorValues& both) {
    const uint64_t size = both.shape[1] / 2, step = Is("gpt_oss") ? 2 : 1;
    out_[stem + "gate_proj" + end] = Rows(both, 0, size, step);
    out_[stem + "up_proj" + end] = Rows(both, step == 2 ? 1 : size, size, step);
  }

  // experts.N.x: the first makes the stack of all.
  bool Numbered(const std::string& name, const TensorValues& tensor) {
    const auto experts = Around(name, ".experts.");
    if (!experts || experts->second.find('.') == std::string::npos) return false;
    const size_t dot = experts->second.find('.');
    if (experts->second.substr(0, dot) != "0") {
      return std::ranges::all_of(experts->second.substr(0, dot), ::isdigit);
    }
    TensorValues stack = {tensor.shape, {}};
    const std::string rest = experts->second.substr(dot);
    for (uint64_t n = 0;; ++n) {
      const auto found = in_.find(experts->first + ".experts." + std::to_string(n) + rest);
      if (found == in_.end()) {
        stack.shape.insert(stack.shape.begin(), n);
        break;
      }
      Append(found->second.values, 0, found->second.values.size(), stack.values);
    }
    std::string called = Dense(rest);
    if (Is("nemotron_h")) {
      called = Replaced(Replaced(rest, "up_proj", "fc1"), "down_proj", "fc2");
    }
    out_[experts->first + (Is("afmoe") ? ".experts" : ".switch_mlp") + called] = std::move(stack);
    return true;
  }

  // kv_b_proj by head: what makes keys, turned, and what makes values.
  bool KeysAndValues(const std::string& name, const TensorValues& tensor) {
    const auto latent = Around(name, "kv_b_proj.weight");
    if (!latent) return false;
    const uint64_t values = in_.at(latent->first + "o_proj.weight").shape[1];  // of all heads
    const uint64_t cols = tensor.shape[1], keys = tensor.shape[0] - values;
    constexpr uint64_t kHeads = 4;  // of all goldens
    const TensorValues by_head = {{kHeads, tensor.shape[0] / kHeads, cols}, tensor.values};
    out_[latent->first + "embed_q.weight"] = Turned(Rows(by_head, 0, keys / kHeads, 1));
    out_[latent->first + "unembed_out.weight"] = Rows(by_head, keys / kHeads, values / kHeads, 1);
    return true;
  }

  std::string Dense(const std::string& name) const {
    std::string called = name;
    for (const auto& [theirs, mlx] :
         {std::pair("w1.", "gate_proj."), {"w2.", "down_proj."}, {"w3.", "up_proj."}}) {
      called = Replaced(called, theirs, mlx);
    }
    return called;
  }

  void Alone(const std::string& name, TensorValues tensor) {
    const bool is_kernel = name.ends_with("conv1d.weight") || name.ends_with("conv.conv.weight");
    if (is_kernel) std::swap(tensor.shape[1], tensor.shape[2]);
    const bool has_one = Is("qwen3_next") || Is("qwen3_5");
    for (const char* const norm : {".input_layernorm.weight", ".post_attention_layernorm.weight",
                                   "model.norm.weight", ".q_norm.weight", ".k_norm.weight"}) {
      if (!has_one || !name.ends_with(norm)) continue;
      for (float& value : tensor.values) value += 1;
    }
    if (Is("granitemoehybrid") && name.ends_with("shared_mlp.input_linear.weight") &&
        !HasExperts()) {
      const TensorValues both = {{1, tensor.shape[0], tensor.shape[1]}, tensor.values};
      const std::string layer = Around(name, "shared_mlp.")->first;
      Halves(layer + "mlp.", ".weight", both);
      for (const char* const half : {"gate_proj", "up_proj"}) {
        std::vector<uint64_t>& shape = out_[layer + "mlp." + half + ".weight"].shape;
        shape.erase(shape.begin());
      }
      return;
    }
    const std::string called = Is("lfm2_moe") ? Dense(name)
                               : Is("granitemoehybrid") && !HasExperts()
                                   ? Replaced(name, "shared_mlp.output_linear", "mlp.down_proj")
                                   : name;
    out_[called] = std::move(tensor);
  }
  bool HasExperts() const {
    return std::ranges::any_of(in_, [](const auto& one) {
      return one.first.find("block_sparse_moe") != std::string::npos;
    });
  }

  const CheckpointTensors& in_;
  const std::string& type_;
  CheckpointTensors out_;
};

}  // namespace

CheckpointTensors AsMlx(const CheckpointTensors& tensors, const std::string& model_type) {
  const char* const kText = "model.language_model.";
  const bool has_text = tensors.contains("model.language_model.embed_tokens.weight");
  CheckpointTensors named;
  for (const auto& [name, tensor] : tensors) {
    const bool is_head = has_text && name == "lm_head.weight";
    named[is_head ? "language_model." + name : Replaced(name, kText, "language_model.model.")] =
        tensor;
  }
  return Rewriting(named, model_type).Run();
}

}  // namespace rondo::convert
