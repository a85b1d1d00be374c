// Pictures through rondo.h: what is planned, what is made of them, and what is refused.
#include <gmock/gmock.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test {
namespace {

using testing::HasSubstr;

class MediaTest : public testing::Test {
 public:
  MediaTest() {
    rondo_model_facts facts = {};
    facts.struct_size = sizeof facts;
    EXPECT_EQ(rondo_model_info(model_.get(), &facts), RONDO_STATUS_OK);
    picture_ = facts.picture_token;
    EXPECT_EQ(rondo_image_options_init(&options_, sizeof options_), RONDO_STATUS_OK);
    rondo_engine_options options = EngineOptions();
    options.max_media_rows = 100;
    engine_ = NewEngine(model_.get(), options);
    for (size_t i = 0; i < pixels_.size(); ++i) {
      pixels_[i] = static_cast<unsigned char>(i * i % 251);
    }
  }
  rondo_image Rgb(uint32_t width, uint32_t height) const {
    rondo_image image = {};
    image.struct_size = sizeof image;
    image.width = width;
    image.height = height;
    image.plane0 = pixels_.data();
    return image;
  }
  Media Make(const rondo_image& image) {
    rondo_media* media = nullptr;
    EXPECT_EQ(rondo_media_create(engine_.get(), &image, &options_, &media, why_, sizeof why_),
              RONDO_STATUS_OK)
        << why_;
    return Media(media);
  }
  std::string Refusal(const rondo_image& image, int32_t status) {
    auto* media = reinterpret_cast<rondo_media*>(1);
    EXPECT_EQ(rondo_media_create(engine_.get(), &image, &options_, &media, why_, sizeof why_),
              status);
    EXPECT_EQ(media, nullptr);
    return why_;
  }
  std::vector<float> Logits(rondo_session* session) {
    const float* logits = nullptr;
    size_t count = 0;
    EXPECT_EQ(rondo_session_logits(session, &logits, &count), RONDO_STATUS_OK)
        << rondo_session_last_error(session);
    return {logits, logits + count};
  }

  Model model_ = OpenSeeing();
  Engine engine_;
  int32_t picture_ = -1;
  rondo_image_options options_;
  std::vector<unsigned char> pixels_ = std::vector<unsigned char>(200 * 200 * 3);
  char why_[256] = "";
};

TEST_F(MediaTest, ThePlanIsWhatIsMade) {
  for (const auto& [width, height] : {std::pair{1u, 1u}, {40u, 40u}, {100u, 30u}, {64u, 64u}}) {
    rondo_image_facts planned = {}, made = {};
    planned.struct_size = made.struct_size = sizeof planned;
    ASSERT_EQ(rondo_image_plan(model_.get(), width, height, &options_, &planned, why_, sizeof why_),
              RONDO_STATUS_OK)
        << why_;
    const Media media = Make(Rgb(width, height));
    ASSERT_EQ(rondo_media_info(media.get(), &made), RONDO_STATUS_OK);
    EXPECT_EQ(std::memcmp(&planned, &made, sizeof made), 0);
    EXPECT_EQ(made.rows, 4 * (made.tile_columns * made.tile_rows + 1));
    const Session session = NewSession(engine_.get());
    rondo_media* const one[] = {media.get()};
    const int32_t ids[] = {5, picture_, 6};
    ASSERT_EQ(rondo_session_append_media(session.get(), ids, 3, one, 1), RONDO_STATUS_OK)
        << rondo_session_last_error(session.get());
    uint64_t position = 0;
    EXPECT_EQ(rondo_session_position(session.get(), &position), RONDO_STATUS_OK);
    EXPECT_EQ(position, made.positions + 2);
  }
}

TEST_F(MediaTest, FormatsOfTheSamePixelsAreOnePicture) {
  rondo_image rgb = Rgb(40, 24);
  const Media media = Make(rgb);
  std::vector<unsigned char> bgra(24 * 200, 9);
  for (uint32_t y = 0; y < 24; ++y) {
    for (uint32_t x = 0; x < 40; ++x) {
      for (uint32_t c = 0; c < 3; ++c)
        bgra[y * 200 + x * 4 + c] = pixels_[(y * 40 + x) * 3 + 2 - c];
    }
  }
  rondo_image other = rgb;
  other.format = RONDO_PIXELS_BGRA8;
  other.plane0 = bgra.data();
  other.stride0 = 200;
  const Media again = Make(other);
  const auto logits = [&](const Media& of) {
    const Session session = NewSession(engine_.get());
    rondo_media* const one[] = {of.get()};
    const int32_t ids[] = {5, picture_, 6};
    EXPECT_EQ(rondo_session_append_media(session.get(), ids, 3, one, 1), RONDO_STATUS_OK);
    return Logits(session.get());
  };
  EXPECT_EQ(logits(media), logits(again));
  const Media grey = Make([&] {
    other.format = RONDO_PIXELS_GRAY8;
    other.stride0 = 0;
    return other;
  }());
  EXPECT_NE(logits(media), logits(grey));
}

TEST_F(MediaTest, HandlesMayBeClosedFirst) {
  Media media = Make(Rgb(50, 50));
  Session session = NewSession(engine_.get());
  rondo_media* const one[] = {media.get()};
  const int32_t ids[] = {5, picture_, 6};
  ASSERT_EQ(rondo_session_append_media(session.get(), ids, 3, one, 1), RONDO_STATUS_OK);
  media.reset();
  EXPECT_EQ(rondo_session_append_media(session.get(), ids, 3, one, 1), RONDO_STATUS_INVALID_HANDLE);
  Media second = Make(Rgb(50, 50));
  engine_.reset();
  model_.reset();
  EXPECT_FALSE(Logits(session.get()).empty());
  rondo_image_facts facts = {};
  facts.struct_size = sizeof facts;
  EXPECT_EQ(rondo_media_info(second.get(), &facts), RONDO_STATUS_OK);
}

TEST_F(MediaTest, RefusalsSayWhatIsWrong) {
  rondo_image image = Rgb(50, 50);
  image.stride0 = 149;
  EXPECT_THAT(Refusal(image, RONDO_STATUS_INVALID_ARGUMENT), HasSubstr("149"));
  image = Rgb(50, 50);
  image.format = 7;
  Refusal(image, RONDO_STATUS_INVALID_ARGUMENT);
  image.format = RONDO_PIXELS_NV12;
  Refusal(image, RONDO_STATUS_INVALID_ARGUMENT);  // a plane is missing
  image = Rgb(0, 50);
  Refusal(image, RONDO_STATUS_INVALID_ARGUMENT);
  image = Rgb(50, 1u << 31);
  Refusal(image, RONDO_STATUS_INVALID_ARGUMENT);
  image = Rgb(50, 50);
  image.mirror = 2;
  EXPECT_THAT(Refusal(image, RONDO_STATUS_INVALID_ARGUMENT), HasSubstr("mirror"));
  image.mirror = 0;
  image.rotation = 45;
  Refusal(image, RONDO_STATUS_INVALID_ARGUMENT);
  image = Rgb(50, 50);
  image.struct_size = 12;
  Refusal(image, RONDO_STATUS_VERSION_MISMATCH);
  image = Rgb(50, 50);
  options_.max_tokens = 9;
  EXPECT_THAT(Refusal(image, RONDO_STATUS_UNSUPPORTED), HasSubstr("max_tokens"));
  options_.max_tokens = 0;
  options_.one_tile = 2;
  EXPECT_THAT(Refusal(image, RONDO_STATUS_INVALID_ARGUMENT), HasSubstr("one_tile"));
  options_.one_tile = 0;

  rondo_image_facts facts = {};
  facts.struct_size = sizeof facts;
  facts.rows = 9;
  EXPECT_EQ(rondo_image_plan(model_.get(), 65535, 65535, &options_, &facts, why_, sizeof why_),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(why_, HasSubstr("bytes to resize, but 4194304 are planned"));
  EXPECT_EQ(facts.rows, 0u);
  const Model blind = OpenTiny();
  EXPECT_EQ(rondo_image_plan(blind.get(), 50, 50, &options_, &facts, why_, sizeof why_),
            RONDO_STATUS_UNSUPPORTED);
  EXPECT_THAT(why_, HasSubstr("reads texts alone"));
  engine_ = NewEngine(model_.get());
  EXPECT_THAT(Refusal(image, RONDO_STATUS_UNSUPPORTED), HasSubstr("max_media_rows is 0"));
}

TEST_F(MediaTest, PicturesAndTheirTokensAreAsMany) {
  const Media media = Make(Rgb(50, 50));
  const Session session = NewSession(engine_.get());
  rondo_media* const two[] = {media.get(), media.get()};
  const int32_t ids[] = {5, picture_, 6, picture_};
  EXPECT_EQ(rondo_session_append_media(session.get(), ids, 4, two, 1),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(rondo_session_last_error(session.get()), HasSubstr("2 times, but 1 pictures"));
  EXPECT_EQ(rondo_session_append_media(session.get(), ids, 3, two, 2),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_session_append_media(session.get(), ids, 4, nullptr, 2),
            RONDO_STATUS_INVALID_ARGUMENT);
  const std::vector<rondo_media*> many(65, media.get());
  EXPECT_EQ(rondo_session_append_media(session.get(), ids, 4, many.data(), many.size()),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(rondo_session_last_error(session.get()), HasSubstr("65 pictures were given, but"));
  const Engine other = [&] {
    rondo_engine_options options = EngineOptions();
    options.max_media_rows = 100;
    return NewEngine(model_.get(), options);
  }();
  const Session elsewhere = NewSession(other.get());
  EXPECT_EQ(rondo_session_append_media(elsewhere.get(), ids, 3, two, 1),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(rondo_session_last_error(elsewhere.get()), HasSubstr("of another engine"));
  EXPECT_EQ(rondo_session_append_media(session.get(), ids, 4, two, 2), RONDO_STATUS_OK);
}

// The callback may use the engine, but not for another picture.
TEST_F(MediaTest, ProgressMayCallTheLibrary) {
  struct Inside {
    MediaTest* test;
    rondo_session* session;
    int calls = 0;
  };
  const Session session = NewSession(engine_.get());
  Inside inside = {this, session.get()};
  options_.progress_user = &inside;
  options_.progress = [](void* user, uint64_t, uint64_t) -> int32_t {
    auto& in = *static_cast<Inside*>(user);
    const int32_t ids[] = {5, 6};
    EXPECT_EQ(rondo_session_prefill(in.session, ids, 2), RONDO_STATUS_OK);
    const rondo_image image = in.test->Rgb(30, 30);
    rondo_image_options options;
    EXPECT_EQ(rondo_image_options_init(&options, sizeof options), RONDO_STATUS_OK);
    rondo_media* media = nullptr;
    EXPECT_EQ(rondo_media_create(in.test->engine_.get(), &image, &options, &media, nullptr, 0),
              RONDO_STATUS_BUSY);
    return ++in.calls == 3 ? 1 : 0;
  };
  Refusal(Rgb(60, 60), RONDO_STATUS_CANCELLED);
  EXPECT_EQ(inside.calls, 3);
}

}  // namespace
}  // namespace rondo::abi_test
