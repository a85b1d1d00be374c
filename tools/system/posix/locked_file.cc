#include "tools/system/locked_file.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace rondo::tools {
namespace {

std::error_code LastError() { return {errno, std::generic_category()}; }

}  // namespace

LockedFile::LockedFile(const std::filesystem::path& path, std::error_code& error)
    : path_(path), file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  error = file_.is_open() ? std::error_code() : LastError();
  if (error || flock(file_.number(), LOCK_EX | LOCK_NB) == 0) return;
  error =
      errno == EWOULDBLOCK ? std::make_error_code(std::errc::device_or_resource_busy) : LastError();
  file_.Close();
}

void LockedFile::WriteAt(uint64_t offset, std::string_view bytes, std::error_code& error) {
  error = {};
  while (!bytes.empty()) {
    const ssize_t n =
        pwrite(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      error = LastError();
      return;
    }
    offset += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void LockedFile::SetLength(uint64_t bytes, std::error_code& error) {
  error =
      ftruncate(file_.number(), static_cast<off_t>(bytes)) == 0 ? std::error_code() : LastError();
}

void LockedFile::Name(const std::filesystem::path& target, std::error_code& error) {
  Sync(file_, error);
  if (!error) std::filesystem::rename(path_, target, error);
}

}  // namespace rondo::tools
