#include "tools/convert/architectures/text_part.h"

#include <initializer_list>

#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

// Where transformers 5 has the text's tensors, and where published checkpoints do.
constexpr const char* kPrefix = "model.language_model.";
const std::initializer_list<OtherName> kOtherNames = {
    {kPrefix, "language_model.model."},
    {kPrefix, "model.text_model."},
    {kPrefix, "model."},
    {"lm_head.", "language_model.lm_head."},
};

const std::initializer_list<const char*> kLeftOut = {
    "model.visual.",
    "visual.",
    "model.vision_tower.",
    "vision_tower.",
    "model.audio_tower.",
    "audio_tower.",
    "model.embed_vision.",
    "embed_vision.",
    "model.embed_audio.",
    "embed_audio.",
    "model.vision_model.",
    "vision_model.",
    "model.vision_embedder.",
    "vision_embedder.",
    "model.vision_encoder.",
    "model.vision_projection.",
    "model.multi_modal_projector.",
    "multi_modal_projector.",
    "model.image_tower.",
    "image_tower.",
    "model.video_tower.",
    "video_tower.",
    "model.aligner.",
    "model.connector.",
    "model.merger.",
    "model.visual_embeddings_table.",
    "model.image_newline",
    "image_newline",
};

// Some of the first configs have the text's keys among the others.
Config TextConfig(const Config& config, const Architecture& whole) {
  const auto changed = [&](const Config& text) {
    return whole.text_config != nullptr ? whole.text_config(text) : text;
  };
  const std::optional<Config> text = config.Object("text_config");
  if (text) return changed(text->With("model_type", text->Text("model_type", whole.text_type)));
  if (!config.Has("hidden_size")) config.Refuse("text_config", "is missing");
  return changed(config.With("model_type", whole.text_type));
}

}  // namespace

DecoderSpec ReadTextPart(const Config& config, const Architecture& whole) {
  const char* const kTied = "tie_word_embeddings";
  const Config text = TextConfig(config, whole)
                          .With("architectures", nullptr)  // some name the whole model here
                          .With(kTied, config.Flag(kTied, false))
                          // The head is the whole model's, which scales no logits.
                          .With("logit_scale", 1)
                          .With("logits_scaling", 1);
  const Architecture& architecture = FindArchitecture(text);
  if (architecture.text_type != nullptr) {
    text.Refuse("model_type",
                std::string("is ") + architecture.model_type + ", which is no model of text alone");
  }
  DecoderSpec spec = architecture.read(text);
  const auto move = [&](std::string& name) {
    if (name.starts_with(spec.prefix)) name.replace(0, spec.prefix.size(), kPrefix);
  };
  for (TensorRecipe& recipe : spec.tensors) ForEachName(recipe, move);
  std::set<std::string> ignored;
  for (std::string name : spec.ignored) {
    move(name);
    ignored.insert(name);
  }
  spec.ignored = std::move(ignored);
  for (std::string& name : spec.left_out) move(name);
  spec.prefix = kPrefix;
  spec.prefix_sees_whole = whole.has_prefix;
  spec.head_may_be_tied = !config.Has(kTied);
  spec.other_names.insert(spec.other_names.end(), kOtherNames);
  spec.left_out.insert(spec.left_out.end(), kLeftOut.begin(), kLeftOut.end());
  return spec;
}

}  // namespace rondo::convert
