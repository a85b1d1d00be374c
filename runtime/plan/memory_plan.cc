// Offsets: segments one after the other; activations share bytes where their lifetimes allow it.
#include "runtime/plan/memory_plan.h"

#include <algorithm>
#include <utility>

#include "runtime/base/checked.h"
#include "runtime/base/format.h"

namespace rondo {
namespace {

bool LiveTogether(const PlanRegion& a, const PlanRegion& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

// The room that a region takes: the next one starts aligned. Add has checked that this fits.
size_t Extent(const PlanRegion& region) { return RoundUp(region.bytes, kArenaAlignment); }

// The lowest offset where `region` meets none of `placed` that is live together with it. Raising
// the candidate to the end of any region in the way never skips a free offset.
size_t LowestFreeOffset(const PlanRegion& region, std::span<const PlanRegion* const> placed) {
  size_t offset = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (const PlanRegion* other : placed) {
      if (LiveTogether(region, *other) && offset < other->offset + Extent(*other) &&
          other->offset < offset + Extent(region)) {
        offset = other->offset + Extent(*other);
        moved = true;
      }
    }
  }
  return offset;
}

}  // namespace

const char* SegmentName(Segment segment) {
  switch (segment) {
    case Segment::kWeights:
      return "weights";
    case Segment::kKvPool:
      return "kv pool";
    case Segment::kSessions:
      return "sessions";
    case Segment::kActivations:
      return "activations";
    case Segment::kWorkspace:
      return "workspace";
  }
  return "unknown";
}

Status MemoryPlan::MakeRoom() {
  if (count_ < regions_.size()) return Status();
  constexpr size_t kFirst = 256;
  RONDO_ASSIGN(auto more, HeapArray<PlanRegion>::Create(std::max(kFirst, 2 * count_)));
  std::copy(regions_.begin(), regions_.end(), more.begin());
  regions_ = std::move(more);
  return Status();
}

MemoryPlan::RegionId MemoryPlan::Add(Segment segment, size_t bytes, const char* name,
                                     int32_t first_step, int32_t last_step) {
  // The running sum of all extents bounds every offset that Layout can compute.
  const CheckedSize sum =
      CheckedSize(requested_bytes_) + CheckedSize(bytes).AlignUp(kArenaAlignment);
  if (!sum.valid()) {
    overflow_ = true;
    return 0;
  }
  if (refused_.ok()) refused_ = MakeRoom();
  if (refused_.ok() && first_step > last_step) {
    refused_ = Status::Error(StatusCode::kInternal, "region %s ends before it begins", name);
  }
  if (!refused_.ok()) return 0;
  requested_bytes_ = sum.value();
  PlanRegion& region = regions_[count_];
  Format(region.name, PlanRegion::kMaxName, "%s%s", prefix_, name);
  region.segment = segment;
  region.bytes = bytes;
  const bool ends = last_step < INT32_MAX;
  region.first_step = ends ? part_begin_ + first_step : first_step;
  region.last_step = ends ? part_begin_ + last_step : last_step;
  return static_cast<RegionId>(count_++);
}

void MemoryPlan::EndPart() {
  prefix_ = "";
  part_begin_ = 0;
}

void MemoryPlan::BeginPart(const char* prefix) {
  prefix_ = prefix;
  for (size_t i = 0; i < count_; ++i) {
    const int32_t last = regions_[i].last_step;
    if (last < INT32_MAX) part_begin_ = std::max(part_begin_, last + 1);
  }
}

Status MemoryPlan::Layout() {
  RONDO_RETURN_IF_ERROR(refused_);
  if (overflow_) {
    return Status::Error(StatusCode::kOutOfMemory,
                         "the memory plan exceeds the address space; choose smaller options");
  }
  size_t end = 0;
  for (int s = 0; s < kSegmentCount; ++s) {
    segment_offset_[s] = end;
    if (static_cast<Segment>(s) == Segment::kActivations) {
      RONDO_ASSIGN(segment_bytes_[s], PlaceActivations(end));
      end += segment_bytes_[s];
      continue;
    }
    for (size_t i = 0; i < count_; ++i) {
      if (regions_[i].segment != static_cast<Segment>(s)) continue;
      regions_[i].offset = end;
      end += Extent(regions_[i]);
    }
    segment_bytes_[s] = end - segment_offset_[s];
  }
  arena_bytes_ = end;
  return {};
}

Result<size_t> MemoryPlan::PlaceActivations(size_t base) {
  RONDO_ASSIGN(auto order, HeapArray<PlanRegion*>::Create(count_));
  size_t n = 0;
  for (size_t i = 0; i < count_; ++i) {
    if (regions_[i].segment == Segment::kActivations) order[n++] = &regions_[i];
  }
  // Largest first; the order of Add decides among equals.
  std::sort(order.begin(), order.begin() + n, [](const PlanRegion* a, const PlanRegion* b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
  });
  size_t bytes = 0;
  for (size_t i = 0; i < n; ++i) {
    order[i]->offset = LowestFreeOffset(*order[i], {order.data(), i});
    bytes = std::max(bytes, order[i]->offset + Extent(*order[i]));
  }
  // Live bytes rise only where a region begins, so it is enough to look at these steps.
  activation_lower_bound_ = 0;
  for (size_t i = 0; i < n; ++i) {
    const int32_t step = order[i]->first_step;
    size_t live = 0;
    for (size_t j = 0; j < n; ++j) {
      if (order[j]->first_step <= step && step <= order[j]->last_step) live += Extent(*order[j]);
    }
    activation_lower_bound_ = std::max(activation_lower_bound_, live);
  }
  for (size_t i = 0; i < n; ++i) order[i]->offset += base;
  return bytes;
}

}  // namespace rondo
