// AdapterFile: the bytes of an adapter file, verified against its model once, then viewed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "adapter_generated.h"
#include "runtime/base/digest.h"
#include "runtime/base/heap_array.h"
#include "runtime/base/status.h"
#include "runtime/model/model_file.h"

namespace rondo {

// Channels of a tile of `down` and `up`.
inline constexpr size_t kAdapterTile = 16;
// Matrices of a checkpoint that one of a model's file may stack, each with its own rows of `down`:
// q, k, v and a gate.
inline constexpr size_t kAdapterParts = 4;
inline constexpr uint32_t kMaxAdapterRank = 1024;

// Of a tile with so many inputs: a line of 64 bytes has one float of each channel, or two bfloat16.
constexpr size_t AdapterTileBytes(format::AdapterFormat format, size_t inputs) {
  const size_t lines = format == format::AdapterFormat::F32 ? inputs : (inputs + 1) / 2;
  return lines * kAdapterTile * sizeof(float);
}

// What an adapter adds to one matrix (adapter.fbs).
struct AdapterMatrix {
  size_t inputs;
  size_t rank;  // rows of `down`
  std::span<const uint8_t> down;
  const flatbuffers::Vector<const format::AdapterRun*>* runs;
  std::span<const uint8_t> up;

  size_t down_tiles() const { return (rank + kAdapterTile - 1) / kAdapterTile; }
};

// Views into bytes that the caller owns and keeps, unchanged, while this lives. Immutable after
// Open, so any thread may read.
class AdapterFile {
 public:
  // Reads all of it: header, structure, checksums, and that every value is finite. `bytes` must
  // start at a multiple of 64. `model` outlives this.
  // Errors: kNotAModel, kNewerFormat, kCorrupt (where and why), kUnsupported, kInvalidArgument (it
  // is of another model), kOutOfMemory.
  static Result<AdapterFile> Open(std::span<const uint8_t> bytes, const ModelFile& model);

  const format::Adapter& metadata() const { return *metadata_; }
  const ModelFile& model() const { return *model_; }
  // The largest of one matrix, as its makers count.
  uint32_t rank() const { return metadata_->rank(); }
  // Of a tile of `up` or `down` with so many inputs: lines of kAdapterTile floats, or pairs.
  size_t TileBytes(size_t inputs) const { return AdapterTileBytes(metadata_->format(), inputs); }
  bool is_bfloat16() const { return metadata_->format() == format::AdapterFormat::Bfloat16; }
  // Of all its bytes: what was computed with it is nobody's who has other ones.
  const Digest& digest() const { return digest_; }
  uint64_t file_bytes() const { return file_bytes_; }
  size_t n_matrices() const { return matrices_.size(); }

  // What it adds to the matrix whose weight is this tensor; null: nothing.
  const AdapterMatrix* Find(uint32_t tensor) const {
    const uint32_t place = tensor < places_.size() ? places_[tensor] : 0;
    return place == 0 ? nullptr : &matrices_[place - 1];
  }

 private:
  class Opener;

  const format::Adapter* metadata_ = nullptr;
  const ModelFile* model_ = nullptr;
  Digest digest_ = {};
  uint64_t file_bytes_ = 0;
  HeapArray<AdapterMatrix> matrices_;
  HeapArray<uint32_t> places_;  // by tensor: 1 + index into matrices_; 0: none
};

}  // namespace rondo
