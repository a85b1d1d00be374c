// `rondo bench` on small models: what it measures, answers and leaves behind; never how fast.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/environment.h"
#include "tests/support/places.h"
#include "tests/tools/run_tool.h"
#include "tools/bench/costs.h"
#include "tools/bench/random_model.h"
#include "tools/bench/runner.h"
#include "tools/system/environment.h"

namespace rondo::tools::bench_model_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

BenchOptions SmallOptions() {
  BenchOptions options;
  options.prompt_tokens = 20;
  options.decode_tokens = 3;
  options.depths = {0, 70};
  options.threads = {1, 2};
  options.verified_rows = {1, 4};
  options.repetitions = 2;
  options.max_rows = 16;
  options.probe_bytes = 1;  // one piece
  return options;
}

struct Outcome {
  std::vector<Subject> subjects;
  std::vector<Measurement> measurements;
};

Outcome Bench(const BenchModel& model, const BenchOptions& options) {
  Outcome outcome;
  RunBench(model, options,
           {.subject = [&](const Subject& s) { outcome.subjects.push_back(s); },
            .measured = [&](const Measurement& m) { outcome.measurements.push_back(m); }});
  return outcome;
}

Shape Smallest() { return OpenShape("stories260k"); }

TEST(Bench, EveryTestAtEveryDepthAndNumberOfThreads) {
  const BenchModel model = MakeRandomModel(Smallest(), {"q4b", "q8", 64});
  const Outcome outcome = Bench(model, SmallOptions());
  ASSERT_EQ(outcome.subjects.size(), 1u);
  EXPECT_EQ(outcome.subjects[0].shape, "stories260k");
  EXPECT_EQ(outcome.subjects[0].weights, "q4b");
  EXPECT_EQ(outcome.subjects[0].block, 64u);
  EXPECT_NE(outcome.subjects[0].kernels, "");

  std::string order;
  for (const Measurement& m : outcome.measurements) {
    order += std::to_string(m.threads) + "/" + std::to_string(m.depth) + "/" + Name(m.test) + "/" +
             std::to_string(m.tokens) + "/" + std::to_string(m.rows) + " ";
    EXPECT_EQ(m.seconds.size(), 2u);
    EXPECT_GT(Median(m.seconds), 0);
    if (m.test == TestKind::kLoad) continue;
    EXPECT_EQ(m.bandwidth.size(), 2u);
    EXPECT_EQ(m.peak.size(), 2u);
    EXPECT_GT(Share(m), 0);
    EXPECT_EQ(m.limit, m.test == TestKind::kPrefill ? Limit::kInt8Peak : Limit::kBandwidth);
    EXPECT_EQ(RelativeCost(m) > 0, m.test == TestKind::kVerify);
  }
  EXPECT_EQ(order,
            "1/0/load/0/0 1/0/prefill/20/16 1/0/decode/3/1 1/0/verify/1/1 1/0/verify/4/4 "
            "1/70/prefill/20/16 1/70/decode/3/1 1/70/verify/1/1 1/70/verify/4/4 "
            "2/0/load/0/0 2/0/prefill/20/16 2/0/decode/3/1 2/0/verify/1/1 2/0/verify/4/4 "
            "2/70/prefill/20/16 2/70/decode/3/1 2/70/verify/1/1 2/70/verify/4/4 ");
}

TEST(Bench, TestsThatNobodyWantsAreLeftOut) {
  const BenchModel model = MakeRandomModel(Smallest(), {"f32", "f32", 32});
  BenchOptions options = SmallOptions();
  options.threads = {1};
  options.depths = {5};
  options.decode_tokens = 0;
  options.verified_rows = {};
  const Outcome outcome = Bench(model, options);
  ASSERT_EQ(outcome.measurements.size(), 2u);
  EXPECT_EQ(outcome.measurements[1].test, TestKind::kPrefill);
  EXPECT_EQ(outcome.measurements[1].limit, Limit::kNone) << "int8 is no limit of floats";
  EXPECT_EQ(Share(outcome.measurements[1]), 0);
}

TEST(Bench, DraftsThatAreRightAsOftenAsIsWished) {
  const BenchModel model = MakeRandomModel(Smallest(), {});
  BenchOptions options = SmallOptions();
  options.threads = {1};
  options.prompt_tokens = 0;
  options.decode_tokens = 12;
  options.verified_rows = {};
  options.drafts = {0, 3};
  options.right_percents = {40, 100};
  const Outcome outcome = Bench(model, options);
  std::string order;
  for (const Measurement& m : outcome.measurements) {
    if (m.test != TestKind::kDrafts) continue;
    order += std::to_string(m.depth) + "/" + std::to_string(m.rows) + "/" +
             std::to_string(m.right_percent) + " ";
    EXPECT_EQ(m.tokens, 12u);
    EXPECT_EQ(m.baseline_speeds.size(), m.seconds.size());
    if (m.right_percent == 40) {
      EXPECT_GT(m.tokens_per_pass, 1);
      EXPECT_LT(m.tokens_per_pass, 4);
    } else {
      EXPECT_EQ(m.tokens_per_pass, m.rows);
    }
    if (m.rows == 1) {
      EXPECT_EQ(Speedup(m), 1);
    }
  }
  EXPECT_EQ(order, "0/1/0 0/4/40 0/4/100 70/1/0 70/4/40 70/4/100 ");
}

TEST(Bench, ThePeerIsAskedOncePerRepetition) {
  const BenchModel model = MakeRandomModel(Smallest(), {});
  const TempFolder folder;
  BenchOptions options = SmallOptions();
  options.threads = {1};
  options.peer = "echo asked $D >> '" + (folder / "log").string() + "'; echo decode 10";
  const Outcome outcome = Bench(model, options);
  for (const Measurement& m : outcome.measurements) {
    EXPECT_EQ(m.peer_speeds,
              m.test == TestKind::kDecode ? std::vector<double>({10, 10}) : std::vector<double>());
  }
  std::ifstream log(folder / "log");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(log), {}),
            "asked 0\nasked 0\nasked 70\nasked 70\n");
  options.peer = "exit 3";
  EXPECT_THROW(Bench(model, options), Error);
}

class BenchCommand : public testing::Test {
 protected:
  ToolRunner tool_;
};

TEST_F(BenchCommand, AModelAsTable) {
  const std::string model = tool_.Convert(std::string(kTestData) + "/tiny", "q8");
  const ToolResult result = tool_("bench " + model + " -p 8 -n 2 -t 1 --reps 1");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, StartsWith("tiny, q8: "));
  for (const char* part : {"a token reads ", " of weights, ", "tok/s", "load ", "prefill ",
                           "decode ", " % of ", " GB/s", " GOP/s"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
  EXPECT_THAT(result.out, Not(HasSubstr("peer")));
}

TEST_F(BenchCommand, AShapeAsJsonWithPlotAndPeer) {
  tool_.Write("peer.sh", "echo '[{\"n_prompt\": '$P', \"n_gen\": 0, \"avg_ts\": 50}]'\n");
  const ToolResult result = tool_(
      "bench --shape stories260k --weights q4b --block 128 -p 8 -n 2 -d 3,0 -t 1 -b 2 "
      "--reps 1 --json --plot '" +
      tool_.Path("plot.svg") + "' --peer 'sh \"" + tool_.Path("peer.sh") + "\"'");
  ASSERT_EQ(result.code, 0) << result.err;
  const json answer = json::parse(result.out);
  ASSERT_EQ(answer.size(), 1u + 2 * 4);
  EXPECT_EQ(answer[0]["test"], "load");
  EXPECT_EQ(answer[1]["shape"], "stories260k");
  EXPECT_EQ(answer[1]["block"], 128);
  EXPECT_EQ(answer[1]["peer_tokens_per_second"], 50);
  EXPECT_EQ(answer[3]["rows"], 1) << "what rows are compared with";
  EXPECT_EQ(answer[4]["rows"], 2);
  EXPECT_EQ(answer[5]["depth"], 3);
  EXPECT_THAT(tool_.Read("plot.svg"), StartsWith("<svg "));
}

TEST_F(BenchCommand, AShapeAsCsvLeavesNothing) {
  std::filesystem::create_directory(tool_.Path("tmp"));
  const std::string run = "bench --shape stories260k -p 4 -n 0 -t 1 --reps 1 --csv";
  SetVariable(kTemporaryVariable, tool_.Path("tmp").c_str());
  const ToolResult good = tool_(run);
  const ToolResult bad = tool_(run + " --kernels none");
  UnsetVariable(kTemporaryVariable);
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_EQ(std::count(good.out.begin(), good.out.end(), '\n'), 3);
  EXPECT_THAT(good.out, StartsWith("shape,weights,block,"));
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("--kernels"));
  EXPECT_TRUE(std::filesystem::is_empty(tool_.Path("tmp")));
}

// The weights of a packed file are read where they lie: they cost as many bytes as in an arena.
TEST_F(BenchCommand, APackedFileCostsWhatItReads) {
  tool_.Convert(std::string(kTestData) + "/tiny", "q8");
  const std::string portable = tool_.Path("q8.rondo"), packed = tool_.Path("packed.rondo");
  ASSERT_EQ(tool_("pack '" + portable + "' -o '" + packed + "'").code, 0);
  std::vector<ModelCosts> costs;
  for (const std::string& path : {portable, packed}) {
    const BenchModel model = OpenBenchModel(path);
    EngineOptions options;
    options.context = 64;
    const Engine engine = CreateEngine(model.handle, options);
    const rondo_memory_plan plan = engine.Memory();
    EXPECT_EQ(plan.mapped_bytes > 0, path == packed);
    costs.push_back(CostsOf(model.parts, plan.kernels));
    const auto planned = static_cast<double>(plan.weights_bytes + plan.mapped_bytes);
    EXPECT_NEAR(costs.back().weight_bytes, planned, 0.05 * planned);
  }
  EXPECT_EQ(costs[1].layer_products, costs[0].layer_products);
  EXPECT_EQ(costs[1].head_products, costs[0].head_products);
  EXPECT_EQ(costs[1].weight_bytes, costs[0].weight_bytes);
  EXPECT_GT(costs[1].weight_bytes, costs[1].layer_products + costs[1].head_products);
}

TEST_F(BenchCommand, WrongUsageIsTwo) {
  for (const char* arguments : {"",
                                "x --shape stories260k",
                                "--shape none",
                                "x --weights q4b",
                                "x --embedding q4b",
                                "--shape stories260k --weights q5",
                                "--shape stories260k --block 64",
                                "--shape stories260k --weights q4b --block 33",
                                "x -p -1",
                                "x -p many",
                                "x -p 99999999999",
                                "x -p 4194305",
                                "x -n 1.5",
                                "x -d 1,,2",
                                "x -d ,",
                                "x -d ''",
                                "x -d 0x10",
                                "x -t 0",
                                "x -t 257",
                                "x -b 0",
                                "x -b 1025",
                                "x -b 4 --rows 2",
                                "x --speculate 0",
                                "x --speculate 8",
                                "x --speculate 4 --rows 4",
                                "x --speculate 1 -n 0",
                                "x --speculate 1 --acceptance 0",
                                "x --speculate 1 --acceptance 101",
                                "x --acceptance 50",
                                "x --reps 0",
                                "x --rows 8193",
                                "x --csv --json",
                                "x -p 0 -n 0 --peer true",
                                "x -n 0 --plot x.svg",
                                "x y"}) {
    const ToolResult result = tool_(std::string("bench ") + arguments);
    EXPECT_EQ(result.code, 2) << arguments << "\n" << result.err;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_NE(result.err, "") << arguments;
  }
}

TEST_F(BenchCommand, FailuresAreOne) {
  const std::string no_shape = std::string("--shape '") + kTestData + "/tiny/tokenizer.json'";
  for (const char* arguments :
       {"/no/such/model", no_shape.c_str(),
        "--shape stories260k -p 4 -n 0 -t 1 --reps 1 --peer 'exit 1'",
        "--shape stories260k -p 0 -n 1 -t 1 --reps 1 --plot /no/such/folder/x.svg"}) {
    const ToolResult result = tool_(std::string("bench ") + arguments);
    EXPECT_EQ(result.code, 1) << arguments;
    EXPECT_THAT(result.err, StartsWith("rondo: ")) << arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

}  // namespace
}  // namespace rondo::tools::bench_model_test
