#include "runtime/decoder/clip.h"

#include "runtime/model/check_messages.h"
#include "runtime/weights/vectors.h"

namespace rondo {

Result<bool> ReadClips(VectorReader& vectors, int32_t index, std::span<Clip> clips) {
  RONDO_ASSIGN(const float* numbers, ReadOptional(vectors, index));
  if (numbers == nullptr) return false;
  for (Clip& clip : clips) {
    clip = {{numbers[0], numbers[1]}, {numbers[2], numbers[3]}};
    numbers += 4;
    for (const Range& range : {clip.input, clip.output}) {
      if (range.least <= range.most) continue;
      return Corrupt("a matrix's values are held to %g at least and %g at most",
                     static_cast<double>(range.least), static_cast<double>(range.most));
    }
  }
  return true;
}

}  // namespace rondo
