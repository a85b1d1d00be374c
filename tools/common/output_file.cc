#include "tools/common/output_file.h"

#include <utility>

#include "tools/common/bytes.h"
#include "tools/common/error.h"
#include "tools/common/interrupt.h"

namespace rondo::tools {
namespace {

namespace fs = std::filesystem;

// The first bytes of a file, as many as there are up to `count`.
std::string Beginning(const fs::path& path, size_t count) {
  std::error_code error;
  const Descriptor file = OpenToRead(path, OpenAs::kNoLink, error);
  if (error) Fail(path.string(), " cannot be opened: ", error.message());
  std::string bytes(count, '\0');
  bytes.resize(ReadAt(file, 0, bytes.data(), count, error));
  return bytes;
}

}  // namespace

OutputFile::OutputFile(fs::path target, const FileKind& kind, Replace replace)
    : target_(std::move(target)), kind_(kind), replace_(replace) {
  CheckTarget();
  std::error_code error;
  file_.emplace(target_, error);
  if (error) FailTo("create", error);
}

void OutputFile::CheckTarget() const {
  if (replace_ == Replace::kNothing) return;
  const auto refuse = [&](const char* what) { Fail(target_.string(), what); };
  std::error_code error;
  switch (fs::symlink_status(target_, error).type()) {
    case fs::file_type::not_found:
      return;
    case fs::file_type::regular:
      break;
    case fs::file_type::directory:
      return refuse(" is a folder; name a file in it");
    case fs::file_type::symlink:
      return refuse(" is a symbolic link; name the file that it leads to");
    case fs::file_type::none:
      Fail("cannot create ", target_.string(), ": ", error.message());
    default:
      return refuse(" is not a regular file");
  }
  if (replace_ == Replace::kAnyFile) return;
  const std::string begin = Beginning(target_, kind_.begin.size());
  if (begin.empty() || begin == kind_.begin) return;
  const std::string replace =
      kind_.force.empty() ? "" : ", or replace it with " + std::string(kind_.force);
  Fail(target_.string(), " exists and is not ", kind_.name, "; choose another name", replace);
}

void OutputFile::FailTo(const char* action, const std::error_code& error) const {
  Fail("cannot ", action, " ", target_.string(), ": ", error.message());
}

void OutputFile::Write(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    CheckInterrupt();
    std::error_code error;
    const size_t written = file_->Write(bytes, error);
    if (error) FailTo("write", error);
    bytes_ += written;
    bytes = bytes.subspan(written);
  }
}

void OutputFile::Write(std::string_view text) { Write(BytesOf(text)); }

void OutputFile::Rewrite(std::span<const uint8_t> bytes) {
  std::error_code error;
  file_->Rewrite(bytes, error);
  if (error) FailTo("write", error);
}

void OutputFile::Commit() {
  std::error_code error;
  file_->Sync(error);
  if (error) FailTo("write", error);
  CheckTarget();  // it may have come meanwhile
  CheckInterrupt();
  file_->Name(error);
  if (error) FailTo("replace", error);
}

void WriteFile(const fs::path& target, const FileKind& kind, Replace replace,
               std::string_view text) {
  OutputFile file(target, kind, replace);
  file.Write(text);
  file.Commit();
}

}  // namespace rondo::tools
