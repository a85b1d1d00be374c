// The first 64 bytes of a Rondo file, little-endian: of a model, or of an adapter for one.
#pragma once

#include <cstdint>

namespace rondo {

inline constexpr char kFileMagic[4] = {'R', 'N', 'D', 'O'};
inline constexpr uint32_t kFormatVersion = 4;  // the only one that is read
inline constexpr char kAdapterMagic[4] = {'R', 'N', 'D', 'A'};
inline constexpr uint32_t kAdapterVersion = 1;     // likewise
inline constexpr uint64_t kSectionAlignment = 64;  // bytes
inline constexpr uint64_t kMaxMetadataBytes = 64u << 20;

struct FileHeader {
  char magic[4];               // kFileMagic, kAdapterMagic
  uint32_t format_version;     // kFormatVersion, kAdapterVersion
  uint64_t file_bytes;         // the whole file: shows truncation before anything else
  uint64_t metadata_offset;    // a multiple of kSectionAlignment, >= sizeof(FileHeader)
  uint64_t metadata_bytes;     // metadata_offset + metadata_bytes == file_bytes
  uint64_t metadata_checksum;  // XXH3-64 of the metadata
  uint8_t reserved[16];        // zeros
  uint64_t header_checksum;    // XXH3-64 of the 56 bytes before
};
static_assert(sizeof(FileHeader) == 64);

}  // namespace rondo
