// Callers of every version of the header: the sizes that its structs have had, and no others.
#include "c_api/struct_sizes.h"

#include <cstring>

#include "tests/c_api/tiny_model.h"

namespace rondo {
namespace {

struct Grown {  // twice, by one field and by two
  uint32_t struct_size;
  uint32_t first;
  uint64_t second;
  uint32_t third;
  uint32_t third_too;
};

}  // namespace

template <>
inline constexpr std::array c_api::kEarlierSizes<Grown> = {offsetof(Grown, second),
                                                           offsetof(Grown, third)};

namespace {

TEST(StructSizesTest, EveryVersionsAndNothingBetween) {
  for (uint32_t size = 0; size < sizeof(Grown); ++size) {
    EXPECT_EQ(c_api::IsStructSize<Grown>(size), size == 8 || size == 16) << size;
  }
  EXPECT_TRUE(c_api::IsStructSize<Grown>(sizeof(Grown)));
  EXPECT_TRUE(c_api::IsStructSize<Grown>(c_api::kMaxStructSize));
  EXPECT_FALSE(c_api::IsStructSize<Grown>(c_api::kMaxStructSize + 1));
}

// The sizes that `init` takes up to this header's, and that it writes no more.
template <typename Options, typename Init>
void ExpectSizes(const Init& init) {
  const auto& earlier = c_api::kEarlierSizes<Options>;
  Options options;
  for (size_t size = 0; size < sizeof options; ++size) {
    const bool known = std::find(earlier.begin(), earlier.end(), size) != earlier.end();
    std::memset(&options, 0xa5, sizeof options);
    EXPECT_EQ(init(&options, size), known ? RONDO_STATUS_OK : RONDO_STATUS_VERSION_MISMATCH)
        << size;
    const auto* bytes = reinterpret_cast<const unsigned char*>(&options);
    for (size_t i = known ? size : 0; i < sizeof options; ++i) ASSERT_EQ(bytes[i], 0xa5) << size;
  }
  EXPECT_EQ(init(&options, sizeof options), RONDO_STATUS_OK);
}

TEST(StructSizesTest, OptionsThroughTheLibrary) {
  ExpectSizes<rondo_engine_options>(rondo_engine_options_init);
  ExpectSizes<rondo_session_options>(rondo_session_options_init);
}

}  // namespace
}  // namespace rondo
