// Text to tokens and back, with the tokenizer in tests/data and, where they are, well-known ones.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/support/places.h"

namespace rondo {
namespace {

namespace fs = std::filesystem;

// Prose where there is some, else our own description of ourselves; 64 KiB at most.
std::string Prose() {
  fs::path path = fs::path(kSharedData) / "text/tinystories_200k.txt";
  if (!fs::exists(path)) path = fs::path(kSourceFolder) / "README.md";
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  text.resize(std::min<size_t>(text.size(), 64u << 10));
  return text;
}

void BenchmarkEncode(benchmark::State& state, const fs::path& directory) {
  const test::CompiledTokenizer compiled(directory);
  const std::unique_ptr<Tokenizer> tokenizer = compiled.Create();
  const std::string text = Prose();
  std::vector<int32_t> ids(text.size() + 16);
  size_t count = 0;
  for (auto _ : state) {
    if (!tokenizer->Encode(text, false, ids, &count).ok()) return state.SkipWithError("no ids");
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * count));
}

void BenchmarkDecode(benchmark::State& state, const fs::path& directory) {
  const test::CompiledTokenizer compiled(directory);
  const std::unique_ptr<Tokenizer> tokenizer = compiled.Create();
  const std::vector<int32_t> ids = test::Encode(*tokenizer, Prose(), false);
  std::vector<char> text(256u << 10);
  size_t size = 0;
  for (auto _ : state) {
    if (!tokenizer->Decode(ids, false, text, &size).ok()) return state.SkipWithError("no text");
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * ids.size()));
}

const int kRegistered = [] {
  std::vector<std::pair<std::string, fs::path>> tokenizers = {
      {"tiny", fs::path(kTestData) / "tiny"}};
  for (const char* name : {"llama3.2", "qwen3", "llama2", "t5-small"}) {
    tokenizers.emplace_back(name, fs::path(kSharedData) / "tok" / name);
  }
  for (const auto& [name, directory] : tokenizers) {
    if (!fs::exists(directory)) continue;
    benchmark::RegisterBenchmark(("BenchmarkEncode/" + name).c_str(), BenchmarkEncode, directory)
        ->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark(("BenchmarkDecode/" + name).c_str(), BenchmarkDecode, directory)
        ->Unit(benchmark::kMicrosecond);
  }
  return 0;
}();

}  // namespace
}  // namespace rondo
