#include "runtime/text/tokenizer.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "runtime/text/stream_decoder.h"

namespace rondo {

Result<std::unique_ptr<Tokenizer>> Tokenizer::Create(const ModelFile& file) {
  RONDO_ASSIGN(const TokenizerTables tables, TokenizerTables::Read(file));
  return Create(tables, file.model().vocab_size());
}

Result<std::unique_ptr<Tokenizer>> Tokenizer::Create(const TokenizerTables& tables,
                                                     uint32_t vocab_size) {
  RONDO_RETURN_IF_ERROR(tables.Check());
  std::unique_ptr<Tokenizer> tokenizer(new (std::nothrow) Tokenizer);
  if (tokenizer == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "the system refused %zu bytes",
                         sizeof(Tokenizer));
  }
  tokenizer->tables_ = tables;
  tokenizer->vocab_size_ = std::max(vocab_size, tables.vocab_size());
  RONDO_ASSIGN(tokenizer->regex_memory_, RegexMemory::Create());
  RONDO_ASSIGN(tokenizer->parts_,
               EncoderParts::Create(tokenizer->tables_, *tokenizer->regex_memory_));
  RONDO_ASSIGN(tokenizer->scratch_, tokenizer->parts_.CreateScratch());
  tokenizer->regex_memory_->Seal(tokenizer->scratch_.PatternBlock());
  RONDO_RETURN_IF_ERROR(tokenizer->CreateBuffers());
  for (uint32_t id = 0; id < tables.vocab_size(); ++id) {
    tokenizer->max_token_bytes_ =
        std::max(tokenizer->max_token_bytes_, tables.TokenBytes(id).size());
  }
  return tokenizer;
}

Status Tokenizer::CreateBuffers() {
  size_t n = 0;
  while (n < 2 || (n < kMostBuffers && scratch_bytes() + buffers_[0].bytes() <= kMaxScratchBytes)) {
    RONDO_ASSIGN(buffers_[n], parts_.CreateBuffers());
    ++n;
  }
  short_texts_.SetCount(1);
  long_texts_.SetCount(n - 1);
  return {};
}

Status Tokenizer::Encode(std::string_view text, bool add_special, std::span<int32_t> ids,
                         size_t* count, std::span<const uint8_t> plain) const {
  *count = 0;
  IdSink sink{ids};
  PlainText plain_text;
  if (!plain.empty()) {
    RONDO_ASSIGN(plain_text, parts_.CreatePlainText(plain));
  }
  if (add_special && settings().before() != nullptr) {
    for (const uint32_t id : *settings().before()) sink.Add(id);
  }
  const bool is_short = text.size() <= kShortBytes;
  Places& places = is_short ? short_texts_ : long_texts_;
  const size_t place = places.Take();
  Encoder encoder(parts_, scratch_, buffers_[is_short ? 0 : 1 + place],
                  plain.empty() ? nullptr : &plain_text, sink);
  const Status status =
      encoder.Encode({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  places.Give(place);
  RONDO_RETURN_IF_ERROR(status);
  if (add_special && settings().after() != nullptr) {
    for (const uint32_t id : *settings().after()) sink.Add(id);
  }
  *count = sink.count;
  if (sink.count > ids.size()) {
    return Status::Error(StatusCode::kBufferTooSmall, "the text has %zu tokens, room is for %zu",
                         sink.count, ids.size());
  }
  return {};
}

Status Tokenizer::Decode(std::span<const int32_t> ids, bool skip_special, std::span<char> out,
                         size_t* size) const {
  *size = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || static_cast<uint32_t>(ids[i]) >= vocab_size_) {
      return Status::Error(StatusCode::kInvalidArgument, "id %d at index %zu is not in [0, %u)",
                           ids[i], i, vocab_size());
    }
  }
  TextSink sink{out};
  StreamDecoder decoder;
  decoder.Begin(*this, skip_special, StreamDecoder::Start::kText);
  for (const int32_t id : ids) decoder.Append(*this, id, sink);
  decoder.Flush(sink);
  *size = sink.size;
  if (sink.size > out.size()) {
    return Status::Error(StatusCode::kBufferTooSmall, "the text has %zu bytes, room is for %zu",
                         sink.size, out.size());
  }
  return {};
}

std::span<const uint8_t> Tokenizer::TokenBytes(int32_t id) const {
  if (!HasText(id)) return {};
  return tables_.TokenBytes(static_cast<uint32_t>(id));
}

int32_t Tokenizer::AddedTokenId(std::string_view text) const {
  if (settings().added_tokens() == nullptr) return -1;
  for (const format::AddedToken* token : *settings().added_tokens()) {
    if (std::string_view(token->text()->c_str(), token->text()->size()) == text) {
      return static_cast<int32_t>(token->id());
    }
  }
  return -1;
}

size_t Tokenizer::scratch_bytes() const {
  size_t bytes = scratch_.bytes() + regex_memory_->bytes();
  for (const EncoderBuffers& buffers : buffers_) bytes += buffers.bytes();
  return bytes;
}

Status Tokenizer::CheckGolden() const {
  if (settings().golden() == nullptr) return {};
  int32_t ids[kMaxGoldenIds];
  for (flatbuffers::uoffset_t i = 0; i < settings().golden()->size(); ++i) {
    const format::Golden* golden = settings().golden()->Get(i);
    size_t count = 0;
    const Status status = Encode({golden->text()->c_str(), golden->text()->size()},
                                 /*add_special=*/false, ids, &count);
    if (!status.ok() && status.code() != StatusCode::kBufferTooSmall) return status;
    const size_t expected = golden->ids() == nullptr ? 0 : golden->ids()->size();
    bool equal = count == expected;
    for (flatbuffers::uoffset_t j = 0; equal && j < expected; ++j) {
      equal = golden->ids()->Get(j) == static_cast<uint32_t>(ids[j]);
    }
    if (!equal) {
      return Status::Error(StatusCode::kCorrupt,
                           "tokenizer: this build makes %zu ids of golden text %u, otherwise than "
                           "the %zu that its converter made",
                           count, i, expected);
    }
  }
  return {};
}

}  // namespace rondo
