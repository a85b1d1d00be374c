#include "tools/convert/sampling.h"

#include <algorithm>
#include <sstream>

#include "runtime/model/sampling_ranges.h"

namespace rondo::convert {
namespace {

float Read(const Config& generation, const SamplingRange& range, float if_absent) {
  const double number = generation.Number(range.name, if_absent);
  const auto value = static_cast<float>(std::clamp<double>(number, -kLargestFloat, kLargestFloat));
  if (!range.Holds(value)) {
    std::ostringstream problem;
    problem << "is " << number << ", expected " << range.expected;
    generation.Refuse(range.name, problem.str());
  }
  return value;
}

// Some write -1 for "off".
int32_t ReadTopK(const Config& generation) {
  if (generation.Number("top_k", 50) == -1) return 0;
  return static_cast<int32_t>(generation.Integer("top_k", 0, INT32_MAX, 50));
}

}  // namespace

flatbuffers::Offset<format::Sampling> BuildSampling(const Config& generation,
                                                    flatbuffers::FlatBufferBuilder& builder) {
  format::SamplingT sampling;
  const bool samples = generation.Flag("do_sample", false);
  if (samples) {
    sampling.temperature = Read(generation, kTemperatureRange, 1);
    sampling.top_k = ReadTopK(generation);
    sampling.top_p = Read(generation, kTopPRange, 1);
    sampling.min_p = Read(generation, kMinPRange, 0);
  }
  sampling.repetition_penalty = Read(generation, kRepetitionPenaltyRange, 1);
  const bool penalises = sampling.repetition_penalty != 1;
  if (penalises) sampling.penalty_last_n = kMaxPenaltyWindow;
  if (!samples && !penalises) return {};
  return format::CreateSampling(builder, &sampling);
}

}  // namespace rondo::convert
