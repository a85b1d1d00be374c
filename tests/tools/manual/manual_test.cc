// Man pages and completions have what --help has, in the words that their readers understand.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "tests/temp_folder.h"
#include "tools/app.h"
#include "tools/common/commands_of.h"
#include "tools/manual/completion.h"
#include "tools/manual/man_page.h"

namespace rondo::tools {
namespace {

using testing::HasSubstr;

bool Has(const char* program) {
  return std::system((std::string("command -v ") + program + " > /dev/null").c_str()) == 0;
}

TEST(ManPageTest, HasEveryOptionOfItsCommand) {
  const auto app = MakeApp();
  EXPECT_THAT(ManPage(*app, nullptr), HasSubstr(".BR rondo\\-run (1)"));
  for (const CLI::App* command : CommandsOf(*app)) {
    const std::string page = ManPage(*app, command);
    EXPECT_THAT(page, HasSubstr("\n.SH SYNOPSIS\n.B rondo " + command->get_name()));
    for (const CLI::Option* option : OptionsOf(*command)) {
      for (const std::string& name : option->get_lnames()) {
        std::string shown;
        for (const char c : "--" + name) shown += c == '-' ? std::string("\\-") : std::string(1, c);
        EXPECT_THAT(page, HasSubstr(shown)) << command->get_name();
      }
    }
  }
}

TEST(ManPageTest, GroffHasNothingToSay) {
  if (!Has("groff")) GTEST_SKIP() << "no groff";
  const TempFolder folder;
  const auto app = MakeApp();
  std::vector<const CLI::App*> commands = CommandsOf(*app);
  commands.push_back(nullptr);
  for (const CLI::App* command : commands) {
    const std::string page = (folder.path() / "page.1").string();
    std::ofstream(page) << ManPage(*app, command);
    // 0: rendered, and nothing was said on the way.
    EXPECT_EQ(std::system(("test -z \"$(groff -man -Tutf8 -ww -z '" + page + "' 2>&1)\"").c_str()),
              0)
        << (command == nullptr ? "rondo" : command->get_name());
  }
}

// What `shell` prints after reading the completion and `script`.
std::string After(const std::string& shell, const std::string& completion,
                  const std::string& script) {
  const TempFolder folder;
  const std::string file = (folder.path() / "completion").string();
  const std::string out = (folder.path() / "out").string();
  std::ofstream(file) << completion << script;
  EXPECT_EQ(std::system((shell + " '" + file + "' > '" + out + "' 2>&1").c_str()), 0);
  std::ifstream in(out);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(CompletionTest, BashCompletesCommandsAndOptions) {
  if (!Has("bash")) GTEST_SKIP() << "no bash";
  const std::string completion = BashCompletion(*MakeApp());
  const auto complete = [&](const std::string& words, const std::string& count) {
    return After(
        "bash", completion,
        "COMP_WORDS=(" + words + "); COMP_CWORD=" + count + "; _rondo; echo \"${COMPREPLY[*]}\"");
  };
  EXPECT_EQ(complete("rondo insp", "1"), "inspect\n");
  EXPECT_EQ(complete("rondo run model --max-t", "3"), "--max-tokens\n");
  EXPECT_EQ(complete("rondo help ch", "2"), "chat\n");
  EXPECT_EQ(complete("rondo run mod", "2"), "\n");  // files, by the shell itself
}

TEST(CompletionTest, ZshAndFishUnderstandTheirs) {
  const auto app = MakeApp();
  EXPECT_THAT(ZshCompletion(*app), HasSubstr("'*--max-tokens["));
  EXPECT_THAT(FishCompletion(*app), HasSubstr("__fish_seen_subcommand_from run' -l max-tokens -r"));
  if (Has("zsh")) {
    EXPECT_EQ(After("zsh -n", ZshCompletion(*app), ""), "");
  }
  if (Has("fish")) {
    EXPECT_EQ(After("fish -n", FishCompletion(*app), ""), "");
  }
}

}  // namespace
}  // namespace rondo::tools
