#include "tools/pull/unfinished_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "tools/common/error.h"
#include "tools/common/interrupt.h"

namespace rondo::tools {

UnfinishedFile::UnfinishedFile(std::filesystem::path target, uint64_t size, Digest::Kind kind)
    : target_(std::move(target)),
      path_(target_.string() + ".incomplete"),
      size_(size),
      kind_(kind),
      digest_(kind, size) {
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) FailTo("be opened");
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const bool busy = errno == EWOULDBLOCK;
    close(descriptor_);
    if (busy) Fail(path_.string(), " is being downloaded by another process");
    FailTo("be locked");
  }
  std::vector<char> buffer(1 << 20);
  while (bytes_ < size_) {
    CheckInterrupt();
    const size_t wanted = std::min<uint64_t>(buffer.size(), size_ - bytes_);
    const ssize_t n = read(descriptor_, buffer.data(), wanted);
    if (n < 0) FailTo("be read");
    if (n == 0) break;
    digest_.Add({buffer.data(), static_cast<size_t>(n)});
    bytes_ += static_cast<uint64_t>(n);
  }
}

UnfinishedFile::~UnfinishedFile() { close(descriptor_); }

void UnfinishedFile::FailTo(const char* action) const {
  Fail(path_.string(), " cannot ", action, ": ", std::strerror(errno));
}

void UnfinishedFile::Write(std::string_view bytes) {
  digest_.Add(bytes);
  while (!bytes.empty()) {
    const ssize_t n = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(bytes_));
    if (n < 0) {
      if (errno == EINTR) continue;
      FailTo("be written");
    }
    bytes_ += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void UnfinishedFile::Restart() {
  if (ftruncate(descriptor_, 0) != 0) FailTo("be emptied");
  bytes_ = 0;
  digest_ = Digest(kind_, size_);
}

void UnfinishedFile::Commit() {
  // What lay behind the end of an earlier, longer attempt is no part of it.
  if (ftruncate(descriptor_, static_cast<off_t>(size_)) != 0 || fsync(descriptor_) != 0) {
    FailTo("be finished");
  }
  if (std::rename(path_.c_str(), target_.c_str()) != 0) FailTo("be renamed");
}

}  // namespace rondo::tools
