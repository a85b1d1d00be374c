#include "tools/embed/speed.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "tools/bench/random_tokens.h"
#include "tools/common/embedder.h"
#include "tools/common/output.h"
#include "tools/common/stopwatch.h"

namespace rondo::tools {
namespace {

constexpr double kLeastSeconds = 2;
constexpr int kLeastRuns = 1;  // of the slowest

// Of the median run.
double TextsPerSecond(Embedder& embedder, RandomTokens& tokens, uint32_t batch, uint32_t length,
                      uint32_t dimensions) {
  std::vector<double> seconds;
  const Stopwatch all;
  for (int run = 0; run <= kLeastRuns || all.seconds() < kLeastSeconds; ++run) {
    std::vector<TokenIds> texts;
    for (uint32_t i = 0; i < batch; ++i) texts.push_back(tokens.Some(length));
    const double took = Seconds([&] { embedder.Embed(texts, dimensions); });
    if (run > 0) seconds.push_back(took);  // the first one warms up
  }
  std::ranges::nth_element(seconds, seconds.begin() + static_cast<ptrdiff_t>(seconds.size() / 2));
  return batch / seconds[seconds.size() / 2];
}

}  // namespace

void MeasureSpeed(const Model& model, const EngineOptions& options) {
  const rondo_embedder_facts facts = EmbedderFacts(model);
  RandomTokens tokens(model.Info().vocab_size);
  Print("tokens  batch  texts/s\n");
  for (const uint32_t length : {64u, 512u}) {
    if (length > facts.max_tokens) continue;
    for (const uint32_t batch : {1u, 8u, 32u}) {
      const std::vector<TokenIds> like(batch, TokenIds(length));
      Embedder embedder(model, options, like, batch);
      const double speed = TextsPerSecond(embedder, tokens, batch, length, facts.dimensions);
      char line[64];
      std::snprintf(line, sizeof line, "%6u  %5u  %7.1f\n", length, batch, speed);
      Print(line);
    }
  }
}

}  // namespace rondo::tools
