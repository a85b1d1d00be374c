#include "tools/common/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rondo/rondo.h"
#include "runtime/engine/options.h"
#include "runtime/model/limits.h"
#include "runtime/model/sampling_ranges.h"
#include "tools/app.h"
#include "tools/common/commands_of.h"
#include "tools/common/limits.h"

namespace rondo::tools {
namespace {

using testing::HasSubstr;

// What the option that `add` declares says to `text`; empty where it is taken.
template <typename Add>
std::string Refusal(const Add& add, const std::string& text) {
  CLI::App app;
  add(&app);
  try {
    app.parse(std::vector<std::string>{text, "--x"});  // CLI11 takes them from the back
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

TEST(Options, IntegersAreDecimal) {
  uint32_t value = 0;
  const auto add = [&](CLI::App* app) { AddInteger(app, "--x", &value, {1, 2048}, "Rows", "7"); };
  for (const auto& [text, number] : std::vector<std::pair<std::string, uint32_t>>{
           {"1", 1}, {"2048", 2048}, {"040", 40}, {"08", 8}, {"0000000000000000000000012", 12}}) {
    EXPECT_EQ(Refusal(add, text), "") << text;
    EXPECT_EQ(value, number) << text;
  }
  for (const char* bad : {"0", "2049", "0x10", "1e3", "-1", "+1", "1.0", "1,000", "ten", " 1", "1 ",
                          "4294967297", "18446744073709551617", "nan", "0b1"}) {
    EXPECT_THAT(Refusal(add, bad), HasSubstr(" is not an integer from 1 to 2,048")) << bad;
  }
  EXPECT_EQ(Refusal(add, "ten"), "--x: ten is not an integer from 1 to 2,048");
  EXPECT_EQ(Refusal(add, "a b"), "--x: \"a b\" is not an integer from 1 to 2,048");
  const auto seed = [](CLI::App* app) {
    static uint64_t any = 0;
    AddInteger(app, "--x", &any, {0, UINT64_MAX, "no limit"}, "Seed", "0");
  };
  EXPECT_EQ(Refusal(seed, "18446744073709551615"), "");
  EXPECT_EQ(
      Refusal(seed, "18446744073709551616"),
      "--x: 18446744073709551616 is not an integer from 0 to 18,446,744,073,709,551,615 (0: no "
      "limit)");
}

TEST(Options, TextsStayAsTheyWereTyped) {
  const std::vector<std::string> typed = {"[a, b]", "[]", "[x]", "a,b", "", "[[a]]", "[1] and [2]"};
  std::vector<std::string> arguments, options;
  CLI::App app;
  std::string first;
  app.add_option("FIRST", first)->required();
  AddTexts(&app, "TEXT", &arguments, "Texts");
  AddTexts(&app, "--x", &options, "Texts");
  std::vector<std::string> line = {"[first]"};
  for (const std::string& text : typed) line.insert(line.end(), {text, "--x", text});
  std::ranges::reverse(line);  // CLI11 takes them from the back
  app.parse(line);
  EXPECT_EQ(first, "[first]");
  EXPECT_EQ(arguments, typed);
  EXPECT_EQ(options, typed);
  app.parse(std::vector<std::string>{"-b", "--", "a", "c"});
  EXPECT_EQ(arguments, (std::vector<std::string>{"a", "-b"}));
}

TEST(Options, RealsAreDecimal) {
  std::optional<float> value;
  const auto add = [&](CLI::App* app) {
    AddReal(app, "--x", &value, {0, 1, false, true, "above 0, at most 1"}, "Share", "1");
  };
  for (const auto& [text, number] : std::vector<std::pair<std::string, float>>{
           {"1", 1}, {"0.5", 0.5f}, {".25", 0.25f}, {"5e-1", 0.5f}, {"00.10", 0.1f}, {"1.", 1}}) {
    EXPECT_EQ(Refusal(add, text), "") << text;
    EXPECT_EQ(value, number) << text;
  }
  for (const char* bad : {"0", "1.1", "0x1p-1", "-0.5", "nan", "inf", "1e-60", "0.5x", "0.5e", ".",
                          "0,5", "+1", "--1"}) {
    EXPECT_THAT(Refusal(add, bad), HasSubstr(" is not a number above 0, at most 1")) << bad;
  }
}

TEST(Options, SizesHaveUnits) {
  uint64_t bytes = 0;
  const auto add = [&](CLI::App* app) { AddSize(app, "--x", &bytes, ""); };
  for (const auto& [text, size] :
       std::vector<std::pair<std::string, uint64_t>>{{"1500000", 1500000},
                                                     {"3K", 3000},
                                                     {"3kB", 3000},
                                                     {"1.5M", 1'500'000},
                                                     {"2G", 2'000'000'000},
                                                     {"64.0 MB", 64'000'000},
                                                     {"12B", 12},
                                                     {"1T", 1'000'000'000'000},
                                                     {"1GiB", 1u << 30},
                                                     {"1gi", 1u << 30},
                                                     {"1.5MiB", 3u << 19},
                                                     {"010", 10}}) {
    EXPECT_EQ(Refusal(add, text), "") << text;
    EXPECT_EQ(bytes, size) << text;
  }
  for (const char* bad : {"", "0", "M", "12Q", "12MBs", "12 B B", "12MiBs", "-5", "nan", "inf",
                          "1e300", "99999999999G", "0x10", "12Bi"}) {
    EXPECT_NE(Refusal(add, bad), "") << bad;
  }
}

TEST(Options, ADashIsNoFile) {
  std::string path;
  const auto file = [&](CLI::App* app) { AddFile(app, "-o,--x", &path, ""); };
  EXPECT_EQ(Refusal(file, "-"),
            "--x: - is no name of a file here; ./- is, for a file of that name");
  EXPECT_EQ(Refusal(file, "./-"), "");
  EXPECT_EQ(Refusal([&](CLI::App* app) { AddFile(app, "--x", &path, "", Dash::kIsInput); }, "-"),
            "");
  EXPECT_EQ(path, "-");
}

// What a command's option says to `text`.
std::string Told(const std::string& command, const std::string& option, const std::string& text) {
  const auto app = MakeApp();
  const char* const argv[] = {"rondo", command.c_str(), option.c_str(), text.c_str()};
  try {
    app->parse(4, argv);
  } catch (const CLI::ValidationError& error) {
    return error.what();
  } catch (const CLI::ParseError&) {
    return "";
  }
  return "";
}

// Every option of every command that takes a number, and every one that takes a file.
TEST(Options, OfAllCommandsSpeakInOneVoice) {
  const auto app = MakeApp();
  size_t integers = 0, reals = 0, files = 0;
  for (const CLI::App* command : CommandsOf(*app)) {
    for (const CLI::Option* option : OptionsOf(*command)) {
      const std::string type = option->get_type_name();
      const std::string name = option->get_lnames().empty() ? "-" + option->get_snames()[0]
                                                            : "--" + option->get_lnames()[0];
      SCOPED_TRACE(command->get_name() + " " + name);
      const bool is_real = type == "X" || type == "P" || name == "--bits";
      const bool is_integer =
          !is_real && (type == "N" || type == "K" || type == "N,N,..." || type == "1,2,3");
      EXPECT_FALSE(type == "INT" || type == "UINT" || type == "FLOAT") << "read by CLI11";
      integers += is_integer;
      reals += is_real;
      for (const char* bad : {"0x10", "1e3x", "ten", "-1x", "nan"}) {
        if (!is_integer && !is_real) continue;
        EXPECT_THAT(Told(command->get_name(), name, bad),
                    testing::StartsWith(name + ": " + bad + " is not a"));
      }
      if (is_integer) {
        for (const char* bad : {"1e3", "-1", "99999999999999999999", "1.5"}) {
          const std::string told = Told(command->get_name(), name, bad);
          EXPECT_THAT(told, testing::MatchesRegex(".* is not an integer from [0-9,]+ to [0-9,]+"
                                                  "( \\(0: [a-z ]+\\))?"));
          // The help has the range of the error, where it is not only the type's.
          const size_t from = told.find(" from ") + 6;
          const std::string range = told.substr(from, told.find(" (", from) - from);
          if (range.ends_with("7,483,647") || range.ends_with("551,615")) continue;
          EXPECT_THAT(option->get_description(), HasSubstr(", " + range));
        }
      }
      if (type == "FILE" || type == "REF" || type == "NAME|FILE") {
        ++files;
        if (name == "--text") continue;  // standard input
        EXPECT_THAT(Told(command->get_name(), name, "-"), HasSubstr("- is no name of a file"));
      }
    }
  }
  EXPECT_GE(integers, 30u);
  EXPECT_GE(reals, 14u);
  EXPECT_GE(files, 11u);
}

TEST(Options, LimitsAreTheLibrarys) {
  const auto query = [](const char* name) {
    int64_t value = 0;
    EXPECT_EQ(rondo_query(name, &value), RONDO_STATUS_OK);
    return static_cast<uint64_t>(value);
  };
  EXPECT_EQ(kMostSessions, query("limit.sessions"));
  EXPECT_EQ(kMostRows, query("limit.rows"));
  EXPECT_EQ(kMostPenaltyTokens, query("limit.penalty_tokens"));
  EXPECT_EQ(kMostNgram, query("limit.ngram"));
  EXPECT_EQ(kMostContext, kMaxContext);
}

}  // namespace
}  // namespace rondo::tools
