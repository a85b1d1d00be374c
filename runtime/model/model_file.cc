#include "runtime/model/model_file.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/base/checked.h"
#include "runtime/base/checksum.h"
#include "runtime/base/format.h"
#include "runtime/model/check_messages.h"
#include "runtime/model/file_header.h"
#include "runtime/model/limits.h"
#include "runtime/model/model_check.h"
#include "runtime/model/sections.h"

namespace rondo {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read where they lie");

constexpr uint32_t kMaxMetadataDepth = 16;
constexpr uint32_t kMaxMetadataTables = 1u << 18;

// The header, with every field checked against the file's length.
Result<FileHeader> ReadHeader(const FileParts& file) {
  const std::span<const uint8_t> magic = file.View(0, sizeof(kFileMagic));
  if (magic.empty() || std::memcmp(magic.data(), kFileMagic, magic.size()) != 0) {
    return Status::Error(StatusCode::kNotAModel,
                         "not a Rondo model: it does not begin with the bytes RNDO");
  }
  FileHeader header;
  const std::span<const uint8_t> bytes = file.View(0, sizeof(header));
  if (bytes.empty()) {
    return Corrupt("the file ends after %llu bytes, inside its header of %zu", ull{file.size()},
                   sizeof(header));
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  // Before the checksum: a newer header may be made otherwise.
  if (header.format_version > kFormatVersion) {
    return Status::Error(StatusCode::kNewerFormat,
                         "the file has format version %u, this version of Rondo reads up to %u",
                         header.format_version, kFormatVersion);
  }
  if (Checksum(bytes.first(offsetof(FileHeader, header_checksum))) != header.header_checksum) {
    return Corrupt("the header (bytes 0 to 63) was altered: its checksum does not match");
  }
  if (header.format_version == 0) return Corrupt("the file has format version 0 (byte 4)");
  if (header.format_version < kFormatVersion) {
    return Status::Error(StatusCode::kUnsupported,
                         "the file has format version %u, this version of Rondo reads %u: convert "
                         "the model again",
                         header.format_version, kFormatVersion);
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

// The sections lie where a writer puts them, one behind the other between header and metadata, each
// at the next multiple of kSectionAlignment, with zeros before it. So the work is in the number of
// sections, however large the file is.
Status CheckSections(const FileParts& file, const FileHeader& header, const format::Model& model) {
  if (model.sections() == nullptr) return Corrupt("the metadata lacks the list of sections");
  if (model.sections()->size() > kMaxSections) {
    return Corrupt("the file has %u sections, expected at most %llu", model.sections()->size(),
                   ull{kMaxSections});
  }
  // The verifier does not look at the alignment of a vector's elements.
  if (reinterpret_cast<uintptr_t>(model.sections()->Data()) % alignof(format::Section) != 0) {
    return Corrupt("the list of sections is not at a multiple of %zu bytes",
                   alignof(format::Section));
  }
  const uint64_t of_nothing = Checksum({});
  uint64_t end = sizeof(FileHeader);
  for (uint32_t i = 0; i < model.sections()->size(); ++i) {
    const format::Section& section = *model.sections()->Get(i);
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

// The layout that the model names, nullptr where it names none.
Result<const PackedLayout*> ReadLayout(const FileParts& file, const format::Model& model) {
  if (model.layout() == nullptr) return static_cast<const PackedLayout*>(nullptr);
  const std::string_view id(model.layout()->data(), model.layout()->size());
  const PackedLayout* layout = FindLayout(id);
  if (layout == nullptr) {
    const bool printable =
        std::all_of(id.begin(), id.end(), [](char c) { return c > ' ' && c <= '~'; });
    return Status::Error(
        StatusCode::kUnsupported,
        "the file is packed in the layout %.*s, which this version of Rondo does not have; pack it "
        "again from the portable file",
        printable ? static_cast<int>(std::min<size_t>(id.size(), 80)) : 1,
        printable ? id.data() : "?");
  }
  // The kernels read a little beyond a matrix; the metadata should lie there.
  const auto* sections = model.sections();
  if (sections->size() > 0) {
    const format::Section& last = *sections->Get(sections->size() - 1);
    const uint64_t behind = file.size() - (last.offset() + last.bytes());
    if (behind < kPackedOverRead) {
      return Corrupt("the file ends %llu bytes behind its last section, expected at least %llu",
                     ull{behind}, ull{kPackedOverRead});
    }
  }
  return layout;
}

// "tensor NAME" for a section that a tensor owns, else "section".
void Describe(const format::Model& model, const format::Section* section, char* text,
              size_t text_bytes) {
  Format(text, text_bytes, "section");
  for (const format::Tensor* tensor : *model.tensors()) {
    const bool is_scales =
        tensor->scales() != nullptr && FindSection(model, *tensor->scales()) == section;
    if (is_scales || FindSection(model, *tensor->data()) == section) {
      constexpr size_t kRoom = 24;  // for what is around the name
      const std::string_view name = tensor->name()->string_view();
      Format(text, text_bytes, "tensor %.*s%s", CutForMessage(name, text_bytes - kRoom),
             name.data(), is_scales ? "'s scales" : "");
    }
  }
}

}  // namespace

Result<ModelFile> ModelFile::Open(std::span<const uint8_t> bytes, const FileMap* map) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % kSectionAlignment != 0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the model's bytes must start at a multiple of %llu",
                         ull{kSectionAlignment});
  }
  return Open(FileParts(bytes), map);
}

Result<ModelFile> ModelFile::Open(const FileParts& bytes, const FileMap* map) {
  RONDO_ASSIGN(const FileHeader header, ReadHeader(bytes));
  if (!bytes.HasWhole(header.metadata_offset, header.metadata_bytes)) {
    return CutApart("the metadata", header.metadata_offset, header.file_bytes);
  }
  const std::span<const uint8_t> metadata =
      bytes.View(header.metadata_offset, header.metadata_bytes);
  if (Checksum(metadata) != header.metadata_checksum) {
    return Corrupt("the metadata (bytes %llu to the end) was altered: its checksum does not match",
                   ull{header.metadata_offset});
  }
  flatbuffers::Verifier verifier(metadata.data(), metadata.size(), kMaxMetadataDepth,
                                 kMaxMetadataTables);
  if (!format::VerifyModelBuffer(verifier)) {
    return Corrupt("the metadata at byte %llu is not a well-formed FlatBuffers table",
                   ull{header.metadata_offset});
  }
  ModelFile file;
  file.file_ = bytes;
  file.map_ = map;
  file.model_ = format::GetModel(metadata.data());
  RONDO_RETURN_IF_ERROR(CheckSections(bytes, header, *file.model_));
  RONDO_ASSIGN(file.layout_, ReadLayout(bytes, *file.model_));
  RONDO_RETURN_IF_ERROR(CheckModel(*file.model_, file.layout_));
  return file;
}

std::span<const uint8_t> ModelFile::bytes(const format::Section* section) const {
  if (section == nullptr) return {};
  return file_.View(section->offset(), section->bytes());
}

Status ModelFile::Verify(const format::Section* section, const char* what) const {
  if (section == nullptr) return Corrupt("%s: the section is absent", what);
  if (FindSection(*model_, *section) == nullptr) {
    return Corrupt("%s: %llu bytes at %llu are not a section of this file", what,
                   ull{section->bytes()}, ull{section->offset()});
  }
  return CompareChecksum(*section, Checksum(bytes(section)), what);
}

Status ModelFile::CompareChecksum(const format::Section& section, uint64_t checksum,
                                  const char* what) const {
  if (checksum == section.checksum()) return Status();
  return Corrupt("%s (bytes %llu to %llu of the file) was altered: its checksum does not match",
                 what, ull{section.offset()}, ull{section.offset() + section.bytes()});
}

Status ModelFile::VerifyAll() const {
  for (const format::Section* section : *model_->sections()) {
    const Status status = Verify(section, "section");
    if (status.ok()) continue;
    char what[200];
    Describe(*model_, section, what, sizeof(what));
    return Verify(section, what);
  }
  return Status();
}

}  // namespace rondo
