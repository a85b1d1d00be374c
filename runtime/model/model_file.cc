#include "runtime/model/model_file.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/checksum.h"
#include "runtime/base/format.h"
#include "runtime/model/check_messages.h"
#include "runtime/model/file_container.h"
#include "runtime/model/file_header.h"
#include "runtime/model/limits.h"
#include "runtime/model/model_check.h"
#include "runtime/model/sections.h"

namespace rondo {
namespace {

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
  RONDO_ASSIGN(const FileHeader header, ReadHeader(bytes, kModelContainer));
  RONDO_ASSIGN(const std::span<const uint8_t> metadata, ReadMetadata(bytes, header));
  flatbuffers::Verifier verifier(metadata.data(), metadata.size(), kMaxMetadataDepth,
                                 kMaxMetadataTables);
  if (!format::VerifyModelBuffer(verifier)) {
    return Corrupt("the metadata at byte %llu is not a well-formed FlatBuffers table",
                   ull{header.metadata_offset});
  }
  ModelFile file;
  file.file_ = bytes;
  file.map_ = map;
  file.whole_ = file.model_ = format::GetModel(metadata.data());
  RONDO_RETURN_IF_ERROR(CheckSections(bytes, header, file.model_->sections()));
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
  if (FindSection(*whole_, *section) == nullptr) {
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
  for (const format::Section* section : *whole_->sections()) {
    const Status status = Verify(section, "section");
    if (status.ok()) continue;
    char what[200];
    Describe(*whole_, section, what, sizeof(what));
    return Verify(section, what);
  }
  return Status();
}

}  // namespace rondo
