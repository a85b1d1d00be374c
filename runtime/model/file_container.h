// What all kinds of Rondo file have in common: a header, sections, and metadata behind them.
#pragma once

#include <cstdint>
#include <span>

#include "rondo_generated.h"
#include "runtime/base/status.h"
#include "runtime/model/file_header.h"
#include "runtime/model/file_parts.h"

namespace rondo {

struct ContainerKind {
  const char* name;   // in messages
  const char* magic;  // four bytes
  uint32_t version;   // the only one that is read
};

inline constexpr ContainerKind kModelContainer = {"model", kFileMagic, kFormatVersion};
inline constexpr ContainerKind kAdapterContainer = {"adapter", kAdapterMagic, kAdapterVersion};

// The metadata's verifier stops here.
inline constexpr uint32_t kMaxMetadataDepth = 16;
inline constexpr uint32_t kMaxMetadataTables = 1u << 18;

// The header, with every field checked against the file's length.
Result<FileHeader> ReadHeader(const FileParts& file, const ContainerKind& kind);

// The metadata's bytes, whose checksum matches.
Result<std::span<const uint8_t>> ReadMetadata(const FileParts& file, const FileHeader& header);

// The sections lie where a writer puts them, one behind the other between header and metadata, each
// at the next multiple of kSectionAlignment, with zeros before it. So the work is in the number of
// sections, however large the file is.
Status CheckSections(const FileParts& file, const FileHeader& header,
                     const flatbuffers::Vector<const format::Section*>* sections);

}  // namespace rondo
