// Every byte of a resized picture is Pillow's.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "runtime/media/resize.h"
#include "tests/runtime/media/pictures.h"
#include "tests/support/npz.h"
#include "tests/support/reference_data.h"

namespace rondo {
namespace {

TEST(ResizeReference, DiffersInNoByte) {
  const std::filesystem::path path = std::filesystem::path(kSharedData) / "media/resize.npz";
  RONDO_SKIP_WITHOUT(path);
  const Npz references(path);
  size_t bytes = 0;
  size_t pictures = 0;
  for (const std::string& name : references.Names()) {
    if (!name.ends_with(".in")) continue;
    const std::string id = name.substr(0, name.size() - 3);
    const auto in = references.At(name).As<uint32_t>();
    const TestPicture picture = FormulaPicture(in[0], in[1], static_cast<int>(in[2]));
    for (const auto& [kernel, filter] : {std::pair{".box", Filter::kBox},
                                         {".bilinear", Filter::kBilinear},
                                         {".bicubic", Filter::kBicubic},
                                         {".lanczos", Filter::kLanczos}}) {
      const NpyArray expected = references.At(id + kernel);
      const auto resized = Resized(picture, {in[3], in[4]}, {.filter = filter});
      EXPECT_EQ(resized, expected.bytes) << id << kernel;
      bytes += resized.size();
      ++pictures;
    }
  }
  EXPECT_GE(pictures, 4 * 40u);
  RecordProperty("bytes", std::to_string(bytes));
}

}  // namespace
}  // namespace rondo
