// Normalization: the normalisers of tokenizer.json in the runtime's terms.
#pragma once

#include <string>
#include <vector>

#include "rondo_generated.h"
#include "tools/convert/tokenizer/charsmap.h"
#include "tools/convert/tokenizer/json_value.h"

namespace rondo::convert {

struct NormalizerSpec {
  format::NormalizerKind kind = format::NormalizerKind::Unknown;
  bool compose = false;
  bool compatibility = false;
  std::string pattern;
  bool regex = false;
  std::string content;
  bool left = false;
  bool right = false;
};

struct Normalization {
  std::vector<NormalizerSpec> steps;
  Charsmap charsmap;
  bool replace_each_byte = false;
  bool splits_han = false;  // spaces around Han characters are left to the pre-tokeniser

  // The member `normalizer` of the document, and our own `replace_each_byte` where a document was
  // made from a SentencePiece model. Throws Error naming what is not supported.
  static Normalization Parse(const JsonValue& root);

  void AddReplace(const std::string& from, const std::string& to);

  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<format::NormalizerStep>>> Build(
      flatbuffers::FlatBufferBuilder& builder) const;

  // The runtime's own normaliser applied to a short text. `where` names what it was for.
  std::string Apply(const std::string& text, const JsonValue& where) const;
};

// The pattern of Replace and Split, {"String": ...} or {"Regex": ...}, for PCRE2 or as it is.
struct PatternSpec {
  std::string text;
  bool regex = false;

  static PatternSpec Parse(const JsonValue& step);
};

// `Sequence` of `list_key` taken apart, however nested; a single step is a list of one.
std::vector<JsonValue> Flatten(const JsonValue& value, const char* list_key);

}  // namespace rondo::convert
