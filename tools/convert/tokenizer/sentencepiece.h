// SentencePiece models: pieces with scores, put into the form of a tokenizer.json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/convert/tokenizer/surroundings.h"

namespace rondo::convert {

// The numbers are those of SentencePiece's files, and of GGUF's tokenizer.ggml.token_type.
enum class PieceKind : uint8_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6,  // written "<0x0A>"
};

struct SentencePiece {
  std::string text;  // UTF-8; a space is written U+2581
  float score = 0;
  PieceKind kind = PieceKind::kNormal;
};

// NOLINTNEXTLINE(bugprone-exception-escape): to move a json throws nothing
struct SentencePieceModel {
  bool unigram = false;               // else BPE
  std::vector<SentencePiece> pieces;  // by id
  bool byte_fallback = false;         // characters without a piece become bytes
  bool add_dummy_prefix = true;       // a space before the text, and after every added token
  bool prefix_first_only = false;     // only before the text ("legacy": false)
  bool remove_extra_whitespaces = true;
  bool replace_each_byte = false;  // ill-formed UTF-8: a U+FFFD for every byte
  std::string charsmap;            // the compiled normalisation rules as they are; empty: none
  nlohmann::json merges;  // of a BPE model, as tokenizer.json has them; null: by the scores
};

// Reads the protobuf message of a tokenizer.model. Every length is checked before it is used.
// Only Unigram and BPE models that write spaces as U+2581 before words are supported.
// Throws Error naming `source`, the field and its place.
SentencePieceModel ReadSentencePiece(std::string_view bytes, const std::string& source);

// The tokenizer.json that does what Hugging Face's conversion of this model does. Control, unknown
// and user-defined pieces become added tokens, unless `surroundings` has their ids already.
// Merges that the model does not have follow from the scores. Throws Error naming `source`.
nlohmann::json SentencePieceJson(const SentencePieceModel& model, const Surroundings& surroundings,
                                 const std::string& source);

}  // namespace rondo::convert
