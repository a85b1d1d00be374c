// A tokenizer's tables and settings of any bytes, as a file with good checksums could hold them:
// refused, or used without harm.
#include "tests/runtime/text/damaged_tokenizer.h"
#include "tests/support/fuzzing.h"

namespace {

using rondo::test::CompiledTokenizer;

constexpr size_t kTokenizers = 3;

// A tokenizer whose bytes are good again at each call.
CompiledTokenizer& GoodTokenizer(size_t i) {
  using rondo::test::CompileJson;
  static const std::unique_ptr<CompiledTokenizer> all[kTokenizers] = {
      CompileJson(rondo::test::ByteLevelJson()), CompileJson(rondo::test::SentencePieceJson()),
      CompileJson(rondo::test::UnigramJson())};
  static std::vector<uint8_t> good[kTokenizers][2];
  std::span<uint8_t> bytes[] = {all[i]->sink().bytes(), all[i]->metadata()};
  for (size_t part = 0; part < 2; ++part) {
    if (good[i][part].empty()) good[i][part].assign(bytes[part].begin(), bytes[part].end());
    std::copy(good[i][part].begin(), good[i][part].end(), bytes[part].begin());
  }
  return *all[i];
}

}  // namespace

std::vector<std::string> FirstInputs() {
  std::vector<std::string> inputs;
  for (size_t i = 0; i < kTokenizers; ++i) {
    inputs.push_back(std::string(1, static_cast<char>(i)));
  }
  return inputs;
}

// The first byte chooses a good tokenizer. Then come changes, five bytes each: where (two bytes of
// the sections, or, with the top bit, of the settings), how many bytes, the first, and the step
// from one to the next.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  CompiledTokenizer& damaged = GoodTokenizer(data[0] % kTokenizers);
  for (size_t at = 1; at + 5 <= size; at += 5) {
    const size_t where = data[at] | (data[at + 1] & 0x7f) << 8;
    const std::span<uint8_t> bytes =
        data[at + 1] & 0x80 ? damaged.metadata() : damaged.sink().bytes();
    for (size_t i = 0; i <= data[at + 2] % 8u; ++i) {
      bytes[(where + i) % bytes.size()] = static_cast<uint8_t>(data[at + 3] + i * data[at + 4]);
    }
  }
  rondo::test::UseIfAccepted(damaged);
  return 0;
}
