// OutputFile: a file that appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace rondo::tools {

// Writes beside the target, as TARGET.partial-PROCESS, and renames in Commit; without it the
// destructor removes what was written. All throw Error, naming the file and the system's reason.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void Write(const void* bytes, size_t count);
  void Commit();

 private:
  [[noreturn]] void Fail(const char* action) const;

  const std::string path_;
  const std::string partial_;
  std::FILE* file_ = nullptr;
};

}  // namespace rondo::tools
