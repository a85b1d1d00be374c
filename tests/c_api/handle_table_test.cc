// The table of handles alone, which calls begin with. (What goes through rondo.h:
// closing_race_test.)
#include "c_api/handle_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <set>
#include <thread>
#include <vector>

namespace rondo::c_api::handle_table_test {
namespace {

constexpr HandleKind kKind = HandleKind::kModel;

int Races() {
  const char* const wanted = std::getenv("RONDO_RACES");
  return wanted == nullptr ? 100000 : std::atoi(wanted);
}

uintptr_t Open(void* object, HandleKind kind = kKind) {
  return OpenHandle(TakeSlot(), kind, object);
}

// As every call does; `last` where the object is the caller's now.
void Close(uintptr_t handle, void (*last)(void*)) {
  HandleSlot* const slot = HoldHandle(handle, kKind);
  if (slot == nullptr) return;
  CloseHandle(slot);
  if (!LetGo(slot)) return;
  last(slot->object);
  GiveSlotBack(slot);
}

void Nothing(void*) {}

TEST(HandleTable, FindsWhatIsOpen) {
  int object = 0;
  const uintptr_t handle = Open(&object);
  HandleSlot* const slot = HoldHandle(handle, kKind);
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(slot->object, &object);
  EXPECT_FALSE(LetGo(slot));
  Close(handle, Nothing);
}

TEST(HandleTable, RefusesWhatIsNot) {
  int object = 0;
  const uintptr_t before = Open(&object);
  Close(before, Nothing);
  const uintptr_t handle = Open(&object);  // in its place
  EXPECT_NE(handle, before);
  std::set<uintptr_t> wrong = {
      0, 1, 2, 4096, UINTPTR_MAX, before, reinterpret_cast<uintptr_t>(&object)};
  for (size_t bit = 0; bit < sizeof(handle) * 8; ++bit) wrong.insert(handle ^ uintptr_t{1} << bit);
  for (const uintptr_t number : wrong) EXPECT_EQ(HoldHandle(number, kKind), nullptr) << number;
  EXPECT_EQ(HoldHandle(handle, HandleKind::kEngine), nullptr);
  EXPECT_EQ(FindHandle(before, kKind), nullptr);
  EXPECT_NE(FindHandle(handle, kKind), nullptr);
  Close(handle, Nothing);
  Close(handle, Nothing);
  EXPECT_EQ(HoldHandle(handle, kKind), nullptr);
}

TEST(HandleTable, KeepsWhatIsHeld) {
  static int closed;
  closed = 0;
  int object = 0;
  const uintptr_t handle = Open(&object);
  HandleSlot* const slot = HoldHandle(handle, kKind);
  const auto last = [](void*) { ++closed; };
  Close(handle, last);
  Close(handle, last);
  EXPECT_EQ(closed, 0);
  EXPECT_EQ(HoldHandle(handle, kKind), nullptr);
  EXPECT_NE(Open(&object) & (UINTPTR_MAX >> sizeof(uintptr_t) * 4), slot->index + 1)
      << "its place is not free yet";
  EXPECT_TRUE(LetGo(slot));
  GiveSlotBack(slot);
}

TEST(HandleTable, HasManyPlaces) {
  std::vector<uintptr_t> handles;
  for (int i = 0; i < 1000; ++i) handles.push_back(Open(&handles));
  EXPECT_EQ(std::set<uintptr_t>(handles.begin(), handles.end()).size(), handles.size());
  for (const uintptr_t handle : handles) {
    HandleSlot* const slot = HoldHandle(handle, kKind);
    ASSERT_NE(slot, nullptr);
    EXPECT_FALSE(LetGo(slot));
    Close(handle, Nothing);
  }
}

// Two threads hold what a third closes: it is there until the last one is out, who frees it.
TEST(HandleTable, NothingGoesThatIsHeld) {
  struct Object {
    int written = 1;  // no atomic: whoever holds it may read it
  };
  const auto free = [](void* object) {
    static_cast<Object*>(object)->written = 0;
    delete static_cast<Object*>(object);
  };
  std::atomic<uintptr_t> shared = Open(new Object);
  std::atomic<bool> over = false;
  std::atomic<int> wrong = 0, held = 0;
  std::vector<std::thread> holders;
  for (int i = 0; i < 2; ++i) {
    holders.emplace_back([&] {
      while (!over) {
        HandleSlot* const slot = HoldHandle(shared, kKind);
        if (slot == nullptr) continue;
        ++held;
        if (static_cast<Object*>(slot->object)->written != 1) ++wrong;
        if (!LetGo(slot)) continue;
        free(slot->object);
        GiveSlotBack(slot);
      }
    });
  }
  for (int i = 0; i < Races(); ++i) Close(shared.exchange(Open(new Object)), free);
  over = true;
  for (std::thread& holder : holders) holder.join();
  Close(shared, free);
  EXPECT_EQ(wrong, 0);
}

// A session's place is the next session's at once. What is asked of one of every two never comes to
// the other, however late.
TEST(HandleTable, ACancellationNeverReachesTheNextSession) {
  std::atomic<uintptr_t> may_be_cancelled = 0;
  std::atomic<bool> over = false;
  std::thread canceller([&] {
    while (!over) {
      const uintptr_t handle = may_be_cancelled;
      HandleSlot* const slot = FindHandle(handle, kKind);
      if (slot == nullptr) continue;
      const auto is_mine = [&] { return IsSlotOf(*slot, handle); };
      const uint64_t number = slot->cancellation.number();
      if (!is_mine()) continue;
      static_cast<void>(slot->cancellation.CancelCall(number, is_mine));
      static_cast<void>(slot->cancellation.CancelMine(is_mine));
    }
  });
  int object = 0, wrong = 0;
  for (int i = 0; i < Races(); ++i) {
    HandleSlot* const slot = TakeSlot();
    Cancellation& cancellation = slot->cancellation;
    const uintptr_t handle = OpenHandle(slot, kKind, &object);
    if (i % 2 == 0) may_be_cancelled = handle;
    cancellation.BeginCall();
    if (i % 2 == 1 && cancellation.cancelled()) ++wrong;
    cancellation.EndCall();
    if (i % 2 == 1 && cancellation.cancelled()) ++wrong;
    if (i % 2 == 0) cancellation.Cancel();  // which waits for a call that never comes
    Close(handle, Nothing);
  }
  over = true;
  canceller.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace rondo::c_api::handle_table_test
