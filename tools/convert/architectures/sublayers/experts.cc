#include "tools/convert/architectures/sublayers/experts.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {
namespace {

using Form = TensorRecipe::Form;
using Part = TensorRecipe::Part;

// The recipes of one layer's experts, in every form that checkpoints have them in.
class ExpertsBuilder {
 public:
  ExpertsBuilder(const Experts& experts, SublayerBuilder& b) : b_(b), e_(experts) {}

  std::unique_ptr<format::LinearT> Router() {
    // In float32: which experts are chosen hangs on small differences, and it is small.
    const std::string source = b_.source() + e_.names.router;
    TensorRecipe recipe{b_.name() + "mlp.router",
                        TensorRole::kTable,
                        {{source + ".weight", e_.n_experts}},
                        b_.sizes().hidden};
    if (e_.shared_gate) {
      Part gate = {b_.source() + e_.shared_names.weight + ".weight", 1};
      recipe.parts.push_back(gate);
      gate.shape = {b_.sizes().hidden};  // GGUF has a vector
      recipe.others.push_back({{recipe.parts[0], gate}});
    }
    auto linear = std::make_unique<format::LinearT>();
    linear->weight = b_.spec().Add(std::move(recipe));
    if (e_.router_bias) {
      linear->bias = b_.Vector(b_.name() + "mlp.router.bias", source + ".bias", e_.n_experts);
    }
    return linear;
  }

  // A vector for the experts, or for nothing.
  int32_t Vector(const char* name, const std::string& source) {
    if (source.empty()) return -1;
    return b_.Vector(b_.name() + name, b_.source() + source, e_.n_experts);
  }

  std::unique_ptr<format::NormT> Norm(const char* name, const std::string& source) {
    return source.empty() ? nullptr : b_.Norm(b_.name() + name, b_.source() + source);
  }

  std::unique_ptr<format::NormT> RouterNorm() {
    if (e_.names.router_norm.empty()) return nullptr;
    const uint64_t hidden = b_.sizes().hidden;
    return b_.NormOf(b_.name() + "mlp.router_norm", {{b_.source() + e_.names.router_norm, hidden}},
                     {}, false, 1 / std::sqrt(static_cast<float>(hidden)));
  }

  std::unique_ptr<format::ExpertT> Expert(uint32_t i) {
    const std::string own = b_.name() + "mlp.experts." + std::to_string(i);
    const std::string from = b_.source() + e_.names.expert + std::to_string(i) + ".";
    const uint64_t size = e_.intermediate_size, hidden = b_.sizes().hidden;
    std::vector<Form> gate_up, down, gate_up_bias, down_bias;
    const auto by_number = [&](const char* suffix) {
      Form gate_and_up;
      if (!e_.plain) gate_and_up.parts.push_back({from + e_.names.gate + suffix, size});
      gate_and_up.parts.push_back({from + e_.names.up + suffix, size});
      return std::pair<Form, Form>{gate_and_up, {{{from + e_.names.down + suffix, hidden}}}};
    };
    std::vector<Experts::Stack> stacks = e_.stacks;
    const auto [numbered_gate_up, numbered_down] = by_number(".weight");
    if (stacks.empty()) {
      gate_up.push_back(numbered_gate_up);
      down.push_back(numbered_down);
      stacks = {{e_.names.expert + (e_.plain ? "up_proj" : "gate_up_proj"),
                 e_.names.expert + "down_proj"}};
    }
    for (const auto& stack : stacks) {
      gate_up.push_back(OfStack(stack, stack.gate_up, i, GateUpRanges(stack), hidden));
      down.push_back(OfStack(stack, stack.down, i, {{0, hidden, 1}}, size));
      if (stack.gate_up_bias.empty()) continue;
      gate_up_bias.push_back(OfStack(stack, stack.gate_up_bias, i, GateUpRanges(stack), 1));
      down_bias.push_back(OfStack(stack, stack.down_bias, i, {{0, hidden, 1}}, 1));
    }
    if (!e_.stacks.empty()) {
      gate_up.push_back(numbered_gate_up);
      down.push_back(numbered_down);
    }
    if (!gate_up_bias.empty()) {
      const auto [gate_up_biases, down_biases] = by_number(".bias");
      gate_up_bias.push_back(gate_up_biases);
      down_bias.push_back(down_biases);
    }
    AddMlx(i, ".weight", size, hidden, gate_up, down);
    if (!gate_up_bias.empty()) AddMlx(i, ".bias", size, hidden, gate_up_bias, down_bias);
    auto expert = std::make_unique<format::ExpertT>();
    expert->gate_up = Linear(own + ".gate_up", gate_up, gate_up_bias, hidden, 1);
    expert->down = Linear(own + ".down", down, down_bias, size, e_.output_factor());
    return expert;
  }

  std::unique_ptr<format::ExpertT> Shared() {
    const Experts::SharedNames& shared = e_.shared_names;
    const uint64_t size = e_.shared_size;
    std::vector<Part> parts, apart;
    if (shared.up.empty()) {
      parts = {{b_.source() + shared.gate, 2 * size}};
      apart = GateAndUp(b_.source() + shared.gate, size);
    } else if (e_.plain) {
      parts = {{b_.source() + shared.up, size}};
    } else {
      parts = {{b_.source() + shared.gate, size}, {b_.source() + shared.up, size}};
    }
    auto expert = std::make_unique<format::ExpertT>();
    const std::string own = b_.name() + "mlp.shared";
    const bool bias = e_.shared_bias;
    expert->gate_up = b_.Linear(own + ".gate_up", parts, b_.sizes().hidden, bias, 1, apart);
    expert->down = b_.Linear(own + ".down", {{b_.source() + shared.down, b_.sizes().hidden}}, size,
                             bias, e_.output_factor() * e_.shared_factor);
    return expert;
  }

 private:
  struct Range {
    uint64_t first, rows, step;
  };

  // Of gate's and up's rows among those of one expert.
  std::vector<Range> GateUpRanges(const Experts::Stack& stack) const {
    const uint64_t size = e_.intermediate_size;
    if (e_.plain) return {{0, size, 1}};
    if (stack.interleaved) return {{0, size, 2}, {1, size, 2}};
    return {{0, size, 1}, {size, size, 1}};
  }

  // `ranges` of expert i's rows in a tensor of all experts; `cols` 1: a bias.
  Form OfStack(const Experts::Stack& stack, const std::string& name, uint32_t i,
               const std::vector<Range>& ranges, uint64_t cols) const {
    const bool is_bias = cols == 1;
    uint64_t rows = 0;
    for (const Range& range : ranges) rows += range.rows;
    Form form;
    form.transposed = stack.transposed && !is_bias;
    for (const Range& range : ranges) {
      Part part = {
          b_.source() + name, range.rows, range.first, {e_.n_experts, rows, cols}, range.step};
      if (is_bias) part.shape.pop_back();
      if (form.transposed) {
        std::swap(part.shape[1], part.shape[2]);
        part.matrix = i;
      } else {
        part.first_row += i * rows;
      }
      form.parts.push_back(std::move(part));
    }
    return form;
  }

  // As mlx-lm has them: gate, up and down apart, each of all experts (mlx_lm/models).
  void AddMlx(uint32_t i, const std::string& suffix, uint64_t size, uint64_t hidden,
              std::vector<Form>& gate_up, std::vector<Form>& down) const {
    const std::string& expert = e_.names.expert;
    std::string beside = expert;  // experts. as switch_mlp.
    if (beside.ends_with("experts.")) beside.resize(beside.size() - std::strlen("experts."));
    const auto part = [&](const std::string& name, uint64_t rows, uint64_t cols) {
      Part one = {b_.source() + name + suffix, rows, i * rows, {e_.n_experts, rows, cols}};
      if (suffix == ".bias") one.shape.pop_back();
      return one;
    };
    for (const std::string& stem : {beside + "switch_mlp.", expert + "switch_glu.", expert}) {
      const bool is_fc = e_.plain && stem == beside + "switch_mlp.";
      Form both;
      if (!e_.plain) both.parts.push_back(part(stem + "gate_proj", size, hidden));
      both.parts.push_back(part(stem + (is_fc ? "fc1" : "up_proj"), size, hidden));
      gate_up.push_back(std::move(both));
      down.push_back({{part(stem + (is_fc ? "fc2" : "down_proj"), hidden, size)}});
    }
  }

  uint32_t Add(const std::string& name, TensorRole role, const std::vector<Form>& forms,
               uint64_t cols, float scale) {
    TensorRecipe recipe{name, role, forms[0].parts, cols};
    recipe.transposed = forms[0].transposed;
    recipe.scale = scale;
    recipe.others.assign(forms.begin() + 1, forms.end());
    return b_.spec().Add(std::move(recipe));
  }

  // No forms of the bias: there is none.
  std::unique_ptr<format::LinearT> Linear(const std::string& name, const std::vector<Form>& weights,
                                          const std::vector<Form>& biases, uint64_t cols,
                                          float scale) {
    auto linear = std::make_unique<format::LinearT>();
    linear->weight = Add(name, TensorRole::kMatrix, weights, cols, scale);
    if (!biases.empty()) {
      linear->bias =
          static_cast<int32_t>(Add(name + ".bias", TensorRole::kVector, biases, 1, scale));
    }
    return linear;
  }

  SublayerBuilder& b_;
  const Experts& e_;
};

}  // namespace

format::ExpertsT Build(const Experts& e, SublayerBuilder& b) {
  ExpertsBuilder builder(e, b);
  format::ExpertsT experts = e;
  experts.router = builder.Router();
  experts.choice_bias = builder.Vector("mlp.choice_bias", e.names.choice_bias);
  experts.router_norm = builder.RouterNorm();
  experts.weight_scales = builder.Vector("mlp.weight_scales", e.names.weight_scales);
  experts.experts_post_norm = builder.Norm("mlp.experts_post_norm", e.names.post_norm);
  for (uint32_t i = 0; i < e.n_experts; ++i) experts.experts.push_back(builder.Expert(i));
  if (e.shared_size > 0) {
    experts.shared = builder.Shared();
    experts.shared_norm = builder.Norm("mlp.shared.norm", e.shared_names.norm);
    experts.shared_post_norm = builder.Norm("mlp.shared.post_norm", e.shared_names.post_norm);
  }
  return experts;
}

}  // namespace rondo::convert
