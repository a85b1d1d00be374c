// Small tokenizers to be damaged, and everything that is done with one that was accepted.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "tests/runtime/chat/small_json.h"
#include "tests/runtime/text/compiled_tokenizer.h"
#include "tools/convert/tokenizer/text.h"

namespace rondo::test {

// A small tokenizer with every feature, so that most flips hit something that matters.
inline std::string ByteLevelJson() {
  SmallJson json;
  json.normalizer = R"({"type": "NFC"})";
  json.pre_tokenizer = R"({"type": "Sequence", "pretokenizers": [
      {"type": "Punctuation", "behavior": "Contiguous"},
      {"type": "ByteLevel", "add_prefix_space": false},
      {"type": "Digits", "individual_digits": true}]})";
  json.post_processor = R"({"type": "TemplateProcessing", "single": [
      {"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
      "special_tokens": {"<s>": {"id": "<s>", "ids": [3], "tokens": ["<s>"]}}})";
  json.model_options = R"("unk_token": "e")";
  for (const char* token : {"e", "l", "o", "h", "\u00E2", "\u0120"}) json.Token(token);
  json.Merge("l", "o");
  json.Merge("e", "l");
  json.Merge("\u0120", "h");
  json.Added("<s>");
  json.Added("<|bos|>", false, true, true, true);
  json.Added("  ", true, false, false, false, false);
  return json.Text();
}

inline std::string SentencePieceJson() {
  SmallJson json;
  json.byte_level = false;
  json.normalizer = R"({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "_"},
      {"type": "Replace", "pattern": {"String": " "}, "content": "_"}]})";
  json.decoder = R"({"type": "Sequence", "decoders": [
      {"type": "Replace", "pattern": {"String": "_"}, "content": " "}, {"type": "ByteFallback"},
      {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})";
  json.model_options = R"("unk_token": "<unk>", "byte_fallback": true, "fuse_unk": true)";
  for (const char* token :
       {"<unk>", "<0xE4>", "<0xBD>", "<0xA0>", "_", "h", "e", "l", "o", "\u597D"}) {
    json.Token(token);
  }
  json.Merge("l", "l");
  json.Merge("_", "h");
  json.Merge("_h", "e");
  json.Added("<s>", true);
  return json.Text();
}

// Every normaliser, a rewriting stage, and the scores and tries of Unigram.
inline std::string UnigramJson() {
  // A charsmap with one rule, "A" to "a": see tests/tools/convert/tokenizer/sentencepiece_test.cc.
  std::string charsmap(4 + 4 * 0x44, '\0');
  const auto put = [&](size_t unit, uint32_t value) {
    std::memcpy(charsmap.data() + 4 + 4 * unit, &value, 4);
  };
  const uint32_t bytes = 4 * 0x44;
  std::memcpy(charsmap.data(), &bytes, 4);
  put(0, 2u << 10);
  put(0x43, 1u << 10 | 1u << 8 | 0x41);
  put(0x42, 0x80000000u);
  charsmap += std::string("a\0", 2);
  return R"({"normalizer": {"type": "Sequence", "normalizers": [
      {"type": "Precompiled", "precompiled_charsmap": ")" +
         convert::EncodeBase64(charsmap) + R"("},
      {"type": "Strip", "strip_left": true, "strip_right": true}, {"type": "NFKC"},
      {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}, {"type": "Lowercase"},
      {"type": "Replace", "pattern": {"String": "it"}, "content": "  "},
      {"type": "NFD"}, {"type": "StripAccents"}, {"type": "Prepend", "prepend": "a"}]},
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
      {"type": "Metaspace", "replacement": "_"}]},
    "decoder": {"type": "Metaspace", "replacement": "_"},
    "added_tokens": [{"id": 6, "content": "<s>", "special": true, "normalized": false,
      "lstrip": false, "rstrip": true, "single_word": false}],
    "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["_", -2], ["a", -3],
      ["_hel", -4], ["lo", -5], ["el", -6]]}})";
}

// Everything a session would do with a tokenizer. Any answer is right that comes back.
inline void Use(const Tokenizer& tokenizer) {
  constexpr std::string_view kText =
      "Hello <|bos|>  wor1d 12\u00BD! \u4F60\u597D e\u0323\u0307 <s> x\xFF\xE2\x96<|eos|> it's  ";
  int32_t ids[256];
  size_t count = 0;
  (void)tokenizer.Encode(kText, true, ids, &count);
  (void)tokenizer.CheckGolden();
  char text[4096];
  size_t size = 0;
  (void)tokenizer.Decode(std::span(ids).first(std::min<size_t>(count, 256)), true, text, &size);
  for (uint32_t id = 0; id < tokenizer.vocab_size(); id += 17) {
    const int32_t one = static_cast<int32_t>(id);
    (void)tokenizer.Decode({&one, 1}, false, text, &size);
  }
  (void)tokenizer.AddedTokenId("<s>");
}

// Uses the tables as they are now where they are accepted; false where they are refused.
inline bool UseIfAccepted(CompiledTokenizer& compiled) {
  // What ModelFile::Open checks before any of this is looked at.
  flatbuffers::Verifier verifier(compiled.metadata().data(), compiled.metadata().size());
  if (!verifier.VerifyBuffer<format::Tokenizer>(nullptr)) return false;
  if (!compiled.SectionsInside()) return false;
  const auto tokenizer = Tokenizer::Create(compiled.tables(), compiled.tables().vocab_size());
  if (tokenizer.ok()) {
    Use(**tokenizer);
  } else {
    EXPECT_NE(tokenizer.status().message()[0], '\0');
  }
  return tokenizer.ok();
}

}  // namespace rondo::test
