#include "tools/chat/slots.h"

#include <algorithm>

#include "tools/common/numbers.h"

namespace rondo::tools {

uint64_t PositionsOf(std::span<const Slot> slots) {
  uint64_t positions = 0;
  for (const Slot& slot : slots) positions += slot.positions;
  return positions;
}

std::vector<Slot> SlotsOf(const std::vector<int32_t>& ids, int32_t picture_token,
                          const std::vector<ChatPicture>& pictures) {
  std::vector<Slot> slots;
  size_t places = 0;
  for (const int32_t id : ids) {
    const bool is_picture = picture_token >= 0 && id == picture_token;
    if (is_picture && places < pictures.size()) {
      const ChatPicture& picture = pictures[places];
      slots.push_back({id, picture.handle(), picture.facts.positions});
    } else {
      slots.push_back({id});
    }
    places += is_picture ? 1 : 0;
  }
  if (places != pictures.size()) {
    Fail("the chat template has ", FormatCount(places, "place"), " for ",
         FormatCount(pictures.size(), "picture"));
  }
  return slots;
}

size_t CountShared(std::span<const Slot> has, std::span<const Slot> wanted, size_t most) {
  size_t shared = 0;
  const auto is_same = [](const Slot& a, const Slot& b) {
    return a == b || (a.token == Slot::kForgotten && b.media == nullptr);
  };
  while (shared < most && is_same(has[shared], wanted[shared])) ++shared;
  return shared;
}

std::vector<Slot> SlotsOfRestored(uint64_t begin, std::span<const int32_t> tokens,
                                  std::span<const Slot> wanted,
                                  const std::vector<ChatPicture>& pictures) {
  constexpr int32_t kNoToken = -1;
  std::vector<int32_t> all(begin, kNoToken);
  all.insert(all.end(), tokens.begin(), tokens.end());
  std::vector<Slot> slots;
  size_t at = 0, next = 0;
  for (const Slot& slot : wanted) {
    if (at + slot.positions > all.size()) break;
    if (slot.media != nullptr) {
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(at);
      const auto rows = std::count(from, from + slot.positions, kNoToken);
      if (rows < pictures[next++].facts.rows) break;
    } else if (at >= begin && all[at] != slot.token) {
      break;
    }
    slots.push_back(slot);
    at += slot.positions;
  }
  for (; at < all.size(); ++at) {
    const int32_t absent = at < begin ? Slot::kForgotten : Slot::kRow;
    slots.push_back({all[at] == kNoToken ? absent : all[at]});
  }
  return slots;
}

}  // namespace rondo::tools
