#include "runtime/sampling/sampler_options.h"

#include <cmath>
#include <utility>

namespace rondo {
namespace {

Status Refuse(const char* name, double value, const char* expected) {
  return Status::Error(StatusCode::kInvalidArgument, "%s is %g; expected %s", name, value,
                       expected);
}

}  // namespace

Status ValidateSamplerOptions(const SamplerOptions& options, uint32_t vocab_size) {
  const std::pair<SamplingRange, float> kRanged[] = {
      {kTemperatureRange, options.temperature},
      {kTopPRange, options.top_p},
      {kMinPRange, options.min_p},
      {kRepetitionPenaltyRange, options.repetition_penalty}};
  for (const auto& [range, value] : kRanged) {
    if (!range.Holds(value)) return Refuse(range.name, value, range.expected);
  }
  if (options.top_k < 0) return Refuse("top_k", options.top_k, "0 (off) or more");
  if (!std::isfinite(options.presence_penalty)) {
    return Refuse("presence_penalty", options.presence_penalty, "a finite number");
  }
  if (!std::isfinite(options.frequency_penalty)) {
    return Refuse("frequency_penalty", options.frequency_penalty, "a finite number");
  }
  if (options.penalty_last_n < 0 || options.penalty_last_n > kMaxPenaltyWindow) {
    return Refuse("penalty_last_n", options.penalty_last_n, "0 to 4096");
  }
  if (options.no_repeat_ngram_size > kMaxNgram) {
    return Refuse("no_repeat_ngram_size", options.no_repeat_ngram_size, "0 (off) to 256");
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
