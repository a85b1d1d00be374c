// TemporaryFolder: a folder of our own in the system's place for such, removed with its contents.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "tools/common/library.h"

namespace rondo::tools {

class TemporaryFolder {
 public:
  // In $TMPDIR where that is set. Throws Error where the system refuses.
  TemporaryFolder() {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    std::string name = (parent / "rondo-bench-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr) {
      throw Error("cannot create a folder for the random model as " + name + ": " +
                  (error ? error.message() : std::strerror(errno)) + " (set TMPDIR)");
    }
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace rondo::tools
