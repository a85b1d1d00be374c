#include "tools/convert/tokenizer/sentencepiece.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "runtime/base/utf8.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/tokenizer/text.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

const std::string kSpace = "\u2581";

using Ids = std::unordered_map<std::string, uint32_t>;

// Found in a text before anything is split.
bool IsAdded(const SentencePiece& piece) {
  return piece.kind == PieceKind::kUserDefined || piece.kind == PieceKind::kControl ||
         piece.kind == PieceKind::kUnknown;
}

// What a text becomes: of two pieces of one text the one that is found before anything is split,
// else the last, as in Hugging Face's conversion.
Ids IdsOf(const SentencePieceModel& model) {
  Ids ids;
  for (uint32_t id = 0; id < model.pieces.size(); ++id) {
    const auto [found, is_new] = ids.emplace(model.pieces[id].text, id);
    if (!is_new && !IsAdded(model.pieces[found->second])) found->second = id;
  }
  return ids;
}

// The pieces that no text becomes: [id, text].
json Repeated(const SentencePieceModel& model, const Ids& ids) {
  json list = json::array();
  for (uint32_t id = 0; id < model.pieces.size(); ++id) {
    const std::string& text = model.pieces[id].text;
    if (ids.at(text) != id) list.push_back(json::array({id, text}));
  }
  return list;
}

struct ScoredMerge {
  float score;  // of the result
  std::string left, right;
};

// Every way in which two pieces make a third, best result first, then in the order of the ids of
// the result and of its parts, as in Hugging Face's conversion.
json Merges(const SentencePieceModel& model, const Ids& ids) {
  std::vector<ScoredMerge> merges;
  for (uint32_t id = 0; id < model.pieces.size(); ++id) {
    const SentencePiece& piece = model.pieces[id];
    const bool made = piece.kind == PieceKind::kNormal || piece.kind == PieceKind::kUnused;
    if (!made || ids.at(piece.text) != id) continue;
    std::vector<std::tuple<uint32_t, uint32_t, size_t>>
        ways;  // ids of the parts, bytes of the left
    for (size_t bytes = 1; bytes < piece.text.size(); ++bytes) {
      if (IsUtf8Continuation(static_cast<uint8_t>(piece.text[bytes]))) continue;
      const auto left = ids.find(piece.text.substr(0, bytes));
      const auto right = ids.find(piece.text.substr(bytes));
      if (left == ids.end() || right == ids.end()) continue;
      ways.emplace_back(left->second, right->second, bytes);
    }
    std::sort(ways.begin(), ways.end());
    for (const auto& [left, right, bytes] : ways) {
      merges.push_back({piece.score, piece.text.substr(0, bytes), piece.text.substr(bytes)});
    }
  }
  std::stable_sort(merges.begin(), merges.end(),
                   [](const ScoredMerge& a, const ScoredMerge& b) { return a.score > b.score; });
  json list = json::array();
  for (ScoredMerge& merge : merges) {
    list.push_back(json::array({std::move(merge.left), std::move(merge.right)}));
  }
  return list;
}

json Bpe(const SentencePieceModel& model, const Ids& ids) {
  json vocab = json::object();
  json unknown = nullptr;
  for (uint32_t id = 0; id < model.pieces.size(); ++id) {
    const SentencePiece& piece = model.pieces[id];
    vocab[piece.text] = ids.at(piece.text);
    if (piece.kind == PieceKind::kUnknown) unknown = piece.text;
  }
  return {{"type", "BPE"},
          {"vocab", std::move(vocab)},
          {"merges", model.merges.is_null() ? Merges(model, ids) : model.merges},
          {"unk_token", std::move(unknown)},
          {"fuse_unk", true},
          {"byte_fallback", model.byte_fallback}};
}

json Unigram(const SentencePieceModel& model) {
  json vocab = json::array();
  json unknown = nullptr;
  for (uint32_t id = 0; id < model.pieces.size(); ++id) {
    const SentencePiece& piece = model.pieces[id];
    vocab.push_back(json::array({piece.text, static_cast<double>(piece.score)}));
    if (piece.kind == PieceKind::kUnknown) unknown = id;
  }
  return {{"type", "Unigram"},
          {"vocab", std::move(vocab)},
          {"unk_id", std::move(unknown)},
          {"byte_fallback", model.byte_fallback}};
}

json Replace(json pattern, const std::string& content) {
  return {{"type", "Replace"}, {"pattern", std::move(pattern)}, {"content", content}};
}

// Spaces are written, and the first one is put, by Metaspace where it is to split too (Unigram) or
// to know the text's beginning; else by normalisers, which see every text between added tokens.
bool UsesMetaspace(const SentencePieceModel& model) {
  return model.unigram || (model.add_dummy_prefix && model.prefix_first_only);
}

json Normalizers(const SentencePieceModel& model, const std::string& source) {
  json steps = json::array();
  if (!model.charsmap.empty()) {
    if (model.charsmap.size() > size_t{64} << 20) Fail(source, ": the charsmap is too large");
    steps.push_back(
        {{"type", "Precompiled"}, {"precompiled_charsmap", EncodeBase64(model.charsmap)}});
  }
  if (model.remove_extra_whitespaces) {
    steps.push_back({{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}});
    steps.push_back(Replace({{"Regex", " {2,}"}}, " "));
  }
  if (!UsesMetaspace(model)) {
    if (model.add_dummy_prefix) steps.push_back({{"type", "Prepend"}, {"prepend", kSpace}});
    steps.push_back(Replace({{"String", " "}}, kSpace));
  }
  return {{"type", "Sequence"}, {"normalizers", std::move(steps)}};
}

json PreTokenizer(const SentencePieceModel& model) {
  if (!UsesMetaspace(model)) return nullptr;
  const char* scheme = !model.add_dummy_prefix   ? "never"
                       : model.prefix_first_only ? "first"
                                                 : "always";
  return {{"type", "Metaspace"},
          {"replacement", kSpace},
          {"prepend_scheme", scheme},
          {"split", model.unigram}};
}

json Decoder(const SentencePieceModel& model) {
  if (model.unigram && !model.byte_fallback) {
    return {{"type", "Metaspace"},
            {"replacement", kSpace},
            {"prepend_scheme", model.add_dummy_prefix ? "always" : "never"}};
  }
  json steps = json::array();
  steps.push_back(Replace({{"String", kSpace}}, " "));
  steps.push_back({{"type", "ByteFallback"}});
  steps.push_back({{"type", "Fuse"}});
  if (model.add_dummy_prefix) {
    steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  }
  return {{"type", "Sequence"}, {"decoders", std::move(steps)}};
}

}  // namespace

json SentencePieceJson(const SentencePieceModel& model, const Surroundings& surroundings,
                       const std::string& source) {
  const Ids ids = IdsOf(model);
  Surroundings all = surroundings;
  std::set<uint32_t> given;
  for (const AddedToken& token : surroundings.added) given.insert(token.id);
  for (uint32_t id = 0; id < model.pieces.size(); ++id) {
    const SentencePiece& piece = model.pieces[id];
    if (!IsAdded(piece) || piece.text.empty() || given.count(id) != 0) continue;
    if (ids.at(piece.text) != id) continue;
    AddedToken token;
    token.id = id;
    token.text = piece.text;
    token.special = piece.kind != PieceKind::kUserDefined;
    all.added.push_back(std::move(token));
  }
  json document = {{"normalizer", Normalizers(model, source)},
                   {"pre_tokenizer", PreTokenizer(model)},
                   {"decoder", Decoder(model)},
                   {"replace_each_byte", model.replace_each_byte},
                   {"repeated", Repeated(model, ids)},
                   {"model", model.unigram ? Unigram(model) : Bpe(model, ids)}};
  PutSurroundings(all, document);
  return document;
}

}  // namespace rondo::convert
