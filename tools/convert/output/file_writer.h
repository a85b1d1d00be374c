// FileWriter: a Rondo file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "runtime/base/checksum.h"
#include "tools/convert/output/section_sink.h"

namespace rondo::convert {

// Writes beside the target, as TARGET.partial-PROCESS, and renames at the end. Whatever is thrown
// in between, the destructor removes the partial file. An existing target is replaced only if it
// is a Rondo file itself, never anything else (such as the checkpoint).
// Everything throws Error, naming the file and the system's reason.
class FileWriter : public SectionSink {
 public:
  explicit FileWriter(const std::filesystem::path& target);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter() override;

  format::Section Add(std::span<const uint8_t> bytes) override;

  // A section in pieces: Begin, any number of Append, End. Nothing else in between.
  void Begin();
  void Append(std::span<const uint8_t> bytes);
  format::Section End();

  // All sections so far, in file order.
  const std::vector<format::Section>& sections() const { return sections_; }

  // Metadata and header; what is on the disk now is a whole file, under partial_path().
  void Finish(std::span<const uint8_t> metadata);
  const std::filesystem::path& partial_path() const { return partial_; }
  // Gives the finished file its name.
  void Commit();

 private:
  void Write(std::span<const uint8_t> bytes);
  void AlignToSection();
  [[noreturn]] void FailWith(const char* action) const;  // with errno

  const std::filesystem::path target_;
  const std::filesystem::path partial_;
  int descriptor_ = -1;
  uint64_t position_ = 0;  // bytes written
  uint64_t section_begin_ = 0;
  ChecksumStream checksum_;
  std::vector<format::Section> sections_;
};

}  // namespace rondo::convert
