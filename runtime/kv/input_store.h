// InputStore: the inputs of an engine's sequences: rows of the model's hidden size that stand where
// tokens do, in planned memory. Behind each lie further ones, which the model's first layers add,
// where what makes inputs makes such.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "platforms/sync.h"
#include "runtime/base/digest.h"
#include "runtime/base/status.h"
#include "runtime/kv/input_key.h"
#include "runtime/model/limits.h"
#include "runtime/plan/memory_plan.h"

namespace rondo {

inline constexpr uint32_t kMaxInputRows = 1u << 20;
// What a row's coordinates may be at most, counted from where its span begins.
inline constexpr int32_t kMaxCoordinate = (1 << 24) - 1;
inline constexpr size_t kCoordinates = kRopeAxes;

enum class RowFormat : int32_t { kFloat32 = 0, kBfloat16 = 1 };

// Rows as somebody gives them.
struct InputRowsView {
  const void* values;  // [rows, width]
  RowFormat format;
  size_t rows;
  // [rows, kCoordinates], or null: row i has three times i.
  const int32_t* coordinates;
  bool sees_whole;  // each row sees all of them; else those before it
};

// What is known of an input, also where its rows are gone. Equal inputs have equal digests, and
// others do not: of values, coordinates and what rows see.
struct InputFacts {
  Digest digest;
  uint32_t rows;
  int32_t advance;  // the coordinate behind the input, counted from where it begins
  bool sees_whole;
  bool has_coordinates;  // of its own: its first rows alone would lead to another coordinate
  bool operator==(const InputFacts&) const = default;
};

// Rows lie anywhere, so that what is free is never too scattered. An input is there as long as
// somebody holds it: each position of a KeyHistory that has a row of it does. Its rows may be gone,
// where a snapshot named it, until somebody adds them. All calls from any thread; of an input whose
// number is given the caller knows that it is held.
class InputStore {
 public:
  struct Plan {
    size_t max_rows = 0;
    size_t width = 0;    // floats of a row
    size_t further = 0;  // further rows of each
    bool turns = false;  // the model's stream is turned (base/turn.h), and rows are as they were
    MemoryPlan::RegionId values = MemoryPlan::kNoRegion;
    MemoryPlan::RegionId places = MemoryPlan::kNoRegion;
    MemoryPlan::RegionId inputs = MemoryPlan::kNoRegion;
    MemoryPlan::RegionId buckets = MemoryPlan::kNoRegion;

    // Adds to `memory`; nothing for no rows.
    static Plan Make(size_t max_rows, size_t width, size_t further, bool turns, MemoryPlan* memory);
  };

  InputStore() = default;
  void Bind(const Plan& plan, const MemoryPlan& memory, uint8_t* arena);
  size_t max_rows() const { return max_rows_; }
  size_t width() const { return width_; }
  size_t further() const { return further_; }
  size_t free_rows() const;

  // Takes in rows, which the caller then holds; equal ones that are there are shared. The number of
  // the input. Errors: kInvalidArgument (which value or coordinate), kKvPoolFull (too few rows are
  // free).
  Result<uint32_t> Add(const InputRowsView& rows);
  // The same in steps, for rows that are made one after another: places for them, which are the
  // caller's alone; a row, and the place of the next one, in any order but all of them, and of
  // their further rows, numbered from 1 on; then they are the rows of an input that the caller
  // holds, or, where it has some by now, free again. Error: kKvPoolFull.
  Result<uint32_t> TakeRows(size_t rows);
  uint32_t Put(uint32_t place, std::span<const float> values, const int32_t* coordinates,
               size_t further = 0);
  void Fill(uint32_t input, uint32_t first_place);
  void FreeRows(uint32_t first_place, size_t rows);
  // The input of these facts, which the caller then holds; where there is none, one whose rows are
  // gone. Who names another's digest with other facts has an input that nobody else has. Error:
  // kKvPoolFull.
  Result<uint32_t> Find(const InputFacts& facts);
  void Hold(uint32_t input);
  void Release(uint32_t input);
  bool IsGone(uint32_t input) const;

  const InputFacts& facts(uint32_t input) const { return inputs_[input].facts; }

  // Where a row is, of an input that is not gone. From the row before it, `before`, if that is
  // known.
  uint32_t PlaceOf(InputKey row, uint32_t before = kNowhere) const {
    if (before != kNowhere) return places_[before].next;
    uint32_t place = inputs_[row.input()].first_place;
    for (uint32_t i = 0; i < row.row(); ++i) place = places_[place].next;
    return place;
  }
  std::span<const float> Values(uint32_t place) const { return {At(place, 0), width_}; }
  // The one that layer `i` adds; of rows that somebody gave it is zeros.
  std::span<const float> Further(uint32_t place, size_t i) const {
    return {At(place, 1 + i), width_};
  }
  const int32_t* Coordinates(uint32_t place) const { return places_[place].coordinates; }

  static constexpr uint32_t kNowhere = UINT32_MAX;

 private:
  struct Place {
    uint32_t next;  // of the same input; of what is free, too
    int32_t coordinates[kCoordinates];
  };
  struct Input {
    InputFacts facts;
    uint64_t holders;  // 0: free
    uint32_t first_place;
    uint32_t next;  // in the same bucket; of what is free, too
    bool is_gone;
  };

  float* At(uint32_t place, size_t further) const {
    return values_ + (place * (1 + further_) + further) * width_;
  }
  // What is known of the rows; from `first_place` on they are kept, if that is somewhere.
  Status Read(const InputRowsView& rows, uint32_t first_place, InputFacts* facts) const;
  uint32_t& BucketOf(const Digest& digest) const;
  Result<uint32_t> Insert(const InputFacts& facts, uint32_t first_place, bool is_gone);
  Status DoNotFit(size_t rows) const;
  uint32_t TakePlaces(size_t rows);
  void FreePlaces(uint32_t first, size_t rows);
  uint32_t FindNumber(const InputFacts& facts) const;

  mutable Mutex mutex_;
  size_t max_rows_ = 0;
  size_t width_ = 0;
  size_t further_ = 0;
  bool turns_ = false;
  float* values_ = nullptr;      // [max_rows, 1 + further, width]
  Place* places_ = nullptr;      // [max_rows]
  Input* inputs_ = nullptr;      // [max_rows]: an input has a row at least
  uint32_t* buckets_ = nullptr;  // [max_rows], by digest
  uint32_t free_inputs_ = kNowhere;
  uint32_t free_places_ = kNowhere;
  size_t n_free_ = 0;  // places
};

}  // namespace rondo
