// ModelFile: the bytes of a Rondo file, verified once, then viewed.
#pragma once

#include <cstdint>
#include <span>

#include "platforms/file_map.h"
#include "rondo_generated.h"
#include "runtime/base/status.h"
#include "runtime/model/file_parts.h"
#include "runtime/model/packed_layout.h"

namespace rondo {

// Views into bytes that the caller owns and keeps, unchanged, while this lives. Immutable after
// Open, so any thread may read. Open has checked the header, the metadata's checksum and
// structure, every index, shape, count, enum and section bound and the zeros between sections;
// a section's own checksum is compared where its bytes are first read as a whole (Verify).
class ModelFile {
 public:
  // Reads header and metadata only. `bytes` must start at a multiple of 64. `map`: the mapping that
  // they lie in, if they do; it lives as long as they.
  // Errors: kNotAModel, kNewerFormat, kCorrupt (offset and reason), kUnsupported (what by name).
  static Result<ModelFile> Open(std::span<const uint8_t> bytes, const FileMap* map = nullptr);
  // The same of a file in parts. Header, metadata and each section lie in one part; of a packed
  // file, kernels read up to kPackedOverRead bytes behind each part.
  static Result<ModelFile> Open(const FileParts& parts, const FileMap* map = nullptr);

  const format::Model& model() const { return *model_; }
  // What indices of the model's tensors mean.
  const flatbuffers::Vector<flatbuffers::Offset<format::Tensor>>& tensors() const {
    return *whole_->tensors();
  }
  // What sees for the model, as a file of its own that has the same tensors and sections. There
  // where model().vision() is.
  ModelFile Vision() const {
    ModelFile vision = *this;
    vision.model_ = model_->vision();
    return vision;
  }
  // What the weights of Linears are packed in; nullptr for a portable file.
  const PackedLayout* layout() const { return layout_; }
  // The bytes of a section of this file's metadata; empty for nullptr.
  std::span<const uint8_t> bytes(const format::Section* section) const;
  // Compares the section's checksum; `what` names it in the message. Error: kCorrupt.
  Status Verify(const format::Section* section, const char* what) const;
  // The same where the caller has computed the checksum.
  Status CompareChecksum(const format::Section& section, uint64_t checksum, const char* what) const;
  // Says that this part of the file will not be read soon (FileMap::Release). Does nothing to bytes
  // that lie in no mapping.
  void Release(std::span<const uint8_t> part) const {
    if (map_ != nullptr) map_->Release(part);
  }
  // Every section of the file, for `rondo inspect --check`.
  Status VerifyAll() const;
  uint64_t file_bytes() const { return file_.size(); }

 private:
  FileParts file_;
  const FileMap* map_ = nullptr;
  const format::Model* whole_ = nullptr;
  const format::Model* model_ = nullptr;  // that, or what sees for it
  const PackedLayout* layout_ = nullptr;
};

}  // namespace rondo
