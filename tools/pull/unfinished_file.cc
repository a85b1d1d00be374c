#include "tools/pull/unfinished_file.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tools/common/error.h"
#include "tools/common/interrupt.h"

namespace rondo::tools {
namespace {

std::filesystem::path Incomplete(std::filesystem::path target) { return target += ".incomplete"; }

}  // namespace

UnfinishedFile::UnfinishedFile(std::filesystem::path target, uint64_t size, Digest::Kind kind)
    : target_(std::move(target)),
      path_(Incomplete(target_)),
      size_(size),
      kind_(kind),
      digest_(kind, size),
      file_(path_, error_) {
  if (error_ == std::errc::device_or_resource_busy) {
    Fail(path_.string(), " is being downloaded by another process");
  }
  Check("be opened");
  std::vector<char> buffer(1 << 20);
  while (bytes_ < size_) {
    CheckInterrupt();
    const size_t wanted = std::min<uint64_t>(buffer.size(), size_ - bytes_);
    const size_t n = ReadAt(file_.descriptor(), bytes_, buffer.data(), wanted, error_);
    Check("be read");
    digest_.Add({buffer.data(), n});
    bytes_ += n;
    if (n < wanted) break;
  }
}

void UnfinishedFile::Check(const char* action) const {
  if (error_) Fail(path_.string(), " cannot ", action, ": ", error_.message());
}

void UnfinishedFile::Write(std::string_view bytes) {
  digest_.Add(bytes);
  file_.WriteAt(bytes_, bytes, error_);
  Check("be written");
  bytes_ += bytes.size();
}

void UnfinishedFile::Restart() {
  file_.SetLength(0, error_);
  Check("be emptied");
  bytes_ = 0;
  digest_ = Digest(kind_, size_);
}

void UnfinishedFile::Commit() {
  // What lay behind the end of an earlier, longer attempt is no part of it.
  file_.SetLength(size_, error_);
  Check("be finished");
  file_.Name(target_, error_);
  Check("be renamed");
}

}  // namespace rondo::tools
