// PairTemplate: how a tokenizer makes one text of two.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/convert/tokenizer/source_text.h"

namespace rondo::convert {

struct PairTemplate {
  std::string between;  // the texts of the special tokens between the two
  // That token, where what is behind it is of the second type; null: all is of the first.
  std::optional<uint32_t> separator;
};

// Null: it does not say. Throws Error where a pair begins or ends otherwise than a text, or its
// types change elsewhere.
std::optional<PairTemplate> ReadPairTemplate(const SourceText& text);

}  // namespace rondo::convert
