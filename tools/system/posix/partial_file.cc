#include "tools/system/partial_file.h"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "tools/system/name_beside.h"

namespace rondo::tools {
namespace {

namespace fs = std::filesystem;

std::error_code LastError() { return {errno, std::generic_category()}; }

fs::path FolderOf(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

// A file without a name; not open where the system has none.
Descriptor OpenNameless(const fs::path& folder) {
#ifdef O_TMPFILE
  return Descriptor(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
#else
  static_cast<void>(folder);
  return Descriptor();
#endif
}

}  // namespace

PartialFile::PartialFile(const fs::path& target, std::error_code& error)
    : target_(target), partial_(NameBeside(target)), file_(OpenNameless(FolderOf(target))) {
  error = {};
  if (file_.is_open()) {
    path_ = "/proc/self/fd/" + std::to_string(file_.number());
    is_named_ = access(path_.c_str(), R_OK) != 0;
    if (!is_named_) return;
    file_.Close();  // it could never be given a name
  }
  path_ = partial_;
  unlink(partial_.c_str());  // of a process of the same number that was killed
  file_ = Descriptor(open(partial_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file_.is_open()) error = LastError();
}

PartialFile::~PartialFile() {
  if (file_.is_open() && is_named_) unlink(partial_.c_str());
}

size_t PartialFile::Write(std::span<const uint8_t> bytes, std::error_code& error) {
  const ssize_t written = write(file_.number(), bytes.data(), bytes.size());
  error = written < 0 && errno != EINTR ? LastError() : std::error_code();
  return written < 0 ? 0 : static_cast<size_t>(written);
}

void PartialFile::Rewrite(std::span<const uint8_t> bytes, std::error_code& error) {
  error = {};
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t written =
        pwrite(file_.number(), bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return void(error = LastError());
    at += static_cast<size_t>(written);
  }
}

void PartialFile::Sync(std::error_code& error) { tools::Sync(file_, error); }

// Linking never replaces, renaming does: a file without a name that shall replace another gets one
// of its own for a moment.
void PartialFile::Name(std::error_code& error) {
  const auto link = [&](const fs::path& name) {
    if (linkat(AT_FDCWD, path_.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return true;
    error = LastError();
    return false;
  };
  bool is_done = false;
  if (!is_named_) {
    is_done = link(target_);
    if (!is_done && error != std::errc::file_exists) return;
    if (!is_done) {
      unlink(partial_.c_str());
      if (!link(partial_)) return;
    }
  }
  error = {};
  if (!is_done && rename(partial_.c_str(), target_.c_str()) != 0) {
    error = LastError();
    unlink(partial_.c_str());
    return;
  }
  file_.Close();
  // The new name is as durable as the bytes once the folder is synced.
  const Descriptor folder(open(FolderOf(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) fsync(folder.number());
}

}  // namespace rondo::tools
