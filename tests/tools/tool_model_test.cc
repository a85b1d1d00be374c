// The tool as its users meet it: answers, errors in one sentence, exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/support/places.h"
#include "tests/support/reference_data.h"
#include "tests/tools/run_tool.h"
#if !defined(_WIN32)
#include "tests/tools/tool_process.h"
#endif

namespace rondo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ToolTest : public testing::Test {
 protected:
  // Failed with one sentence on stderr that holds `part`, and nothing on stdout.
  void ExpectFailure(const std::string& arguments, const std::string& part) {
    const ToolResult result = tool_(arguments);
    EXPECT_EQ(result.code, 1) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_THAT(result.err, StartsWith("rondo: ")) << arguments;
    EXPECT_THAT(result.err, HasSubstr(part)) << arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }

  ToolRunner tool_;
  std::string model_ = tool_.Convert(std::string(kTestData) + "/tiny", "q8");
};

TEST_F(ToolTest, HelpAndVersion) {
  EXPECT_EQ(tool_("--version").code, 0);
  EXPECT_THAT(tool_("--version").out, StartsWith("rondo "));
  for (const char* command : {"", "pull", "convert", "pack", "run", "chat", "inspect", "logits",
                              "eval", "bench", "embed", "rerank", "help"}) {
    const ToolResult result = tool_(std::string(command) + " --help");
    EXPECT_EQ(result.code, 0) << command;
    EXPECT_THAT(result.out, HasSubstr("Examples:")) << command;
    const ToolResult same = tool_("help " + std::string(command));
    EXPECT_EQ(same.code, 0) << command;
    EXPECT_EQ(same.out, result.out);
  }
}

TEST_F(ToolTest, WrongUsageIsToldWithWhatWasMeant) {
  const std::pair<const char*, const char*> kCases[] = {
      {"rnu", "rondo: there is no command rnu; did you mean run?\n`rondo --help` "},
      {"sing", "rondo: there is no command sing\n`rondo --help` "},
      {"help inspcet", "there is no command inspcet; did you mean inspect?\n`rondo help` shows"},
      {"--verson", "rondo: there is no option --verson; did you mean --version?\n"},
      {"run x y --contxt=5",
       "rondo run: there is no option --contxt; did you mean --context?\n`rondo run --help` "},
      {"inspect x --plna", "there is no option --plna; did you mean --plan?\n"},
      {"run model Once upon a time", "nothing is known to do with \"upon\" (a text of several"},
      {"run", "rondo run: MODEL is required\n"},
      {"run x y --greedy --temperature 1", "--greedy excludes --temperature\n"},
      {"run x y --greedy=5", "--greedy takes no value\n"},
      {"run x y --context= --seed 1", "--context: \"\" is not an integer from 1 to 16,777,216\n"},
      {"run x y --context", "--context needs a value behind it\n"},
      {"run x y --context 5 --context 6", "--context can be given only once\n"},
      {"run x y --seed -1", "--seed: -1 is not an integer from 0 to 18,446,744,073,709,551,615\n"},
      {"run x y --max-tokens -1", "(0: no limit)\n"},
      {"run x y --policy never", "--policy: never is not one of stop, slide\n"},
      {"rerank x y", "--query is required\n"},
      {"embed x --batch 65 y", "--batch: 65 is not an integer from 1 to 64\n"},
      {"logits x -o y", "one of --ids and --prompt is required\n"},
      {"inspect x --plan --check", "only one of --plan, --fit, --check and --tensors can be"},
      {"inspect x --context 5", "--context: goes with --plan\n"},
      {"inspect x --fit 1M --context 5", "--context: goes with --plan; --fit tells the largest"},
      {"inspect x --check --policy slide", "--policy: goes with --plan or --fit\n"},
      {"inspect x --tensors --threads 2", "--threads: goes with --plan or --fit\n"},
      {"convert x -o y --weights q9",
       "--weights: q9 is not one of keep, f32, q8, q4, q3, q2, q4b, auto\n"},
      {"convert x -o y --block 33", "--block: 33 is not one of 32, 64, 128\n"},
      {"convert x -o y --bits 5", "--bits: goes with --weights auto\n"},
      {"convert x -o y --bits 2", "--bits: 2 is not a number from 2.25 to 9\n"},
      {"", "Commands:\n"}};
  for (const auto& [arguments, sentence] : kCases) {
    const ToolResult result = tool_(arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_THAT(result.err, HasSubstr(sentence)) << arguments;
  }
}

// What the library refuses is told by the option's name as it was typed.
TEST_F(ToolTest, RefusedOptionsAreNamedAsTyped) {
  std::string stops;
  for (int i = 0; i < 17; ++i) stops += " --stop " + std::to_string(i);
  const std::string run = "run " + model_ + " x ", bench = "bench " + model_;
  const std::pair<std::string, const char*> kCases[] = {
      {run + "--sinks 2", "rondo run: --sinks: goes with --policy slide\n"},
      {"inspect " + model_ + " --plan --sinks 2", "--sinks: goes with --policy slide\n"},
      {run + "--context 16 --policy slide",
       "--context: 16, but sliding with 0 sink tokens needs at least 128\n`rondo run --help`"},
      {"inspect " + model_ + " --plan --context 16 --policy slide",
       "rondo inspect: --context: 16, but sliding with 0 sink tokens needs at least 128\n"},
      {bench + " --kernels bogus",
       "rondo bench: --kernels: \"bogus\", but this build and CPU have "},
      {run + "--stop " + std::string(129, 'x'),
       "rondo run: --stop: a text of 129 bytes, expected at most 128\n"},
      {run + "--stop \"$(printf 'ab\\377')\"", "--stop: the text is not UTF-8 at its byte 2\n"},
      {run + stops, "--stop: given 17 times, at most 16 are possible\n"}};
  for (const auto& [arguments, sentence] : kCases) {
    const ToolResult result = tool_(arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_THAT(result.err, HasSubstr(sentence)) << arguments;
  }
  EXPECT_EQ(tool_(run + "--max-tokens 1 --sinks 0 --stop " + std::string(128, 'x')).code, 0);
}

TEST_F(ToolTest, WrongUsageIsTwo) {
  for (const std::string& arguments :
       std::vector<std::string>{"",
                                "sing",
                                "run",
                                "run " + model_ + " x --no-such-option",
                                "run " + model_ + " x y",
                                "run " + model_ + " x --temperature warm",
                                "run " + model_ + " x --context 0",
                                "run " + model_ + " x --max-tokens -4",
                                "run " + model_ + " x --seed -1",
                                "run " + model_ + " x --policy never",
                                "inspect " + model_ + " --plan --check",
                                "inspect " + model_ + " --fit much",
                                "logits " + model_ + " -o x.npy",
                                "logits " + model_ + " --ids 1 --prompt x -o x.npy",
                                "logits " + model_ + " --ids 1,x -o x.npy",
                                "eval",
                                "run " + model_ + " x --temperature -1",
                                "run " + model_ + " x --top-p 2",
                                "run " + model_ + " x --threads 257",
                                "run " + model_ + " x --greedy=no",
                                "convert x -o -",
                                "logits " + model_ + " --ids 1 -o -",
                                "run -",
                                "run " + model_ + " x --trace -",
                                "chat " + model_ + " --session -"}) {
    const ToolResult result = tool_(arguments);
    EXPECT_EQ(result.code, 2) << arguments << "\n" << result.err;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_NE(result.err, "") << arguments;
  }
}

TEST_F(ToolTest, FailuresSayWhatToDo) {
  tool_.Write("noise", std::string(500, 'x'));
  ExpectFailure("run /no/such/model x", "no such file");
  ExpectFailure("run '" + tool_.Path("noise") + "' x", "rondo convert");
  ExpectFailure("inspect '" + tool_.Path("noise") + "'", "rondo convert");
  ExpectFailure("run '" + std::string(kTestData) + "/tiny' x", "directory");
  ExpectFailure("run " + model_ + " --raw < /dev/null", "prompt is empty");
  ExpectFailure("run " + model_ + " 'one two three four five six seven' --context 2", "--context");
  EXPECT_THAT(
      tool_("inspect " + model_ + " --fit 10K").err,
      testing::MatchesRegex("rondo: the smallest context, 1 token, needs "
                            "[0-9]+(,[0-9][0-9][0-9])+ bytes, but only 10,000 are given\n"));
  ExpectFailure("logits " + model_ + " --ids 1,99999 -o '" + tool_.Path("x.npy") + "'", "99999");
  ExpectFailure("logits " + model_ + " --ids 1,2 -o /no/such/folder/x.npy", "cannot create");
  ExpectFailure("eval " + model_ + " --text /no/such/text", "/no/such/text");
  tool_.Write("short.txt", "too short");
  ExpectFailure("eval " + model_ + " --text '" + tool_.Path("short.txt") + "'", "longer text");
  EXPECT_EQ(tool_.Read("x.npy"), "");
}

TEST_F(ToolTest, ATextThatIsNotUtf8IsToldOf) {
  std::string text;
  for (int i = 0; i < 800; ++i) text += "the cat ";
  const auto eval = [&] {
    tool_.Write("text", text);
    return tool_("eval " + model_ + " --text '" + tool_.Path("text") + "' --context 128");
  };
  EXPECT_EQ(eval().err, "");
  text[5000] = '\xff';
  const ToolResult result = eval();
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err,
            "note: the text is not UTF-8 at its byte 5,000; what is none counts as U+FFFD\n");
}

TEST_F(ToolTest, RunContinuesAPrompt) {
  const ToolResult once = tool_("run " + model_ + " \"Today's weather is so\" --max-tokens 12");
  EXPECT_EQ(once.code, 0) << once.err;
  EXPECT_EQ(once.err, "");
  EXPECT_GT(once.out.size(), 10u);
  EXPECT_EQ(once.out.back(), '\n');
  tool_.Write("prompt", "Today's weather is so");
  EXPECT_EQ(
      tool_("run " + model_ + " - --max-tokens 12 --threads 2 < '" + tool_.Path("prompt") + "'")
          .out,
      once.out);
  EXPECT_NE(tool_("run " + model_ +
                  " \"Today's weather is so\" --max-tokens 12 --temperature 2 "
                  "--seed 3 --ignore-eos")
                .out,
            once.out);
}

TEST_F(ToolTest, NumbersAreDecimal) {
  const ToolResult run =
      tool_("run " + model_ + " x --context 0100 --threads 01 --max-tokens 08 --verbose");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("context of 100 tokens"));
  EXPECT_EQ(tool_("inspect " + model_ + " --plan --threads 256").code, 0);
}

TEST_F(ToolTest, TheUsualLimitIsTold) {
  const std::string run = "run " + model_ + " x --ignore-eos --context 300 ";
  EXPECT_EQ(tool_(run).err, "(the limit of --max-tokens, 256)\n");
  EXPECT_EQ(tool_(run + "--max-tokens 256").err, "");  // who asks for it knows
}

TEST_F(ToolTest, APromptsLastLineIsGoneOn) {
  const auto run = [&](const std::string& prompt, const std::string& flags = "") {
    tool_.Write("prompt", prompt);
    return tool_("run " + model_ + " --max-tokens 12 --ignore-eos " + flags + " < '" +
                 tool_.Path("prompt") + "'")
        .out;
  };
  const std::string text = run("Today's weather is so");
  EXPECT_EQ(run("Today's weather is so\n"), text);
  EXPECT_EQ(run("Today's weather is so\r\n"), text);
  EXPECT_NE(run("Today's weather is so\n\n"), text);  // that was meant
  EXPECT_NE(run("Today's weather is so\n", "--raw"), run("Today's weather is so", "--raw"));
}

TEST_F(ToolTest, AStopTextInBracketsIsOne) {
  const std::string run = "run " + model_ + " 'Once upon a time' --max-tokens 20 ";
  const std::string text = tool_(run).out;
  EXPECT_EQ(tool_(run + "--stop '[" + text.substr(3, 1) + ",zzz]'").out, text);
}

TEST_F(ToolTest, ASignalEndsTheText) {
#if defined(_WIN32)
  GTEST_SKIP() << "no process sends another a signal here";
#else
#ifdef RONDO_EMULATED
  GTEST_SKIP() << "signals go to the emulator";
#endif
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ToolProcess run("run " + model_ +
                    " - --max-tokens 0 --ignore-eos --policy slide --context 128 2>/dev/null");
    run.Write("Once upon a time");
    run.EndInput();
    ASSERT_GE(run.Read(2000).size(), 2000u);  // it would never end
    run.Signal(signal);
    EXPECT_EQ(run.Read(1 << 20).back(), '\n');
    EXPECT_EQ(run.Wait(), 128 + signal);
  }
#endif
}

TEST_F(ToolTest, ASignalEndsWaitingForAPrompt) {
#if defined(_WIN32)
  GTEST_SKIP() << "no process sends another a signal here";
#else
#ifdef RONDO_EMULATED
  GTEST_SKIP() << "signals go to the emulator";
#endif
  ToolProcess waiting("run " + model_ + " - 2>/dev/null");
  waiting.Write("What is typed and not ended");
  waiting.Signal(SIGTERM);
  EXPECT_EQ(waiting.Read(1), "");  // it ends, though its input does not
  const int code = waiting.Wait();
  EXPECT_TRUE(code == 128 + SIGTERM || code == -1) << code;  // -1: it had only just begun
#endif
}

TEST_F(ToolTest, VerboseTellsMemoryAndSpeedOnStderrOnly) {
  const std::string arguments = "run " + model_ + " 'Once upon a time' --max-tokens 8 --ignore-eos";
  const ToolResult quiet = tool_(arguments);
  const ToolResult verbose = tool_(arguments + " --verbose");
  EXPECT_EQ(verbose.out, quiet.out);
  for (const char* part : {"memory: ", "prefill: ", "decode: 7 tokens", "tok/s", "token limit",
                           "sampling: the most likely token\n", "context of 512 tokens\n"}) {
    EXPECT_THAT(verbose.err, HasSubstr(part));
  }
}

TEST_F(ToolTest, StopEndsTheText) {
  const std::string run = "run " + model_ + " 'Once upon a time' --max-tokens 20 ";
  const std::string text = tool_(run).out;
  const std::string stop = text.substr(8, 2);
  const ToolResult cut = tool_(run + "--stop zzz --stop '" + stop + "'");
  EXPECT_EQ(cut.out, text.substr(0, text.find(stop)) + "\n");
}

TEST_F(ToolTest, SlideOutlivesTheContext) {
  const ToolResult result = tool_("run " + model_ +
                                  " 'Once upon a time' --context 192 --policy slide --sinks 4 "
                                  "--max-tokens 400 --ignore-eos --verbose");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("generated: 400 tokens"));
}

TEST_F(ToolTest, Inspect) {
  const ToolResult facts = tool_("inspect " + model_);
  EXPECT_EQ(facts.code, 0) << facts.err;
  for (const char* part : {"architecture", "parameters", "vocabulary", "heads"}) {
    EXPECT_THAT(facts.out, HasSubstr(part));
  }
  const ToolResult plan = tool_("inspect " + model_ + " --plan --context 300 --threads 2");
  EXPECT_EQ(plan.code, 0) << plan.err;
  for (const char* part : {"arena: ", "|W", "kv pool", "no layout can be smaller", "##"}) {
    EXPECT_THAT(plan.out, HasSubstr(part));
  }
  const ToolResult fit = tool_("inspect " + model_ + " --fit 64M");
  EXPECT_EQ(fit.code, 0) << fit.err;
  EXPECT_THAT(fit.out, HasSubstr("the largest context for 64,000,000 bytes (64.0 MB) is "));
  EXPECT_THAT(tool_("inspect " + model_ + " --tensors").out, HasSubstr("q8"));
  EXPECT_THAT(tool_("inspect " + model_ + " --check").out, StartsWith("checked: "));
}

TEST_F(ToolTest, CheckFindsADamagedFile) {
  std::string bytes = tool_.Read("q8.rondo");
  bytes[bytes.size() / 3] = static_cast<char>(bytes[bytes.size() / 3] ^ 1);  // in the weights
  tool_.Write("damaged", bytes);
  const std::string damaged = "'" + tool_.Path("damaged") + "'";
  ExpectFailure("inspect " + damaged + " --check", tool_.Path("damaged") + ": ");
  ExpectFailure("run " + damaged + " x", "copy or convert");
}

TEST_F(ToolTest, LogitsAreAnNpyMatrix) {
  const std::string path = tool_.Path("logits.npy");
  const ToolResult result = tool_("logits " + model_ + " --ids 1,7,9,4 -o '" + path + "'");
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string bytes = tool_.Read("logits.npy");
  ASSERT_GT(bytes.size(), 128u);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  uint16_t header = 0;
  std::memcpy(&header, bytes.data() + 8, 2);
  EXPECT_EQ((10 + header) % 64, 0);
  EXPECT_THAT(bytes.substr(10, header), HasSubstr("'descr': '<f4', 'fortran_order': False, "
                                                  "'shape': (4, "));
  const size_t values = (bytes.size() - 10 - header) / 4;
  EXPECT_EQ(values % 4, 0u);
  // A prefix has the same rows: nothing looks ahead.
  ASSERT_EQ(tool_("logits " + model_ + " --ids 1,7 -o '" + path + "'").code, 0);
  const std::string prefix = tool_.Read("logits.npy");
  const size_t row = values / 4 * 4;
  EXPECT_EQ(prefix.substr(prefix.size() - 2 * row), bytes.substr(10 + header, 2 * row));
}

TEST_F(ToolTest, EvalAgainstAnotherModel) {
  std::string text;
  for (int seed = 0; seed < 3; ++seed) {
    text += tool_("run " + model_ + " 'Once upon a time' --ignore-eos --temperature 1 --seed " +
                  std::to_string(seed) + " --max-tokens 400")
                .out;
  }
  tool_.Write("text", text);
  const std::string tiny = std::string(kTestData) + "/tiny";
  const std::string f32 = tool_.Convert(tiny, "f32"), q4 = tool_.Convert(tiny, "q4"),
                    q4b = tool_.Convert(tiny, "q4b");
  const std::string on_text = " --context 64 --text '" + tool_.Path("text") + "'";
  const auto eval = [&](const std::string& arguments) {
    const ToolResult result = tool_("eval " + arguments + on_text + " --json");
    EXPECT_EQ(result.code, 0) << arguments << result.err;
    return nlohmann::json::parse(result.out);
  };

  const auto itself = eval(f32 + " --kv f32 --against " + f32);
  EXPECT_EQ(itself.at("kl"), 0.0);
  EXPECT_EQ(itself.at("top1"), 1.0);
  EXPECT_EQ(itself.at("perplexity"), itself.at("against").at("perplexity"));
  EXPECT_EQ(itself.at("positions").get<uint64_t>(), itself.at("chunks").get<uint64_t>() * 64);
  // The figures of one model do not depend on the other.
  EXPECT_EQ(eval(q4b).at("perplexity"), eval(q4b + " --against " + f32).at("perplexity"));
  EXPECT_EQ(eval(f32 + " --kv f32").at("perplexity"), itself.at("perplexity"));

  const double kv = eval(f32 + " --against " + f32).at("kl");
  const double q8_loss = eval(model_ + " --against " + f32).at("kl");
  const double q4b_loss = eval(q4b + " --against " + f32).at("kl");
  EXPECT_GT(kv, 0);
  EXPECT_LT(kv, q8_loss);
  const double q4_loss = eval(q4 + " --against " + f32).at("kl");
  EXPECT_LT(8 * q8_loss, q4_loss);
  EXPECT_LT(q4_loss, q4b_loss);
  EXPECT_EQ(eval(q4b + " --against " + q4b + " --against-kv int8").at("kl"), 0.0);

  // Without a text, each of our own by itself.
  const ToolResult ours = tool_("eval " + q4b + " --against " + f32 + " --context 64 --json");
  EXPECT_EQ(ours.code, 0) << ours.err;
  for (const char* name : {"prose", "scripts", "calls", "programs"}) {
    const auto judged = nlohmann::json::parse(ours.out).at(name);
    EXPECT_GT(judged.at("kl"), 0) << name;
    EXPECT_GE(judged.at("chunks"), 8) << name;
  }

  const ToolResult table = tool_("eval " + q4b + " --against " + f32 + on_text);
  for (const char* part : {"q4b.rondo", "f32.rondo", "reference", "same top token", "KL"}) {
    EXPECT_THAT(table.out, HasSubstr(part));
  }
}

TEST_F(ToolTest, EvalComparesOnlyModelsOfOneVocabulary) {
  EXPECT_EQ(tool_("eval " + model_ + " --text x --against-kv f32").code, 2);
  const std::string stories = std::string(kSharedData) + "/trained/stories260K";
  RONDO_SKIP_WITHOUT(stories);
  tool_.Write("text", "Once upon a time there was a text.");
  ExpectFailure("eval " + model_ + " --text '" + tool_.Path("text") + "' --against " +
                    tool_.Convert(stories, "f32"),
                "2,048 and 512");
}

TEST_F(ToolTest, EvalOfStoriesIsThePublishedFigure) {
  const std::string stories = std::string(kSharedData) + "/trained/stories260K";
  const std::string text = std::string(kSharedData) + "/text/tinystories_200k.txt";
  RONDO_SKIP_WITHOUT(stories);
  RONDO_SKIP_WITHOUT(text);
  const auto perplexity = [&](const std::string& weights, const std::string& kv) {
    const ToolResult result = tool_("eval " + tool_.Convert(stories, weights) + " --text '" + text +
                                    "' --kv " + kv + " --json");
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out).at("perplexity").get<double>();
  };
  const double f32 = perplexity("f32", "f32");
  EXPECT_NEAR(f32, 4.1051, 0.00005);
  EXPECT_LT(perplexity("q8", "int8"), f32 * 1.005);
}

// The tiny model with changes to two of its files.
class ChangedModelTest : public testing::Test {
 protected:
  std::string Convert(const nlohmann::json& generation,
                      const nlohmann::json& config = nlohmann::json::object()) {
    const std::string folder = tool_.Path("checkpoint");
    std::filesystem::copy(std::string(kTestData) + "/tiny", folder);
    tool_.Write("checkpoint/generation_config.json", generation.dump());
    nlohmann::json whole = nlohmann::json::parse(tool_.Read("checkpoint/config.json"));
    whole.merge_patch(config);
    tool_.Write("checkpoint/config.json", whole.dump());
    return tool_.Convert(folder, "q8");
  }

  ToolRunner tool_;
};

TEST_F(ChangedModelTest, RecommendedSamplingIsUsedUnlessOptionsSayOtherwise) {
  const std::string model = Convert({{"do_sample", true}, {"temperature", 1.5}});
  EXPECT_THAT(tool_("inspect " + model).out,
              testing::ContainsRegex("sampling +temperature 1.5, top-k 50\n"));
  const auto run = [&](const std::string& flags) {
    const ToolResult result =
        tool_("run " + model + " \"Today's weather is so\" --max-tokens 40 --ignore-eos " + flags);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "") << flags;  // quiet where nobody looks
    return result.out;
  };
  const std::string recommended = run("");
  EXPECT_EQ(recommended, run("--temperature 1.5 --top-k 50 --seed 0"));
  EXPECT_EQ(recommended, run(""));
  EXPECT_NE(recommended, run("--seed 1"));
  EXPECT_NE(recommended, run("--top-k 2"));
  const std::string greedy = run("--greedy");
  EXPECT_NE(recommended, greedy);
  EXPECT_EQ(greedy, run("--temperature 0"));
  EXPECT_EQ(greedy, run("--top-k 1"));
  EXPECT_THAT(tool_("run " + model + " x --max-tokens 2 --top-k 7 --seed 3 --verbose").err,
              HasSubstr("sampling: temperature 1.5, top-k 7, seed 3\n"));
}

TEST_F(ChangedModelTest, RecommendedListsAreObeyedUnlessOptionsSayOtherwise) {
  const auto run = [&](const std::string& model, const std::string& flags = "") {
    const ToolResult result =
        tool_("run " + model + " \"Today's weather is so\" --max-tokens 40 --ignore-eos " + flags);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  const std::string plain = run(Convert(nlohmann::json::object()));
  ASSERT_GT(plain.size(), 12u);
  const std::string stop = plain.substr(6, 3);
  std::filesystem::remove_all(tool_.Path("checkpoint"));
  const std::string model = Convert({{"stop_strings", {stop}}});
  EXPECT_THAT(tool_("inspect " + model).out, HasSubstr(", stop at \"" + stop + "\"\n"));
  EXPECT_EQ(run(model), plain.substr(0, plain.find(stop)) + "\n");
  EXPECT_EQ(run(model, "--stop ''"), plain);
  EXPECT_EQ(run(model, "--stop 'nothing like it'"), plain);
}

TEST_F(ChangedModelTest, NoneRecommendedIsGreedy) {
  const std::string model = Convert(nlohmann::json::object());
  EXPECT_THAT(tool_("inspect " + model).out,
              testing::ContainsRegex("sampling +none recommended: the most likely token\n"));
}

TEST_F(ChangedModelTest, TheContextIsWhatIsNeeded) {
  const std::string model = Convert(nlohmann::json::object(), {{"max_position_embeddings", 20000}});
  const auto context = [&](const std::string& flags) {
    const ToolResult result = tool_("run " + model + " \"Today's weather is so\" --verbose " +
                                    "--stop e --stop a --stop ' ' " + flags);
    EXPECT_EQ(result.code, 0) << result.err;
    const size_t at = result.err.find("context of ");
    return result.err.substr(at, result.err.find('\n', at) - at);
  };
  EXPECT_EQ(context(""), "context of 8,192 tokens");
  EXPECT_EQ(context("--max-tokens 9000"), "context of 9,006 tokens");  // and the prompt's six
  EXPECT_EQ(context("--max-tokens 0"), "context of 8,198 tokens");
  EXPECT_EQ(context("--max-tokens 18446744073709551615"), "context of 20,000 tokens");
  EXPECT_EQ(context("--context 100"), "context of 100 tokens");
  EXPECT_THAT(tool_("inspect " + model + " --plan").out, HasSubstr("context of 8,192 tokens"));
  EXPECT_THAT(tool_("inspect " + model + " --plan --context 20000").out,
              HasSubstr("context of 20,000 tokens"));
  // Without a prompt that fits, it is raised for the prompt.
  std::string words;
  for (int i = 0; i < 9000; ++i) words += " the";
  tool_.Write("long", words);
  const ToolResult result =
      tool_("run " + model + " - --max-tokens 1 --verbose < '" + tool_.Path("long") + "'");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("context of 9,002 tokens"));
}

TEST_F(ToolTest, AFullContextIsTold) {
  const auto told = [&](const char* context) {
    const ToolResult result = tool_(
        "run " + model_ + " 'Once upon a time' --ignore-eos --max-tokens 0 --context " + context);
    EXPECT_EQ(result.code, 0);
    return result.err;
  };
  EXPECT_EQ(
      told("128"),
      "(the context of 128 tokens is full: a larger --context, or --policy slide, goes on)\n");
  // A context of one block cannot slide.
  EXPECT_EQ(told("64"), "(the context of 64 tokens is full: a larger --context goes on)\n");
}

}  // namespace
}  // namespace rondo
