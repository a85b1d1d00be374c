// SamplingWish: what the user asks for. It goes before what the model's makers recommend, field by
// field; where neither says anything, the library's defaults hold.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/common/library.h"

namespace rondo::tools {

struct SamplingWish {
  // Numbers that the makers may recommend: sets those that the user asks for.
  std::vector<std::function<void(rondo_session_options*)>> numbers;
  // All else. Its stop strings go before the model's, which an empty one leaves out.
  SessionSetup session;

  // Asks for the number that it is called with.
  template <typename Value>
  auto Setter(Value rondo_session_options::*field) {
    return [this, field](auto number) {
      numbers.emplace_back([field, number](rondo_session_options* options) {
        options->*field = static_cast<Value>(number);
      });
    };
  }

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
