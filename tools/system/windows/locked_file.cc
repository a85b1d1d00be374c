#include "tools/system/locked_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>
#include <windows.h>

namespace rondo::tools {
namespace {

std::error_code LastError() { return {errno, std::generic_category()}; }

}  // namespace

LockedFile::LockedFile(const std::filesystem::path& path, std::error_code& error)
    : path_(path),
      file_(_wsopen(path.c_str(), _O_RDWR | _O_CREAT | _O_BINARY | _O_NOINHERIT, _SH_DENYWR,
                    _S_IREAD | _S_IWRITE)) {
  error = file_.is_open() ? std::error_code() : LastError();
  if (error && _doserrno == ERROR_SHARING_VIOLATION) {
    error = std::make_error_code(std::errc::device_or_resource_busy);
  }
}

void LockedFile::WriteAt(uint64_t offset, std::string_view bytes, std::error_code& error) {
  error = {};
  if (_lseeki64(file_.number(), static_cast<int64_t>(offset), SEEK_SET) < 0) error = LastError();
  while (!bytes.empty() && !error) {
    const auto piece = static_cast<unsigned>(std::min<size_t>(bytes.size(), 1u << 30));
    const int n = _write(file_.number(), bytes.data(), piece);
    if (n < 0) error = LastError();
    if (n == 0) error = std::make_error_code(std::errc::no_space_on_device);
    if (n > 0) bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void LockedFile::SetLength(uint64_t bytes, std::error_code& error) {
  error =
      _chsize_s(file_.number(), static_cast<int64_t>(bytes)) == 0 ? std::error_code() : LastError();
}

void LockedFile::Name(const std::filesystem::path& target, std::error_code& error) {
  Sync(file_, error);
  if (error) return;
  file_.Close();  // what is open cannot be renamed
  if (MoveFileExW(path_.c_str(), target.c_str(),
                  MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) == 0) {
    error = {static_cast<int>(GetLastError()), std::system_category()};
  }
}

}  // namespace rondo::tools
