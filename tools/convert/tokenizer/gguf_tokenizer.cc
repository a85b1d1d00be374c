#include "tools/convert/tokenizer/gguf_tokenizer.h"

#include <algorithm>

#include "runtime/model/limits.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/tokenizer/sentencepiece.h"
#include "tools/convert/tokenizer/splittings.h"
#include "tools/convert/tokenizer/surroundings.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

constexpr const char* kTokens = "tokenizer.ggml.tokens";
constexpr const char* kTypes = "tokenizer.ggml.token_type";
constexpr const char* kScores = "tokenizer.ggml.scores";
constexpr const char* kMerges = "tokenizer.ggml.merges";
constexpr const char* kPre = "tokenizer.ggml.pre";
constexpr const char* kBos = "tokenizer.ggml.bos_token_id";
constexpr const char* kCharsmap = "tokenizer.ggml.precompiled_charsmap";

// The keys of a tokenizer, checked as far as every kind needs it.
class TokenizerKeys {
 public:
  TokenizerKeys(const Config& keys, const json& metadata, std::vector<std::string>& notes)
      : keys_(keys), metadata_(metadata), notes_(notes) {
    const json& tokens = Array(kTokens);
    if (tokens.empty() || tokens.size() > kMaxVocab) {
      keys_.Refuse(kTokens, "has " + std::to_string(tokens.size()) + " elements, expected 1 to " +
                                std::to_string(kMaxVocab));
    }
    for (const json& token : tokens) {
      if (token.is_binary()) keys_.Refuse(kTokens, "holds a text that is not UTF-8");
      if (!token.is_string()) keys_.Refuse(kTokens, "is not an array of strings");
    }
    if (keys_.Has(kTypes)) {
      for (const json& type : PerToken(kTypes)) {
        const bool is_known = type.is_number_integer() && type >= 0 && type <= 6;
        if (!is_known) keys_.Refuse(kTypes, "holds " + type.dump() + ", expected 0 to 6");
      }
    }
  }

  const Config& keys() const { return keys_; }
  size_t size() const { return metadata_.at(kTokens).size(); }
  const std::string& Text(size_t id) const {
    return metadata_.at(kTokens).at(id).get_ref<const std::string&>();
  }
  PieceKind Kind(size_t id) const {
    const int kind = keys_.Has(kTypes) ? metadata_.at(kTypes).at(id).get<int>() : 1;
    return static_cast<PieceKind>(std::max(kind, 1));  // 0, "undefined": as any other
  }
  float Score(size_t id) const {
    const json& score = metadata_.at(kScores).at(id);
    if (!score.is_number()) keys_.Refuse(kScores, "is not an array of numbers");
    return score.get<float>();
  }

  const json& Array(const char* key) const {
    if (!keys_.Has(key)) keys_.Refuse(key, "is missing");
    if (!metadata_.at(key).is_array()) keys_.Refuse(key, "is not an array");
    return metadata_.at(key);
  }
  // An array with an element for each token.
  const json& PerToken(const char* key) const {
    const json& array = Array(key);
    if (array.size() != size()) {
      keys_.Refuse(key, "has " + std::to_string(array.size()) +
                            " elements, expected one for each " + "of the " +
                            std::to_string(size()) + " tokens");
    }
    return array;
  }

  // The ids around a text, which `bos` and `eos` say where the file does not.
  Surroundings Around(bool bos, bool eos) const {
    Surroundings around;
    const auto add = [&](const char* flag, bool if_absent, const char* key,
                         std::vector<uint32_t>& ids) {
      if (!keys_.Flag(flag, if_absent)) return;
      if (!keys_.Has(key)) keys_.Refuse(key, "is missing");
      // Some files say by an id out of range that there is no such token.
      for (const uint32_t id : keys_.Tokens(key, size(), notes_)) ids.push_back(id);
    };
    add("tokenizer.ggml.add_bos_token", bos, kBos, around.before);
    add("tokenizer.ggml.add_eos_token", eos, "tokenizer.ggml.eos_token_id", around.after);
    return around;
  }
  uint32_t Bos() const { return Id(kBos); }

 private:
  uint32_t Id(const char* key) const {
    return static_cast<uint32_t>(keys_.Integer(key, 0, size() - 1));
  }

  const Config& keys_;
  const json& metadata_;
  std::vector<std::string>& notes_;
};

// ---- Byte-level BPE

Splitting SplittingOf(const Config& keys, std::vector<std::string>& notes) {
  const std::string pre = keys.Text(kPre, "default");
  if (const Splitting* splitting = FindSplitting(pre)) return *splitting;
  if (pre != "default") {
    keys.Refuse(kPre, "is " + pre + "; known: default, " + KnownSplittings());
  }
  notes.push_back("key " + std::string(kPre) +
                  " does not say how text is split into words: as GPT-2 does it is assumed");
  return *FindSplitting("gpt-2");
}

json ByteLevelTokenizer(const TokenizerKeys& tokenizer, std::vector<std::string>& notes) {
  const Splitting splitting = SplittingOf(tokenizer.keys(), notes);
  Surroundings around = tokenizer.Around(splitting.bos, /*eos=*/false);
  json vocab = json::object(), repeated = json::array();
  for (size_t id = 0; id < tokenizer.size(); ++id) {
    const std::string& text = tokenizer.Text(id);
    if (!vocab.emplace(text, id).second) {  // of two tokens of one text, the first
      repeated.push_back(json::array({id, text}));
      continue;
    }
    const PieceKind kind = tokenizer.Kind(id);
    if (kind == PieceKind::kControl || kind == PieceKind::kUnknown ||
        kind == PieceKind::kUserDefined) {
      around.added.push_back({.id = static_cast<uint32_t>(id),
                              .text = text,
                              .special = kind != PieceKind::kUserDefined});
    }
  }
  const json byte_level = {{"type", "ByteLevel"}};
  json document = {
      {"normalizer", splitting.nfc ? json{{"type", "NFC"}} : json()},
      {"pre_tokenizer", PreTokenizerOf(splitting)},
      {"decoder", byte_level},
      {"repeated", std::move(repeated)},
      {"model",
       {{"type", "BPE"},
        {"ignore_merges", splitting.whole_words},
        {"vocab", std::move(vocab)},
        {"merges", tokenizer.Array(kMerges)}}},
  };
  PutSurroundings(around, document);
  return document;
}

// ---- SentencePiece

std::string CharsmapOf(const TokenizerKeys& tokenizer) {
  if (!tokenizer.keys().Has(kCharsmap)) return "";
  std::string bytes;
  for (const json& byte : tokenizer.Array(kCharsmap)) {
    if (!byte.is_number_integer() || byte < -128 || byte > 255) {
      tokenizer.keys().Refuse(kCharsmap, "is not an array of bytes");
    }
    bytes += static_cast<char>(byte.get<int>());
  }
  return bytes;
}

void AddPieces(const TokenizerKeys& tokenizer, bool scored, SentencePieceModel& model) {
  for (size_t id = 0; id < tokenizer.size(); ++id) {
    const float score = scored ? tokenizer.Score(id) : 0;
    model.pieces.push_back({tokenizer.Text(id), score, tokenizer.Kind(id)});
    model.byte_fallback |= tokenizer.Kind(id) == PieceKind::kByte;
  }
}

// The merges are in the file, not in the scores. `bos`: whatever the file says, as the first files
// of Gemma 4 say that there is none.
json MergedPiecesTokenizer(const TokenizerKeys& tokenizer, bool bos, const std::string& file) {
  SentencePieceModel model;
  model.add_dummy_prefix = tokenizer.keys().Flag("tokenizer.ggml.add_space_prefix", false);
  model.remove_extra_whitespaces =
      tokenizer.keys().Flag("tokenizer.ggml.remove_extra_whitespaces", false);
  model.merges = tokenizer.Array(kMerges);
  AddPieces(tokenizer, /*scored=*/false, model);
  Surroundings around = tokenizer.Around(/*bos=*/false, /*eos=*/false);
  if (bos) around.before = {tokenizer.Bos()};
  return SentencePieceJson(model, around, file);
}

json SentencePieceTokenizer(const TokenizerKeys& tokenizer, bool unigram, const std::string& file) {
  tokenizer.PerToken(kScores);
  SentencePieceModel model;
  model.unigram = unigram;
  model.add_dummy_prefix = tokenizer.keys().Flag("tokenizer.ggml.add_space_prefix", true);
  model.remove_extra_whitespaces =
      tokenizer.keys().Flag("tokenizer.ggml.remove_extra_whitespaces", false);
  model.charsmap = CharsmapOf(tokenizer);
  AddPieces(tokenizer, /*scored=*/true, model);
  return SentencePieceJson(model, tokenizer.Around(/*bos=*/!unigram, /*eos=*/unigram), file);
}

void NoteRepeated(const json& tokenizer, const std::string& file, std::vector<std::string>& notes) {
  const json& repeated = tokenizer.at("repeated");
  if (repeated.empty()) return;
  notes.push_back(file + ": of tokens whose text another has, too (" +
                  std::to_string(repeated.size()) + ", the first is " + repeated[0][0].dump() +
                  "), text becomes the other one");
}

}  // namespace

json ReadGgufTokenizer(const Config& keys, const json& metadata, const std::string& file,
                       std::vector<std::string>& notes) {
  const char* const kModel = "tokenizer.ggml.model";
  const std::string kind = keys.Text(kModel, "none");
  if (kind == "none" || kind == "no_vocab") {
    notes.push_back("no tokenizer: the file takes and gives token ids only");
    return {};
  }
  if (kind != "gpt2" && kind != "gemma4" && kind != "llama" && kind != "t5") {
    keys.Refuse(kModel, "is " + kind + "; known: gpt2, gemma4, llama, t5, none");
  }
  const TokenizerKeys tokenizer(keys, metadata, notes);
  const std::string pre = keys.Text(kPre, "");
  json document;
  if (kind == "gemma4" || (kind == "gpt2" && (pre == "gemma4" || pre == "sarvam-moe"))) {
    document = MergedPiecesTokenizer(tokenizer, /*bos=*/pre != "sarvam-moe", file);
  } else if (kind == "gpt2") {
    document = ByteLevelTokenizer(tokenizer, notes);
  } else {
    document = SentencePieceTokenizer(tokenizer, kind == "t5", file);
  }
  NoteRepeated(document, file, notes);
  return document;
}

}  // namespace rondo::convert
