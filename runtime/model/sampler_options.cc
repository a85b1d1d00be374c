#include "runtime/model/sampler_options.h"

#include <cmath>
#include <utility>

#include "rondo_generated.h"

namespace rondo {
namespace {

Status Refuse(const char* name, double value, const char* expected) {
  return Status::Error(StatusCode::kInvalidArgument, "%s is %g; expected %s", name, value,
                       expected);
}

}  // namespace

SamplerOptions Recommended(const format::Sampling& sampling) {
  SamplerOptions options;
  options.temperature = sampling.temperature();
  options.top_k = sampling.top_k();
  options.top_p = sampling.top_p();
  options.min_p = sampling.min_p();
  options.repetition_penalty = sampling.repetition_penalty();
  options.penalty_last_n = sampling.penalty_last_n();
  options.no_repeat_ngram_size = sampling.no_repeat_ngram_size();
  return options;
}

const SamplingRange* FindWrongNumber(const SamplerOptions& options, double* value) {
  const std::pair<const SamplingRange*, double> numbers[] = {
      {&kTemperatureRange, options.temperature},
      {&kTopKRange, options.top_k},
      {&kTopPRange, options.top_p},
      {&kMinPRange, options.min_p},
      {&kRepetitionPenaltyRange, options.repetition_penalty},
      {&kPresencePenaltyRange, options.presence_penalty},
      {&kFrequencyPenaltyRange, options.frequency_penalty},
      {&kPenaltyLastNRange, options.penalty_last_n},
      {&kNoRepeatNgramSizeRange, options.no_repeat_ngram_size},
  };
  for (const auto& [range, number] : numbers) {
    if (range->Holds(number)) continue;
    *value = number;
    return range;
  }
  return nullptr;
}

Status ValidateSamplerOptions(const SamplerOptions& options, uint32_t vocab_size) {
  double wrong = 0;
  if (const SamplingRange* const range = FindWrongNumber(options, &wrong)) {
    return Refuse(range->name, wrong, range->expected);
  }
  if (options.logit_bias.size() > static_cast<size_t>(kMaxLogitBias)) {
    return Refuse("the number of logit biases", static_cast<double>(options.logit_bias.size()),
                  "at most 1024");
  }
  for (const LogitBias& bias : options.logit_bias) {
    if (bias.token < 0 || static_cast<uint32_t>(bias.token) >= vocab_size) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "logit_bias names token %d; this model's ids go from 0 to %u",
                           bias.token, vocab_size - 1);
    }
    if (!(bias.bias < INFINITY)) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "logit_bias of token %d is %g; expected a finite number or -inf",
                           bias.token, static_cast<double>(bias.bias));
    }
  }
  return {};
}

}  // namespace rondo
