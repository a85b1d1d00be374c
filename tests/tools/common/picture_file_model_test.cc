// The reference pictures' files hold the pixels that they were made of.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/npz.h"
#include "tests/support/reference_data.h"
#include "tools/common/picture_file.h"

namespace rondo {
namespace {

TEST(PictureFileReference, DiffersInNoByte) {
  const std::filesystem::path folder = std::filesystem::path(kSharedData) / "media";
  RONDO_SKIP_WITHOUT(folder);
  const Npz references(folder / "pictures.npz");
  size_t compared = 0;
  for (const std::string& name : references.Names()) {
    NpyArray expected = references.At(name);  // each row less the one above it
    const size_t row_bytes = expected.shape[1] * 3;
    for (size_t i = row_bytes; i < expected.bytes.size(); ++i) {
      expected.bytes[i] = static_cast<uint8_t>(expected.bytes[i] + expected.bytes[i - row_bytes]);
    }
    const std::filesystem::path path = folder / "pictures" / (name + ".png");
    if (!std::filesystem::exists(path)) continue;
    const tools::Picture picture = tools::ReadPicture(path.string());
    EXPECT_EQ(picture.height, expected.shape[0]);
    EXPECT_EQ(picture.width, expected.shape[1]);
    EXPECT_EQ(picture.rgb, expected.bytes) << name;
    ++compared;
  }
  const auto files = std::filesystem::directory_iterator(folder / "pictures");
  EXPECT_EQ(compared, static_cast<size_t>(std::distance(begin(files), end(files))));
  EXPECT_GE(compared, 29u);
}

}  // namespace
}  // namespace rondo
