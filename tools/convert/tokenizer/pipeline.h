// Pipeline: what tokenizer.json does around the model, put into the runtime's terms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rondo_generated.h"
#include "tools/convert/tokenizer/json_value.h"
#include "tools/convert/tokenizer/normalization.h"

namespace rondo::convert {

struct StageSpec {
  format::StageKind kind = format::StageKind::Unknown;
  format::Behavior behavior = format::Behavior::Isolated;
  bool invert = false;
  std::string pattern;
  uint32_t character = 0;
  bool over_bytes = false;
  std::string replacement;
  std::string prefix;
  bool prefix_first_only = false;
};

// One step of the decoder, applied to the text of each token.
struct DecodeStep {
  // kWordPiece: `from` before a token goes; one without it has a space before it. kJoin: each has a
  // space before it.
  enum Kind { kReplace, kByteFallback, kByteLevel, kWordPiece, kJoin } kind;
  std::string from;
  std::string to;
};

struct Pipeline {
  Normalization normalization;

  // Pre-tokeniser.
  bool byte_level = false;
  std::string piece_prefix;
  bool prefix_first_only = false;
  std::string early_replacement;  // of spaces, by a pre-tokeniser, yet done by the normaliser
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

  // What a token with this text adds to decoded text.
  std::string DecodeToken(const std::string& text) const;
};

}  // namespace rondo::convert
