#include "tools/system/files.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rondo::tools {
namespace {

std::error_code LastError() { return {errno, std::generic_category()}; }

}  // namespace

void Descriptor::Close() {
  if (number_ >= 0) close(std::exchange(number_, -1));
}

Descriptor OpenToRead(const std::filesystem::path& path, OpenAs as, std::error_code& error) {
  int flags = O_RDONLY | O_CLOEXEC;
  if (as != OpenAs::kAnything) flags |= O_NONBLOCK;
  if (as == OpenAs::kNoLink) flags |= O_NOFOLLOW;
  Descriptor opened(open(path.c_str(), flags));
  error = opened.is_open() ? std::error_code() : LastError();
  return opened;
}

uint64_t RegularFileBytes(const Descriptor& file, std::error_code& error) {
  struct stat status;
  error = {};
  if (fstat(file.number(), &status) != 0)
    error = LastError();
  else if (!S_ISREG(status.st_mode))
    error = std::make_error_code(std::errc::invalid_argument);
  return error ? 0 : static_cast<uint64_t>(status.st_size);
}

size_t ReadSome(int descriptor, void* to, size_t count, std::error_code& error) {
  const ssize_t got = read(descriptor, to, count);
  error = got < 0 ? LastError() : std::error_code();
  return got < 0 ? 0 : static_cast<size_t>(got);
}

size_t ReadAt(const Descriptor& file, uint64_t offset, void* to, size_t count,
              std::error_code& error) {
  auto* const bytes = static_cast<char*>(to);
  size_t done = 0;
  error = {};
  while (done < count) {
    const ssize_t got =
        pread(file.number(), bytes + done, count - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = LastError();
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

void Sync(const Descriptor& file, std::error_code& error) {
  error = fsync(file.number()) != 0 ? LastError() : std::error_code();
}

}  // namespace rondo::tools
