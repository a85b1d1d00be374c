// rondo_schema_trial: what grammars of schemas that people use take, and what is written by them.
//
//   masks TOKENIZER SCHEMAS [any_order] [named_only]
//     Reads the instances of each schema in the folder SCHEMAS (maskbench's form) token by token,
//     with the tokenizer in the folder TOKENIZER, and tells the microseconds of one thread's CPU
//     time that masks and compilation take, the memory, and which schemas are refused or wrong.
//   documents FOLDER SCHEMAS COUNT DOCUMENTS SEED
//     Writes DOCUMENTS texts by the first COUNT schemas that are not refused, in turn, a line of
//     JSON for each: {"schema": file, "complete": bool, "text": string}. Where FOLDER has a model
//     it writes them, at temperature 1.5; else chance does with the tokenizer that is there: each
//     token of the mask alike, but in a third of the cases one that closes something, where there
//     is one.
#include <ctime>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "runtime/grammar/grammar.h"
#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/support/test_model.h"

namespace rondo::grammar {
namespace {

using json = nlohmann::ordered_json;  // members stay as they were written
namespace fs = std::filesystem;

double CpuMicroseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

void Print(const char* name, std::vector<double> values) {
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (const double value : values) sum += value;
  const auto at = [&](double share) {
    return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
  };
  std::printf("%-20s n %8zu  average %8.1f  p50 %8.1f  p90 %8.1f  p99 %8.1f  max %8.1f\n", name,
              values.size(), sum / static_cast<double>(values.size()), at(0.5), at(0.9), at(0.99),
              values.back());
}

struct Schema {
  std::string file;
  json document;
};

std::vector<Schema> ReadSchemas(const fs::path& folder) {
  std::vector<Schema> schemas;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream in(entry.path());
    schemas.push_back({entry.path().filename().string(), json::parse(in)});
  }
  std::sort(schemas.begin(), schemas.end(),
            [](const Schema& a, const Schema& b) { return a.file < b.file; });
  return schemas;
}

class Texts {
 public:
  explicit Texts(const fs::path& folder) : compiled_(folder), tokenizer_(compiled_.Create()) {
    const auto bytes = [](const void* context, uint32_t token) -> std::span<const uint8_t> {
      const auto& its = *static_cast<const Tokenizer*>(context);
      const auto id = static_cast<int32_t>(token);
      return its.IsSpecial(id) ? std::span<const uint8_t>() : its.TokenBytes(id);
    };
    trie_ = std::move(*TokenTrie::Create({tokenizer_->vocab_size(), bytes, tokenizer_.get()}));
    // A special token ends texts.
    while (!tokenizer_->IsSpecial(static_cast<int32_t>(end_))) ++end_;
  }
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  const TokenTrie& trie() const { return trie_; }
  const uint32_t& end() const { return end_; }

 private:
  test::CompiledTokenizer compiled_;
  std::unique_ptr<Tokenizer> tokenizer_;
  TokenTrie trie_;
  uint32_t end_ = 0;
};

// A grammar and a text of it.
class Writer {
 public:
  Writer(const Texts& vocabulary, const json& schema, const GrammarOptions& options)
      : mask_(vocabulary.trie().mask_words()) {
    const std::string text = schema.dump(-1, ' ', false, json::error_handler_t::replace);
    bytes_ = Grammar::Bytes(options, text.size(), mask_.size());
    memory_.reset(static_cast<uint8_t*>(std::aligned_alloc(64, (bytes_ + 63) / 64 * 64)));
    const double begin = CpuMicroseconds();
    const Result<Grammar*> made =
        Grammar::Create(options, text, vocabulary.trie(), {&vocabulary.end(), 1},
                        {memory_.get(), static_cast<size_t>(bytes_)});
    compile_us_ = CpuMicroseconds() - begin;
    status_ = made.status();
    if (made.ok()) grammar_.reset(*made);
  }

  const Status& status() const { return status_; }
  double compile_us() const { return compile_us_; }
  double bytes() const { return static_cast<double>(bytes_); }
  void Begin() {
    tokens_.clear();
    place_ = {};
  }
  bool Allow() {
    const auto token = [](const void* context, uint64_t i) {
      return (*static_cast<const std::vector<int32_t>*>(context))[i];
    };
    const GrammarText text = {token, &tokens_, tokens_.size(), 0};
    const double begin = CpuMicroseconds();
    status_ = grammar_->Allowed(text, &place_, mask_).status();
    mask_us_ = CpuMicroseconds() - begin;
    return status_.ok();
  }
  double mask_us() const { return mask_us_; }
  std::span<const uint32_t> mask() const { return mask_; }
  bool Allows(uint32_t token) const { return (mask_[token / 32] >> token % 32 & 1) != 0; }
  Grammar* grammar() const { return grammar_.get(); }
  void Add(uint32_t token) { tokens_.push_back(static_cast<int32_t>(token)); }
  const std::vector<int32_t>& tokens() const { return tokens_; }

 private:
  struct Free {
    void operator()(uint8_t* memory) const { std::free(memory); }
  };
  struct Destroy {
    void operator()(Grammar* grammar) const { std::destroy_at(grammar); }
  };
  uint64_t bytes_ = 0;
  std::unique_ptr<uint8_t, Free> memory_;
  std::unique_ptr<Grammar, Destroy> grammar_;
  std::vector<int32_t> tokens_;
  GrammarPlace place_;
  std::vector<uint32_t> mask_;
  Status status_;
  double compile_us_ = 0, mask_us_ = 0;
};

int Masks(const Texts& vocabulary, const std::vector<Schema>& schemas,
          const GrammarOptions& options) {
  std::vector<double> masks, compiles, memory, worst;
  std::vector<std::string> slow;
  size_t refused = 0, passing = 0, right = 0, accepted = 0, rejected = 0, failed = 0;
  for (const Schema& schema : schemas) {
    Writer writer(vocabulary, schema.document.at("schema"), options);
    compiles.push_back(writer.compile_us());
    if (!writer.status().ok()) {
      ++refused;
      std::printf("%s: refused: %s\n", schema.file.c_str(), writer.status().message());
      continue;
    }
    memory.push_back(writer.bytes());
    const size_t before = masks.size();
    const size_t wrong = accepted + rejected + failed;
    for (const json& test : schema.document.at("tests")) {
      const std::vector<int32_t> ids = test::Encode(vocabulary.tokenizer(), test.at("data").dump());
      writer.Begin();
      bool allowed = true;
      for (size_t i = 0; i <= ids.size() && allowed; ++i) {
        if (!writer.Allow()) break;
        masks.push_back(writer.mask_us());
        const uint32_t next = i == ids.size() ? vocabulary.end() : static_cast<uint32_t>(ids[i]);
        allowed = writer.Allows(next);
        writer.Add(next);
      }
      const bool valid = test.at("valid").get<bool>();
      const bool answered = writer.status().ok();
      if (!answered) std::printf("%s: %s\n", schema.file.c_str(), writer.status().message());
      ++(!answered ? failed : allowed == valid ? right : allowed ? accepted : rejected);
    }
    if (accepted + rejected + failed == wrong) {
      ++passing;
    } else {
      std::printf("%s: wrong\n", schema.file.c_str());
    }
    if (masks.size() > before) {
      worst.push_back(
          *std::max_element(masks.begin() + static_cast<ptrdiff_t>(before), masks.end()));
      char line[300];
      double sum = 0;
      for (size_t i = before; i < masks.size(); ++i) sum += masks[i];
      std::snprintf(line, sizeof line, "%10.0f us in all, %6.0f at most, %5zu masks: %s", sum,
                    worst.back(), masks.size() - before, schema.file.c_str());
      slow.emplace_back(line);
    }
  }
  std::printf(
      "%zu schemas, %zu refused, %zu right in all instances; instances right %zu, accepted wrongly "
      "%zu, rejected %zu, "
      "without an answer %zu\n",
      schemas.size(), refused, passing, right, accepted, rejected, failed);
  Print("masks (us)", masks);
  Print("slowest of a schema", worst);
  Print("compilation (us)", compiles);
  Print("memory (bytes)", memory);
  std::sort(slow.rbegin(), slow.rend());
  for (size_t i = 0; i < slow.size() && i < 25; ++i) std::printf("%s\n", slow[i].c_str());
  return accepted == 0 && failed == 0 ? 0 : 1;
}

// A text as chance has it; empty tokens and special ones are in no mask but where a text may end.
class ByChance {
 public:
  ByChance(const Texts& vocabulary, uint64_t seed) : vocabulary_(vocabulary), random_(seed) {
    closing_.resize(vocabulary.trie().mask_words());
    for (uint32_t token = 0; token < vocabulary.tokenizer().vocab_size(); ++token) {
      const auto bytes = vocabulary.trie().vocabulary()[token];
      const bool closes = !bytes.empty() && std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) {
        return std::string_view("\"}],").find(static_cast<char>(b)) != std::string_view::npos;
      });
      if (closes || token == vocabulary.end()) closing_[token / 32] |= 1u << token % 32;
    }
  }

  // Whether the text is whole.
  bool Write(Writer& writer) {
    constexpr size_t kMostTokens = 1500;
    writer.Begin();
    while (writer.tokens().size() < kMostTokens && writer.Allow()) {
      std::vector<uint32_t> some(writer.mask().begin(), writer.mask().end());
      if (random_() % 3 == 0) {
        for (size_t i = 0; i < some.size(); ++i) some[i] &= closing_[i];
      }
      size_t count = Count(some);
      if (count == 0) {
        some.assign(writer.mask().begin(), writer.mask().end());
        count = Count(some);
      }
      if (count == 0) return false;
      const uint32_t token = Pick(some, random_() % count);
      if (token == vocabulary_.end()) return true;
      writer.Add(token);
    }
    if (!writer.status().ok()) std::fprintf(stderr, "%s\n", writer.status().message());
    return false;
  }

 private:
  static size_t Count(const std::vector<uint32_t>& mask) {
    size_t count = 0;
    for (const uint32_t word : mask) count += static_cast<size_t>(std::popcount(word));
    return count;
  }
  static uint32_t Pick(const std::vector<uint32_t>& mask, size_t n) {
    for (uint32_t token = 0;; ++token) {
      const auto here = static_cast<size_t>(std::popcount(mask[token / 32]));
      if (token % 32 == 0 && n >= here) {
        n -= here;
        token += 31;
      } else if ((mask[token / 32] >> token % 32 & 1) != 0 && n-- == 0) {
        return token;
      }
    }
  }

  const Texts& vocabulary_;
  std::mt19937_64 random_;
  std::vector<uint32_t> closing_;
};

// A text that the model writes behind nothing but its begin.
bool WriteByModel(Engine& engine, Grammar* grammar, uint64_t seed, std::vector<int32_t>* tokens) {
  SessionOptions options;
  options.sampler.temperature = 1.5f;
  options.sampler.seed = seed;
  options.max_tokens = 400;
  options.constraint.grammar = grammar;
  Session* const session = NewSession(engine, options);
  const std::vector<int32_t> prompt = {1};
  tokens->clear();
  FinishReason reason = FinishReason::kNone;
  if (session->Prefill(prompt).ok()) {
    while (reason == FinishReason::kNone) {
      const Result<TokenEvent> event = session->Next();
      if (!event.ok()) {
        std::fprintf(stderr, "%s\n", event.status().message());
        break;
      }
      if (event->token >= 0 && event->reason != FinishReason::kEos) tokens->push_back(event->token);
      reason = event->reason;
    }
  }
  engine.CloseSession(session);
  return reason == FinishReason::kGrammar || reason == FinishReason::kEos;
}

int Documents(const fs::path& folder, const std::vector<Schema>& schemas, size_t count,
              size_t documents, uint64_t seed) {
  const Texts vocabulary(folder);
  std::unique_ptr<TestModel> model;
  std::unique_ptr<Engine> engine;
  if (fs::exists(folder / "config.json")) {
    model = std::make_unique<TestModel>(folder, format::TensorFormat::Q8);
    EngineOptions options;
    options.threads = 1;
    engine = model->NewEngine(options);
  }
  // Members in the schema's order, and in any; all of what is valid, and as people write it.
  std::vector<std::pair<const Schema*, std::unique_ptr<Writer>>> writers;
  for (const Schema& schema : schemas) {
    if (writers.size() == count) break;
    GrammarOptions options = {.any_order = writers.size() % 2 != 0};
    options.named_only = writers.size() % 4 >= 2;
    options.spaces = options.named_only ? Spaces::kOne : Spaces::kFree;
    auto writer = std::make_unique<Writer>(vocabulary, schema.document.at("schema"), options);
    if (writer->status().ok()) writers.emplace_back(&schema, std::move(writer));
  }
  ByChance chance(vocabulary, seed);
  for (size_t i = 0; i < documents && !writers.empty(); ++i) {
    auto& [schema, writer] = writers[i % writers.size()];
    bool complete = false;
    std::vector<int32_t> tokens;
    if (engine != nullptr) {
      complete = WriteByModel(*engine, writer->grammar(), seed + i, &tokens);
    } else {
      complete = chance.Write(*writer);
      tokens = writer->tokens();
    }
    std::string text;
    for (const int32_t token : tokens) {
      const auto bytes = vocabulary.tokenizer().TokenBytes(token);
      text.append(bytes.begin(), bytes.end());
    }
    const json line = {{"schema", schema->file}, {"complete", complete}, {"text", text}};
    std::printf("%s\n", line.dump(-1, ' ', true, json::error_handler_t::replace).c_str());
  }
  return 0;
}

int Run(const std::vector<std::string>& words) {
  if (words.size() < 3) return 2;
  const std::vector<Schema> schemas = ReadSchemas(words[2]);
  if (words[0] == "masks") {
    GrammarOptions options;
    options.any_order = std::find(words.begin() + 3, words.end(), "any_order") != words.end();
    options.named_only = std::find(words.begin() + 3, words.end(), "named_only") != words.end();
    return Masks(Texts(words[1]), schemas, options);
  }
  if (words[0] == "documents" && words.size() == 6) {
    return Documents(words[1], schemas, std::stoul(words[3]), std::stoul(words[4]),
                     std::stoul(words[5]));
  }
  return 2;
}

}  // namespace
}  // namespace rondo::grammar

int main(int argc, char** argv) {
  try {
    return rondo::grammar::Run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
