#include "tools/convert/output/file_writer.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "runtime/model/file_header.h"
#include "tools/convert/fail.h"
#include "tools/convert/sources/input_file.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;

// Nothing but a Rondo file may be replaced.
void CheckReplaceable(const fs::path& target) {
  if (!fs::exists(fs::symlink_status(target))) return;
  char magic[sizeof(kFileMagic)] = {};
  if (fs::is_regular_file(target)) {
    const InputFile file(target);
    if (file.bytes() >= sizeof(magic)) {
      file.Read(0, {reinterpret_cast<uint8_t*>(magic), sizeof(magic)});
    }
  }
  if (std::memcmp(magic, kFileMagic, sizeof(magic)) != 0) {
    Fail(target.string(), " exists and is not a Rondo file; remove it or choose another name");
  }
}

std::span<const uint8_t> BytesOf(const FileHeader& header) {
  return {reinterpret_cast<const uint8_t*>(&header), sizeof(header)};
}

}  // namespace

FileWriter::FileWriter(const fs::path& target)
    : target_(target),
      partial_(target.string() + ".partial-" + std::to_string(static_cast<long>(getpid()))) {
  CheckReplaceable(target_);
  descriptor_ = open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor_ < 0) FailWith("created");
  try {
    Write(BytesOf(FileHeader{}));  // zeros until Finish
  } catch (...) {
    unlink(partial_.c_str());
    close(descriptor_);
    throw;
  }
}

FileWriter::~FileWriter() {
  if (descriptor_ < 0) return;
  unlink(partial_.c_str());
  close(descriptor_);
}

void FileWriter::FailWith(const char* action) const {
  Fail(partial_.string(), " cannot be ", action, ": ", std::strerror(errno));
}

void FileWriter::Write(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) FailWith("written");
    position_ += static_cast<uint64_t>(written);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void FileWriter::AlignToSection() {
  constexpr uint8_t kZeros[kSectionAlignment] = {};
  Write(std::span(kZeros).first((kSectionAlignment - position_ % kSectionAlignment) %
                                kSectionAlignment));
}

void FileWriter::Begin() {
  AlignToSection();
  section_begin_ = position_;
  checksum_ = ChecksumStream();
}

void FileWriter::Append(std::span<const uint8_t> bytes) {
  checksum_.Update(bytes);
  Write(bytes);
}

format::Section FileWriter::End() {
  return sections_.emplace_back(section_begin_, position_ - section_begin_, checksum_.Digest());
}

format::Section FileWriter::Add(std::span<const uint8_t> bytes) {
  Begin();
  Append(bytes);
  return End();
}

void FileWriter::Finish(std::span<const uint8_t> metadata) {
  AlignToSection();
  FileHeader header = {};
  std::memcpy(header.magic, kFileMagic, sizeof(header.magic));
  header.format_version = kFormatVersion;
  header.metadata_offset = position_;
  header.metadata_bytes = metadata.size();
  header.metadata_checksum = Checksum(metadata);
  header.file_bytes = header.metadata_offset + header.metadata_bytes;
  header.header_checksum = Checksum(BytesOf(header).first(offsetof(FileHeader, header_checksum)));
  Write(metadata);
  if (lseek(descriptor_, 0, SEEK_SET) != 0) FailWith("written");
  Write(BytesOf(header));
  if (fsync(descriptor_) != 0) FailWith("written");
}

void FileWriter::Commit() {
  std::error_code error;
  fs::rename(partial_, target_, error);
  if (error) Fail(target_.string(), " cannot be written: ", error.message());
  close(descriptor_);
  descriptor_ = -1;
  // The new name is as durable as the bytes once the folder is synced.
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  const int directory = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    fsync(directory);
    close(directory);
  }
}

}  // namespace rondo::convert
