#include "tools/common/interrupt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/places.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/random_checkpoint.h"
#include "tools/common/output_file.h"
#include "tools/common/text_io.h"
#include "tools/convert/common/parallel.h"
#include "tools/convert/convert.h"
#include "tools/convert/output/check_written.h"
#include "tools/convert/tokenizer/compile_tokenizer.h"
#include "tools/convert/tokenizer/trie_builder.h"

namespace rondo::tools {
namespace {

// While it lives, Ctrl-C was pressed.
class CtrlC {
 public:
  CtrlC() {
    NoteSignals();
    raise(SIGINT);
  }
  ~CtrlC() {
    ForgetCtrlC();
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  }
};

TEST(InterruptTest, IsSeenUntilItIsForgotten) {
  EXPECT_NO_THROW(CheckInterrupt());
  {
    const CtrlC pressed;
    EXPECT_TRUE(InterruptFlag());
    EXPECT_THROW(CheckInterrupt(), Interrupted);
  }
  EXPECT_FALSE(InterruptFlag());
  EXPECT_NO_THROW(CheckInterrupt());
}

// A conversation goes on after Ctrl-C, but not after the others.
TEST(InterruptTest, OnlyCtrlCIsForgotten) {
  for (const int signal : {SIGTERM, SIGHUP}) {
    const auto first_and_then = [&](int first, int then) {
      NoteSignals();
      raise(first);
      raise(then);
      ForgetCtrlC();
      try {
        CheckInterrupt();
      } catch (const Interrupted& interruption) {
        _exit(interruption.exit_code());
      }
      _exit(0);
    };
    EXPECT_EXIT(first_and_then(SIGINT, signal), testing::ExitedWithCode(128 + signal), "");
    EXPECT_EXIT(first_and_then(signal, SIGINT), testing::ExitedWithCode(128 + signal), "");
  }
}

TEST(InterruptTest, WhatIsIgnoredStaysIgnored) {
  const auto hang_up = [] {
    std::signal(SIGHUP, SIG_IGN);  // as nohup does
    NoteSignals();
    raise(SIGHUP);
    _exit(InterruptFlag() ? 1 : 0);
  };
  EXPECT_EXIT(hang_up(), testing::ExitedWithCode(0), "");
}

TEST(InterruptTest, EndsWaiting) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const CtrlC pressed;
  EXPECT_THROW(WaitForInput(ends[0]), Interrupted);  // nothing will ever come
  close(ends[0]);
  close(ends[1]);
}

TEST(InterruptTest, EndsWriting) {
  const TempFolder folder;
  OutputFile file(folder / "x", {"a text", ""}, Replace::kSameKind);
  file.Write("before");
  const CtrlC pressed;
  EXPECT_THROW(file.Write("after"), Interrupted);
  EXPECT_THROW(file.Commit(), Interrupted);
  EXPECT_FALSE(std::filesystem::exists(folder / "x"));
}

// The tokenizer's tables are compiled before anything of them is written.
TEST(InterruptTest, EndsCompilingATokenizer) {
  struct NoSink : convert::SectionSink {
    format::Section Add(std::span<const uint8_t>) override {
      ADD_FAILURE() << "the tables are complete";
      return {};
    }
  };
  std::ifstream file(std::string(kTestData) + "/tiny/tokenizer.json");
  const nlohmann::json document = nlohmann::json::parse(file);
  NoSink sink;
  flatbuffers::FlatBufferBuilder builder;
  const CtrlC pressed;
  EXPECT_THROW(convert::CompileTokenizer(document, "tokenizer.json", 2048, sink, builder),
               Interrupted);
  EXPECT_THROW(convert::BuildTrie({{"a", 1}, {"b", 2}}), Interrupted);
}

TEST(InterruptTest, EndsTheReCheck) {
  const TempFolder folder;
  convert::WriteRandomCheckpoint(folder / "model", {});
  convert::ConvertOptions options;
  options.directory = folder / "model";
  options.output = folder / "model.rondo";
  convert::Convert(options, [](uint64_t, uint64_t) {});
  EXPECT_NO_THROW(convert::CheckWritten(options.output));
  const CtrlC pressed;
  EXPECT_THROW(convert::CheckWritten(options.output), Interrupted);
}

TEST(InterruptTest, EndsCalibrationsLoops) {
  const CtrlC pressed;
  EXPECT_THROW(convert::ParallelFor(2, 10, [](size_t) { ADD_FAILURE() << "a task was begun"; }),
               Interrupted);
}

}  // namespace
}  // namespace rondo::tools
