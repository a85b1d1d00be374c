#include "tools/common/output_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <unistd.h>

#include "tools/common/library.h"

namespace rondo::tools {

OutputFile::OutputFile(std::string path)
    : path_(std::move(path)), partial_(path_ + ".partial-" + std::to_string(getpid())) {
  file_ = std::fopen(partial_.c_str(), "wbx");
  if (file_ == nullptr) Fail("create");
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(partial_.c_str());
}

void OutputFile::Write(const void* bytes, size_t count) {
  if (std::fwrite(bytes, 1, count, file_) != count) Fail("write");
}

void OutputFile::Commit() {
  if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) Fail("write");
  if (std::rename(partial_.c_str(), path_.c_str()) != 0) Fail("rename");
  std::fclose(file_);
  file_ = nullptr;
}

void OutputFile::Fail(const char* action) const {
  throw Error("cannot " + std::string(action) + " " + partial_ + ": " + std::strerror(errno));
}

}  // namespace rondo::tools
