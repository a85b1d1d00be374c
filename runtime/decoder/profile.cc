#include "runtime/decoder/profile.h"

#include <algorithm>
#include <new>

#include "platforms/clock.h"
#include "platforms/this_thread.h"
#include "runtime/base/checked.h"

namespace rondo {

namespace {

uint64_t Pair(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }
uint32_t High(uint64_t pair) { return static_cast<uint32_t>(pair >> 32); }
uint32_t Low(uint64_t pair) { return static_cast<uint32_t>(pair); }

}  // namespace

Profile Profile::Plan(size_t events, MemoryPlan* plan) {
  Profile profile;
  profile.n_slots_ = events;
  if (events == 0) return profile;
  const CheckedSize bytes = CheckedSize(events) * sizeof(Slot) + kArenaAlignment;
  profile.region_ = plan->Add(Segment::kWorkspace, bytes.ValueOrMost(), "profile");
  return profile;
}

void Profile::Bind(const MemoryPlan& plan, uint8_t* arena) {
  if (n_slots_ == 0) return;
  uint8_t* const memory = arena + plan.region(region_).offset;
  next_ = new (memory) std::atomic<uint64_t>(0);
  slots_ = reinterpret_cast<Slot*>(memory + kArenaAlignment);
  for (size_t i = 0; i < n_slots_; ++i) new (slots_ + i) Slot();
  origin_ = rondo::Now();
}

uint64_t Profile::Now() const { return rondo::Now() - origin_; }

void Profile::Add(const ProfileEvent& event) {
  const uint64_t number = next_->fetch_add(1, std::memory_order_acq_rel);
  Slot& slot = slots_[number % n_slots_];
  uint64_t before = slot.number.load(std::memory_order_relaxed);
  // Of two threads that are a whole ring apart the second leaves its event out.
  if (before == kBusy ||
      !slot.number.compare_exchange_strong(before, kBusy, std::memory_order_acquire)) {
    return;
  }
  constexpr auto kRelease = std::memory_order_release;
  slot.name.store(reinterpret_cast<uintptr_t>(event.name), kRelease);
  slot.layer_rows.store(Pair(static_cast<uint32_t>(event.layer), event.rows), kRelease);
  slot.sizes.store(Pair(event.inputs, event.outputs), kRelease);
  slot.begin.store(event.begin, kRelease);
  slot.duration.store(event.duration, kRelease);
  slot.thread.store(event.thread, kRelease);
  slot.number.store(number + 1, kRelease);
}

bool Profile::Read(uint64_t* cursor, ProfileEvent* event) const {
  if (n_slots_ == 0) return false;
  constexpr auto kAcquire = std::memory_order_acquire;
  const uint64_t next = next_->load(kAcquire);
  for (*cursor = std::max(*cursor, next - std::min<uint64_t>(next, n_slots_)); *cursor < next;
       ++*cursor) {
    const Slot& slot = slots_[*cursor % n_slots_];
    const uint64_t number = slot.number.load(kAcquire);
    if (number == kBusy || number < *cursor + 1) return false;  // soon
    event->name = reinterpret_cast<const char*>(static_cast<uintptr_t>(slot.name.load(kAcquire)));
    const uint64_t layer_rows = slot.layer_rows.load(kAcquire);
    const uint64_t sizes = slot.sizes.load(kAcquire);
    event->layer = static_cast<int32_t>(High(layer_rows));
    event->rows = Low(layer_rows);
    event->inputs = High(sizes);
    event->outputs = Low(sizes);
    event->begin = slot.begin.load(kAcquire);
    event->duration = slot.duration.load(kAcquire);
    event->thread = slot.thread.load(kAcquire);
    if (number != *cursor + 1 || slot.number.load(kAcquire) != number) continue;  // overwritten
    ++*cursor;
    return true;
  }
  return false;
}

void ProfileSpan::Begin(const char* name, int32_t layer, size_t rows, size_t inputs,
                        size_t outputs) {
  event_.name = name;
  event_.layer = layer;
  event_.rows = static_cast<uint32_t>(rows);
  event_.inputs = static_cast<uint32_t>(inputs);
  event_.outputs = static_cast<uint32_t>(outputs);
  event_.begin = profile_->Now();
}

void ProfileSpan::End() {
  event_.duration = profile_->Now() - event_.begin;
  event_.thread = ThisThread();
  profile_->Add(event_);
}

}  // namespace rondo
