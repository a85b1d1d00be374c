// What the handles of rondo.h are: places in a table, by number and generation, and no pointers.
// One look-up refuses what is no open handle of its kind and holds the object behind one that is:
// whoever closes it meanwhile, it stays until the last call lets it go.
//
// The table is the one thing that is global. It has no lock, so that a child of fork() finds none
// held. Where many handles are open at once, its memory comes with calls that create, and is never
// given back: any number may be looked up at any time.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/base/cancellation.h"

namespace rondo::c_api {

enum class HandleKind : uintptr_t {
  kModel = 1,
  kGrammar,
  kAdapter,
  kEngine,
  kSession,
  kChatParser,
  kMedia,
};

// A place in the table.
struct HandleSlot {
  // Upper half: generation and kind, as in its handle. Below: whether it is open, and how many
  // calls hold it.
  std::atomic<uintptr_t> state;
  std::atomic<uintptr_t> next_free;  // index + 1; 0: none
  uintptr_t index;
  void* object;
  Cancellation cancellation;  // of a session; its numbers go on from one session to the next
};

// A place for a handle that is to be opened; null where the system has no memory for it. What is
// not opened is given back.
HandleSlot* TakeSlot();
void GiveSlotBack(HandleSlot* slot);
uintptr_t OpenHandle(HandleSlot* slot, HandleKind kind, void* object);

// Null: no such handle is open.
HandleSlot* HoldHandle(uintptr_t handle, HandleKind kind);
// Of a handle that the caller holds. False where another call closed it before.
bool CloseHandle(HandleSlot* slot);
// True for the last one where it is closed: the object is then the caller's, and, behind it, so is
// the slot, to give it back.
bool LetGo(HandleSlot* slot);

// For signal handlers, which can hold nothing, as the last one out must free: the slot of a handle
// that is open now, and whether it is still the handle's.
HandleSlot* FindHandle(uintptr_t handle, HandleKind kind);
bool IsSlotOf(const HandleSlot& slot, uintptr_t handle);

}  // namespace rondo::c_api
