#include "tools/convert/output/try_written.h"

#include <algorithm>

#include "tools/common/context.h"
#include "tools/common/interrupt.h"
#include "tools/common/library.h"
#include "tools/common/numbers.h"
#include "tools/convert/common/fail.h"
#include "tools/system/process.h"

namespace rondo::convert {
namespace {

constexpr const char* kText = "Once upon a time";
constexpr uint32_t kContext = 64;

// Of the text, or the first of all; none where the model has no row for what its tokenizer gives.
int32_t TokenToTry(const tools::Model& model, const rondo_model_facts& facts,
                   std::vector<std::string>& notes) {
  if (facts.has_tokenizer == 0) return 0;
  const std::vector<int32_t> ids = tools::Tokenize(model, kText, /*add_special=*/true);
  const auto has_row = [&](int32_t id) { return static_cast<uint32_t>(id) < facts.vocab_size; };
  const auto without = std::ranges::find_if_not(ids, has_row);
  if (without != ids.end()) {
    notes.push_back("the tokenizer makes id " + std::to_string(*without) + " of a plain text, " +
                    "the model knows " + std::to_string(facts.vocab_size) +
                    ": such texts are refused");
  }
  const auto with = std::ranges::find_if(ids, has_row);
  return with == ids.end() ? 0 : *with;
}

// Without a bar of its own.
tools::Engine CreateEngine(const tools::Model& model, tools::EngineOptions options) {
  options.progress = [](void*, uint64_t, uint64_t) -> int32_t {
    return tools::InterruptFlag() ? 1 : 0;
  };
  return tools::Engine(model, options);
}

void Try(const std::filesystem::path& path, bool run_token, std::vector<std::string>& notes) {
  const tools::Model model = tools::OpenModel(path.string());
  const rondo_model_facts facts = model.Info();
  const int32_t token = TokenToTry(model, facts, notes);
  tools::EngineOptions options;
  options.context = tools::ContextFor(model, kContext);
  model.Plan(options);
  if (!run_token) return;
  options.context = std::min(facts.context_length, kContext);
  options.max_rows = 1;
  const uint64_t needed = model.Plan(options).arena_bytes;
  const uint64_t available = tools::AvailableMemory();
  if (needed > available / 2) {
    notes.push_back("not tried with a token: running it takes " + tools::FormatBytes(needed) +
                    ", this machine has " + tools::FormatBytes(available) + " to spare");
    return;
  }
  const tools::Engine engine = CreateEngine(model, options);
  tools::Session session(engine);
  const uint32_t dimensions = model.EmbedderInfo().dimensions;
  if (dimensions == 0) {
    session.Prefill({&token, 1});
  } else {
    session.Embed({&token, 1}, dimensions);
  }
}

}  // namespace

void TryWritten(const std::filesystem::path& path, bool run_token,
                std::vector<std::string>& notes) {
  try {
    tools::Explained([&] { Try(path, run_token, notes); });
  } catch (const Error& error) {
    Fail("the converted model cannot be used, so it is not kept: ", error.what());
  }
}

}  // namespace rondo::convert
