#include "tools/convert/output/try_written.h"

#include <algorithm>

#include "rondo/rondo.h"
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
int32_t TokenToTry(const rondo_model* model, const rondo_model_facts& facts,
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

rondo_memory_plan PlanOf(const rondo_model* model, const rondo_engine_options& options) {
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  char message[256];
  if (rondo_plan(model, &options, &plan, message, sizeof message) != RONDO_STATUS_OK) {
    throw Error(message);
  }
  return plan;
}

// Without a bar of its own.
tools::Engine CreateEngine(rondo_model* model, rondo_engine_options options) {
  options.progress = [](void*, uint64_t, uint64_t) -> int32_t {
    return tools::InterruptFlag() ? 1 : 0;
  };
  rondo_engine* engine = nullptr;
  char message[256];
  const int32_t status =
      rondo_engine_create(model, &options, nullptr, 0, &engine, message, sizeof message);
  tools::CheckInterrupt();
  if (status != RONDO_STATUS_OK) throw Error(message);
  return tools::Engine(engine);
}

void Try(const std::filesystem::path& path, bool run_token, std::vector<std::string>& notes) {
  const tools::Model model = tools::OpenModel(path.string());
  const rondo_model_facts facts = tools::Facts(model.get());
  const int32_t token = TokenToTry(model.get(), facts, notes);
  rondo_engine_options options = tools::EngineDefaults();
  options.context = tools::ContextFor(model.get(), kContext);
  PlanOf(model.get(), options);
  if (!run_token) return;
  options.context = std::min(facts.context_length, kContext);
  options.max_rows = 1;
  const uint64_t needed = PlanOf(model.get(), options).arena_bytes;
  const uint64_t available = tools::AvailableMemory();
  if (needed > available / 2) {
    notes.push_back("not tried with a token: running it takes " + tools::FormatBytes(needed) +
                    ", this machine has " + tools::FormatBytes(available) + " to spare");
    return;
  }
  const tools::Engine engine = CreateEngine(model.get(), options);
  const tools::Session session = tools::OpenSession(engine.get());
  rondo_embedder_facts embedder = {};
  embedder.struct_size = sizeof embedder;
  rondo_model_embedder(model.get(), &embedder);
  if (embedder.dimensions == 0) {
    tools::Check(session.get(), rondo_session_prefill(session.get(), &token, 1));
    return;
  }
  std::vector<float> vector(embedder.dimensions);
  tools::Check(session.get(),
               rondo_session_embed(session.get(), &token, 1, vector.data(), vector.size()));
}

}  // namespace

void TryWritten(const std::filesystem::path& path, bool run_token,
                std::vector<std::string>& notes) {
  try {
    Try(path, run_token, notes);
  } catch (const Error& error) {
    Fail("the converted model cannot be used, so it is not kept: ", error.what());
  }
}

}  // namespace rondo::convert
