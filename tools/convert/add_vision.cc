#include "tools/convert/add_vision.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/convert/architectures/vision/vision.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// The newer file has one part for pictures, and others for what else the model takes.
std::optional<Config> FindProcessor(const fs::path& folder) {
  if (const fs::path path = folder / "processor_config.json"; fs::exists(path)) {
    if (std::optional<Config> own = Config::Load(path).Object("image_processor")) return own;
  }
  const fs::path path = folder / "preprocessor_config.json";
  return fs::exists(path) ? std::optional(Config::Load(path)) : std::nullopt;
}

std::optional<uint32_t> FindToken(const SourceText& text, const std::string& token) {
  for (const Json& added : text.tokenizer.value("added_tokens", Json::array())) {
    if (added.value("content", "") == token) return added.at("id").get<uint32_t>();
  }
  const Json& model = text.tokenizer.at("model");
  const auto vocab = model.find("vocab");
  if (vocab == model.end()) return std::nullopt;
  if (vocab->is_object()) {
    const auto found = vocab->find(token);
    if (found == vocab->end()) return std::nullopt;
    return found->get<uint32_t>();
  }
  for (uint32_t id = 0; id < vocab->size(); ++id) {
    if (vocab->at(id).is_array() && vocab->at(id).at(0) == token) return id;
  }
  return std::nullopt;
}

// Line ends, as vocabularies of bytes have them.
std::string InByteLetters(const std::string& text) {
  std::string letters;
  for (const char c : text) letters += c == '\n' ? "\u010A" : std::string(1, c);
  return letters;
}

VocabularyOf VocabularyIn(const SourceText& text) {
  VocabularyOf vocabulary;
  vocabulary.has = [&text](const std::string& token) { return FindToken(text, token).has_value(); };
  vocabulary.token = [&text](const std::string& token) {
    const std::optional<uint32_t> id = FindToken(text, token);
    if (!id) Fail(text.tokenizer_file, ": no token is ", token, ", which stands around pictures");
    return *id;
  };
  vocabulary.ids = [&text](const std::string& ids_of) {
    const auto find = [&](const std::string& part) {
      const std::optional<uint32_t> id = FindToken(text, part);
      return id ? id : FindToken(text, InByteLetters(part));
    };
    if (const std::optional<uint32_t> whole = find(ids_of)) return std::vector{*whole};
    std::vector<uint32_t> ids;
    for (const char c : ids_of) {
      const std::optional<uint32_t> id = find(std::string(1, c));
      if (!id)
        Fail(text.tokenizer_file, ": no token is a line's end, which stands beside pictures");
      ids.push_back(*id);
    }
    return ids;
  };
  return vocabulary;
}

// Some were trained further without what sees, and keep its config.
bool HasTower(const Checkpoint& checkpoint, const DecoderSpec& spec) {
  return std::ranges::any_of(checkpoint.tensors(), [&](const auto& tensor) {
    return std::ranges::any_of(spec.left_out, [&](const std::string& begin) {
      return begin.find("vis") != std::string::npos && tensor.first.starts_with(begin);
    });
  });
}

// In the terms of a folder, whose reader then reads it.
void AddMmprojVision(const Source& source, const SourceText& text, DecoderSpec& spec) {
  const Mmproj& mmproj = *source.mmproj;
  if (text.tokenizer.is_null()) {
    Fail(source.path.string(), " has no tokenizer, by which pictures stand in a text that ",
         mmproj.path.string(), " sees; --text-only converts the text's model alone");
  }
  Config config = source.config;
  for (const auto& [key, value] : mmproj.whole.items()) config = config.With(key.c_str(), value);
  const ReadVision read =
      FindVision(config.Text("model_type", ""), mmproj.vision.Text("model_type", ""));
  read({config, mmproj.vision, mmproj.processor, VocabularyIn(text)}, &spec);
  // What hears lies in the same file, and the row of a token of the text's.
  spec.left_out.insert(spec.left_out.end(), {"a.", "mm.a.", "v.token_embd."});
}

}  // namespace

void AddVision(const Source& source, const SourceText& text, DecoderSpec& spec,
               std::vector<std::string>& notes) {
  if (source.mmproj) return AddMmprojVision(source, text, spec);
  if (source.gguf != nullptr) return;
  const std::optional<Config> vision = source.config.Object("vision_config");
  if (!vision) return;
  const std::string type = source.config.Text("model_type", "");
  const std::string vision_type = vision->Text("model_type", "");
  const ReadVision read = FindVision(type, vision_type);
  if (read == nullptr) {
    notes.push_back("the model will not see: what sees in a " + type +
                    (vision_type.empty() || vision_type == type ? "" : " with " + vision_type) +
                    " is of a family that is not known");
    return;
  }
  if (!HasTower(*source.checkpoint, spec)) {
    notes.push_back("the model will not see: its checkpoint has no tensors of what sees");
    return;
  }
  const std::optional<Config> processor = FindProcessor(source.path);
  if (!processor || text.tokenizer.is_null()) {
    notes.push_back(std::string("what sees for the model is left out: ") +
                    (processor ? "there is no tokenizer"
                               : "there is no preprocessor_config.json or processor_config.json "
                                 "that says how pictures are cut into patches"));
    return;
  }
  read({source.config, *vision, *processor, VocabularyIn(text)}, &spec);
}

}  // namespace rondo::convert
