// FileWriter: a Rondo file's sections, metadata and header, written into an OutputFile. The file is
// a model's, or an adapter's.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <vector>

#include "runtime/base/checksum.h"
#include "runtime/model/file_container.h"
#include "tools/common/output_file.h"
#include "tools/convert/common/section_sink.h"

namespace rondo::convert {

// Everything throws as OutputFile does.
class FileWriter : public SectionSink {
 public:
  explicit FileWriter(const std::filesystem::path& target,
                      tools::Replace replace = tools::Replace::kSameKind,
                      const ContainerKind& kind = kModelContainer);

  format::Section Add(std::span<const uint8_t> bytes) override;

  // The same for what several tensors hold in common: equal bytes are written once.
  format::Section AddShared(std::span<const uint8_t> bytes);

  // A section in pieces: Begin, any number of Append, End. Nothing else in between.
  void Begin();
  void Append(std::span<const uint8_t> bytes);
  format::Section End();

  // All sections so far, in file order.
  const std::vector<format::Section>& sections() const { return sections_; }

  // Metadata and header; what is under unfinished_path() now is a whole file.
  void Finish(std::span<const uint8_t> metadata);
  const std::filesystem::path& unfinished_path() const { return file_.unfinished_path(); }
  uint64_t bytes() const { return file_.bytes(); }
  // Gives the finished file its name.
  void Commit() { file_.Commit(); }

 private:
  void AlignToSection();

  const ContainerKind kind_;
  tools::OutputFile file_;
  uint64_t section_begin_ = 0;
  ChecksumStream checksum_;
  std::vector<format::Section> sections_;
  std::map<std::vector<uint8_t>, format::Section> shared_;  // by their bytes
};

}  // namespace rondo::convert
