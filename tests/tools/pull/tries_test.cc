// Downloads from a hub that breaks off, is busy or not there.
#include "tools/pull/pull.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/tools/pull/pull_case.h"

namespace rondo::tools {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(PullTest, ABrokenDownloadIsGoneOnWith) {
  model().breaks_at = 40'000;
  Pull();
  ExpectModelIsThere();
  EXPECT_THAT(Ranges(), ElementsAre("", "bytes=40000-"));
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_THAT(notes_[0], HasSubstr("trying again"));
}

TEST_F(PullTest, TheNextRunGoesOnWithABrokenDownload) {
  model().breaks_at = 40'000;
  options_.tries = 1;
  EXPECT_THAT(Refusal(), HasSubstr("tried 1 time"));
  ExpectNothingOfTheModelIsThere();
  Pull();
  ExpectModelIsThere();
  EXPECT_THAT(Ranges(), ElementsAre("", "bytes=40000-"));
}

TEST_F(PullTest, AServerWithoutRangesSendsAllAgain) {
  model().breaks_at = 40'000;
  model().ignores_range = true;
  Pull();
  ExpectModelIsThere();
}

TEST_F(PullTest, WhatADamagedDownloadLeftIsLoadedAnew) {
  fs::create_directories(Blob(model()).parent_path());
  std::ofstream(Blob(model()).string() + ".incomplete") << std::string(50'000, 'x');
  Pull();
  ExpectModelIsThere();
  EXPECT_THAT(Ranges(), ElementsAre("bytes=50000-", ""));
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_THAT(notes_[0], HasSubstr("damaged"));
}

TEST_F(PullTest, ABusyServerIsAskedAgain) {
  model().refusals = 2;
  Pull();
  ExpectModelIsThere();
  EXPECT_EQ(notes_.size(), 2U);
}

TEST_F(PullTest, AServerThatIsNotThereIsNamed) {
  options_.hub = "http://127.0.0.1:1";
  options_.tries = 2;
  EXPECT_THAT(Refusal(), HasSubstr("http://127.0.0.1:1/api/models/org/model"));
}

TEST_F(PullTest, AHubWithoutAnAddressIsAskedOnce) {
  options_.hub = "http://no-such-host.invalid";
  EXPECT_THAT(Refusal(), HasSubstr("; what was downloaded before `rondo convert org/model` takes"));
  EXPECT_THAT(notes_, IsEmpty());
}

// Tries count where nothing came.
TEST_F(PullTest, ADownloadThatGoesOnIsNotGivenUp) {
  model().every = 9'000;
  options_.tries = 2;
  Pull();
  ExpectModelIsThere();
  EXPECT_EQ(Ranges().size(), 12u);
  EXPECT_EQ(Ranges().back(), "bytes=99000-");
}

TEST_F(PullTest, WhatComesAgainIsNoProgress) {
  model().every = 40'000;
  model().ignores_range = true;
  options_.tries = 3;
  EXPECT_THAT(Refusal(), HasSubstr("tried 3 times"));
  EXPECT_EQ(Ranges().size(), 3u);
}

TEST_F(PullTest, AServerSaysWhenToComeAgain) {
  model().refusals = 1;
  model().retry_after = "1";
  const auto begin = std::chrono::steady_clock::now();
  Pull();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_THAT(notes_[0], HasSubstr("status 503; trying again after the 1 second it asks for"));
}

TEST_F(PullTest, WhatSaysNoTimeIsNotWaitedFor) {
  for (const char* said : {"soon", "-5", "0", "Wed, 21 Oct 2015 07:28:00 GMT"}) {
    model() = {Bytes(1000 + notes_.size()), true};
    model().refusals = 1;
    model().retry_after = said;
    Pull();
    EXPECT_THAT(notes_.back(), Not(HasSubstr("it asks for"))) << said;
  }
}

TEST_F(PullTest, NobodyWaitsForHours) {
  for (const char* said : {"86400", "Fri, 01 Jan 2100 00:00:00 GMT"}) {
    model().refusals = 1;
    model().retry_after = said;
    EXPECT_THAT(Refusal(), HasSubstr("answers with status 503 and asks to be left alone for "));
  }
  EXPECT_EQ(Ranges().size(), 2u);
}

}  // namespace
}  // namespace rondo::tools
