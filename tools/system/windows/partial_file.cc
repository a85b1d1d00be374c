#include "tools/system/partial_file.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#include <windows.h>

#include "tools/system/name_beside.h"

namespace rondo::tools {
namespace {

std::error_code LastError() { return {errno, std::generic_category()}; }

}  // namespace

PartialFile::PartialFile(const std::filesystem::path& target, std::error_code& error)
    : target_(target), partial_(NameBeside(target)), path_(partial_) {
  _wunlink(partial_.c_str());  // of a process of the same number that was killed
  file_ =
      Descriptor(_wopen(partial_.c_str(), _O_RDWR | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT,
                        _S_IREAD | _S_IWRITE));
  error = file_.is_open() ? std::error_code() : LastError();
}

PartialFile::~PartialFile() {
  if (!file_.is_open()) return;
  file_.Close();  // what is open cannot be removed
  _wunlink(partial_.c_str());
}

size_t PartialFile::Write(std::span<const uint8_t> bytes, std::error_code& error) {
  const auto count = static_cast<unsigned>(std::min<size_t>(bytes.size(), 1u << 30));
  const int written = _write(file_.number(), bytes.data(), count);
  error = written < 0 ? LastError() : std::error_code();
  if (written == 0 && count > 0) error = std::make_error_code(std::errc::no_space_on_device);
  return written < 0 ? 0 : static_cast<size_t>(written);
}

void PartialFile::Rewrite(std::span<const uint8_t> bytes, std::error_code& error) {
  const int64_t end = _lseeki64(file_.number(), 0, SEEK_END);
  error = {};
  _lseeki64(file_.number(), 0, SEEK_SET);
  while (!bytes.empty() && !error) bytes = bytes.subspan(Write(bytes, error));
  _lseeki64(file_.number(), end, SEEK_SET);
}

void PartialFile::Sync(std::error_code& error) { tools::Sync(file_, error); }

void PartialFile::Name(std::error_code& error) {
  error = {};
  file_.Close();  // what is open cannot be renamed
  if (MoveFileExW(partial_.c_str(), target_.c_str(),
                  MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0) {
    return;
  }
  error = {static_cast<int>(GetLastError()), std::system_category()};
  _wunlink(partial_.c_str());
}

}  // namespace rondo::tools
