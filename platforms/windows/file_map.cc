#include "platforms/file_map.h"

#include <io.h>
#include <windows.h>

#include <memory>
#include <new>
#include <utility>

namespace rondo {
namespace {

using Kind = FileError::Kind;

uint64_t Granularity() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwAllocationGranularity;
}

FileError LastError() {
  const DWORD error = GetLastError();
  const int system = static_cast<int>(error);
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH:
      return {Kind::kAbsent, system};
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
      return {Kind::kDenied, system};
    case ERROR_INVALID_HANDLE:
      return {Kind::kBadDescriptor, system};
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT:
      return {Kind::kNoMemory, system};
    default:
      return {Kind::kOther, system};
  }
}

// The path in UTF-16, in the form that has no limit of 260 characters.
FileError WidePath(const char* path, std::unique_ptr<wchar_t[]>* out) {
  constexpr FileError kNoPath = {Kind::kAbsent, ERROR_INVALID_NAME};  // no UTF-8
  constexpr FileError kNoMemory = {Kind::kNoMemory, ERROR_NOT_ENOUGH_MEMORY};
  const int size = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, nullptr, 0);
  if (size <= 0) return kNoPath;
  std::unique_ptr<wchar_t[]> wide(new (std::nothrow) wchar_t[static_cast<size_t>(size)]);
  if (wide == nullptr) return kNoMemory;
  MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide.get(), size);
  const bool special = wide[0] == L'\\' && wide[1] == L'\\';
  if (size < MAX_PATH || special) {
    *out = std::move(wide);
    return {};
  }
  constexpr wchar_t kPrefix[] = L"\\\\?\\";
  constexpr DWORD kPrefixSize = 4;
  const DWORD full_size = GetFullPathNameW(wide.get(), 0, nullptr, nullptr);
  std::unique_ptr<wchar_t[]> full(new (std::nothrow) wchar_t[kPrefixSize + full_size + 1]);
  if (full_size == 0) return kNoPath;
  if (full == nullptr) return kNoMemory;
  for (DWORD i = 0; i < kPrefixSize; ++i) full[i] = kPrefix[i];
  // Another thread may have changed the folder that the path is relative to.
  const DWORD written = GetFullPathNameW(wide.get(), full_size, full.get() + kPrefixSize, nullptr);
  if (written == 0 || written >= full_size) return kNoPath;
  *out = std::move(full);
  return {};
}

}  // namespace

FileMap::~FileMap() {
  if (base_ != nullptr) UnmapViewOfFile(base_);
}

FileError FileMap::OpenPath(const char* path, FileMap* map) {
  std::unique_ptr<wchar_t[]> wide;
  if (const FileError error = WidePath(path, &wide)) return error;
  const DWORD attributes = GetFileAttributesW(wide.get());
  if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
    return {Kind::kDirectory, ERROR_ACCESS_DENIED};
  }
  const HANDLE file =
      CreateFileW(wide.get(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                  nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) return LastError();
  const FileError error = OpenHandle(file, 0, kToEnd, map);
  CloseHandle(file);
  return error;
}

// A descriptor of the C library that this one was linked to.
FileError FileMap::OpenDescriptor(int descriptor, uint64_t offset, uint64_t length, FileMap* map) {
  if (descriptor < 0) return {Kind::kBadDescriptor, ERROR_INVALID_HANDLE};
  const intptr_t handle = _get_osfhandle(descriptor);
  if (handle == -1 || handle == -2) return {Kind::kBadDescriptor, ERROR_INVALID_HANDLE};
  return OpenHandle(reinterpret_cast<void*>(handle), offset, length, map);
}

FileError FileMap::OpenHandle(void* file, uint64_t offset, uint64_t length, FileMap* map) {
  LARGE_INTEGER size;
  if (GetFileType(file) != FILE_TYPE_DISK || GetFileSizeEx(file, &size) == 0) {
    return {Kind::kNoSuchRange, ERROR_INVALID_PARAMETER};
  }
  const auto file_bytes = static_cast<uint64_t>(size.QuadPart);
  if (offset > file_bytes) return {Kind::kNoSuchRange, ERROR_HANDLE_EOF};
  if (length == kToEnd) length = file_bytes - offset;
  if (length > file_bytes - offset) return {Kind::kNoSuchRange, ERROR_HANDLE_EOF};
  FileMap mapped;
  if (length > 0) {
    const uint64_t before = offset % Granularity();
    if (length > SIZE_MAX - before) return {Kind::kNoMemory, ERROR_NOT_ENOUGH_MEMORY};
    const HANDLE mapping = CreateFileMappingW(file, nullptr, PAGE_READONLY, 0, 0, nullptr);
    if (mapping == nullptr) return LastError();
    const auto mapped_bytes = static_cast<size_t>(length + before);
    const uint64_t begin = offset - before;
    void* const base = MapViewOfFile(mapping, FILE_MAP_READ, static_cast<DWORD>(begin >> 32),
                                     static_cast<DWORD>(begin), mapped_bytes);
    const FileError error = base == nullptr ? LastError() : FileError();
    CloseHandle(mapping);  // the view keeps it
    if (error) return error;
    mapped.base_ = base;
    mapped.mapped_bytes_ = mapped_bytes;
    mapped.bytes_ = {static_cast<const uint8_t*>(base) + before, static_cast<size_t>(length)};
  }
  *map = std::move(mapped);
  return {};
}

void FileMap::Release(std::span<const uint8_t> part) const {
  if (bytes_.empty() || part.empty()) return;
  const auto map = reinterpret_cast<uintptr_t>(bytes_.data());
  const auto from = reinterpret_cast<uintptr_t>(part.data());
  if (from < map || part.size() > bytes_.size() || from - map > bytes_.size() - part.size()) return;
  // What is not locked leaves the working set by this call, which then says that it was not.
  VirtualUnlock(const_cast<uint8_t*>(part.data()), part.size());
}

}  // namespace rondo
