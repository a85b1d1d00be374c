// `rondo bench` of many sessions on small models: what it measures and answers; never how fast.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/places.h"
#include "tests/tools/run_tool.h"
#include "tools/bench/random_model.h"
#include "tools/bench/random_tokens.h"
#include "tools/bench/sessions_runner.h"
#include "tools/bench/stepping.h"

namespace rondo::tools::sessions_model_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

BenchOptions SmallOptions() {
  BenchOptions options;
  options.prompt_tokens = 5;
  options.decode_tokens = 7;
  options.threads = {1};
  options.sessions = {1, 3};
  options.long_prompt_tokens = 100;
  options.rows_per_step = 8;
  options.repetitions = 2;
  options.max_rows = 32;
  options.probe_bytes = 1;  // one piece
  return options;
}

std::vector<Measurement> Bench(const BenchOptions& options, const std::string& weights = "q8") {
  const BenchModel model = MakeRandomModel(OpenShape("stories260k"), {weights, weights, 32});
  std::vector<Subject> subjects;
  std::vector<Measurement> measurements;
  RunSessionsBench(model, options,
                   {.subject = [&](const Subject& s) { subjects.push_back(s); },
                    .measured = [&](const Measurement& m) { measurements.push_back(m); }});
  EXPECT_EQ(subjects.size(), 1u);
  EXPECT_EQ(subjects.front().weights, weights);
  return measurements;
}

std::string Order(const std::vector<Measurement>& measurements) {
  std::string order;
  for (const Measurement& m : measurements) {
    order += std::to_string(m.threads) + "/" + Name(m.test) + "/" + std::to_string(m.sessions) +
             "/" + std::to_string(m.depth) + "/" + std::to_string(m.tokens) + "/" +
             std::to_string(m.rows) + " ";
  }
  return order;
}

TEST(SessionsBench, EveryTestForEachNumberOfThreads) {
  BenchOptions options = SmallOptions();
  options.threads = {1, 2};
  options.fork = options.prefix = options.snapshot = true;
  const std::vector<Measurement> measurements = Bench(options);
  EXPECT_EQ(Order(measurements),
            "1/sessions/1/5/7/1 1/sessions/3/5/21/3 1/prefill/1/0/100/32 1/beside/2/0/100/8 "
            "1/callers/1/5/7/1 1/callers/2/5/14/2 1/fork/16/100/0/0 1/forked/16/100/16/16 "
            "1/first/1/0/100/32 1/prefix/1/64/100/32 "
            "1/prefill/1/0/100/32 1/save/1/100/0/0 1/restore/1/0/100/0 "
            "2/sessions/1/5/7/1 2/sessions/3/5/21/3 2/prefill/1/0/100/32 2/beside/2/0/100/8 "
            "2/callers/1/5/7/1 2/callers/2/5/14/2 2/fork/16/100/0/0 2/forked/16/100/16/16 "
            "2/first/1/0/100/32 2/prefix/1/64/100/32 "
            "2/prefill/1/0/100/32 2/save/1/100/0/0 2/restore/1/0/100/0 ");
  for (const Measurement& m : measurements) {
    EXPECT_EQ(m.seconds.size(), 2u);
    EXPECT_GT(Median(m.seconds), 0);
    EXPECT_EQ(m.bandwidth.size(),
              m.limit == Limit::kNone && m.test != TestKind::kPrefixFound ? 0u : 2u);
    EXPECT_EQ(Share(m) > 0, m.limit != Limit::kNone);
  }
}

TEST(SessionsBench, EveryStepOfEveryRepetitionIsTimed) {
  const std::vector<Measurement> m = Bench(SmallOptions());
  ASSERT_EQ(m.size(), 6u);
  for (const size_t i : {0, 1}) EXPECT_EQ(m[i].latencies.size(), 2u * 7) << "a step is for all";
  EXPECT_EQ(m[3].latencies.size(), 2u * 15) << "100 rows, 7 of them beside each of the other's";
  EXPECT_EQ(m[4].latencies.size(), 2u * 7);
  EXPECT_EQ(m[5].latencies.size(), 2u * 2 * 7) << "a call is for one";
  EXPECT_EQ(m[3].pass_seconds, Percentile(m[3].latencies, 0.5));
  for (const size_t i : {0, 1, 4, 5}) EXPECT_EQ(m[i].pass_seconds, 0);
}

// A session that goes back stands as one that decodes: its next token takes a row of a pass.
TEST(SessionsBench, GoingBackLeavesARowToEvaluate) {
  const BenchModel model = MakeRandomModel(OpenShape("stories260k"), {});
  EngineOptions options;
  options.context = 70;
  Engine engine = CreateEngine(model.handle, options);
  Session session = OpenEndless(engine);
  session.Append(RandomTokens(512).Some(66));
  StepToToken(&engine, &session);
  for (const uint64_t tokens : {66, 64, 1}) {
    GoBackTo(&session, tokens);
    EXPECT_EQ(session.TakeEvent().pending, 1u);
    EXPECT_EQ(session.Position(), tokens);
  }
}

TEST(SessionsBench, EachIsComparedWithItsOwnRepetition) {
  BenchOptions options = SmallOptions();
  options.prefix = true;
  const std::vector<Measurement> m = Bench(options, "f32");
  ASSERT_EQ(m.size(), 8u);
  const auto speeds = [](const Measurement& of) {
    std::vector<double> all;
    for (const double s : of.seconds) all.push_back(static_cast<double>(of.tokens) / s);
    return all;
  };
  EXPECT_EQ(m[0].baseline_speeds, speeds(m[0]));
  EXPECT_EQ(Speedup(m[0]), 1);
  EXPECT_EQ(m[1].baseline_speeds, speeds(m[0]));
  EXPECT_EQ(m[2].baseline_speeds.size(), 0u);
  EXPECT_EQ(m[3].baseline_speeds, speeds(m[2]));
  EXPECT_EQ(Speedup(m[4]), 1);
  EXPECT_EQ(m[5].baseline_speeds, speeds(m[4]));
  EXPECT_EQ(m[7].baseline_speeds, speeds(m[6]));
  for (const size_t i : {2, 3, 6}) EXPECT_EQ(m[i].limit, Limit::kNone) << "int8 is no limit of f32";
}

TEST(SessionsBench, APassTakesOneRowOfAPromptAtLeast) {
  BenchOptions options = SmallOptions();
  options.rows_per_step = 1;
  options.long_prompt_tokens = 9;
  const std::vector<Measurement> m = Bench(options);
  ASSERT_EQ(m.size(), 6u);
  EXPECT_EQ(m[3].latencies.size(), 2u * 9);
  options.rows_per_step = 0;
  EXPECT_EQ(Bench(options)[3].rows, 32u) << "max_rows";
}

// A model's forks on a pool of `kv_tokens` tokens, each with a token of its own. False: no room.
bool ForksFit(uint64_t prompt, uint64_t kv_tokens) {
  const BenchModel model = MakeRandomModel(OpenShape("stories260k"), {});
  EngineOptions options;
  options.context = static_cast<uint32_t>(prompt + 2);
  options.max_sessions = 17;
  options.kv_tokens = static_cast<uint32_t>(kv_tokens);
  Engine engine = CreateEngine(model.handle, options);
  Session source = OpenEndless(engine);
  source.Append(RandomTokens(512).Some(prompt));
  EXPECT_EQ(StepToToken(&engine, &source).pending, 0u);
  GoBackTo(&source, prompt);
  source.Logits();
  std::vector<Session> forks;
  for (int i = 0; i < 16; ++i) forks.push_back(source.Fork(Endless()));
  try {
    for (int i = 0; i < 2; ++i) Step(&engine, FirstOf(forks, 16));
    return true;
  } catch (const rondo::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the pool of KV blocks has too few free"));
    return false;
  }
}

TEST(SessionsBench, ForksNeedAllTheKvThatIsTold) {
  for (const uint64_t prompt : {100, 128}) {
    BenchOptions options = SmallOptions();
    options.sessions = {};
    options.fork = true;
    options.long_prompt_tokens = prompt;
    const std::vector<Measurement> m = Bench(options);
    ASSERT_EQ(m.size(), 2u);
    EXPECT_EQ(m[0].kv_tokens_before, 128u);
    EXPECT_EQ(m[0].kv_tokens, 128u + 16 * 64);
    EXPECT_TRUE(ForksFit(prompt, m[0].kv_tokens));
    EXPECT_FALSE(ForksFit(prompt, m[0].kv_tokens - 64));
  }
}

TEST(SessionsBench, ASnapshotHoldsTheTokensAndTheirKv) {
  BenchOptions options = SmallOptions();
  options.sessions = {};
  options.snapshot = true;
  const std::vector<Measurement> m = Bench(options);
  ASSERT_EQ(m.size(), 3u);
  EXPECT_EQ(m[1].snapshot_bytes, m[2].snapshot_bytes);
  constexpr uint64_t kValues = 100 * 5 * 2 * 4 * 8;  // tokens, layers, keys and values, heads
  EXPECT_GT(m[1].snapshot_bytes, kValues) << "a byte each";
  EXPECT_LT(m[1].snapshot_bytes, 3 * kValues) << "and scales";
  EXPECT_EQ(m[2].baseline_speeds.size(), 2u);
}

class SessionsBenchCommand : public testing::Test {
 protected:
  const std::string small_ = "-p 4 -n 3 -t 1 --reps 1 --rows 64 --long-prompt 130 ";
  ToolRunner tool_;
};

TEST_F(SessionsBenchCommand, AModelAsTable) {
  const std::string model = tool_.Convert(std::string(kTestData) + "/tiny", "q8");
  const ToolResult result = tool_("bench " + model + " --sessions 4,2 --rows-per-step 16 " +
                                  small_ + " --fork --prefix --snapshot");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, StartsWith("tiny, q8: "));
  // A probe that others slowed down is below what was measured, which a note says.
  const int notes = result.out.find("\n* above the limit") != std::string::npos;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n') - notes,
            3 + 3 + 2 + 2 + 2 + 2 + 3);
  for (const char* part :
       {"share of the limit", "x1.00 of one session", ", p50 ", ", p99 ", ", max ",
        "of the prompt alone", " = 1.00, ", " passes\n", "x1.00 of one caller", " us a fork",
        "KV of 192 tokens before, of 1,216 after\n", "forked ", "first ", "prefix ", "of without",
        "save ", " kB, ", "restore ", "of evaluating again"}) {
    EXPECT_THAT(result.out, HasSubstr(part)) << result.out;
  }
}

TEST_F(SessionsBenchCommand, AShapeAsJson) {
  const ToolResult result =
      tool_("bench --shape stories260k --sessions 2 --prefix --json " + small_);
  ASSERT_EQ(result.code, 0) << result.err;
  const json answer = json::parse(result.out);
  ASSERT_EQ(answer.size(), 8u);
  const char* const tests[] = {"sessions", "sessions", "prefill", "beside",
                               "callers",  "callers",  "first",   "prefix"};
  for (size_t i = 0; i < answer.size(); ++i) EXPECT_EQ(answer[i]["test"], tests[i]);
  EXPECT_EQ(answer[0]["sessions"], 1) << "what others are compared with";
  EXPECT_EQ(answer[0]["speedup"], 1);
  EXPECT_EQ(answer[1]["sessions"], 2);
  EXPECT_GT(answer[1]["latency_p99"], 0);
  EXPECT_GE(answer[1]["latency_p99"], answer[1]["latency_p50"]);
  EXPECT_EQ(answer[1]["pass_seconds"], nullptr);
  EXPECT_EQ(answer[3]["rows"], 64) << "of --rows";
  EXPECT_EQ(answer[3]["pass_seconds"], answer[3]["latency_p50"]);
  EXPECT_EQ(answer[7]["depth"], 128) << "whole blocks below the last token";
}

TEST_F(SessionsBenchCommand, OneTestAsCsv) {
  const ToolResult result = tool_("bench --shape stories260k --fork --csv " + small_);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 3);
  EXPECT_THAT(result.out, HasSubstr(",192,1216,,,,,\n"));
}

TEST_F(SessionsBenchCommand, WrongUsageIsTwo) {
  for (const char* arguments : {"--sessions",
                                "--sessions 0",
                                "--sessions 65",
                                "--sessions 1,,2",
                                "--sessions 8 --rows 4",
                                "--sessions 2 -p 0",
                                "--sessions 2 -n 0",
                                "--sessions 2 -d 4",
                                "--sessions 2 -b 2",
                                "--sessions 2 --speculate 2",
                                "--sessions 2 --peer true",
                                "--fork --plot x.svg",
                                "--prefix -d 1",
                                "--snapshot -b 2",
                                "--rows-per-step 4",
                                "--fork --rows-per-step 4",
                                "--sessions 2 --rows-per-step 0",
                                "--sessions 2 --rows-per-step 257",
                                "--sessions 2 --rows 32 --rows-per-step 33",
                                "--long-prompt 5",
                                "--fork --long-prompt 0",
                                "--fork 3"}) {
    const ToolResult result = tool_(std::string("bench --shape stories260k ") + arguments);
    EXPECT_EQ(result.code, 2) << arguments << "\n" << result.err;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_NE(result.err, "") << arguments;
  }
}

}  // namespace
}  // namespace rondo::tools::sessions_model_test
