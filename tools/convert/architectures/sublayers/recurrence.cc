// Gated delta nets and Mamba2: what both have, and how their first products lie in a checkpoint.
#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {
namespace {

using Part = TensorRecipe::Part;

// In float32: gates steer how fast a state decays, and they are few.
std::unique_ptr<format::LinearT> Gates(SublayerBuilder& b, const std::string& name,
                                       std::vector<Part> parts) {
  const bool has_bias = b.family().recurrence->bias;
  TensorRecipe weights{name, TensorRole::kTable, {}, b.sizes().hidden};
  TensorRecipe biases{name + ".bias", TensorRole::kVector, {}, 1};
  for (Part& part : parts) {
    biases.parts.push_back(part);
    biases.parts.back().source += ".bias";
    if (!part.shape.empty()) biases.parts.back().shape = {part.shape.front()};
    part.source += ".weight";
    weights.parts.push_back(std::move(part));
  }
  auto linear = std::make_unique<format::LinearT>();
  linear->weight = b.spec().Add(std::move(weights));
  if (has_bias) linear->bias = static_cast<int32_t>(b.spec().Add(std::move(biases)));
  return linear;
}

uint32_t Vector(SublayerBuilder& b, const std::string& name, const std::string& source,
                uint64_t size, bool exponential = false) {
  TensorRecipe recipe{name, TensorRole::kVector, {{source, size}}, 1};
  recipe.exponential = exponential;
  return b.spec().Add(std::move(recipe));
}

// Convolution, decay, norm and the last product.
template <typename Table>
void BuildCommon(SublayerBuilder& b, const std::string& name, Table* table) {
  const Family::Recurrence& r = *b.family().recurrence;
  const std::string source = b.source() + r.source;
  const uint64_t inner = uint64_t{r.n_heads} * r.head_dim;
  const uint64_t conv = inner + 2 * uint64_t{r.n_groups} * r.group_dim;
  table->taps = r.taps;
  TensorRecipe kernel{name + "conv",
                      TensorRole::kTable,
                      {{source + "conv1d.weight", r.taps, 0, {conv, 1, r.taps}}},
                      conv};
  kernel.transposed = true;
  table->kernel = b.spec().Add(std::move(kernel));
  if (r.conv_bias) {
    table->bias = static_cast<int32_t>(Vector(b, name + "conv.bias", source + "conv1d.bias", conv));
  }
  table->decay = Vector(b, name + "decay", source + "A_log", r.n_heads, true);
  table->dt_bias = Vector(b, name + "dt_bias", source + "dt_bias", r.n_heads);
  if (r.norm) {
    // The runtime has a weight for every channel of every head.
    TensorRecipe weight{name + "norm", TensorRole::kVector, {}, 1};
    for (uint32_t head = 0; head < (r.delta ? r.n_heads : 1); ++head) {
      weight.parts.push_back({source + "norm.weight", r.delta ? r.head_dim : inner});
    }
    table->norm = std::make_unique<format::NormT>();
    table->norm->kind = format::NormKind::kRmsNorm;
    table->norm->epsilon = r.norm_epsilon;
    table->norm->group = r.norm_group;
    table->norm->weight = b.spec().Add(std::move(weight));
  }
  table->output = b.Linear(name + "output", {{source + "out_proj", b.sizes().hidden}}, inner,
                           r.bias, b.family().residual_scale * r.output_factor);
}

}  // namespace

format::GatedDeltaNetT BuildGatedDeltaNet(SublayerBuilder& b) {
  const Family::Recurrence& r = *b.family().recurrence;
  const std::string name = b.name() + "delta.", source = b.source() + r.source;
  const uint64_t hidden = b.sizes().hidden, key = r.group_dim;
  const uint64_t keys = r.n_groups * key, values = uint64_t{r.n_heads} * r.head_dim;
  const uint64_t heads_per_key = r.n_heads / r.n_groups;
  format::GatedDeltaNetT net;
  net.n_key_heads = r.n_groups;
  net.n_value_heads = r.n_heads;
  net.key_head_dim = r.group_dim;
  net.value_head_dim = r.head_dim;
  std::vector<Part> input, gates, apart;
  const std::vector<Part> qkv_and_z = {{source + "in_proj_qkv", 2 * keys + values},
                                       {source + "in_proj_z", values}};
  if (r.by_key_head) {
    apart = qkv_and_z;  // in GGUF
    const uint64_t value = heads_per_key * r.head_dim, block = 2 * key + 2 * value;
    const uint64_t begins[] = {0, key, 2 * key, 2 * key + value};
    for (size_t i = 0; i < 4; ++i) {
      for (uint64_t head = 0; head < r.n_groups; ++head) {
        input.push_back({source + "in_proj_qkvz",
                         i < 2 ? key : value,
                         head * block + begins[i],
                         {2 * keys + 2 * values, hidden}});
      }
    }
    for (uint64_t i = 0; i < 2; ++i) {
      for (uint64_t head = 0; head < r.n_groups; ++head) {
        gates.push_back({source + "in_proj_ba",
                         heads_per_key,
                         (2 * head + i) * heads_per_key,
                         {2 * uint64_t{r.n_heads}, hidden}});
      }
    }
  } else {
    input = qkv_and_z;
    gates = {{source + "in_proj_b", r.n_heads}, {source + "in_proj_a", r.n_heads}};
  }
  net.input = b.Linear(name + "input", input, hidden, r.bias, 1, apart);
  net.gates = Gates(b, name + "gates", gates);
  BuildCommon(b, name, &net);
  return net;
}

format::Mamba2T BuildMamba2(SublayerBuilder& b) {
  const Family::Recurrence& r = *b.family().recurrence;
  const std::string name = b.name() + "mamba.", source = b.source() + r.source + "in_proj";
  const uint64_t inner = uint64_t{r.n_heads} * r.head_dim;
  const uint64_t group = uint64_t{r.n_groups} * r.group_dim;
  const std::vector<uint64_t> shape = {2 * inner + 2 * group + r.n_heads, b.sizes().hidden};
  format::Mamba2T mamba;
  mamba.n_heads = r.n_heads;
  mamba.head_dim = r.head_dim;
  mamba.n_groups = r.n_groups;
  mamba.state_size = r.group_dim;
  std::vector<Part> input;
  uint64_t row = 0;
  for (size_t i = 0; i < 4; ++i) {
    const uint64_t rows = i < 2 ? inner : group;
    input.push_back({source, rows, row, shape});
    input.back().scale = r.factors[i];
    row += rows;
  }
  mamba.input = b.Linear(name + "input", input, b.sizes().hidden, r.bias);
  Part dt = {source, r.n_heads, row, shape};
  dt.scale = r.factors[4];
  mamba.dt = Gates(b, name + "dt", {dt});
  BuildCommon(b, name, &mamba);
  mamba.skip = Vector(b, name + "skip", b.source() + r.source + "D", r.n_heads);
  mamba.dt_min = r.dt_min;
  mamba.dt_max = r.dt_max;
  mamba.gate_after_norm = r.gate_after_norm;
  return mamba;
}

}  // namespace rondo::convert
