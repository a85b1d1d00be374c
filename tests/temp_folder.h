// TempFolder: a folder of its own for a test, removed with everything in it.
#pragma once

#include <filesystem>
#include <random>
#include <string>

namespace rondo {

class TempFolder {
 public:
  TempFolder() {
    std::random_device random;
    const std::filesystem::path folder = std::filesystem::temp_directory_path();
    do {  // until the name is nobody's
      path_ = folder / ("rondo-test-" + std::to_string(random()));
    } while (!std::filesystem::create_directory(path_));
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace rondo
