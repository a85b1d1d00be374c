#include "tools/convert/output/metadata.h"

#include <algorithm>
#include <memory>

#include "runtime/base/checksum.h"
#include "runtime/model/tensor_format.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/output/tensor_sources.h"

namespace rondo::convert {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

Offset<format::Tensor> Build(FlatBufferBuilder& builder, const std::string& name,
                             const StoredTensor& tensor) {
  return format::CreateTensor(builder, builder.CreateString(name), tensor.format, tensor.rows,
                              tensor.cols, tensor.block, &tensor.data,
                              tensor.scales ? &*tensor.scales : nullptr, /*packed=*/false,
                              tensor.tables ? &*tensor.tables : nullptr);
}

// Of the weights' and the tokenizer's checksums and of all that says what is done with them; not of
// what people call the model, nor of its chat template and the sampling that its makers recommend.
uint64_t IdentityOf(const format::Model& model) {
  const std::unique_ptr<format::ModelT> computed(model.UnPack());
  computed->name.clear();
  computed->architecture.clear();
  computed->producer.clear();
  computed->facts.clear();
  computed->chat.reset();
  computed->sampling.reset();
  computed->sources.clear();
  FlatBufferBuilder builder;
  format::FinishModelBuffer(builder, format::Model::Pack(builder, computed.get()));
  return std::max<uint64_t>(1, Checksum({builder.GetBufferPointer(), builder.GetSize()}));
}

}  // namespace

std::vector<std::string> FormatNames(uint32_t most_bits) {
  std::vector<std::string> names;
  for (const FormatRule& rule : FormatRules()) {
    if (rule.bits <= most_bits) names.push_back(rule.name);
  }
  return names;
}

bool LiesInBlocks(const std::string& name) {
  return std::ranges::any_of(
      FormatRules(), [&](const FormatRule& rule) { return rule.has_blocks && name == rule.name; });
}

format::TensorFormat FormatNamed(const std::string& name) {
  for (const FormatRule& rule : FormatRules()) {
    if (name == rule.name) return rule.format;
  }
  Fail("there is no format ", name);
}

std::string FormatFact(format::TensorFormat format, uint32_t block) {
  const FormatRule& rule = RuleOf(format);
  return rule.has_blocks ? rule.name + (", block " + std::to_string(block)) : rule.name;
}

void BuildMetadata(const std::string& model_name, const DecoderSpec& spec, const Facts& facts,
                   const std::vector<StoredTensor>& stored,
                   const std::vector<format::Section>& sections,
                   Offset<format::Tokenizer> tokenizer, FlatBufferBuilder& builder,
                   Offset<format::Chat> chat, Offset<format::Sampling> sampling) {
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
  for (const format::LayerT& layer : spec.layers) {
    layers.push_back(format::CreateLayer(builder, &layer));
  }
  std::vector<Offset<format::Rope>> ropes;
  for (const RopeSpec& rope : spec.ropes) ropes.push_back(format::CreateRope(builder, &rope));

  const auto name = builder.CreateString(model_name);
  const auto architecture = builder.CreateString(spec.architecture);
  const auto producer = builder.CreateString("rondo convert");
  const auto facts_vector = builder.CreateVector(fact_offsets);
  const auto eos_tokens = builder.CreateVector(spec.eos_tokens);
  const auto tensor_vector = builder.CreateVector(tensors);
  const auto layer_vector = builder.CreateVector(layers);
  const auto rope_vector = builder.CreateVector(ropes);
  const auto final_norm = format::CreateNorm(builder, &spec.final_norm);
  flatbuffers::Offset<format::Linear> head;
  if (!spec.embedder) head = format::CreateLinear(builder, &spec.head);
  flatbuffers::Offset<format::Embedder> embedder;
  if (spec.embedder) embedder = format::CreateEmbedder(builder, &*spec.embedder);
  Offset<format::Norm> embedding_norm;
  if (spec.embedding_norm) embedding_norm = format::CreateNorm(builder, &*spec.embedding_norm);
  flatbuffers::Offset<format::LayerEmbeddings> layer_embeddings;
  if (spec.layer_embeddings) {
    layer_embeddings = format::CreateLayerEmbeddings(builder, &*spec.layer_embeddings);
  }
  flatbuffers::Offset<format::AltUp> alt_up;
  if (spec.alt_up) alt_up = format::CreateAltUp(builder, &*spec.alt_up);
  flatbuffers::Offset<format::DraftHead> draft_head;
  if (spec.draft_head) draft_head = format::CreateDraftHead(builder, &*spec.draft_head);
  flatbuffers::Offset<format::Assistant> assistant;
  if (spec.assistant) assistant = format::CreateAssistant(builder, &*spec.assistant);
  Offset<format::Model> vision;
  if (spec.vision) vision = format::CreateModel(builder, spec.vision.get());
  std::vector<Offset<format::TensorSource>> sources;
  const std::vector<format::TensorSourceT> of_tensors = TensorSources(spec);
  for (const format::TensorSourceT& source : of_tensors) {
    sources.push_back(format::CreateTensorSource(builder, &source));
  }
  const auto source_vector = builder.CreateVector(sources);
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
  if (!spec.embedder) model.add_head(head);
  if (spec.embedder) model.add_embedder(embedder);
  model.add_embedding_scale(spec.embedding_scale);
  model.add_logit_soft_cap(spec.logit_soft_cap);
  model.add_positions(spec.positions);
  model.add_embedding_offset(spec.embedding_offset);
  if (spec.embedding_norm) model.add_embedding_norm(embedding_norm);
  if (spec.layer_embeddings) model.add_layer_embeddings(layer_embeddings);
  if (spec.alt_up) model.add_alt_up(alt_up);
  if (spec.draft_head) model.add_draft_head(draft_head);
  if (spec.assistant) model.add_assistant(assistant);
  model.add_turned(spec.turned);
  model.add_prefix_sees_whole(spec.prefix_sees_whole);
  if (spec.vision) model.add_vision(vision);
  if (!tokenizer.IsNull()) model.add_tokenizer(tokenizer);
  if (!chat.IsNull()) model.add_chat(chat);
  if (!sampling.IsNull()) model.add_sampling(sampling);
  model.add_sections(section_vector);
  if (AreChanged(of_tensors)) {
    model.add_changed_sources(source_vector);
  } else {
    model.add_sources(source_vector);
  }
  model.add_identity(1);  // a place for it
  format::FinishModelBuffer(builder, model.Finish());
  const uint64_t identity = IdentityOf(*format::GetModel(builder.GetBufferPointer()));
  flatbuffers::GetMutableRoot<flatbuffers::Table>(builder.GetBufferPointer())
      ->SetField<uint64_t>(format::Model::VT_IDENTITY, identity, 0);
}

}  // namespace rondo::convert
