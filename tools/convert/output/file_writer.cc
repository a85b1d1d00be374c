#include "tools/convert/output/file_writer.h"

#include <cstring>
#include <utility>

#include "runtime/model/file_header.h"

namespace rondo::convert {
namespace {

tools::FileKind KindOf(const ContainerKind& kind) {
  return {kind.magic == kModelContainer.magic ? "a Rondo file" : "a Rondo adapter",
          {kind.magic, sizeof kFileMagic}};
}

std::span<const uint8_t> HeaderBytes(const FileHeader& header) {
  return BytesOf(std::span(&header, 1));
}

}  // namespace

FileWriter::FileWriter(const std::filesystem::path& target, tools::Replace replace,
                       const ContainerKind& kind)
    : kind_(kind), file_(target, KindOf(kind), replace) {
  file_.Write(HeaderBytes(FileHeader{}));  // zeros until Finish
}

void FileWriter::AlignToSection() {
  constexpr uint8_t kZeros[kSectionAlignment] = {};
  file_.Write(std::span(kZeros).first((kSectionAlignment - bytes() % kSectionAlignment) %
                                      kSectionAlignment));
}

void FileWriter::Begin() {
  AlignToSection();
  section_begin_ = bytes();
  checksum_ = ChecksumStream();
}

void FileWriter::Append(std::span<const uint8_t> bytes) {
  checksum_.Update(bytes);
  file_.Write(bytes);
}

format::Section FileWriter::End() {
  return sections_.emplace_back(section_begin_, bytes() - section_begin_, checksum_.Digest());
}

format::Section FileWriter::Add(std::span<const uint8_t> bytes) {
  Begin();
  Append(bytes);
  return End();
}

format::Section FileWriter::AddShared(std::span<const uint8_t> bytes) {
  std::vector<uint8_t> key(bytes.begin(), bytes.end());
  const auto known = shared_.find(key);
  if (known != shared_.end()) return known->second;
  return shared_.emplace(std::move(key), Add(bytes)).first->second;
}

void FileWriter::Finish(std::span<const uint8_t> metadata) {
  AlignToSection();
  FileHeader header = {};
  std::memcpy(header.magic, kind_.magic, sizeof(header.magic));
  header.format_version = kind_.version;
  header.metadata_offset = bytes();
  header.metadata_bytes = metadata.size();
  header.metadata_checksum = Checksum(metadata);
  header.file_bytes = header.metadata_offset + header.metadata_bytes;
  header.header_checksum =
      Checksum(HeaderBytes(header).first(offsetof(FileHeader, header_checksum)));
  file_.Write(metadata);
  file_.Rewrite(HeaderBytes(header));
}

}  // namespace rondo::convert
