// Measurement: what one test gave, and the figures that follow from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::tools {

enum class TestKind { kPrefill, kDecode, kVerify, kLoad };

// Which of the machine's limits a test runs against.
enum class Limit { kNone, kBandwidth, kInt8Peak };

// What stays the same over a run.
struct Subject {
  std::string shape;    // or the model's name
  std::string weights;  // "q8", "q4", "f32"; empty where the file does not tell
  uint32_t block = 0;   // of q4, else 0
  std::string kernels;
};

struct Measurement {
  TestKind test = TestKind::kLoad;
  uint32_t threads = 0;
  uint64_t tokens = 0;  // of one repetition; 0 for load
  uint64_t depth = 0;   // tokens in the context before
  uint32_t rows = 0;    // tokens of one pass; 0 for load
  Limit limit = Limit::kNone;
  double work = 0;  // of one repetition: bytes to read, or operations; 0 where there is no limit

  // One for each repetition, in their order.
  std::vector<double> seconds;
  std::vector<double> bandwidth;    // bytes per second, just before
  std::vector<double> peak;         // int8 operations per second, just before
  std::vector<double> peer_speeds;  // tokens per second; empty without a peer

  double one_row_seconds = 0;  // verify: the median of the same with one row
};

// The middle one, or the mean of the two in the middle; 0 of none.
double Median(std::vector<double> values);
double Smallest(const std::vector<double>& values);  // 0 of none
double Largest(const std::vector<double>& values);   // 0 of none

// Of the medians. 0 where there is nothing to say.
double TokensPerSecond(const Measurement& m);
double SlowestTokensPerSecond(const Measurement& m);
double FastestTokensPerSecond(const Measurement& m);
double Share(const Measurement& m);         // of the limit: work / seconds / limit
double RelativeCost(const Measurement& m);  // verify: against one row
double PeerRatio(const Measurement& m);     // ours / the peer's

const char* Name(TestKind test);
const char* Name(Limit limit);  // "int8_peak"; empty for kNone

}  // namespace rondo::tools
