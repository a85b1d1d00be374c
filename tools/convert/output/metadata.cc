#include "tools/convert/output/metadata.h"

#include "runtime/model/tensor_view.h"
#include "tools/convert/fail.h"

namespace rondo::convert {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

Offset<format::Tensor> Build(FlatBufferBuilder& builder, const std::string& name,
                             const StoredTensor& tensor) {
  return format::CreateTensor(builder, builder.CreateString(name), tensor.format, tensor.rows,
                              tensor.cols, tensor.block, &tensor.data,
                              tensor.scales ? &*tensor.scales : nullptr);
}

Offset<format::Linear> Build(FlatBufferBuilder& builder, const LinearSpec& linear) {
  return format::CreateLinear(builder, linear.weight, linear.bias);
}

Offset<format::Norm> Build(FlatBufferBuilder& builder, const std::optional<NormSpec>& norm) {
  if (!norm) return {};
  return format::CreateNorm(builder, norm->kind, norm->epsilon, norm->weight, norm->bias,
                            norm->group);
}

Offset<format::Rope> Build(FlatBufferBuilder& builder, const RopeSpec& rope) {
  const auto frequencies = builder.CreateVector(rope.frequencies);
  Offset<flatbuffers::Vector<double>> longer;
  if (!rope.long_frequencies.empty()) longer = builder.CreateVector(rope.long_frequencies);
  return format::CreateRope(builder, frequencies, rope.scale, longer, rope.short_context);
}

Offset<format::Attention> BuildAttention(FlatBufferBuilder& builder, const LayerSpec& layer) {
  const auto norm = Build(builder, layer.norm);
  const auto qkv = Build(builder, layer.qkv);
  const auto output = Build(builder, layer.output);
  const auto q_norm = Build(builder, layer.q_norm);
  const auto k_norm = Build(builder, layer.k_norm);
  const auto post_norm = Build(builder, layer.post_norm);
  return format::CreateAttention(builder, norm, layer.n_heads, layer.n_kv_heads, layer.head_dim,
                                 qkv, output, layer.rope, layer.score_scale, q_norm, k_norm,
                                 layer.qkv_clip, layer.window, layer.soft_cap, post_norm);
}

Offset<format::ShortConv> BuildConv(FlatBufferBuilder& builder, const LayerSpec& layer) {
  const auto norm = Build(builder, layer.norm);
  const auto input = Build(builder, layer.conv->input);
  const auto output = Build(builder, layer.conv->output);
  return format::CreateShortConv(builder, norm, layer.conv->taps, input, layer.conv->kernel,
                                 layer.conv->bias, output);
}

Offset<format::Experts> Build(FlatBufferBuilder& builder, const ExpertsSpec& experts) {
  std::vector<Offset<format::Expert>> list;
  for (const ExpertsSpec::Expert& expert : experts.experts) {
    const auto gate_up = Build(builder, expert.gate_up);
    list.push_back(format::CreateExpert(builder, gate_up, Build(builder, expert.down)));
  }
  const auto router = Build(builder, experts.router);
  return format::CreateExperts(builder, router, builder.CreateVector(list), experts.n_used,
                               experts.normalize);
}

Offset<format::Mlp> BuildMlp(FlatBufferBuilder& builder, const LayerSpec& layer) {
  const auto norm = Build(builder, layer.mlp_norm);
  const auto post_norm = Build(builder, layer.mlp_post_norm);
  Offset<format::Linear> gate_up, down;
  Offset<format::Experts> experts;
  if (layer.experts) {
    experts = Build(builder, *layer.experts);
  } else {
    gate_up = Build(builder, layer.gate_up);
    down = Build(builder, layer.down);
  }
  return format::CreateMlp(builder, norm, layer.intermediate_size, layer.activation, gate_up, down,
                           !layer.gated, experts, post_norm);
}

Offset<format::Layer> Build(FlatBufferBuilder& builder, const LayerSpec& layer) {
  Offset<format::Attention> attention;
  Offset<format::ShortConv> conv;
  if (layer.conv) {
    conv = BuildConv(builder, layer);
  } else {
    attention = BuildAttention(builder, layer);
  }
  const auto mlp = BuildMlp(builder, layer);
  return format::CreateLayer(builder, attention, mlp, conv, layer.parallel);
}

}  // namespace

format::TensorFormat FormatNamed(const std::string& name) {
  for (const format::TensorFormat format : format::EnumValuesTensorFormat()) {
    if (name == FormatName(format)) return format;
  }
  Fail("there is no format ", name);
}

std::string FormatFact(format::TensorFormat format, uint32_t block) {
  const std::string name = FormatName(format);
  return format == format::TensorFormat::Q4 ? name + ", block " + std::to_string(block) : name;
}

void BuildMetadata(const std::string& model_name, const DecoderSpec& spec, const Facts& facts,
                   const std::vector<StoredTensor>& stored,
                   const std::vector<format::Section>& sections,
                   Offset<format::Tokenizer> tokenizer, FlatBufferBuilder& builder,
                   Offset<format::Chat> chat) {
  std::vector<Offset<format::Fact>> fact_offsets;
  for (const auto& [key, value] : facts) {
    const auto key_offset = builder.CreateString(key);
    fact_offsets.push_back(format::CreateFact(builder, key_offset, builder.CreateString(value)));
  }
  std::vector<Offset<format::Tensor>> tensors;
  for (size_t i = 0; i < stored.size(); ++i) {
    tensors.push_back(Build(builder, spec.tensors[i].name, stored[i]));
  }
  std::vector<Offset<format::Layer>> layers;
  for (const LayerSpec& layer : spec.layers) layers.push_back(Build(builder, layer));
  std::vector<Offset<format::Rope>> ropes;
  for (const RopeSpec& rope : spec.ropes) ropes.push_back(Build(builder, rope));

  const auto name = builder.CreateString(model_name);
  const auto architecture = builder.CreateString(spec.architecture);
  const auto producer = builder.CreateString("rondo convert");
  const auto facts_vector = builder.CreateVector(fact_offsets);
  const auto eos_tokens = builder.CreateVector(spec.eos_tokens);
  const auto tensor_vector = builder.CreateVector(tensors);
  const auto layer_vector = builder.CreateVector(layers);
  const auto rope_vector = builder.CreateVector(ropes);
  const auto final_norm = Build(builder, spec.final_norm);
  const auto head = Build(builder, spec.head);
  const auto section_vector = builder.CreateVectorOfStructs(sections);

  format::ModelBuilder model(builder);
  model.add_name(name);
  model.add_architecture(architecture);
  model.add_producer(producer);
  model.add_facts(facts_vector);
  model.add_vocab_size(spec.vocab_size);
  model.add_hidden_size(spec.hidden_size);
  model.add_context_length(spec.context_length);
  model.add_bos_token(spec.bos_token);
  model.add_eos_tokens(eos_tokens);
  model.add_tensors(tensor_vector);
  model.add_embedding(spec.embedding);
  model.add_layers(layer_vector);
  model.add_ropes(rope_vector);
  model.add_final_norm(final_norm);
  model.add_head(head);
  model.add_embedding_scale(spec.embedding_scale);
  model.add_logit_soft_cap(spec.logit_soft_cap);
  model.add_positions(spec.positions);
  if (!tokenizer.IsNull()) model.add_tokenizer(tokenizer);
  if (!chat.IsNull()) model.add_chat(chat);
  model.add_sections(section_vector);
  format::FinishModelBuffer(builder, model.Finish());
}

}  // namespace rondo::convert
