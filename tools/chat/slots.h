// Slots: what a session has read of a conversation, one after the other: tokens, and pictures, of
// which each takes many positions, but one token of what a chat template writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/chat/chat_picture.h"

namespace rondo::tools {

struct Slot {
  // What a session that slides no longer knows, which may have been any; and a row of a picture
  // that is not the conversation's.
  static constexpr int32_t kForgotten = -1, kRow = -2;

  int32_t token = 0;             // of a picture: the one that stands for it
  rondo_media* media = nullptr;  // null: a token
  uint32_t positions = 1;

  bool operator==(const Slot&) const = default;
};

uint64_t PositionsOf(std::span<const Slot> slots);

// Of ids of which each that is `picture_token` stands for the next of the pictures. Throws Error
// where there are more or fewer of them.
std::vector<Slot> SlotsOf(const std::vector<int32_t>& ids, int32_t picture_token,
                          const std::vector<ChatPicture>& pictures);

// How many slots `wanted` begins with that the session has, at most `most`.
size_t CountShared(std::span<const Slot> has, std::span<const Slot> wanted, size_t most);

// Those of a session that was restored: `tokens` has the ids of its positions from number `begin`
// on, -1 for rows of pictures. They lie where `wanted`, what the conversation comes to, has them,
// as far as the two agree.
std::vector<Slot> SlotsOfRestored(uint64_t begin, std::span<const int32_t> tokens,
                                  std::span<const Slot> wanted,
                                  const std::vector<ChatPicture>& pictures);

}  // namespace rondo::tools
