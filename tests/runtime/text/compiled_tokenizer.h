// A tokenizer compiled in memory, for tests: the converter's tables behind the runtime's view.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gtest/gtest.h"
#include "rondo_generated.h"
#include "runtime/text/stream_decoder.h"
#include "runtime/text/tokenizer.h"
#include "tests/temp_folder.h"
#include "tools/convert/common/section_sink.h"
#include "tools/convert/tokenizer/compile_tokenizer.h"
#include "tools/convert/tokenizer/folder.h"

namespace rondo::test {

// Keeps sections in memory at 64-byte aligned offsets of one imagined file.
class MemorySink final : public convert::SectionSink {
 public:
  format::Section Add(std::span<const uint8_t> bytes) override {
    const size_t offset = bytes_.size() * sizeof(Line);
    bytes_.resize(bytes_.size() + (bytes.size() + sizeof(Line) - 1) / sizeof(Line));
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t*>(bytes_.data()) + offset);
    return {offset, bytes.size(), 0};
  }

  template <typename T>
  std::span<const T> View(const format::Section* section) const {
    const auto* base = reinterpret_cast<const uint8_t*>(bytes_.data()) + section->offset();
    return {reinterpret_cast<const T*>(base), section->bytes() / sizeof(T)};
  }

  std::span<uint8_t> bytes() {
    return {reinterpret_cast<uint8_t*>(bytes_.data()), bytes_.size() * sizeof(Line)};
  }

 private:
  struct alignas(64) Line {
    uint8_t bytes[64];
  };
  std::vector<Line> bytes_;
};

// What the runtime makes of the sections in a file.
inline TokenizerTables TablesOf(const format::Tokenizer* settings, const MemorySink& sink) {
  TokenizerTables tables;
  tables.settings = settings;
  tables.token_bytes = sink.View<uint8_t>(settings->token_bytes());
  tables.token_offsets = sink.View<uint32_t>(settings->token_offsets());
  tables.token_flags = sink.View<uint8_t>(settings->token_flags());
  tables.atoms = sink.View<Atom>(settings->atoms());
  tables.merges = sink.View<Merge>(settings->merges());
  tables.merge_slots = sink.View<uint32_t>(settings->merge_slots());
  tables.joints = sink.View<uint8_t>(settings->joints());
  tables.word_slots = sink.View<uint32_t>(settings->word_slots());
  tables.charsmap = sink.View<TrieNode>(settings->charsmap());
  tables.charsmap_texts = sink.View<uint8_t>(settings->charsmap_texts());
  tables.pieces = sink.View<TrieNode>(settings->pieces());
  tables.scores = sink.View<double>(settings->scores());
  return tables;
}

class CompiledTokenizer {
 public:
  // Both throw convert::Error.
  explicit CompiledTokenizer(const std::filesystem::path& directory) {
    const std::filesystem::path path = convert::FindTokenizer(directory);
    Compile(convert::ReadFolderTokenizer(path).document, path.string());
  }
  // A document in the form of a tokenizer.json.
  explicit CompiledTokenizer(const nlohmann::json& document) {
    Compile(document, "tokenizer.json");
  }

  MemorySink& sink() { return sink_; }
  std::span<uint8_t> metadata() { return {builder_.GetBufferPointer(), builder_.GetSize()}; }

  // What ModelFile::Open checks of the sections, for tests that change the metadata.
  bool SectionsInside() {
    const auto* settings = flatbuffers::GetRoot<format::Tokenizer>(builder_.GetBufferPointer());
    for (const format::Section* section :
         {settings->token_bytes(), settings->token_offsets(), settings->token_flags(),
          settings->atoms(), settings->merges(), settings->merge_slots(), settings->joints(),
          settings->word_slots(), settings->charsmap(), settings->charsmap_texts(),
          settings->pieces(), settings->scores()}) {
      if (section == nullptr) return false;
      if (section->offset() % 64 != 0 || section->offset() > sink_.bytes().size() ||
          section->bytes() > sink_.bytes().size() - section->offset()) {
        return false;
      }
    }
    return true;
  }

  TokenizerTables tables() const {
    return TablesOf(flatbuffers::GetRoot<format::Tokenizer>(builder_.GetBufferPointer()), sink_);
  }

  std::unique_ptr<Tokenizer> Create() const {
    auto tokenizer = Tokenizer::Create(tables(), tables().vocab_size());
    EXPECT_TRUE(tokenizer.ok()) << tokenizer.status().message();
    return tokenizer.ok() ? std::move(*tokenizer) : nullptr;
  }

 private:
  void Compile(const nlohmann::json& document, const std::string& source) {
    builder_.Finish(convert::CompileTokenizer(document, source, 256, sink_, builder_));
  }

  MemorySink sink_;
  flatbuffers::FlatBufferBuilder builder_;
};

// A tokenizer.json written to a temporary folder and compiled.
inline std::unique_ptr<CompiledTokenizer> CompileJson(const std::string& json) {
  const TempFolder folder;
  std::ofstream(folder / "tokenizer.json", std::ios::binary) << json;
  return std::make_unique<CompiledTokenizer>(folder.path());
}

inline std::vector<int32_t> Encode(const Tokenizer& tokenizer, std::string_view text,
                                   bool add_special = false) {
  size_t count = 0;
  Status status = tokenizer.Encode(text, add_special, {}, &count);
  EXPECT_TRUE(status.ok() || status.code() == StatusCode::kBufferTooSmall) << status.message();
  std::vector<int32_t> ids(count);
  status = tokenizer.Encode(text, add_special, ids, &count);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(count, ids.size());
  return ids;
}

inline std::string Decode(const Tokenizer& tokenizer, std::span<const int32_t> ids,
                          bool skip_special = false) {
  size_t size = 0;
  Status status = tokenizer.Decode(ids, skip_special, {}, &size);
  EXPECT_TRUE(status.ok() || status.code() == StatusCode::kBufferTooSmall) << status.message();
  std::string text(size, '\0');
  status = tokenizer.Decode(ids, skip_special, text, &size);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(size, text.size());
  return text;
}

}  // namespace rondo::test
