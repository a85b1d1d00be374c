// Measurement: what one test gave, and the figures that follow from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::tools {

enum class TestKind {
  kPrefill,
  kDecode,
  kVerify,
  kLoad,
  kDrafts,  // tokens are generated, drafts beside each verified in its pass
  // By a session with an adapter:
  kAdaptedPrefill,
  kAdaptedDecode,
  // Of many sessions:
  kSessions,     // they decode side by side, a pass for all
  kBeside,       // a prompt, while another session decodes
  kCallers,      // threads of the host call rondo_session_next, each for a session of its own
  kFork,         // one fork of a session
  kForked,       // the first token of every fork
  kFirstToken,   // of a prompt that nobody had before
  kPrefixFound,  // the same of a prompt that the prefix cache has
  kSave,         // a session as bytes
  kRestore,      // and back
  kEncode,       // a picture, by what sees for the model
};

// Which of the machine's limits a test runs against.
enum class Limit { kNone, kBandwidth, kInt8Peak };

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
  uint32_t right_percent = 0;  // drafts: of how many in a hundred are right; 0 without drafts
  double tokens_per_pass = 0;  // drafts: of a repetition

  std::vector<double> baseline_speeds;  // tokens per second of what it is compared with, in turn
  // Of tests of many sessions, else 0 or empty.
  uint32_t sessions = 0;
  std::vector<double> latencies;  // seconds between the tokens of a session, of all repetitions
  double pass_seconds = 0;        // beside: the median pass of the same mix
  uint64_t kv_tokens_before = 0;  // fork: in whole blocks, what the KV pool had in use
  uint64_t kv_tokens = 0;         // and after it; the pool has no more
  uint64_t snapshot_bytes = 0;
  uint64_t positions = 0, patches = 0;  // of a picture
};

// The middle one, or the mean of the two in the middle; 0 of none.
double Median(std::vector<double> values);
// The smallest of them that `share` of all do not exceed; 0 of none.
double Percentile(std::vector<double> values, double share);
double Smallest(const std::vector<double>& values);  // 0 of none
double Largest(const std::vector<double>& values);   // 0 of none

// Of the medians. 0 where there is nothing to say.
double TokensPerSecond(const Measurement& m);
double SlowestTokensPerSecond(const Measurement& m);
double FastestTokensPerSecond(const Measurement& m);
double Share(const Measurement& m);         // of the limit: work / seconds / limit
double RelativeCost(const Measurement& m);  // verify: against one row
double PeerRatio(const Measurement& m);     // ours / the peer's
// Against the baseline: the median of what each repetition says.
double Speedup(const Measurement& m);

const char* Name(TestKind test);
const char* Name(Limit limit);  // "int8_peak"; empty for kNone

}  // namespace rondo::tools
