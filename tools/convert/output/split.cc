#include "tools/convert/output/split.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "platforms/file_map.h"
#include "runtime/model/file_header.h"
#include "runtime/model/file_parts.h"
#include "runtime/model/model_file.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert {

namespace fs = std::filesystem;

namespace {

fs::path PartName(const fs::path& output, size_t part, size_t parts) {
  char ending[40];
  std::snprintf(ending, sizeof ending, "-%05zu-of-%05zu.rondo", part + 1, parts);
  fs::path name = output;
  name += ending;
  return name;
}

// A part may take the place of one that begins alike: the same part of the same file.
tools::FileKind KindOf(std::span<const uint8_t> part) {
  constexpr size_t kBegin = 64;
  return {"this part of this file",
          {reinterpret_cast<const char*>(part.data()), std::min(kBegin, part.size())}};
}

}  // namespace

std::vector<uint64_t> Cuts(const std::vector<uint64_t>& places, uint64_t file_bytes,
                           uint64_t part_bytes) {
  std::vector<uint64_t> cuts = {0};
  for (size_t i = 0; i < places.size(); ++i) {
    const uint64_t end = i + 1 < places.size() ? places[i + 1] : file_bytes;
    if (places[i] > cuts.back() && end - cuts.back() > part_bytes) cuts.push_back(places[i]);
  }
  return cuts;
}

std::vector<fs::path> Split(const SplitOptions& options) {
  FileMap map;
  if (const FileError error = FileMap::OpenPath(options.input.string().c_str(), &map)) {
    Fail(options.input.string(), " cannot be read: ", error.reason());
  }
  const Result<ModelFile> file = ModelFile::Open(map.bytes(), &map);
  if (!file.ok()) Fail(options.input.string(), ": ", file.status().message());
  std::vector<uint64_t> places;
  for (const format::Section* section : *file->model().sections()) {
    places.push_back(section->offset());
  }
  FileHeader header;
  std::memcpy(&header, map.bytes().data(), sizeof header);
  places.push_back(header.metadata_offset);
  const std::vector<uint64_t> cuts = Cuts(places, file->file_bytes(), options.part_bytes);
  if (cuts.size() > FileParts::kMost) {
    Fail(options.input.string(), " would be in ", cuts.size(), " parts, expected at most ",
         FileParts::kMost, ": make them larger");
  }
  std::vector<fs::path> names;
  for (size_t i = 0; i < cuts.size(); ++i) {
    const uint64_t end = i + 1 < cuts.size() ? cuts[i + 1] : file->file_bytes();
    const auto part = map.bytes().subspan(cuts[i], end - cuts[i]);
    names.push_back(PartName(options.output, i, cuts.size()));
    tools::OutputFile out(names.back(), KindOf(part), options.replace);
    out.Write(part);
    out.Commit();
    map.Release(part);
  }
  return names;
}

}  // namespace rondo::convert
