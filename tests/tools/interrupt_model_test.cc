// A signal at any moment of a command that writes: the old file or the new one, and nothing else.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "tests/support/places.h"
#include "tests/tools/convert/random_checkpoint.h"
#include "tests/tools/run_tool.h"
#include "tests/tools/traced_tool.h"

namespace rondo {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMoments = 12;  // of each command, from its first system call to its last
// How many calls there are varies with how threads meet: in another run the last moments may not
// come. So many do.
constexpr size_t kSureMoments = kMoments / 3;

// A command that writes `output` in the folder `work`.
struct Writer {
  const char* output;
  std::vector<std::string> arguments;
};

class InterruptTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!CanTrace()) GTEST_SKIP() << "processes cannot be traced here";
    convert::CheckpointShape shape;
    shape.vocab_size = 2048;                           // the tokenizer's
    shape.hidden_size = shape.intermediate_size = 64;  // scales are then a small part
    convert::WriteRandomCheckpoint(folder_ / "model", shape);
    fs::copy_file(std::string(kTestData) + "/tiny/tokenizer.json",
                  folder_ / "model/tokenizer.json");
    std::string text;
    for (int i = 0; i < 100; ++i) text += "Once upon a time there were " + std::to_string(i) + ". ";
    std::ofstream(folder_ / "text") << text;
    ASSERT_EQ(RunTraced({"convert", Path("model"), "-o", Path("model.rondo")}, {}).exit_code, 0);
    fs::create_directory(folder_ / "work");
  }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  std::vector<Writer> Writers() const {
    const auto work = [&](const char* name) { return Path(std::string("work/") + name); };
    return {
        {"q4b.rondo", {"convert", Path("model"), "-o", work("q4b.rondo"), "--weights", "q4b"}},
        {"mixed.rondo",
         {"convert", Path("model"), "-o", work("mixed.rondo"), "--weights", "auto", "--bits", "6",
          "--calibrate", Path("text")}},
        {"packed.rondo", {"pack", Path("model.rondo"), "-o", work("packed.rondo")}},
        {"x.npy", {"logits", Path("model.rondo"), "--ids", "1,2,3", "-o", work("x.npy")}},
    };
  }
  std::map<std::string, std::string> Work() const { return Contents(folder_ / "work"); }

  // Sends signals at moments of the writer's run. `before`: what the folder holds when it starts.
  // Returns how many runs they ended.
  size_t Interrupt(const Writer& writer, const std::vector<int>& signals) {
    const auto before = Work();
    const TracedRun whole = RunTraced(writer.arguments, {.nameless_files = GetParam()});
    EXPECT_EQ(whole.exit_code, 0);
    EXPECT_GT(whole.stops, 2 * kMoments);
    const auto after = Work();
    EXPECT_EQ(after.size(), before.size() + (before.contains(writer.output) ? 0 : 1));
    size_t ended = 0;
    for (size_t i = 0; i < kMoments; ++i) {
      Restore(before);
      const int signal = signals[i % signals.size()];
      const size_t stop = 1 + i * (whole.stops - 1) / kMoments;
      const TracedRun run = RunTraced(
          writer.arguments, {.stop = stop, .signal = signal, .nameless_files = GetParam()});
      const auto left = Work();
      if (run.exit_code == 0) {
        EXPECT_TRUE(left == after) << "at " << stop << " of " << whole.stops;
        continue;
      }
      ++ended;
      if (signal == SIGKILL) {
        EXPECT_EQ(run.signal, SIGKILL);
        EXPECT_TRUE(left == before || left == after) << "at " << stop << " of " << whole.stops;
      } else {
        EXPECT_EQ(run.exit_code, 128 + signal) << "at " << stop << " of " << whole.stops;
        EXPECT_TRUE(left == before) << "at " << stop << " of " << whole.stops;
      }
    }
    return ended;
  }

  TempFolder folder_;

 private:
  void Restore(const std::map<std::string, std::string>& contents) const {
    for (const auto& entry : fs::directory_iterator(folder_ / "work")) fs::remove(entry.path());
    for (const auto& [name, bytes] : contents) {
      std::ofstream(folder_ / "work" / name, std::ios::binary) << bytes;
    }
  }
};

// The files of an earlier run stay as they were, byte for byte.
TEST_P(InterruptTest, LeavesTheOldFiles) {
  const auto fill = [&](const char* name, const std::string& bytes) {
    std::ofstream(folder_ / "work" / name, std::ios::binary) << bytes;
  };
  fill("notes.txt", "what somebody wrote");
  for (const char* name : {"q4b.rondo", "mixed.rondo", "packed.rondo"})
    fill(name, "RNDO, an old one");
  fill("x.npy", "\x93NUMPY, an old one");
  for (const Writer& writer : Writers()) {
    SCOPED_TRACE(writer.output);
    EXPECT_GE(Interrupt(writer, {SIGINT, SIGTERM, SIGHUP}), kSureMoments);
  }
}

// Not even a kill leaves anything, where the file system has files without a name.
TEST_P(InterruptTest, AKillLeavesNothing) {
  if (!GetParam()) GTEST_SKIP() << "a file with a name stays";
  const auto none = Work();
  for (const Writer& writer : Writers()) {
    SCOPED_TRACE(writer.output);
    EXPECT_GE(Interrupt(writer, {SIGKILL}), kSureMoments);
    fs::remove(folder_ / "work" / writer.output);
  }
}

// Those that write nothing end with the signal's code, too: at once, or by being done.
TEST_P(InterruptTest, EveryCommandEndsWithTheSignalsCode) {
  if (!GetParam()) GTEST_SKIP() << "files are not what this is about";
  const std::string model = Path("model.rondo");
  const std::vector<std::vector<std::string>> commands = {
      {"run", model, "Once upon a time", "--max-tokens", "30", "--ignore-eos"},
      {"eval", model, "--text", Path("text"), "--context", "32"},
      {"eval", model, "--text", Path("text"), "--context", "32", "--against", model},
      {"inspect", model, "--check"},
      {"bench", model, "-p", "4", "-n", "4", "--reps", "1"},
      {"bench", "--shape", "stories260k", "-p", "4", "-n", "4", "--reps", "1"},
  };
  for (const auto& command : commands) {
    SCOPED_TRACE(command[0] + " " + command[1]);
    const TracedRun whole = RunTraced(command, {});
    ASSERT_EQ(whole.exit_code, 0);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      EXPECT_EQ(RunTraced(command, {.stop = 1, .signal = signal}).exit_code, 128 + signal);
      const TracedRun later = RunTraced(command, {.stop = whole.stops / 2, .signal = signal});
      EXPECT_TRUE(later.exit_code == 128 + signal || later.exit_code == 0) << later.exit_code;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(FileSystems, InterruptTest, testing::Values(true, false),
                         [](const auto& info) {
                           return info.param ? std::string("WithNamelessFiles")
                                             : std::string("WithNamedFilesOnly");
                         });

}  // namespace
}  // namespace rondo
