#include "tools/system/files.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#include <windows.h>

namespace rondo::tools {
namespace {

std::error_code LastError() { return {errno, std::generic_category()}; }

}  // namespace

void Descriptor::Close() {
  if (number_ >= 0) _close(std::exchange(number_, -1));
}

Descriptor OpenToRead(const std::filesystem::path& path, OpenAs as, std::error_code& error) {
  error = {};
  if (as == OpenAs::kNoLink && std::filesystem::is_symlink(path, error)) {
    error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
    return Descriptor();
  }
  Descriptor opened(_wopen(path.c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT));
  error = opened.is_open() ? std::error_code() : LastError();
  return opened;
}

uint64_t RegularFileBytes(const Descriptor& file, std::error_code& error) {
  struct _stat64 status;
  error = {};
  if (_fstat64(file.number(), &status) != 0)
    error = LastError();
  else if ((status.st_mode & _S_IFMT) != _S_IFREG)
    error = std::make_error_code(std::errc::invalid_argument);
  return error ? 0 : static_cast<uint64_t>(status.st_size);
}

size_t ReadSome(int descriptor, void* to, size_t count, std::error_code& error) {
  const int got = _read(descriptor, to, static_cast<unsigned>(std::min<size_t>(count, 1u << 30)));
  error = got < 0 ? LastError() : std::error_code();
  return got < 0 ? 0 : static_cast<size_t>(got);
}

size_t ReadAt(const Descriptor& file, uint64_t offset, void* to, size_t count,
              std::error_code& error) {
  const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(file.number()));
  auto* const bytes = static_cast<char*>(to);
  size_t done = 0;
  error = {};
  while (done < count) {
    OVERLAPPED at = {};
    at.Offset = static_cast<DWORD>(offset + done);
    at.OffsetHigh = static_cast<DWORD>((offset + done) >> 32);
    DWORD got = 0;
    const auto piece = static_cast<DWORD>(std::min<size_t>(count - done, 1u << 30));
    if (ReadFile(handle, bytes + done, piece, &got, &at) == 0) {
      const DWORD last = GetLastError();
      if (last != ERROR_HANDLE_EOF) error = {static_cast<int>(last), std::system_category()};
      break;
    }
    if (got == 0) break;
    done += got;
  }
  return done;
}

void Sync(const Descriptor& file, std::error_code& error) {
  error = _commit(file.number()) != 0 ? LastError() : std::error_code();
}

}  // namespace rondo::tools
