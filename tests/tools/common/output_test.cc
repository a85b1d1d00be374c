#include "tools/common/output.h"
#include "tests/support/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

namespace rondo::tools {
namespace {

namespace fs = std::filesystem;

// What `print` leaves on standard output, which is a terminal or a pipe.
template <typename Action>
std::string Printed(bool is_terminal, const Action& print) {
  int ends[2] = {-1, -1};
  if (is_terminal ? openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) != 0 : pipe(ends) != 0) {
    return "no pipe";
  }
  std::fflush(nullptr);  // the child has no text of ours
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    print();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  char buffer[1024];
  const ssize_t got = read(ends[0], buffer, sizeof buffer);
  for (const int end : ends) close(end);
  return {buffer, got > 0 ? static_cast<size_t>(got) : 0};
}

TEST(Output, AnAnswerIsEscapedOnATerminalOnly) {
  const auto answer = [] { PrintAnswer("Grüße\x1b[2J\n"); };
  EXPECT_EQ(Printed(true, answer), "Grüße\\x1b[2J\r\n");  // the terminal's own line end
  EXPECT_EQ(Printed(false, answer), "Grüße\x1b[2J\n");
}

TEST(Output, LinesAreEscapedEverywhere) {
  EXPECT_EQ(Printed(false, [] { Print("a\x1b[2J\n"); }), "a\\x1b[2J\n");
  EXPECT_EQ(Printed(false, [] { PrintBytes("a\x1b[2J\n"); }), "a\x1b[2J\n");
}

// One place prints, so that no command can leave out what that does.
TEST(Output, OnePlacePrints) {
  const fs::path tools = fs::path(kSourceFolder) / "tools";
  const std::regex prints(R"((std::|\b)(cout|cerr|clog|printf|fprintf|puts|fputs|fwrite)\b)");
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(tools)) {
    const std::string name = fs::relative(entry.path(), tools).string();
    if (entry.path().extension() != ".cc" || name.starts_with("manual/")) continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    if (std::regex_search(text.str(), prints)) found.push_back(name);
  }
  // main.cc says what WrongUsage made, eval draws its progress, a call's arguments go to a file.
  EXPECT_THAT(found, testing::UnorderedElementsAre("common/output.cc", "main.cc", "eval/command.cc",
                                                   "chat/call_runner.cc"));
}

}  // namespace
}  // namespace rondo::tools
