#include "runtime/base/cancellation.h"

#include <gtest/gtest.h>

#include <thread>

namespace rondo {
namespace {

using enum Cancellation::Asked;

Cancellation::Asked CancelCall(Cancellation* cancellation, uint64_t number) {
  return cancellation->CancelCall(number, [] { return true; });
}

TEST(Cancellation, IsOfOneCallByItsNumber) {
  Cancellation cancellation;
  const uint64_t first = cancellation.number();
  EXPECT_EQ(kDone, CancelCall(&cancellation, first));
  EXPECT_FALSE(cancellation.cancelled()) << "it has not begun";
  cancellation.BeginCall();
  EXPECT_EQ(cancellation.number(), first);
  EXPECT_TRUE(cancellation.cancelled());
  EXPECT_TRUE(cancellation.called_off());
  cancellation.Forget();
  EXPECT_FALSE(cancellation.cancelled());
  cancellation.EndCall();
  EXPECT_EQ(cancellation.number(), first + 1);
  EXPECT_EQ(kDone, CancelCall(&cancellation, first)) << "it is over";
  cancellation.BeginCall();
  EXPECT_FALSE(cancellation.cancelled());
}

TEST(Cancellation, ReachesTheNextCallAndNoneBehind) {
  Cancellation cancellation;
  EXPECT_EQ(kBehindNext, CancelCall(&cancellation, 1));
  EXPECT_EQ(kBehindNext, CancelCall(&cancellation, UINT64_MAX));
  cancellation.BeginCall();
  EXPECT_EQ(kDone, CancelCall(&cancellation, 1));
  EXPECT_EQ(kBehindNext, CancelCall(&cancellation, 2));
  EXPECT_FALSE(cancellation.cancelled());
  cancellation.EndCall();
  EXPECT_FALSE(cancellation.cancelled()) << "between two calls, what has no number may compute";
  cancellation.BeginCall();
  EXPECT_TRUE(cancellation.cancelled());
  cancellation.EndCall();
  cancellation.BeginCall();
  EXPECT_FALSE(cancellation.cancelled());
}

// A call that has no number hears only of what has none, and leaves the rest.
TEST(Cancellation, WithoutANumberWaitsForWhateverComputes) {
  Cancellation cancellation;
  cancellation.BeginCall();
  cancellation.EndCall();
  cancellation.Cancel();
  EXPECT_EQ(kDone, CancelCall(&cancellation, 1));
  EXPECT_TRUE(cancellation.cancelled());
  EXPECT_FALSE(cancellation.called_off());
  cancellation.Forget();
  EXPECT_FALSE(cancellation.cancelled());
  cancellation.BeginCall();
  EXPECT_TRUE(cancellation.called_off());
  cancellation.EndCall();
  cancellation.Cancel();
  EXPECT_EQ(kDone, CancelCall(&cancellation, 2));
  cancellation.ForgetAll();
  cancellation.BeginCall();
  EXPECT_FALSE(cancellation.cancelled());
}

TEST(Cancellation, IsOfNoneWhoLostTheSession) {
  Cancellation cancellation;
  const auto not_mine = [] { return false; };
  EXPECT_FALSE(cancellation.CancelMine(not_mine));
  EXPECT_EQ(cancellation.CancelCall(0, not_mine), kNotMine);
  EXPECT_FALSE(cancellation.cancelled());
  cancellation.BeginCall();
  EXPECT_FALSE(cancellation.cancelled());
  // It becomes another's while it is asked.
  cancellation.EndCall();
  int looks = 0;
  EXPECT_FALSE(cancellation.CancelMine([&] {
    if (looks == 0) cancellation.Renew();
    return looks++ == 0;
  }));
  EXPECT_FALSE(cancellation.cancelled());
}

// However late it comes: every other call is cancelled, and none between.
TEST(Cancellation, NeverReachesAnotherCall) {
  constexpr uint64_t kCalls = 200000;
  Cancellation cancellation;
  std::thread canceller([&] {
    for (uint64_t number = 0; number < kCalls; number = cancellation.number()) {
      if (number % 2 == 0) {
        EXPECT_EQ(kDone, CancelCall(&cancellation, number));
      }
    }
  });
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < kCalls; ++i) {
    cancellation.BeginCall();
    if (cancellation.cancelled() && i % 2 == 1) ++wrong;
    cancellation.EndCall();
  }
  canceller.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace rondo
