#include "tools/bench/peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/tools/error_of.h"
#include "tools/common/library.h"

namespace rondo::tools {
namespace {

using testing::HasSubstr;

constexpr PeerTask kTask = {512, 128, 4096, 2};

TEST(Peer, LinesAreRead) {
  const PeerSpeeds both = ParsePeer("loading ...\nprefill 123.5\n  decode\t2e1 t/s\n", kTask);
  EXPECT_EQ(both.prefill, 123.5);
  EXPECT_EQ(both.decode, 20);
  const PeerSpeeds one = ParsePeer("decode 7", kTask);
  EXPECT_EQ(one.prefill, 0);
  EXPECT_EQ(one.decode, 7);
}

TEST(Peer, JsonEntriesOfThisTaskCount) {
  const PeerSpeeds speeds = ParsePeer(R"([
    {"n_prompt": 512, "n_gen": 0, "n_depth": 4096, "n_threads": 2, "avg_ts": 3.5},
    {"n_prompt": 512, "n_gen": 0, "n_depth": 0, "n_threads": 2, "avg_ts": 1.0},
    {"n_prompt": 512, "n_gen": 0, "n_depth": 4096, "n_threads": 1, "avg_ts": 2.0},
    {"n_prompt": 512, "n_gen": 128, "n_depth": 4096, "n_threads": 2, "avg_ts": 4.0},
    {"n_prompt": 0, "n_gen": 64, "n_depth": 4096, "n_threads": 2, "avg_ts": 5.0},
    {"n_prompt": 0, "n_gen": 128, "avg_ts": 6.5},
    "nothing", 7, null, {"n_prompt": "512"}])",
                                      kTask);
  EXPECT_EQ(speeds.prefill, 3.5);
  EXPECT_EQ(speeds.decode, 6.5);
}

TEST(Peer, WhatTellsNothingIsRefused) {
  for (const char* output :
       {"", "\n", "fast", "prefill", "[]", "[1, 2]", "{\"avg_ts\": 3}", "[{\"n_prompt\": 512",
        "[{\"n_prompt\": 511, \"n_gen\": 0, \"avg_ts\": 3}]"}) {
    EXPECT_THAT(SentenceOf([&] { ParsePeer(output, kTask); }), HasSubstr("neither")) << output;
  }
}

TEST(Peer, SpeedsArePositiveNumbers) {
  for (const char* output :
       {"prefill 0", "prefill -3", "prefill nan", "prefill inf", "prefill 12x", "prefill x",
        "[{\"n_prompt\": 512, \"avg_ts\": -1}]", "[{\"n_prompt\": 512, \"avg_ts\": 1e999}]",
        "[{\"n_prompt\": 512, \"avg_ts\": \"12\"}]", "[{\"n_prompt\": 512}]"}) {
    const std::string why = SentenceOf([&] { ParsePeer(output, kTask); });
    EXPECT_TRUE(why.find("not a positive number") != std::string::npos ||
                why.find("neither") != std::string::npos)
        << output << ": " << why;
  }
}

TEST(Peer, TheCommandKnowsItsTask) {
  const PeerSpeeds speeds = RunPeer("echo prefill $P.$D; sh -c 'echo decode $N.$T'", kTask);
  EXPECT_EQ(speeds.prefill, 512.4096);
  EXPECT_EQ(speeds.decode, 128.2);
}

TEST(Peer, FailuresAreSaid) {
  EXPECT_THAT(SentenceOf([] { RunPeer("echo decode 3; exit 7", kTask); }),
              HasSubstr("exit code 7"));
  EXPECT_THAT(SentenceOf([] { RunPeer("kill -9 $$", kTask); }), HasSubstr("signal"));
  EXPECT_THAT(SentenceOf([] { RunPeer("yes decode 1", kTask); }), HasSubstr("megabyte"));
  EXPECT_THAT(SentenceOf([] { RunPeer("true", kTask); }), HasSubstr("neither"));
}

}  // namespace
}  // namespace rondo::tools
