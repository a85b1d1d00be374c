// What opening a file costs: it grows with the metadata, not with the file nor with how often
// something is pointed at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#if !defined(_WIN32)
#include <fcntl.h>
#include <unistd.h>
#endif

#include <bit>
#include <fstream>

#include "platforms/file_map.h"
#include "runtime/model/model_check.h"
#include "runtime/model/sections.h"
#include "runtime/model/tensor_view.h"
#include "runtime/model/vector_reader.h"
#include "tests/support/packed_model.h"

namespace rondo {
namespace {

using format::ModelT;
using format::Section;
using testing::HasSubstr;

const ModelBytes& SmallModel() {
  static const ModelBytes model = [] {
    convert::CheckpointShape shape;
    shape.attention_bias = true;
    return ConvertedModel(shape, format::TensorFormat::Q8, format::TensorFormat::Q8).portable();
  }();
  return model;
}

// ---- Gaps

#if defined(__linux__)
// Bytes of this process's memory that are pages of `path`.
size_t ResidentBytes(const std::string& path) {
  std::ifstream maps("/proc/self/smaps");
  size_t bytes = 0;
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find('-') < line.find(':')) inside = line.ends_with(path);
    size_t kilobytes = 0;
    if (inside && std::sscanf(line.c_str(), "Rss: %zu kB", &kilobytes) == 1) {
      bytes += kilobytes * 1024;
    }
  }
  return bytes;
}
#endif

// A few kilobytes on the disk.
TEST(OpenCost, ATerabyteOfNothingIsRefusedUnread) {
#if defined(_WIN32)
  GTEST_SKIP() << "a file has a gap here only where its file system is asked for one";
#else
  constexpr uint64_t kGap = uint64_t{1} << 40;
  ModelBytes model = SmallModel();
  const FileHeader old = model.header();
  FileHeader header = old;
  header.metadata_offset += kGap;
  header.file_bytes += kGap;
  model.set_header(header);

  const TempFolder folder;
  const std::string path = folder / "model.rondo";
  const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  const auto write_at = [&](uint64_t to, std::span<const uint8_t> part) {
    return pwrite(file, part.data(), part.size(), static_cast<off_t>(to)) ==
           static_cast<ssize_t>(part.size());
  };
  const std::span<const uint8_t> bytes = std::as_const(model).bytes();
  const bool written = write_at(0, bytes.first(old.metadata_offset)) &&
                       write_at(header.metadata_offset, bytes.subspan(old.metadata_offset));
  close(file);
  if (!written) GTEST_SKIP() << "no files of a terabyte here";

  FileMap map;
  const FileError error = FileMap::OpenPath(path.c_str(), &map);
  if (error.kind == FileError::Kind::kNoMemory) GTEST_SKIP() << "no addresses for a terabyte here";
  ASSERT_FALSE(error) << error.reason();
  ASSERT_EQ(map.bytes().size(), header.file_bytes);
  const Status status = ModelFile::Open(map.bytes(), &map).status();
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_THAT(status.message(),
              HasSubstr("the metadata is at byte " + std::to_string(header.metadata_offset)));
#if defined(__linux__)
  EXPECT_LT(ResidentBytes(path), size_t{1} << 20);
#endif
#endif
}

TEST(OpenCost, SectionsLieWhereTheWriterPutsThem) {
  const auto with = [](const std::function<void(ModelT&)>& change) {
    return ModelFile::Open(Rewrite(SmallModel(), change).bytes()).status();
  };
  ASSERT_TRUE(with([](ModelT&) {}).ok());
  // The last one is dropped: 64 bytes or more lie between the one before it and the metadata.
  EXPECT_THAT(with([](ModelT& m) { m.sections.pop_back(); }).message(),
              HasSubstr("expected behind the last section"));
  EXPECT_THAT(with([](ModelT& m) { m.sections.erase(m.sections.begin()); }).message(),
              HasSubstr("section 0"));
}

// ---- Sections

// Empty ones and then one of 8 bytes, all at one offset, and one more.
std::vector<Section> ManyAtOneOffset(uint32_t n) {
  std::vector<Section> sections(n - 2, Section(64, 0, Checksum({})));
  sections.emplace_back(64, 8, 1);
  sections.emplace_back(128, 8, 2);
  return sections;
}

TEST(OpenCost, ASectionIsFoundInAsManyStepsAsTheirNumberHasBits) {
  for (const uint32_t n : {16u, 1u << 12, 1u << 18}) {
    const std::vector<Section> sections = ManyAtOneOffset(n);
    const auto limit = static_cast<size_t>(std::bit_width(n)) + 1;
    size_t looks = 0;
    const auto at = [&](uint32_t i) -> const Section& {
      ++looks;
      return sections[i];
    };
    EXPECT_EQ(IndexOfSection(n, at, sections[n - 1]), n - 1);
    EXPECT_LE(looks, limit);
    looks = 0;
    EXPECT_EQ(IndexOfSection(n, at, sections[n - 2]), n - 2);
    EXPECT_LE(looks, limit);
    looks = 0;
    EXPECT_EQ(IndexOfSection(n, at, sections[0]), 0u);
    EXPECT_LE(looks, limit);
    for (const Section& absent :
         {Section(64, 7, 1), Section(64, 8, 2), Section(0, 8, 1), Section(UINT64_MAX, 8, 1)}) {
      looks = 0;
      EXPECT_EQ(IndexOfSection(n, at, absent), n);
      EXPECT_LE(looks, limit);
    }
  }
}

TEST(OpenCost, EmptySectionsAreAllTheSame) {
  const Section empty(64, 0, Checksum({}));
  const ModelBytes many = Rewrite(
      SmallModel(), [&](ModelT& m) { m.sections.insert(m.sections.begin(), 200000, empty); });
  const Result<ModelFile> file = ModelFile::Open(many.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_TRUE(file->VerifyAll().ok());
  // So that any of them may stand for the others, whichever a search finds.
  const ModelBytes other = Rewrite(
      SmallModel(), [](ModelT& m) { m.sections.insert(m.sections.begin(), Section(64, 0, 7)); });
  EXPECT_THAT(ModelFile::Open(other.bytes()).status().message(),
              HasSubstr("section 0 is empty, but has the checksum of something"));
}

// ---- Vectors

TEST(OpenCost, AVectorIsHashedOnceHoweverManyShareIt) {
  ModelBytes model = SmallModel();
  const ModelFile file = *ModelFile::Open(model.bytes());
  const uint32_t norm = file.model().final_norm()->weight();
  VectorReader reader = std::move(*VectorReader::Create(file));
  const Result<const float*> first = reader.Read(norm);
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_EQ(*first, ViewTensor(file, norm).f32().data());
  // Only who reads the bytes again can see that they are others now.
  model.bytes()[file.model().tensors()->Get(norm)->data()->offset()] ^= 1;
  EXPECT_TRUE(reader.Read(norm).ok());
  VectorReader fresh = std::move(*VectorReader::Create(file));
  EXPECT_EQ(fresh.Read(norm).status().code(), StatusCode::kCorrupt);
  EXPECT_EQ(fresh.Read(norm).status().code(),
            StatusCode::kCorrupt);  // what failed is not known good
}

TEST(OpenCost, RopesAreNoLongerThanAHead) {
  const ModelBytes model = Rewrite(SmallModel(), [](ModelT& m) {
    m.ropes.push_back(std::make_unique<format::RopeT>(*m.ropes.front()));
    m.ropes.back()->frequencies.assign(1u << 20, 1.0);
  });
  EXPECT_THAT(ModelFile::Open(model.bytes()).status().message(),
              HasSubstr("a rope's number of frequencies is 1048576, expected 1 to 256"));
}

}  // namespace
}  // namespace rondo
