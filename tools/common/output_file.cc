#include "tools/common/output_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "tools/common/bytes.h"
#include "tools/common/error.h"
#include "tools/common/interrupt.h"

namespace rondo::tools {
namespace {

namespace fs = std::filesystem;

fs::path FolderOf(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

// A descriptor for a file without a name, or -1 where the system has none.
int OpenNameless(const fs::path& folder) {
#ifdef O_TMPFILE
  return open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
#else
  return -1;
#endif
}

// The first bytes of a file, as many as there are up to `count`.
std::string Beginning(const fs::path& path, size_t count) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (descriptor < 0) Fail(path.string(), " cannot be opened: ", std::strerror(errno));
  std::string bytes(count, '\0');
  const ssize_t got = pread(descriptor, bytes.data(), count, 0);
  close(descriptor);
  bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return bytes;
}

}  // namespace

OutputFile::OutputFile(fs::path target, const FileKind& kind, Replace replace)
    : target_(std::move(target)),
      kind_(kind),
      replace_(replace),
      partial_(target_.string() + ".partial-" + std::to_string(getpid())) {
  CheckTarget();
  descriptor_ = OpenNameless(FolderOf(target_));
  if (descriptor_ >= 0) {
    unfinished_ = "/proc/self/fd/" + std::to_string(descriptor_);
    nameless_ = access(unfinished_.c_str(), R_OK) == 0;
    if (nameless_) return;
    close(descriptor_);  // it could never be given a name
  }
  unfinished_ = partial_;
  unlink(partial_.c_str());  // of a process of the same number that was killed
  descriptor_ = open(partial_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) FailTo("create");
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  if (!nameless_) unlink(partial_.c_str());
  close(descriptor_);
}

void OutputFile::CheckTarget() const {
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

void OutputFile::FailTo(const char* action) const {
  const int error = errno;
  Fail("cannot ", action, " ", target_.string(), ": ", std::strerror(error));
}

void OutputFile::Write(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    CheckInterrupt();
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) FailTo("write");
    bytes_ += static_cast<uint64_t>(written);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void OutputFile::Write(std::string_view text) { Write(BytesOf(text)); }

void OutputFile::Rewrite(std::span<const uint8_t> bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t written =
        pwrite(descriptor_, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) FailTo("write");
    at += static_cast<size_t>(written);
  }
}

// Linking never replaces, renaming does: a file without a name that shall replace another gets one
// of its own for a moment.
void OutputFile::GiveName() {
  const auto link = [&](const fs::path& name) {
    return linkat(AT_FDCWD, unfinished_.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (nameless_) {
    if (link(target_)) return;
    if (errno != EEXIST) FailTo("name");
    unlink(partial_.c_str());
    if (!link(partial_)) FailTo("name");
  }
  if (rename(partial_.c_str(), target_.c_str()) == 0) return;
  const int error = errno;
  unlink(partial_.c_str());
  errno = error;
  FailTo("replace");
}

void OutputFile::Commit() {
  if (fsync(descriptor_) != 0) FailTo("write");
  CheckTarget();  // it may have come meanwhile
  CheckInterrupt();
  GiveName();
  close(std::exchange(descriptor_, -1));
  // The new name is as durable as the bytes once the folder is synced.
  const int folder = open(FolderOf(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

void WriteFile(const fs::path& target, const FileKind& kind, Replace replace,
               std::string_view text) {
  OutputFile file(target, kind, replace);
  file.Write(text);
  file.Commit();
}

}  // namespace rondo::tools
