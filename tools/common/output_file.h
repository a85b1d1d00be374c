// OutputFile: every file that the tool writes. It appears whole or not at all, and replaces only
// files of its own kind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "tools/system/partial_file.h"

namespace rondo::tools {

// How a kind of file is told: by its first bytes.
struct FileKind {
  std::string_view name;  // "a Rondo file"
  std::string_view begin;
  std::string_view force = "--force";  // what replaces a file of another kind; empty: nothing
};

// Replace: what of the user's may be replaced. kNothing: the file is to be gone with its
// OutputFile, and what is under its name does not matter.
enum class Replace { kSameKind, kAnyFile, kNothing };

// The bytes gather in a PartialFile, which a failure leaves nothing of. Everything throws Error,
// naming the target and the reason, or Interrupted.
class OutputFile {
 public:
  // Refuses at once what Commit would refuse: a target that exists, is not empty and not of `kind`
  // unless any file may be replaced; a folder, a link or a device always.
  OutputFile(std::filesystem::path target, const FileKind& kind, Replace replace);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void Write(std::span<const uint8_t> bytes);
  void Write(std::string_view text);
  // Over what was written at the beginning.
  void Rewrite(std::span<const uint8_t> bytes);
  uint64_t bytes() const { return bytes_; }

  // Where all that was written so far can be read, for as long as this lives.
  const std::filesystem::path& unfinished_path() const { return file_->path(); }

  // On the disk, and under its name. Once. Not where nothing is to be replaced.
  void Commit();

 private:
  void CheckTarget() const;
  [[noreturn]] void FailTo(const char* action, const std::error_code& error) const;

  const std::filesystem::path target_;
  const FileKind kind_;
  const Replace replace_;
  std::optional<PartialFile> file_;  // from the begin on
  uint64_t bytes_ = 0;
};

// One file from one text.
void WriteFile(const std::filesystem::path& target, const FileKind& kind, Replace replace,
               std::string_view text);

}  // namespace rondo::tools
