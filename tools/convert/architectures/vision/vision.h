// What sees for a model: the tower of a checkpoint, read beside its text's part. Each family says
// in a file of its own how its configs and tensors become one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/convert/architectures/family.h"
#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/config.h"

namespace rondo::convert {

// Of the tokenizer. Both throw Error where it has none.
struct VocabularyOf {
  std::function<bool(const std::string& text)> has;
  std::function<uint32_t(const std::string& text)> token;             // of one that is this text
  std::function<std::vector<uint32_t>(const std::string& text)> ids;  // of line ends and the like
};

struct VisionSource {
  Config config;     // of the whole model
  Config vision;     // its vision_config
  Config processor;  // of pictures: preprocessor_config.json, or a part of processor_config.json
  VocabularyOf vocabulary;
};

// Adds what sees to `spec`, whose text's part has been read. Throws Error.
using ReadVision = void (*)(const VisionSource& source, DecoderSpec* spec);

// Null where none is known of this model_type and that of the vision_config.
ReadVision FindVision(const std::string& model_type, const std::string& vision_type);

void ReadSmolVlmVision(const VisionSource& source, DecoderSpec* spec);
void ReadInternVlVision(const VisionSource& source, DecoderSpec* spec);
void ReadLfm2Vision(const VisionSource& source, DecoderSpec* spec);
void ReadGemma3Vision(const VisionSource& source, DecoderSpec* spec);
void ReadGemma4Vision(const VisionSource& source, DecoderSpec* spec);
void ReadGlm4vVision(const VisionSource& source, DecoderSpec* spec);
void ReadGlmOcrVision(const VisionSource& source, DecoderSpec* spec);
void ReadQwen3Vision(const VisionSource& source, DecoderSpec* spec);
void ReadQwen2Vision(const VisionSource& source, DecoderSpec* spec);
void ReadQwen25Vision(const VisionSource& source, DecoderSpec* spec);
void ReadPaliGemmaVision(const VisionSource& source, DecoderSpec* spec);
void ReadPixtralVision(const VisionSource& source, DecoderSpec* spec);

}  // namespace rondo::convert
