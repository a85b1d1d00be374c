// The help of every command, as its users read it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tools/app.h"

namespace rondo::tools::help_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<const CLI::App*> Commands(const CLI::App& app) {
  const CLI::App& constant = app;
  return constant.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); });
}

// Those in option groups, too.
std::vector<const CLI::Option*> Options(const CLI::App& command) {
  std::vector<const CLI::Option*> options = command.get_options();
  for (const CLI::App* group :
       command.get_subcommands([](const CLI::App* sub) { return sub->get_name().empty(); })) {
    for (const CLI::Option* option : group->get_options()) options.push_back(option);
  }
  return options;
}

std::string Help(const CLI::App& command) { return command.help("rondo"); }

// Its line, and those that it goes on in.
std::string EntryOf(const std::string& name, const std::string& help) {
  std::istringstream lines(help);
  std::string entry;
  for (std::string line; std::getline(lines, line);) {
    const bool goes_on = line.starts_with(std::string(20, ' '));
    if (!entry.empty() && !goes_on) break;
    const bool begins = line.starts_with("  " + name + " ") || line.starts_with("  -o, " + name) ||
                        line.starts_with("  -t, " + name) || line.starts_with("  -h, " + name);
    if (entry.empty() && !begins) continue;
    entry += entry.empty() ? line : line.substr(line.find_first_not_of(' ') - 1);
  }
  return entry;
}

TEST(Help, EveryOptionSaysWhatItIsAndItsDefault) {
  const auto app = MakeApp();
  ASSERT_GE(Commands(*app).size(), 9u);
  size_t values = 0;
  for (const CLI::App* command : Commands(*app)) {
    for (const CLI::Option* option : Options(*command)) {
      SCOPED_TRACE(command->get_name() + " " + option->get_name(true));
      const std::string& text = option->get_description();
      EXPECT_GE(text.size(), 8u);
      EXPECT_THAT(text, Not(HasSubstr("if not given")));
      EXPECT_THAT(text, Not(HasSubstr("\n")));
      const bool takes_value = option->get_items_expected_max() > 0;
      const size_t at = text.find("; default: ");
      const bool tells = at != std::string::npos && at + 11 < text.size();
      EXPECT_EQ(tells, takes_value && !option->get_required()) << text;
      values += takes_value ? 1 : 0;
    }
  }
  EXPECT_GT(values, 60u);
}

TEST(Help, ShowsEveryOptionInLinesThatFit) {
  const auto app = MakeApp();
  for (const CLI::App* command : Commands(*app)) {
    const std::string help = Help(*command);
    SCOPED_TRACE(help);
    EXPECT_THAT(help, HasSubstr("\nUsage: rondo " + command->get_name() + " "));
    const bool absent = command->get_description().starts_with("Not in this build");
    EXPECT_THAT(help,
                HasSubstr("\nExamples:\n  rondo " + (absent ? "convert" : command->get_name())));
    for (const char* of_cli11 : {"REQUIRED", "=", "Needs:", "Excludes:", "[Option Group", " ..."}) {
      EXPECT_THAT(help.substr(0, help.find("\nExamples:")), Not(HasSubstr(of_cli11)));
    }
    for (const CLI::Option* option : Options(*command)) {
      const std::string name = option->get_name(option->get_positional());
      std::string words = EntryOf(name, help);
      EXPECT_THAT(words, HasSubstr(" " + option->get_description())) << name;
    }
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(Help, RequiredOptionsAreInTheUsage) {
  const auto app = MakeApp();
  const std::string help = Help(*app->get_subcommand("convert"));
  EXPECT_THAT(help, HasSubstr("Usage: rondo convert MODEL -o FILE [OPTIONS]\n"));
  EXPECT_THAT(help, testing::ContainsRegex("-o, --output FILE +The file to write; required\n"));
  EXPECT_THAT(Help(*app->get_subcommand("run")),
              HasSubstr("Usage: rondo run MODEL [PROMPT] [OPTIONS]\n"));
}

TEST(Help, NamesEveryCommand) {
  const auto app = MakeApp();
  for (const CLI::App* command : Commands(*app)) {
    EXPECT_THAT(app->help(), testing::ContainsRegex("\n  " + command->get_name() + " +[A-Z]"));
  }
}

}  // namespace
}  // namespace rondo::tools::help_test
