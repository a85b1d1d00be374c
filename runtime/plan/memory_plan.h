// MemoryPlan: named regions with sizes and lifetimes in, offsets in one arena out. Knows no models.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/heap_array.h"
#include "runtime/base/status.h"

namespace rondo {

// The arena's parts, in the order in which they lie in it (DESIGN.md, section 4).
enum class Segment : int32_t { kWeights, kKvPool, kSessions, kActivations, kWorkspace };
inline constexpr int kSegmentCount = 5;
const char* SegmentName(Segment segment);  // "weights", "kv pool", ...

// One named range of the arena.
struct PlanRegion {
  static constexpr size_t kMaxName = 48;
  char name[kMaxName];  // zero-terminated, cut where longer
  Segment segment;
  size_t offset;  // bytes from the arena's start, a multiple of kArenaAlignment
  size_t bytes;   // over-read margins included
  // The steps of a forward pass in which the region is live, first to last. Blocks of the
  // activations segment may share memory where these do not overlap; all others live always.
  int32_t first_step;
  int32_t last_step;
};

inline constexpr size_t kArenaAlignment = 64;

class MemoryPlan {
 public:
  using RegionId = uint32_t;
  static constexpr RegionId kNoRegion = UINT32_MAX;

  // Asks for `bytes` in `segment`. Errors (the system refused memory, sizes beyond memory) are kept
  // and come out of Layout, so that call sites stay short.
  RegionId Add(Segment segment, size_t bytes, const char* name, int32_t first_step = 0,
               int32_t last_step = INT32_MAX);

  // What is added from here on has `prefix` before its name, and steps that come behind all others'
  // so far: activations that were added before are not live in them.
  void BeginPart(const char* prefix);
  void EndPart();

  // Together the regions are larger than any memory.
  bool overflows() const { return overflow_; }

  // Fixes all offsets. Activations are placed greedily by size at the lowest free offset.
  Status Layout();

  // After Layout:
  size_t size() const { return count_; }
  const PlanRegion& region(RegionId id) const { return regions_[id]; }
  size_t arena_bytes() const { return arena_bytes_; }
  size_t segment_offset(Segment s) const { return segment_offset_[static_cast<int>(s)]; }
  size_t segment_bytes(Segment s) const { return segment_bytes_[static_cast<int>(s)]; }
  // The most activation bytes that are live in one step: no layout can be smaller.
  size_t activation_lower_bound() const { return activation_lower_bound_; }

 private:
  Status MakeRoom();  // for one region more
  // Places the activations segment, which starts at `base`; returns its length.
  Result<size_t> PlaceActivations(size_t base);

  HeapArray<PlanRegion> regions_;
  size_t count_ = 0;
  size_t requested_bytes_ = 0;
  const char* prefix_ = "";
  int32_t part_begin_ = 0;  // the first step of the part
  bool overflow_ = false;
  Status refused_;
  size_t arena_bytes_ = 0;
  size_t segment_offset_[kSegmentCount] = {};
  size_t segment_bytes_[kSegmentCount] = {};
  size_t activation_lower_bound_ = 0;
};

}  // namespace rondo
