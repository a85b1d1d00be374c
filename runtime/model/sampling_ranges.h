// What the numbers of sampling may be: the options of a session, and what a model file recommends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace rondo {

struct SamplingRange {
  const char* name;
  double low, high;
  bool with_low, with_high;  // the ends belong to the range
  const char* expected;      // for messages: "expected ..."

  // False for NaN.
  constexpr bool Holds(double value) const {
    return (value > low || (with_low && value == low)) &&
           (value < high || (with_high && value == high));
  }
};

inline constexpr float kLargestFloat = std::numeric_limits<float>::max();
inline constexpr int32_t kMaxPenaltyWindow = 4096;  // tokens that penalties look back
inline constexpr uint32_t kMaxNgram = 256;          // tokens that must not come again in a row

inline constexpr SamplingRange kTemperatureRange = {"temperature", 0,    kLargestFloat,
                                                    true,          true, "a finite number from 0"};
inline constexpr SamplingRange kTopKRange = {"top_k", 0, INT32_MAX, true, true, "0 (off) or more"};
inline constexpr SamplingRange kTopPRange = {"top_p", 0, 1, false, true, "more than 0, at most 1"};
inline constexpr SamplingRange kMinPRange = {"min_p", 0, 1, true, false, "from 0 to less than 1"};
inline constexpr SamplingRange kRepetitionPenaltyRange = {
    "repetition_penalty", 0, kLargestFloat, false, true, "a finite number above 0"};
inline constexpr SamplingRange kPresencePenaltyRange = {
    "presence_penalty", -kLargestFloat, kLargestFloat, true, true, "a finite number"};
inline constexpr SamplingRange kFrequencyPenaltyRange = {
    "frequency_penalty", -kLargestFloat, kLargestFloat, true, true, "a finite number"};
inline constexpr SamplingRange kPenaltyLastNRange = {
    "penalty_last_n", 0, kMaxPenaltyWindow, true, true, "0 to 4096"};
inline constexpr SamplingRange kNoRepeatNgramSizeRange = {
    "no_repeat_ngram_size", 0, kMaxNgram, true, true, "0 (off) to 256"};

inline constexpr int32_t kMaxLogitBias = 1024;
inline constexpr size_t kMaxStopStrings = 16;
inline constexpr size_t kMaxStopStringBytes = 128;  // each

}  // namespace rondo
