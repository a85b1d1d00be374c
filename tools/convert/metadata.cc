#include "tools/convert/metadata.h"

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

Offset<format::Norm> Build(FlatBufferBuilder& builder, const NormSpec& norm) {
  return format::CreateNorm(builder, format::NormKind::RmsNorm, norm.epsilon, norm.weight);
}

Offset<format::Rope> Build(FlatBufferBuilder& builder, const RopeSpec& rope) {
  return format::CreateRope(builder, builder.CreateVector(rope.frequencies), rope.scale);
}

Offset<format::Layer> Build(FlatBufferBuilder& builder, const LayerSpec& layer) {
  const auto attention_norm = Build(builder, layer.attention_norm);
  const auto qkv = Build(builder, layer.qkv);
  const auto output = Build(builder, layer.output);
  const auto attention =
      format::CreateAttention(builder, attention_norm, layer.n_heads, layer.n_kv_heads,
                              layer.head_dim, qkv, output, layer.rope, layer.score_scale);
  const auto mlp_norm = Build(builder, layer.mlp_norm);
  const auto gate_up = Build(builder, layer.gate_up);
  const auto down = Build(builder, layer.down);
  const auto mlp = format::CreateMlp(builder, mlp_norm, layer.intermediate_size,
                                     format::Activation::Silu, gate_up, down);
  return format::CreateLayer(builder, attention, mlp);
}

}  // namespace

void BuildMetadata(const std::string& model_name, const DecoderSpec& spec, const Facts& facts,
                   const std::vector<StoredTensor>& stored,
                   const std::vector<format::Section>& sections,
                   Offset<format::Tokenizer> tokenizer, FlatBufferBuilder& builder) {
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
  if (!tokenizer.IsNull()) model.add_tokenizer(tokenizer);
  model.add_sections(section_vector);
  format::FinishModelBuffer(builder, model.Finish());
}

}  // namespace rondo::convert
