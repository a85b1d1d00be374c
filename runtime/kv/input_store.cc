#include "runtime/kv/input_store.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>

#include "runtime/base/bfloat16.h"
#include "runtime/base/checked.h"
#include "runtime/base/turn.h"

namespace rondo {

namespace {

// Values [begin, begin + out.size()) of all as float32; the caller's memory may have no alignment.
void CopyValues(const InputRowsView& rows, size_t begin, std::span<float> out) {
  const auto* const bytes = static_cast<const uint8_t*>(rows.values);
  if (rows.format == RowFormat::kFloat32) {
    std::memcpy(out.data(), bytes + begin * sizeof(float), out.size_bytes());
    return;
  }
  const uint8_t* at = bytes + begin * sizeof(uint16_t);
  for (float& value : out) {
    uint16_t bits;
    std::memcpy(&bits, at, sizeof bits);
    value = FromBfloat16(bits);
    at += sizeof bits;
  }
}

}  // namespace

InputStore::Plan InputStore::Plan::Make(size_t max_rows, size_t width, size_t further, bool turns,
                                        MemoryPlan* memory) {
  Plan plan;
  if (max_rows == 0) return plan;
  plan.turns = turns;
  plan.max_rows = max_rows;
  plan.width = width;
  plan.further = further;
  const auto add = [&](const char* name, CheckedSize bytes) {
    return memory->Add(Segment::kSessions, bytes.ValueOrMost(), name);
  };
  plan.values = add("inputs: rows", CheckedSize(max_rows) * (1 + further) * width * sizeof(float));
  plan.places = add("inputs: places", CheckedSize(max_rows) * sizeof(Place));
  plan.inputs = add("inputs: facts", CheckedSize(max_rows) * sizeof(Input));
  plan.buckets = add("inputs: by digest", CheckedSize(max_rows) * sizeof(uint32_t));
  return plan;
}

void InputStore::Bind(const Plan& plan, const MemoryPlan& memory, uint8_t* arena) {
  if (plan.max_rows == 0) return;
  max_rows_ = n_free_ = plan.max_rows;
  width_ = plan.width;
  further_ = plan.further;
  turns_ = plan.turns;
  values_ = reinterpret_cast<float*>(arena + memory.region(plan.values).offset);
  places_ = reinterpret_cast<Place*>(arena + memory.region(plan.places).offset);
  inputs_ = reinterpret_cast<Input*>(arena + memory.region(plan.inputs).offset);
  buckets_ = reinterpret_cast<uint32_t*>(arena + memory.region(plan.buckets).offset);
  std::fill_n(buckets_, max_rows_, kNowhere);
  free_places_ = free_inputs_ = 0;
  for (uint32_t i = 0; i < max_rows_; ++i) {
    places_[i].next = inputs_[i].next = i + 1 < max_rows_ ? i + 1 : kNowhere;
  }
}

size_t InputStore::free_rows() const {
  const MutexLock lock(mutex_);
  return n_free_;
}

// The places are the caller's alone: what rows hold is read without the lock.
Status InputStore::Read(const InputRowsView& rows, uint32_t first_place, InputFacts* facts) const {
  Digester digester;
  const uint64_t header[] = {width_, rows.rows, rows.sees_whole};
  digester.Add({reinterpret_cast<const uint8_t*>(header), sizeof header});
  int32_t last = 0;
  bool has_coordinates = false;
  uint32_t place = first_place;
  for (size_t row = 0; row < rows.rows; ++row) {
    std::array<float, 256> some;
    for (size_t at = 0; at < width_; at += some.size()) {
      const std::span<float> values = std::span(some).first(std::min(some.size(), width_ - at));
      CopyValues(rows, row * width_ + at, values);
      const auto bad =
          std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
      if (bad != values.end()) {
        return Status::Error(StatusCode::kInvalidArgument,
                             "value %zu of row %zu is not a finite number",
                             at + static_cast<size_t>(bad - values.begin()), row);
      }
      digester.Add({reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()});
      if (place == kNowhere) continue;
      std::copy(values.begin(), values.end(), At(place, 0) + at);
    }
    int32_t coordinates[kCoordinates];
    for (size_t i = 0; i < kCoordinates; ++i) {
      coordinates[i] = rows.coordinates == nullptr ? static_cast<int32_t>(row)
                                                   : rows.coordinates[row * kCoordinates + i];
      if (coordinates[i] < 0 || coordinates[i] > kMaxCoordinate) {
        return Status::Error(StatusCode::kInvalidArgument,
                             "coordinate %zu of row %zu is %d, but must be 0 to %d", i, row,
                             coordinates[i], kMaxCoordinate);
      }
      last = std::max(last, coordinates[i]);
      has_coordinates |= coordinates[i] != static_cast<int32_t>(row);
    }
    digester.Add({reinterpret_cast<const uint8_t*>(coordinates), sizeof coordinates});
    if (place == kNowhere) continue;
    if (turns_) Turn(At(place, 0), width_);
    std::fill_n(At(place, 1), further_ * width_, 0.0f);
    std::copy(std::begin(coordinates), std::end(coordinates), places_[place].coordinates);
    place = places_[place].next;
  }
  *facts = {digester.Finish(), static_cast<uint32_t>(rows.rows), last + 1, rows.sees_whole,
            has_coordinates};
  return Status();
}

uint32_t InputStore::TakePlaces(size_t rows) {
  const uint32_t first = free_places_;
  uint32_t last = first;
  for (size_t i = 1; i < rows; ++i) last = places_[last].next;
  free_places_ = places_[last].next;
  n_free_ -= rows;
  return first;
}

void InputStore::FreePlaces(uint32_t first, size_t rows) {
  uint32_t last = first;
  for (size_t i = 1; i < rows; ++i) last = places_[last].next;
  places_[last].next = free_places_;
  free_places_ = first;
  n_free_ += rows;
}

uint32_t& InputStore::BucketOf(const Digest& digest) const {
  uint64_t word;
  std::memcpy(&word, digest.data(), sizeof word);
  return buckets_[word % max_rows_];
}

uint32_t InputStore::FindNumber(const InputFacts& facts) const {
  uint32_t at = BucketOf(facts.digest);
  while (at != kNowhere && inputs_[at].facts != facts) at = inputs_[at].next;
  return at;
}

Result<uint32_t> InputStore::Insert(const InputFacts& facts, uint32_t first_place, bool is_gone) {
  const uint32_t number = free_inputs_;
  if (number == kNowhere) {
    return Status::Error(StatusCode::kKvPoolFull, "all %zu inputs are held", max_rows_);
  }
  free_inputs_ = inputs_[number].next;
  uint32_t& bucket = BucketOf(facts.digest);
  inputs_[number] = {facts, 1, first_place, bucket, is_gone};
  bucket = number;
  return number;
}

Status InputStore::DoNotFit(size_t rows) const {
  return Status::Error(StatusCode::kKvPoolFull,
                       "%zu rows of an input do not fit: of %zu that are planned (engine options "
                       "max_input_rows, max_media_rows) %zu are free",
                       rows, max_rows_, n_free_);
}

Result<uint32_t> InputStore::TakeRows(size_t rows) {
  const MutexLock lock(mutex_);
  if (rows > n_free_) return DoNotFit(rows);
  return TakePlaces(rows);
}

uint32_t InputStore::Put(uint32_t place, std::span<const float> values, const int32_t* coordinates,
                         size_t further) {
  float* const row = At(place, further);
  std::copy(values.begin(), values.end(), row);
  if (turns_) Turn(row, width_);
  std::copy_n(coordinates, kCoordinates, places_[place].coordinates);
  return places_[place].next;
}

void InputStore::Fill(uint32_t input, uint32_t first_place) {
  const MutexLock lock(mutex_);
  Input& of = inputs_[input];
  if (!of.is_gone) return FreePlaces(first_place, of.facts.rows);
  of.first_place = first_place;
  of.is_gone = false;
}

void InputStore::FreeRows(uint32_t first_place, size_t rows) {
  const MutexLock lock(mutex_);
  FreePlaces(first_place, rows);
}

Result<uint32_t> InputStore::Add(const InputRowsView& rows) {
  MutexLock lock(mutex_);
  const bool fits = rows.rows <= n_free_;
  const uint32_t first = fits ? TakePlaces(rows.rows) : kNowhere;
  lock.Unlock();
  InputFacts facts;
  const Status status = Read(rows, first, &facts);
  lock.Lock();
  const uint32_t number = status.ok() ? FindNumber(facts) : kNowhere;
  const bool is_there = number != kNowhere && !inputs_[number].is_gone;
  if (fits && (!status.ok() || is_there)) FreePlaces(first, rows.rows);
  RONDO_RETURN_IF_ERROR(status);
  if (!fits && !is_there) return DoNotFit(rows.rows);
  if (number == kNowhere) {
    const Result<uint32_t> made = Insert(facts, first, false);
    if (!made.ok()) FreePlaces(first, rows.rows);
    return made;
  }
  if (!is_there) {  // those that a snapshot named
    inputs_[number].first_place = first;
    inputs_[number].is_gone = false;
  }
  ++inputs_[number].holders;
  return number;
}

Result<uint32_t> InputStore::Find(const InputFacts& facts) {
  const MutexLock lock(mutex_);
  const uint32_t number = FindNumber(facts);
  if (number == kNowhere) return Insert(facts, kNowhere, true);
  ++inputs_[number].holders;
  return number;
}

bool InputStore::IsGone(uint32_t input) const {
  const MutexLock lock(mutex_);
  return inputs_[input].is_gone;
}

void InputStore::Hold(uint32_t input) {
  const MutexLock lock(mutex_);
  ++inputs_[input].holders;
}

void InputStore::Release(uint32_t input) {
  const MutexLock lock(mutex_);
  Input& of = inputs_[input];
  if (--of.holders > 0) return;
  uint32_t* link = &BucketOf(of.facts.digest);
  while (*link != input) link = &inputs_[*link].next;
  *link = of.next;
  if (!of.is_gone) FreePlaces(of.first_place, of.facts.rows);
  of.next = free_inputs_;
  free_inputs_ = input;
}

}  // namespace rondo
