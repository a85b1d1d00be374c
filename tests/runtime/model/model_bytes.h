// ModelBytes: a Rondo file in memory that a test may damage and seal again.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/checksum.h"
#include "runtime/model/file_header.h"
#include "runtime/model/model_file.h"

namespace rondo {

// Begins at a multiple of 64, as ModelFile::Open wants it.
class ModelBytes {
 public:
  explicit ModelBytes(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    const std::vector<char> all((std::istreambuf_iterator<char>(in)), {});
    Assign({reinterpret_cast<const uint8_t*>(all.data()), all.size()});
  }
  explicit ModelBytes(std::span<const uint8_t> bytes) { Assign(bytes); }

  std::span<uint8_t> bytes() { return {lines_.data()->bytes, size_}; }
  std::span<const uint8_t> bytes() const { return {lines_.data()->bytes, size_}; }
  FileHeader header() const {
    FileHeader header;
    std::memcpy(&header, bytes().data(), sizeof(header));
    return header;
  }
  void set_header(FileHeader header) {
    header.header_checksum = Checksum(
        {reinterpret_cast<const uint8_t*>(&header), offsetof(FileHeader, header_checksum)});
    std::memcpy(bytes().data(), &header, sizeof(header));
  }
  std::span<uint8_t> metadata() { return bytes().subspan(header().metadata_offset); }

  // Gives altered metadata its checksum, so that it is read.
  void SealMetadata() {
    FileHeader sealed = header();
    sealed.metadata_checksum = Checksum(metadata());
    set_header(sealed);
  }

 private:
  struct alignas(kSectionAlignment) Line {
    uint8_t bytes[kSectionAlignment];
  };

  void Assign(std::span<const uint8_t> bytes) {
    size_ = bytes.size();
    lines_.resize(size_ / sizeof(Line) + 1);
    if (size_ != 0) std::memcpy(lines_.data(), bytes.data(), size_);
  }

  std::vector<Line> lines_;
  size_t size_ = 0;
};

// The file with its metadata rewritten.
inline ModelBytes Rewrite(const ModelBytes& bytes,
                          const std::function<void(format::ModelT&)>& change) {
  const ModelFile file = *ModelFile::Open(bytes.bytes());
  const std::unique_ptr<format::ModelT> model(file.model().UnPack());
  change(*model);
  flatbuffers::FlatBufferBuilder builder;
  format::FinishModelBuffer(builder, format::Model::Pack(builder, model.get()));
  FileHeader header = bytes.header();
  std::vector<uint8_t> whole(bytes.bytes().begin(),
                             bytes.bytes().begin() + static_cast<long>(header.metadata_offset));
  whole.insert(whole.end(), builder.GetBufferPointer(),
               builder.GetBufferPointer() + builder.GetSize());
  header.metadata_bytes = builder.GetSize();
  header.file_bytes = whole.size();
  ModelBytes rewritten(whole);
  rewritten.set_header(header);
  rewritten.SealMetadata();
  return rewritten;
}

}  // namespace rondo
