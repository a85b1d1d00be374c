// Pipeline: what tokenizer.json does around the BPE model, put into the runtime's terms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rondo_generated.h"
#include "tools/convert/tokenizer/json_value.h"

namespace rondo::convert {

struct StageSpec {
  format::StageKind kind = format::StageKind::Unknown;
  std::string pattern;
  bool each = false;
  uint32_t character = 0;
  bool over_bytes = false;
};

// One step of the decoder, applied to the text of each token.
struct DecodeStep {
  enum Kind { kReplace, kByteFallback, kByteLevel } kind;
  std::string from;
  std::string to;
};

struct Pipeline {
  // Normaliser.
  bool nfc = false;
  std::string prepend;
  char replace = '\0';  // an ASCII character, or none
  std::string replacement;

  // Pre-tokeniser.
  bool byte_level = false;
  std::string piece_prefix;
  bool prefix_first_only = false;
  bool replaces_before_split = false;  // the replacement is the pre-tokeniser's (Metaspace)
  std::vector<StageSpec> stages;

  // Post-processor.
  std::vector<uint32_t> before;
  std::vector<uint32_t> after;

  // Decoder.
  std::vector<DecodeStep> decode_steps;
  uint32_t strip_start = 0;
  bool first_token_without_spaces = false;

  // The whole document. Throws Error naming what is not supported.
  static Pipeline Parse(const JsonValue& root);

  // The normaliser applied to a text that is not empty.
  std::string Normalize(const std::string& text) const;
  // What a token with this text adds to decoded text.
  std::string DecodeToken(const std::string& text) const;
};

// The bytes that a text in byte-level BPE's alphabet stands for. False where a character of it is
// not of the alphabet.
bool FromByteAlphabet(const std::string& text, std::string* bytes);

// The code points of UTF-8 text (from JSON, so well formed).
std::vector<uint32_t> CodePoints(const std::string& text);

}  // namespace rondo::convert
