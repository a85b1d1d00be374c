// A pass has no more rows than rows_per_step while somebody decodes, whoever waits and whatever is
// drafted, and everybody gets on.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/test_model.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo {
namespace {

TEST(RowsPerStep, HoldsForSessionsDraftsAndPrompts) {
  const TempFolder folder;
  convert::WriteCheckpointOf(folder / "model", R"({"architectures": ["LlamaForCausalLM"],
      "vocab_size": 97, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1,
      "num_attention_heads": 2, "max_position_embeddings": 4096})");
  const TestModel model(folder / "model", format::TensorFormat::Q8);
  for (uint32_t seed = 0; seed < 40 && !HasFailure(); ++seed) {
    std::mt19937 random(seed);
    EngineOptions options;
    options.threads = 1;
    options.context = 1024;
    options.max_sessions = 1 + random() % 9;
    options.max_rows = 1 + random() % 40;
    options.rows_per_step = 1 + random() % options.max_rows;
    if (seed % 2 == 1) options.draft = {&model.file(), nullptr};
    const auto engine = model.NewEngine(options);
    const size_t n = options.max_sessions;
    std::vector<Session*> sessions;
    std::vector<uint64_t> pending(n, 0), positions(n, 0), waits(n, 0);
    for (size_t i = 0; i < n; ++i) {
      SessionOptions session;
      session.ignore_eos = true;
      session.speculation = seed % 2 == 1 ? Speculation::kDraftModel : Speculation::kPromptLookup;
      sessions.push_back(NewSession(*engine, session));
    }
    for (int step = 0; step < 60; ++step) {
      for (size_t i = 0; i < n; ++i) {
        if (pending[i] > 0 && random() % 20 > 0) continue;
        const std::vector<int32_t> ids(1 + random() % 30, 5);
        if (sessions[i]->remaining() <= ids.size()) continue;
        ASSERT_TRUE(sessions[i]->Queue(ids).ok());
        pending[i] += ids.size();
      }
      const bool decodes = std::find(pending.begin(), pending.end(), 1u) != pending.end();
      const uint64_t before = engine->stats().rows;
      ASSERT_TRUE(Session::Step(engine.get(), sessions).ok());
      EXPECT_LE(engine->stats().rows - before, decodes ? options.rows_per_step : options.max_rows)
          << n << " sessions, seed " << seed;
      for (size_t i = 0; i < n; ++i) {
        for (;;) {
          const auto event = sessions[i]->TakeEvent();
          ASSERT_TRUE(event.ok());
          if (event->token < 0) {
            pending[i] = event->pending;
            break;
          }
        }
        const uint64_t evaluated = sessions[i]->position() - pending[i];
        waits[i] = evaluated > positions[i] ? 0 : waits[i] + 1;
        positions[i] = evaluated;
        EXPECT_LE(waits[i], 16 + n) << "session " << i << ", seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace rondo
