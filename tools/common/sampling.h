// SamplingWish: what the user asks for. It goes before what the model's makers recommend, field by
// field; where neither says anything, the library's defaults hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/common/library.h"

namespace rondo::tools {

struct SamplingWish {
  bool greedy = false;  // temperature 0
  std::optional<float> temperature;
  std::optional<int32_t> top_k;
  std::optional<float> top_p;
  std::optional<float> min_p;
  std::optional<float> repetition_penalty;
  std::optional<int32_t> penalty_last_n;
  std::optional<uint32_t> no_repeat_ngram;
  // All else; the fields above are not read from it. Its stop strings go before the model's, which
  // an empty one leaves out.
  SessionSetup session;

  // What a session of this model is opened with.
  SessionSetup For(const rondo_model* model) const;
};

// "temperature 0.6, top-k 50, top-p 0.9", or "the most likely token"; with the penalties. The seed
// is left out.
std::string DescribeSampling(const rondo_session_options& options);

// The same with the seed, where there is chance.
std::string DescribeDraw(const rondo_session_options& options);

// Says on standard error how tokens are chosen where that is by chance, if it is a terminal.
void TellSampling(const rondo_session_options& options);

}  // namespace rondo::tools
