#include "runtime/generation/kept_places.h"

#include <algorithm>

namespace rondo {

void KeptPlaces::Erase(size_t i) {
  std::copy(places_.begin() + static_cast<ptrdiff_t>(i) + 1,
            places_.begin() + static_cast<ptrdiff_t>(size_),
            places_.begin() + static_cast<ptrdiff_t>(i));
  --size_;
}

// Where there are too many, the one goes without which the way back grows least: from where it is
// to the one before it, by how far that is from the end.
KeptPlace& KeptPlaces::Fresh(uint64_t first_held) {
  while (size_ > 0 && places_[0].place.position < first_held) Erase(0);
  if (size_ == kMost) {
    const uint64_t end = places_[kMost - 1].place.position + kBlock;
    const auto distance = [&](size_t i) { return end - places_[i].place.position; };
    size_t least = 1;
    const auto grows = [&](size_t i) {  // in 1/1024
      return (distance(i - 1) << 10) / distance(i + 1);
    };
    for (size_t i = 2; i + 1 < kMost; ++i) {
      if (grows(i) < grows(least)) least = i;
    }
    Erase(least);
  }
  return places_[size_];
}

const KeptPlace* KeptPlaces::Latest(uint64_t begin, uint64_t position, uint64_t first_held) const {
  for (size_t i = size_; i > 0; --i) {
    const KeptPlace& kept = places_[i - 1];
    if (kept.place.position < first_held) return nullptr;
    if (kept.begin == begin && kept.place.position <= position) return &kept;
  }
  return nullptr;
}

}  // namespace rondo
