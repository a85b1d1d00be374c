// A picture file with any bytes: refused with an Error, or whole.
#include "tests/support/fuzzing.h"
#include "tests/tools/common/pictures/encoders.h"
#include "tools/common/error.h"
#include "tools/common/picture_file.h"

std::vector<std::string> FirstInputs() {
  return {rondo::SmallJpeg(), rondo::SmallProgressiveJpeg(), rondo::SmallPng(),
          rondo::SmallInterlacedPng(), rondo::SmallWebp()};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const rondo::tools::Picture picture =
        rondo::tools::DecodePicture("a picture", {data, size}, {.pixels = 1 << 16});
    EXPECT_EQ(picture.rgb.size(), size_t{picture.width} * picture.height * 3);
  } catch (const rondo::tools::Error& error) {
    EXPECT_NE(error.what()[0], '\0');
  }
  return 0;
}
