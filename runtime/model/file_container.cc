#include "runtime/model/file_container.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "runtime/base/checksum.h"
#include "runtime/model/check_messages.h"
#include "runtime/model/limits.h"
#include "runtime/model/sections.h"

namespace rondo {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read where they lie");

Status NotOfKind(std::span<const uint8_t> magic, const ContainerKind& kind) {
  const char* what = "";
  for (const ContainerKind* other : {&kModelContainer, &kAdapterContainer}) {
    const bool is_it = !magic.empty() && std::memcmp(magic.data(), other->magic, magic.size()) == 0;
    if (is_it) what = other == &kModelContainer ? ": it is a model" : ": it is an adapter";
  }
  return Status::Error(StatusCode::kNotAModel,
                       "not a Rondo %s: it does not begin with the bytes %.4s%s", kind.name,
                       kind.magic, what);
}

// Fewer than kSectionAlignment bytes up to a multiple of it, so that one part has them all.
Status CheckZeros(const FileParts& file, uint64_t begin, uint64_t end) {
  const std::span<const uint8_t> between = file.View(begin, end - begin);
  for (size_t i = 0; i < between.size(); ++i) {
    if (between[i] != 0) {
      return Corrupt("byte %llu, between two sections, is not zero", ull{begin + i});
    }
  }
  return Status();
}

Status CutApart(const char* what, uint64_t begin, uint64_t end) {
  return Status::Error(StatusCode::kInvalidArgument,
                       "%s (bytes %llu to %llu of the file) does not lie in one part: cut the file "
                       "between sections, as `rondo split` does",
                       what, ull{begin}, ull{end});
}

}  // namespace

Result<FileHeader> ReadHeader(const FileParts& file, const ContainerKind& kind) {
  const std::span<const uint8_t> magic = file.View(0, sizeof(kFileMagic));
  if (magic.empty() || std::memcmp(magic.data(), kind.magic, magic.size()) != 0) {
    return NotOfKind(magic, kind);
  }
  FileHeader header;
  const std::span<const uint8_t> bytes = file.View(0, sizeof(header));
  if (bytes.empty()) {
    return Corrupt("the file ends after %llu bytes, inside its header of %zu", ull{file.size()},
                   sizeof(header));
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  // Before the checksum: a newer header may be made otherwise.
  if (header.format_version > kind.version) {
    return Status::Error(StatusCode::kNewerFormat,
                         "the file has format version %u, this version of Rondo reads up to %u",
                         header.format_version, kind.version);
  }
  if (Checksum(bytes.first(offsetof(FileHeader, header_checksum))) != header.header_checksum) {
    return Corrupt("the header (bytes 0 to 63) was altered: its checksum does not match");
  }
  if (header.format_version == 0) return Corrupt("the file has format version 0 (byte 4)");
  if (header.format_version < kind.version) {
    return Status::Error(StatusCode::kUnsupported,
                         "the file has format version %u, this version of Rondo reads %u: convert "
                         "the %s again",
                         header.format_version, kind.version, kind.name);
  }
  if (header.file_bytes != file.size()) {
    return Corrupt("the file was %s: it has %llu bytes, its header says %llu",
                   file.size() < header.file_bytes ? "truncated" : "appended to", ull{file.size()},
                   ull{header.file_bytes});
  }
  for (uint8_t byte : header.reserved) {
    if (byte != 0) return Corrupt("a reserved byte of the header (bytes 40 to 55) is not zero");
  }
  if (header.metadata_offset < sizeof(header) || header.metadata_offset > header.file_bytes ||
      header.metadata_offset % kSectionAlignment != 0 ||
      header.metadata_bytes != header.file_bytes - header.metadata_offset ||
      header.metadata_bytes > kMaxMetadataBytes) {
    return Corrupt("the header places %llu bytes of metadata at %llu in a file of %llu bytes",
                   ull{header.metadata_bytes}, ull{header.metadata_offset}, ull{header.file_bytes});
  }
  return header;
}

Result<std::span<const uint8_t>> ReadMetadata(const FileParts& file, const FileHeader& header) {
  if (!file.HasWhole(header.metadata_offset, header.metadata_bytes)) {
    return CutApart("the metadata", header.metadata_offset, header.file_bytes);
  }
  const std::span<const uint8_t> metadata =
      file.View(header.metadata_offset, header.metadata_bytes);
  if (Checksum(metadata) != header.metadata_checksum) {
    return Corrupt("the metadata (bytes %llu to the end) was altered: its checksum does not match",
                   ull{header.metadata_offset});
  }
  return metadata;
}

Status CheckSections(const FileParts& file, const FileHeader& header,
                     const flatbuffers::Vector<const format::Section*>* sections) {
  if (sections == nullptr) return Corrupt("the metadata lacks the list of sections");
  if (sections->size() > kMaxSections) {
    return Corrupt("the file has %u sections, expected at most %llu", sections->size(),
                   ull{kMaxSections});
  }
  // The verifier does not look at the alignment of a vector's elements.
  if (reinterpret_cast<uintptr_t>(sections->Data()) % alignof(format::Section) != 0) {
    return Corrupt("the list of sections is not at a multiple of %zu bytes",
                   alignof(format::Section));
  }
  const uint64_t of_nothing = Checksum({});
  uint64_t end = sizeof(FileHeader);
  for (uint32_t i = 0; i < sections->size(); ++i) {
    const format::Section& section = *sections->Get(i);
    const uint64_t begin = NextSection(end);
    if (section.offset() != begin || begin > header.metadata_offset ||
        section.bytes() > header.metadata_offset - begin) {
      return Corrupt(
          "section %u (%llu bytes at %llu) does not lie between its neighbours, from byte %llu to "
          "%llu at most",
          i, ull{section.bytes()}, ull{section.offset()}, ull{begin}, ull{header.metadata_offset});
    }
    if (section.bytes() == 0 && section.checksum() != of_nothing) {
      return Corrupt("section %u is empty, but has the checksum of something", i);
    }
    RONDO_RETURN_IF_ERROR(CheckZeros(file, end, begin));
    end = begin + section.bytes();
    if (!file.HasWhole(begin, section.bytes())) return CutApart("a section", begin, end);
  }
  if (header.metadata_offset != NextSection(end)) {
    return Corrupt("the metadata is at byte %llu, expected behind the last section, at %llu",
                   ull{header.metadata_offset}, ull{NextSection(end)});
  }
  return CheckZeros(file, end, header.metadata_offset);
}

}  // namespace rondo
