#include "runtime/base/digest.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "runtime/base/format.h"

namespace rondo {
namespace {

std::string Hex(std::span<const uint8_t> bytes) {
  std::string text;
  for (const uint8_t byte : DigestOf(bytes)) {
    char two[3];
    Format(two, sizeof two, "%02x", byte);
    text += two;
  }
  return text;
}

// What Python's hashlib.blake2b(..., digest_size=32) says: nothing, a few bytes, and both sides of
// a block's end.
TEST(Digest, IsBlake2b) {
  EXPECT_EQ(Hex({}), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  const std::vector<uint8_t> abc = {'a', 'b', 'c'};
  EXPECT_EQ(Hex(abc), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  std::vector<uint8_t> bytes(1000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7 % 251);
  const std::pair<size_t, const char*> expected[] = {
      {127, "1bb3d24376d0b5840955e640c6a8a4830cd69af0b7ad71a409d2a30c6a374abb"},
      {128, "9101ed0a248b57efc0c6070cfbf9cf316c182d125ad6191c1f7783c3d32b6346"},
      {129, "60f5e954d1a1775362ffd0762ed37bbe101ed5e88896dd793f1a889786fb3132"},
      {256, "45d503f4fc344944eeff959e1e2234c47884011023598cadbd934f08d4265016"},
      {1000, "a494537cc57474059ebe7a7f7a76c03306551355abebb1967408ed04e7564fa9"}};
  for (const auto& [size, hex] : expected) {
    EXPECT_EQ(Hex(std::span(bytes).first(size)), hex) << size << " bytes";
  }
}

}  // namespace
}  // namespace rondo
