// What a session has of a conversation with pictures, and what of it another conversation shares.
#include "tools/chat/slots.h"

#include <gtest/gtest.h>

#include "tools/common/error.h"

namespace rondo::tools::slots_test {
namespace {

constexpr int32_t kPicture = 9;

class SlotsTest : public testing::Test {
 protected:
  SlotsTest() {
    for (const uint32_t rows : {2u, 3u}) {
      pictures_.emplace_back();
      pictures_.back().facts.rows = rows;
      pictures_.back().facts.positions = rows + 2;  // a mark before and behind
    }
  }
  // Handles that are never looked into.
  std::vector<Slot> Wanted(const std::vector<int32_t>& ids) {
    std::vector<Slot> slots = SlotsOf(ids, kPicture, pictures_);
    uintptr_t handle = 0;
    for (Slot& slot : slots) {
      if (slot.token == kPicture) slot.media = reinterpret_cast<rondo_media*>(++handle);
    }
    return slots;
  }
  std::vector<ChatPicture> pictures_;
};

TEST_F(SlotsTest, PicturesTakeManyPositions) {
  const std::vector<Slot> slots = Wanted({1, kPicture, 2, kPicture});
  ASSERT_EQ(slots.size(), 4u);
  EXPECT_EQ(PositionsOf(slots), 1u + 4 + 1 + 5);
  EXPECT_THROW(SlotsOf({1, kPicture}, kPicture, pictures_), Error);
  EXPECT_THROW(SlotsOf({kPicture, kPicture, kPicture}, kPicture, pictures_), Error);
}

TEST_F(SlotsTest, ThoseOfAnotherPictureAreNotShared) {
  const std::vector<Slot> has = Wanted({1, kPicture, 2, kPicture, 3});
  std::vector<Slot> wanted = has;
  EXPECT_EQ(CountShared(has, wanted, 5), 5u);
  EXPECT_EQ(CountShared(has, wanted, 3), 3u);
  wanted[3].media = wanted[1].media;
  EXPECT_EQ(CountShared(has, wanted, 5), 3u);
  const std::vector<Slot> forgotten(5, Slot{Slot::kForgotten});
  EXPECT_EQ(CountShared(forgotten, wanted, 5), 1u) << "a picture is no forgotten token";
}

TEST_F(SlotsTest, OfARestoredSessionLieWhereTheConversationHasThem) {
  const std::vector<Slot> wanted = Wanted({1, kPicture, 2, kPicture, 3, 4});
  const std::vector<int32_t> all = {1, 7, -1, -1, 8, 2, 7, -1, -1, -1, 8, 3, 5};
  std::vector<Slot> slots = SlotsOfRestored(0, all, wanted, pictures_);
  EXPECT_EQ(PositionsOf(slots), all.size());
  EXPECT_EQ(CountShared(slots, wanted, 6), 5u) << "the last token is another";
  // The first six positions are forgotten.
  slots = SlotsOfRestored(6, std::span(all).subspan(6), wanted, pictures_);
  EXPECT_EQ(PositionsOf(slots), all.size());
  EXPECT_EQ(CountShared(slots, wanted, 6), 5u);
  // The second picture is another one.
  std::vector<int32_t> other = all;
  other[8] = 6;
  slots = SlotsOfRestored(0, other, wanted, pictures_);
  EXPECT_EQ(PositionsOf(slots), other.size());
  EXPECT_EQ(CountShared(slots, wanted, 6), 3u);
}

}  // namespace
}  // namespace rondo::tools::slots_test
