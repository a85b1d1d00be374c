#include "tools/bench/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace rondo::tools {
namespace {

using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

const Subject kSubject = {"qwen3-0.6b", "q4b", 64, "avx512vnni"};

Measurement Decode() {
  Measurement m;
  m.test = TestKind::kDecode;
  m.threads = 2;
  m.tokens = 128;
  m.depth = 4096;
  m.rows = 1;
  m.limit = Limit::kBandwidth;
  m.work = 24e9;
  m.seconds = {2, 1, 4};
  m.bandwidth = {16e9, 16e9, 20e9};
  m.peak = {900e9, 800e9, 850e9};
  return m;
}

std::vector<std::string> Keys(const ordered_json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

TEST(BenchReport, JsonHasTheSameKeysForEveryTest) {
  const ordered_json decode = ToJson(kSubject, Decode());
  EXPECT_THAT(
      Keys(decode),
      ElementsAre("shape", "weights", "block", "kernels", "threads", "test", "tokens", "depth",
                  "rows", "repetitions", "seconds", "tokens_per_second", "tokens_per_second_min",
                  "tokens_per_second_max", "limit", "share", "probe_gbps", "peak_gops",
                  "relative_cost", "peer_tokens_per_second", "peer_ratio", "sessions", "speedup",
                  "latency_p50", "latency_p99", "latency_max", "pass_seconds", "kv_tokens_before",
                  "kv_tokens", "snapshot_bytes", "right_percent", "tokens_per_pass", "positions",
                  "patches"));
  EXPECT_EQ(Keys(ToJson(kSubject, Measurement())), Keys(decode));
}

TEST(BenchReport, AShareAboveTheLimitIsMarkedAndExplained) {
  Measurement above = Decode();
  above.bandwidth = {11.8e9};
  EXPECT_THAT(TableLine(above, false), EndsWith(" 102 %* of 11.8 GB/s\n"));
  EXPECT_EQ(TableNote({Decode()}), "");
  EXPECT_THAT(TableNote({Decode(), above}), testing::StartsWith("* above the limit"));
}

TEST(BenchReport, JsonTellsTheFigures) {
  const ordered_json decode = ToJson(kSubject, Decode());
  const ordered_json expected = {{"shape", "qwen3-0.6b"},
                                 {"weights", "q4b"},
                                 {"block", 64},
                                 {"kernels", "avx512vnni"},
                                 {"threads", 2},
                                 {"test", "decode"},
                                 {"tokens", 128},
                                 {"depth", 4096},
                                 {"rows", 1},
                                 {"repetitions", 3},
                                 {"seconds", 2.0},
                                 {"tokens_per_second", 64.0},
                                 {"tokens_per_second_min", 32.0},
                                 {"tokens_per_second_max", 128.0},
                                 {"limit", "bandwidth"},
                                 {"share", 0.75},
                                 {"probe_gbps", 16.0},
                                 {"peak_gops", 850.0},
                                 {"relative_cost", nullptr},
                                 {"peer_tokens_per_second", nullptr},
                                 {"peer_ratio", nullptr},
                                 {"sessions", nullptr},
                                 {"speedup", nullptr},
                                 {"latency_p50", nullptr},
                                 {"latency_p99", nullptr},
                                 {"latency_max", nullptr},
                                 {"pass_seconds", nullptr},
                                 {"kv_tokens_before", nullptr},
                                 {"kv_tokens", nullptr},
                                 {"snapshot_bytes", nullptr},
                                 {"right_percent", nullptr},
                                 {"tokens_per_pass", nullptr},
                                 {"positions", nullptr},
                                 {"patches", nullptr}};
  EXPECT_EQ(decode, expected) << decode.dump(2);

  Measurement verify = Decode();
  verify.test = TestKind::kVerify;
  verify.one_row_seconds = 1.6;
  EXPECT_EQ(ToJson(kSubject, verify)["relative_cost"], 1.25);
  Measurement beside = Decode();
  beside.peer_speeds = {32};
  EXPECT_EQ(ToJson(kSubject, beside)["peer_ratio"], 2.0);
  Measurement load;
  load.seconds = {1.5};
  EXPECT_EQ(ToJson({"m", "q8", 0, "k"}, load)["block"], nullptr);
  EXPECT_EQ(ToJson(kSubject, load)["tokens_per_second"], nullptr);
  EXPECT_EQ(ToJson(kSubject, load)["limit"], nullptr);
  EXPECT_EQ(ToJson(kSubject, std::vector<Measurement>{load, beside}).size(), 2u);
}

TEST(BenchReport, CsvHasAColumnForEveryKey) {
  const std::string header = CsvHeader();
  const std::string line = CsvLine(kSubject, Decode());
  EXPECT_EQ(std::count(header.begin(), header.end(), ','), 33);
  EXPECT_EQ(line,
            "qwen3-0.6b,q4b,64,avx512vnni,2,decode,128,4096,1,3,2.0,64.0,32.0,128.0,bandwidth,0.75,"
            "16.0,850.0,,,,,,,,,,,,,,,,\n");
  EXPECT_THAT(CsvLine({"a \"b\", c", "q8", 0, "k"}, Decode()),
              HasSubstr("\"a \"\"b\"\", c\",q8,,"));
}

TEST(BenchReport, DraftsTellTheirGain) {
  Measurement drafts = Decode();
  drafts.test = TestKind::kDrafts;
  drafts.limit = Limit::kNone;
  drafts.rows = 4;
  drafts.right_percent = 90;
  drafts.tokens_per_pass = 3.25;
  drafts.baseline_speeds = {32, 64, 16};
  EXPECT_THAT(TableLine(drafts, false),
              EndsWith(" x2.00 of no drafts, 90 % right, 3.25 tokens a pass\n"));
  EXPECT_EQ(ToJson(kSubject, drafts)["right_percent"], 90);
  EXPECT_EQ(ToJson(kSubject, drafts)["tokens_per_pass"], 3.25);
  EXPECT_EQ(ToJson(kSubject, drafts)["speedup"], 2.0);
}

// A prompt of 256 tokens beside a session that decodes.
Measurement Beside() {
  Measurement m;
  m.test = TestKind::kBeside;
  m.tokens = 256;
  m.sessions = 2;
  m.seconds = {2, 4};
  m.baseline_speeds = {256, 128};
  m.latencies = {0.5, 0.5, 0.75, 2};
  m.pass_seconds = 0.5;
  return m;
}

TEST(BenchReport, JsonTellsTheFiguresOfManySessions) {
  const ordered_json beside = ToJson(kSubject, Beside());
  EXPECT_EQ(beside["sessions"], 2);
  EXPECT_EQ(beside["speedup"], 0.5);
  EXPECT_EQ(beside["latency_p50"], 0.5);
  EXPECT_EQ(beside["latency_p99"], 2.0);
  EXPECT_EQ(beside["latency_max"], 2.0);
  EXPECT_EQ(beside["pass_seconds"], 0.5);
  Measurement fork;
  fork.kv_tokens_before = 128;
  fork.kv_tokens = 1152;
  EXPECT_EQ(ToJson(kSubject, fork)["kv_tokens_before"], 128);
  EXPECT_EQ(ToJson(kSubject, fork)["kv_tokens"], 1152);
}

TEST(BenchReport, TableTellsTheFiguresOfManySessions) {
  EXPECT_THAT(
      TableLine(Beside(), false),
      EndsWith(" x0.50 of the prompt alone, p50 500 ms, p99 2.00 s, max 2.00 s = 1.00, 4.00, "
               "4.00 passes\n"));
  Measurement sessions = Decode();
  sessions.test = TestKind::kSessions;
  sessions.baseline_speeds = {32, 64, 16};
  EXPECT_THAT(TableLine(sessions, false), EndsWith(" 75 % of 16.0 GB/s, x2.00 of one session\n"));
  sessions.test = TestKind::kCallers;
  EXPECT_THAT(TableLine(sessions, false), EndsWith(", x2.00 of one caller\n"));
  Measurement fork;
  fork.test = TestKind::kFork;
  fork.seconds = {2e-6, 4e-6};
  fork.kv_tokens_before = 128;
  fork.kv_tokens = 1152;
  EXPECT_THAT(TableLine(fork, false),
              EndsWith(" 3.0 us a fork, KV of 128 tokens before, of 1,152 after\n"));
  Measurement prefix = Beside();
  prefix.test = TestKind::kPrefixFound;
  prefix.latencies = {};
  EXPECT_THAT(TableLine(prefix, false), EndsWith(" x0.50 of without, 3.00 s\n"));
  Measurement restore = prefix;
  restore.test = TestKind::kRestore;
  restore.snapshot_bytes = 4200000;
  EXPECT_THAT(TableLine(restore, false), EndsWith(" x0.50 of evaluating again, 4.2 MB, 3.00 s\n"));
  EXPECT_EQ(ToJson(kSubject, restore)["snapshot_bytes"], 4200000);
}

TEST(BenchReport, TableTellsShareAndPeer) {
  EXPECT_THAT(TableLine(Decode(), false), EndsWith(" 75 % of 16.0 GB/s\n"));
  EXPECT_THAT(TableLine(Decode(), false), HasSubstr("64.00   (32.00 .. 128.0)"));
  EXPECT_THAT(TableLine(Decode(), false), Not(HasSubstr("0.50")));
  Measurement beside = Decode();
  beside.peer_speeds = {128};
  EXPECT_THAT(TableLine(beside, true), HasSubstr("128.0      0.50"));
  Measurement verify = Decode();
  verify.one_row_seconds = 1.6;
  EXPECT_THAT(TableLine(verify, false), EndsWith("1.25 x one row\n"));
  Measurement prefill = Decode();
  prefill.limit = Limit::kInt8Peak;
  prefill.work = 850e9;
  EXPECT_THAT(TableLine(prefill, false), EndsWith(" 50 % of 850 GOP/s\n"));
  Measurement load;
  load.seconds = {1.5};
  EXPECT_THAT(TableLine(load, false), EndsWith(" 1.50 s\n"));
  // Columns stand below their heads.
  EXPECT_EQ(TableHeader(true).find("share"), TableLine(beside, true).find(" 75 %"));
  EXPECT_EQ(TableHeader(false).find("share"), TableLine(Decode(), false).find(" 75 %"));
}

}  // namespace
}  // namespace rondo::tools
