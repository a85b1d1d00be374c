// Profile: when each part of each pass ran, in a ring of the arena. Written by the threads that
// compute and read by any, without locks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/plan/memory_plan.h"

namespace rondo {

inline constexpr uint32_t kMaxProfileEvents = 1u << 20;

// Times in nanoseconds since the engine was created.
struct ProfileEvent {
  const char* name = nullptr;  // static
  int32_t layer = -1;          // -1: of none
  uint32_t rows = 0;
  uint32_t inputs = 0;  // of a product; else 0, as the next
  uint32_t outputs = 0;
  uint64_t begin = 0;
  uint64_t duration = 0;
  uint64_t thread = 0;  // that computed, or waited for those that did
};

class Profile {
 public:
  Profile() = default;
  // Adds the ring to `plan`; 0 events: there is none.
  static Profile Plan(size_t events, MemoryPlan* plan);
  // After the plan's Layout.
  void Bind(const MemoryPlan& plan, uint8_t* arena);

  bool on() const { return n_slots_ > 0; }
  uint64_t Now() const;
  void Add(const ProfileEvent& event);
  // The first event from number *cursor on that the ring still has, and the number behind it. False
  // where there is none yet.
  bool Read(uint64_t* cursor, ProfileEvent* event) const;

  // The layer that the pass is in. Only for who runs the pass.
  int32_t layer = -1;

 private:
  // `number` is that of the event, counted from 1; 0: none yet; kBusy: it is being written. The
  // other fields are stored by release and loaded by acquire: who reads one of a later event sees
  // that `number` has changed.
  struct Slot {
    std::atomic<uint64_t> number, name, layer_rows, sizes, begin, duration, thread;
  };
  static constexpr uint64_t kBusy = UINT64_MAX;

  MemoryPlan::RegionId region_ = MemoryPlan::kNoRegion;
  size_t n_slots_ = 0;
  uint64_t origin_ = 0;
  std::atomic<uint64_t>* next_ = nullptr;  // number of the next event
  Slot* slots_ = nullptr;
};

// Adds an event for the time that it lives. Without a profile it does nothing.
class ProfileSpan {
 public:
  // Of the pass: in its current layer.
  ProfileSpan(Profile* profile, const char* name, size_t rows, size_t inputs = 0,
              size_t outputs = 0)
      : profile_(profile) {
    if (profile != nullptr) Begin(name, profile->layer, rows, inputs, outputs);
  }
  // Of no pass.
  ProfileSpan(Profile* profile, const char* name) : profile_(profile) {
    if (profile != nullptr) Begin(name, -1, 0, 0, 0);
  }
  ~ProfileSpan() {
    if (profile_ != nullptr) End();
  }
  ProfileSpan(const ProfileSpan&) = delete;
  ProfileSpan& operator=(const ProfileSpan&) = delete;

 private:
  void Begin(const char* name, int32_t layer, size_t rows, size_t inputs, size_t outputs);
  void End();

  Profile* const profile_;
  ProfileEvent event_;
};

// What is added while it lives is of this layer.
class ProfileLayer {
 public:
  ProfileLayer(Profile* profile, size_t layer) : profile_(profile) {
    if (profile != nullptr) profile->layer = static_cast<int32_t>(layer);
  }
  ~ProfileLayer() {
    if (profile_ != nullptr) profile_->layer = -1;
  }
  ProfileLayer(const ProfileLayer&) = delete;
  ProfileLayer& operator=(const ProfileLayer&) = delete;

 private:
  Profile* const profile_;
};

}  // namespace rondo
