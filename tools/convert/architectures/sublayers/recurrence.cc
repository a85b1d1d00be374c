#include "tools/convert/architectures/sublayers/recurrence.h"

#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {
namespace {

using Part = TensorRecipe::Part;

// In float32: gates steer how fast a state decays, and they are few.
std::unique_ptr<format::LinearT> Gates(SublayerBuilder& b, const std::string& name,
                                       const std::vector<Part>& parts, bool has_bias) {
  auto linear = b.Linear(name, parts, b.sizes().hidden, has_bias);
  b.spec().tensors[linear->weight].role = TensorRole::kTable;
  return linear;
}

// Convolution and decay, and where there is a norm, one of `weights` laid end to end; then the last
// product.
template <typename Op, typename Table>
void BuildCommon(const Op& op, SublayerBuilder& b, const std::string& name, uint64_t n_heads,
                 uint64_t inner, uint64_t conv_channels, bool conv_bias, bool projection_bias,
                 const std::vector<Part>& norm, uint32_t norm_group, Table* table) {
  const std::string source = b.source() + op.source;
  table->kernel = b.Kernel(name + "conv", source + "conv1d.weight", op.taps, conv_channels);
  if (conv_bias) table->bias = b.Vector(name + "conv.bias", source + "conv1d.bias", conv_channels);
  TensorRecipe decay{name + "decay", TensorRole::kVector, {{source + "A_log", n_heads}}, 1};
  decay.exponential = true;
  table->decay = b.spec().Add(std::move(decay));
  table->dt_bias = static_cast<uint32_t>(b.Vector(name + "dt_bias", source + "dt_bias", n_heads));
  if (!norm.empty()) {
    table->norm = std::make_unique<format::NormT>();
    table->norm->kind = format::NormKind::kRmsNorm;
    table->norm->epsilon = op.norm_epsilon;
    table->norm->group = norm_group;
    table->norm->weight = b.spec().Add({name + "norm", TensorRole::kVector, norm, 1});
  }
  table->output = b.Linear(name + "output", {{source + "out_proj", b.sizes().hidden}}, inner,
                           projection_bias, op.output_factor());
}

}  // namespace

format::GatedDeltaNetT Build(const DeltaNet& d, SublayerBuilder& b) {
  const std::string name = b.name() + "delta.", source = b.source() + d.source;
  const uint64_t hidden = b.sizes().hidden, key = d.key_head_dim, value = d.value_head_dim;
  const uint64_t keys = d.n_key_heads * key, values = d.n_value_heads * value;
  format::GatedDeltaNetT net = d;
  std::vector<Part> input, gates, apart;
  const std::vector<Part> qkv_and_z = {{source + "in_proj_qkv", 2 * keys + values},
                                       {source + "in_proj_z", values}};
  if (d.by_key_head) {
    apart = qkv_and_z;  // in GGUF
    const uint64_t per_key = d.n_value_heads / d.n_key_heads, own = per_key * value;
    const uint64_t block = 2 * key + 2 * own;
    const uint64_t begins[] = {0, key, 2 * key, 2 * key + own};
    for (size_t i = 0; i < 4; ++i) {
      for (uint64_t head = 0; head < d.n_key_heads; ++head) {
        input.push_back({source + "in_proj_qkvz",
                         i < 2 ? key : own,
                         head * block + begins[i],
                         {2 * keys + 2 * values, hidden}});
      }
    }
    for (uint64_t i = 0; i < 2; ++i) {
      for (uint64_t head = 0; head < d.n_key_heads; ++head) {
        gates.push_back({source + "in_proj_ba",
                         per_key,
                         (2 * head + i) * per_key,
                         {2 * uint64_t{d.n_value_heads}, hidden}});
      }
    }
  } else {
    input = qkv_and_z;
    gates = {{source + "in_proj_b", d.n_value_heads}, {source + "in_proj_a", d.n_value_heads}};
  }
  net.input = b.Linear(name + "input", input, hidden, false, 1, apart);
  net.gates = Gates(b, name + "gates", gates, false);
  // The runtime has a weight for every channel of every head.
  const std::vector<Part> norm(d.n_value_heads, {source + "norm.weight", value});
  BuildCommon(d, b, name, d.n_value_heads, values, values + 2 * keys, false, false, norm,
              d.value_head_dim, &net);
  return net;
}

format::Mamba2T Build(const Mamba2& m, SublayerBuilder& b) {
  const std::string name = b.name() + "mamba.", source = b.source() + m.source;
  const uint64_t hidden = b.sizes().hidden;
  const uint64_t inner = uint64_t{m.n_heads} * m.head_dim;
  const uint64_t group = uint64_t{m.n_groups} * m.state_size;
  const std::vector<uint64_t> shape = {2 * inner + 2 * group + m.n_heads, hidden};
  format::Mamba2T mamba = m;
  std::vector<Part> input;
  uint64_t row = 0;
  for (const uint64_t rows : {inner, inner, group, group}) {
    Part& part = input.emplace_back(Part{source + "in_proj", rows, row, shape});
    part.scale = m.factors[input.size() - 1];
    row += rows;
  }
  mamba.input = b.Linear(name + "input", input, hidden, m.projection_bias);
  Part dt = {source + "in_proj", m.n_heads, row, shape};
  dt.scale = m.factors[4];
  mamba.dt = Gates(b, name + "dt", {dt}, m.projection_bias);
  std::vector<Part> norm;
  if (m.has_norm) norm = {{source + "norm.weight", inner}};
  BuildCommon(m, b, name, m.n_heads, inner, inner + 2 * group, m.conv_bias, m.projection_bias, norm,
              m.norm_group, &mamba);
  mamba.skip = static_cast<uint32_t>(b.Vector(name + "skip", source + "D", m.n_heads));
  return mamba;
}

}  // namespace rondo::convert
