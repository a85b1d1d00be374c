// What requests of all protocols say of sampling and limits, in the fields that they share.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "rondo/rondo.hpp"
#include "tools/serve/fields.h"
#include "tools/serve/served_model.h"

namespace rondo::tools::serve {

// temperature, top_p, top_k, min_p, seed, penalties, logit_bias, ignore_eos. `model`: its
// vocabulary bounds biases. Where there is no seed it is random.
void ReadSampling(const ServedModel& model, Fields* fields, rondo::SessionOptions* options);

// One text, or an array of at most as many as the library takes.
std::vector<std::string> ReadStops(Fields* fields, const char* name);

// The tokens of an array of ids.
std::vector<int32_t> ReadIds(const ServedModel& model, const Json& list,
                             const std::string& pointer);

uint64_t RandomSeed();

// Ids of replies: equal seeds give equal ones.
class IdMaker {
 public:
  explicit IdMaker(uint64_t seed) : engine_(seed) {}
  // "chatcmpl-" and 24 letters and digits.
  std::string Next(const std::string& begin);

 private:
  std::mt19937_64 engine_;
};

}  // namespace rondo::tools::serve
