// Pictures in sessions: what forks, undo, snapshots, the prefix cache, company and cancelling make
// of them; and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/media/pictures.h"
#include "tests/support/test_model.h"
#include "tools/convert/output/pack.h"

namespace rondo::media_session_model_test {
namespace {

using testing::HasSubstr;

constexpr uint32_t kRows = 120;

class Sight : public testing::Test {
 protected:
  Sight() : model_(TestData("seeing"), format::TensorFormat::Q8) {
    picture_ = model_.tokenizer()->AddedTokenId("<image>");
  }

  // For models that are changed behind it.
  static convert::ConvertOptions Conversion() {
    convert::ConvertOptions options;
    options.directory = TestData("seeing");
    options.weights = format::TensorFormat::Q8;
    return options;
  }
  static EngineOptions Options() {
    EngineOptions options;
    options.max_media_rows = kRows;
    options.max_rows = 24;
    options.max_sessions = 4;
    options.threads = 1;
    options.context = 512;
    return options;
  }
  static std::unique_ptr<Media> Encode(Engine& engine, const TestPicture& picture,
                                       const ImageOptions& options = {},
                                       const LoadProgress& progress = {}) {
    auto media = std::make_unique<Media>();
    const Status status =
        engine.media().Encode(&engine, picture.image(), options, progress, media.get());
    EXPECT_TRUE(status.ok()) << status.message();
    return media;
  }
  static Status Refusal(Engine& engine, const Image& image, const ImageOptions& options = {}) {
    Media media;
    const Status status = engine.media().Encode(&engine, image, options, {}, &media);
    EXPECT_EQ(engine.inputs().free_rows(), kRows);
    return status;
  }
  // "ids PICTURE ids" for each picture.
  std::vector<int32_t> Ids(size_t pictures, uint32_t seed = 1) const {
    std::vector<int32_t> ids;
    for (size_t i = 0; i <= pictures; ++i) {
      for (uint32_t j = 0; j < 7; ++j) {
        ids.push_back(static_cast<int32_t>((seed * 977 + i * 131 + j * 17) % 256));
      }
      if (i < pictures) ids.push_back(picture_);
    }
    return ids;
  }
  void Queue(Session* session, const std::vector<const Media*>& media, uint32_t seed = 1) const {
    const Status status = session->QueueMedia(Ids(media.size(), seed), media);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  static std::vector<float> Logits(Session* session) {
    const auto logits = session->Logits();
    EXPECT_TRUE(logits.ok()) << logits.status().message();
    return logits.ok() ? std::vector<float>(logits->begin(), logits->end()) : std::vector<float>();
  }
  static std::vector<int32_t> Generate(Session* session, size_t n) {
    std::vector<int32_t> tokens;
    while (tokens.size() < n) {
      const Result<TokenEvent> event = session->Next();
      EXPECT_TRUE(event.ok()) << event.status().message();
      if (!event.ok()) break;
      tokens.push_back(event->token);
    }
    return tokens;
  }
  static SessionOptions Endless() {
    SessionOptions options;
    options.ignore_eos = true;
    return options;
  }

  TempFolder folder_;
  TestModel model_;
  int32_t picture_ = 0;
};

TEST_F(Sight, EqualBitsHoweverItIsCut) {
  const TestPicture wide = FormulaPicture(90, 50, 0), tall = FormulaPicture(20, 61, 2);
  std::vector<float> expected;
  for (const uint32_t max_rows : {7u, 16u, 24u, 200u}) {
    for (const uint32_t threads : {1u, 3u}) {
      EngineOptions options = Options();
      options.max_rows = max_rows;
      options.threads = threads;
      options.no_prefix_cache = true;
      const auto engine = model_.NewEngine(options);
      const auto a = Encode(*engine, wide), b = Encode(*engine, tall);
      Session* const session = NewSession(*engine, Endless());
      Queue(session, {a.get(), b.get()});
      const std::vector<float> logits = Logits(session);
      if (expected.empty()) expected = logits;
      EXPECT_EQ(logits, expected) << max_rows << ' ' << threads;
    }
  }
}

TEST_F(Sight, APackedFileSeesTheSame) {
  const auto packed_path = folder_ / "packed.rondo";
  convert::ConvertOptions convert;
  convert.directory = TestData("seeing");
  convert.output = folder_ / "portable.rondo";
  convert::Convert(convert, [](uint64_t, uint64_t) {});
  for (const NamedLayout& named : NamedLayouts()) {
    if (SelectKernelSet(named.kernels) == nullptr) continue;
    convert::Pack({convert.output, packed_path, named}, [](uint64_t, uint64_t) {});
    const ModelBytes bytes(packed_path);
    const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
    ASSERT_TRUE(file.ok()) << file.status().message();
    EngineOptions options = Options();
    options.kernels = named.kernels;
    const auto logits = [&](const ModelFile& of) {
      auto engine = Engine::Create(of, model_.tokenizer(), options, nullptr, 0);
      EXPECT_TRUE(engine.ok()) << engine.status().message();
      const auto media = Encode(**engine, FormulaPicture(40, 40, 1));
      Session* const session = NewSession(**engine);
      Queue(session, {media.get()});
      return Logits(session);
    };
    EXPECT_EQ(logits(*file), logits(model_.file())) << named.kernels;
  }
}

TEST_F(Sight, EqualPicturesAreEncodedOnce) {
  const auto engine = model_.NewEngine(Options());
  int slices = 0;
  const LoadProgress counts = {[](void* user, uint64_t, uint64_t) {
                                 ++*static_cast<int*>(user);
                                 return 0;
                               },
                               &slices};
  const TestPicture picture = FormulaPicture(60, 60, 0);
  auto first = Encode(*engine, picture, {}, counts);
  EXPECT_GT(slices, 0);
  EXPECT_EQ(first->facts().layout.tiles(), 9u);
  EXPECT_EQ(engine->inputs().free_rows(), kRows - 40);
  const int once = slices;
  // The same pixels of another format, standing on their head.
  TestPicture turned = picture;
  for (size_t i = 0; i < turned.rgb.size() / 3; ++i) {
    std::copy_n(&picture.rgb[i * 3], 3, &turned.rgb[turned.rgb.size() - 3 - i * 3]);
  }
  Image image = turned.image();
  image.rotation = 180;
  Media again;
  ASSERT_TRUE(engine->media().Encode(engine.get(), image, {}, counts, &again).ok());
  EXPECT_EQ(slices, once);
  EXPECT_EQ(engine->inputs().free_rows(), kRows - 40);
  // Another option, other rows.
  const auto single = Encode(*engine, picture, {.one_tile = true}, counts);
  EXPECT_GT(slices, once);
  EXPECT_EQ(engine->inputs().free_rows(), kRows - 44);
  first->Release(&engine->inputs());
  again.Release(&engine->inputs());
  single->Release(&engine->inputs());
  EXPECT_EQ(engine->inputs().free_rows(), kRows);
}

TEST_F(Sight, SessionsHoldTheRowsTheyRemember) {
  const auto engine = model_.NewEngine(Options());
  Session* const session = NewSession(*engine, Endless());
  {
    const auto media = Encode(*engine, FormulaPicture(30, 30, 0));
    Queue(session, {media.get()});
    media->Release(&engine->inputs());
  }
  const size_t held = kRows - engine->inputs().free_rows();
  EXPECT_GT(held, 0u);
  const std::vector<float> logits = Logits(session);
  const std::vector<int32_t> tokens = Generate(session, 12);
  ASSERT_TRUE(session->Undo(12).ok());
  EXPECT_EQ(Logits(session), logits);
  EXPECT_EQ(Generate(session, 12), tokens);
  const auto fork = engine->ForkSession(*session, Endless());
  ASSERT_TRUE(fork.ok());
  ASSERT_TRUE((*fork)->Undo(12).ok());
  EXPECT_EQ(Generate(*fork, 12), tokens);
  engine->CloseSession(session);
  EXPECT_EQ(engine->inputs().free_rows(), kRows - held);
  engine->CloseSession(*fork);
  EXPECT_EQ(engine->inputs().free_rows(), kRows);
}

TEST_F(Sight, TwoPicturesNeverShareABlock) {
  const auto engine = model_.NewEngine(Options());
  const auto a = Encode(*engine, FormulaPicture(90, 90, 0)),
             b = Encode(*engine, FormulaPicture(90, 90, 1));
  std::vector<std::vector<float>> logits;
  for (const Media* media : {a.get(), b.get(), a.get()}) {
    Session* const session = NewSession(*engine, Endless());
    Queue(session, {media});
    logits.push_back(Logits(session));
    // The same picture behind the same text is there.
    EXPECT_EQ(engine->stats().prefix_hits.load(), logits.size() == 3 ? 1u : 0u);
    engine->CloseSession(session);
  }
  EXPECT_NE(logits[0], logits[1]);
  EXPECT_EQ(logits[0], logits[2]);
}

TEST_F(Sight, SnapshotsGoOnWithoutThePicture) {
  const auto engine = model_.NewEngine(Options()), other = model_.NewEngine(Options());
  const TestPicture picture = FormulaPicture(30, 60, 2);
  const auto media = Encode(*engine, picture);
  Session* const session = NewSession(*engine, Endless());
  Queue(session, {media.get()});
  Generate(session, 3);
  size_t bytes = 0;
  EXPECT_FALSE(session->Save({}, &bytes).ok());
  std::vector<uint8_t> snapshot(bytes);
  ASSERT_TRUE(session->Save(snapshot, &bytes).ok());
  const std::vector<int32_t> next = Generate(session, 8);
  Session* const restored = NewSession(*other, Endless());
  const Status status = restored->Restore(snapshot);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(Generate(restored, 8), next);
  // Back to the picture's last rows: these must run again.
  const uint64_t back = restored->position() - 7 - 4;
  const Status undone = restored->Undo(back);
  EXPECT_TRUE(!undone.ok() || restored->Logits().status().code() == StatusCode::kUnsupported);
  const auto again = Encode(*other, picture);
  if (!undone.ok()) {
    ASSERT_TRUE(restored->Undo(back).ok());
  }
  ASSERT_TRUE(session->Undo(session->position() - 7 - 4).ok());
  EXPECT_EQ(Logits(restored), Logits(session));
}

TEST_F(Sight, CompanyGoesOnWhileAPictureIsEncoded) {
  const auto engine = model_.NewEngine(Options());
  Session* const alone = NewSession(*engine, Endless());
  const std::vector<int32_t> prompt = Ids(0);
  ASSERT_TRUE(alone->Prefill(prompt).ok());
  const std::vector<int32_t> expected = Generate(alone, 150);
  std::atomic<bool> stop{false};
  std::atomic<int> encoded{0};
  std::thread eyes([&] {
    for (uint32_t i = 0; !stop; ++i) {
      const auto media = Encode(*engine, FormulaPicture(90, 60 + i % 30, 0));
      media->Release(&engine->inputs());
      ++encoded;
    }
  });
  Session* const session = NewSession(*engine, Endless());
  EXPECT_TRUE(session->Prefill(prompt).ok());
  EXPECT_EQ(Generate(session, 150), expected);
  while (encoded == 0) std::this_thread::yield();
  stop = true;
  eyes.join();
  EXPECT_EQ(engine->inputs().free_rows(), kRows);
}

TEST_F(Sight, ProgressEndsIt) {
  const auto engine = model_.NewEngine(Options());
  struct Asked {
    int left;
    uint64_t last = 0, all = 0;
  };
  const auto report = [](void* user, uint64_t done, uint64_t all) {
    auto& asked = *static_cast<Asked*>(user);
    EXPECT_GT(done, asked.last);
    EXPECT_LE(done, all);
    EXPECT_TRUE(asked.all == 0 || asked.all == all);
    asked.last = done;
    asked.all = all;
    return asked.left-- == 0 ? 1 : 0;
  };
  const TestPicture picture = FormulaPicture(90, 90, 0);
  for (const int slices : {0, 1, 5, 20}) {
    Asked asked{slices};
    Media media;
    const Status status =
        engine->media().Encode(engine.get(), picture.image(), {}, {report, &asked}, &media);
    EXPECT_EQ(status.code(), StatusCode::kCancelled);
    EXPECT_EQ(engine->inputs().free_rows(), kRows);
  }
  Asked asked{1 << 20};
  const auto media = Encode(*engine, picture, {}, {report, &asked});
  EXPECT_EQ(asked.last, asked.all);
}

TEST_F(Sight, WhatIsPlannedIsTold) {
  EngineOptions without = Options();
  without.max_media_rows = 0;
  const auto blind = model_.NewEngine(without);
  Session* const session = NewSession(*blind);
  EXPECT_THAT(session->QueueMedia(Ids(1), {}).message(), HasSubstr("1 times, but 0 pictures"));
  EXPECT_TRUE(session->QueueMedia(Ids(0), {}).ok());
  EXPECT_EQ(session->position(), Ids(0).size());
  EXPECT_LT(blind->plan().memory.arena_bytes(),
            model_.NewEngine(Options())->plan().memory.arena_bytes());
  const TestModel text(TestData("tiny"), format::TensorFormat::Q8);
  const auto engine = Engine::Create(text.file(), text.tokenizer(), Options(), nullptr, 0);
  EXPECT_EQ(engine.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(engine.status().message(), HasSubstr("reads texts alone"));
}

TEST_F(Sight, RefusalsTellTheNumbers) {
  EngineOptions options = Options();
  const auto engine = model_.NewEngine(options);
  const TestPicture picture = FormulaPicture(40, 40, 0);
  Image image = picture.image();
  image.width = 0;
  EXPECT_EQ(Refusal(*engine, image).code(), StatusCode::kInvalidArgument);
  image.width = 1u << 31;
  EXPECT_EQ(Refusal(*engine, image).code(), StatusCode::kInvalidArgument);
  image = picture.image();
  image.planes[0].stride = 119;
  EXPECT_THAT(Refusal(*engine, image).message(), HasSubstr("119"));
  image.planes[0].bytes = nullptr;
  EXPECT_EQ(Refusal(*engine, image).code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Refusal(*engine, picture.image(), {.max_tokens = 8}).message(),
              HasSubstr("max_tokens"));
  options.max_media_rows = 39;
  const auto small = model_.NewEngine(options);
  Media media;
  EXPECT_THAT(small->media()
                  .Encode(small.get(), FormulaPicture(90, 90, 0).image(), {}, {}, &media)
                  .message(),
              HasSubstr("becomes 40 rows, but engine option max_media_rows is 39"));
  // Too few are free.
  const auto a = Encode(*engine, FormulaPicture(90, 90, 0)),
             b = Encode(*engine, FormulaPicture(90, 90, 1)),
             c = Encode(*engine, FormulaPicture(90, 90, 2));
  EXPECT_EQ(engine->inputs().free_rows(), 0u);
  EXPECT_EQ(engine->media().Encode(engine.get(), picture.image(), {}, {}, &media).code(),
            StatusCode::kKvPoolFull);
  EXPECT_EQ(engine->inputs().free_rows(), 0u);
  b->Release(&engine->inputs());
  // Pictures and their tokens.
  Session* const session = NewSession(*engine);
  const Media* const two[] = {a.get(), c.get()};
  EXPECT_THAT(session->QueueMedia(Ids(1), two).message(),
              HasSubstr("1 times, but 2 pictures were given"));
  EXPECT_FALSE(session->QueueMedia({}, {}).ok());
  EXPECT_EQ(session->position(), 0u);
}

// 384 pixels are 27 patches of 14, which merge 3 by 3 (SmolVLM of 2.2 B parameters).
TEST_F(Sight, PixelsOfNoPatchTakeNoRows) {
  const TestModel model(Conversion(),
                        [](format::ModelT& m) { m.vision->tower->processor->tile = 38; });
  for (const bool one_tile : {true, false}) {
    const auto processor = ProcessorOf(model.file(), {.one_tile = one_tile});
    const auto facts = FactsOfImage(model.file(), *processor, {90, 90});
    ASSERT_TRUE(facts.ok()) << facts.status().message();
    EngineOptions options = Options();
    options.max_media_rows = static_cast<uint32_t>(facts->layout.rows);
    const auto engine = model.NewEngine(options);
    const auto media = Encode(*engine, FormulaPicture(90, 90, 0), {.one_tile = one_tile});
    EXPECT_EQ(engine->inputs().free_rows(), 0u);
  }
}

TEST_F(Sight, RowsOfATileThatSeeEachOtherAreOfOnePass) {
  const TestModel model(Conversion(), [](format::ModelT& m) {
    m.vision->tower->sees_whole = true;
    format::ImageProcessorT& p = *m.vision->tower->processor;
    p.rule = format::SizeRule::kGrid;
    p.thumbnail = false;
    p.min_tiles = 2;
    p.max_tiles = 9;
  });
  EngineOptions options = Options();
  for (const uint32_t max_rows : {3u, 4u}) {
    options.max_rows = max_rows;
    const auto engine = model.NewEngine(options);
    Media media;
    const TestPicture picture = FormulaPicture(90, 90, 0);
    const Status status = engine->media().Encode(engine.get(), picture.image(), {}, {}, &media);
    EXPECT_EQ(status.ok(), max_rows == 4) << status.message();
    if (!status.ok()) {
      EXPECT_THAT(status.message(), HasSubstr("4 rows of the picture see each other"));
      continue;
    }
    Session* const session = NewSession(*engine);
    Queue(session, {&media});
    EXPECT_FALSE(Logits(session).empty());
    media.Release(&engine->inputs());
  }
}

// What a plan tells of a picture the encoder holds to: the tower's table of positions has so many
// patches, and resizing so much memory.
TEST_F(Sight, PlansRefuseWhatEncodingHasNoRoomFor) {
  const TestModel narrow(Conversion(),
                         [](format::ModelT& model) { model.vision->context_length = 15; });
  const auto facts = [](const TestModel& model, ImageSize size) {
    return FactsOfImage(model.file(), *ProcessorOf(model.file(), {}), size);
  };
  const auto refusal = [&](const TestModel& model, ImageSize size) {
    const Status status = facts(model, size).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  const char* const patches = "40 x 40 pixels has 16 patches in one tile, but the model takes 15";
  EXPECT_THAT(refusal(narrow, {40, 40}), HasSubstr(patches));
  const auto engine = narrow.NewEngine(Options());
  EXPECT_THAT(Refusal(*engine, FormulaPicture(40, 40, 0).image()).message(), HasSubstr(patches));
  EXPECT_TRUE(facts(model_, {40, 40}).ok());

  EXPECT_THAT(refusal(model_, {65535, 65535}),
              AllOf(HasSubstr("65535 x 65535 pixels takes"), HasSubstr("4194304 are planned")));
  EXPECT_TRUE(facts(model_, {32768, 32768}).ok());
}

// Of a model whose rows of a grid stand apart, as Pixtral's do.
class SightOfRows : public Sight {
 protected:
  // Each row of a tile's grid is a part, with a token behind all but the last.
  static void StandApart(format::ModelT& model) { model.vision->tower->text->between_rows = {5}; }

  TestModel apart_{Conversion(), StandApart};
};

TEST_F(SightOfRows, PositionsAreThoseThatAreWritten) {
  const auto engine = apart_.NewEngine(Options());
  for (const bool one_tile : {true, false}) {
    const auto media = Encode(*engine, FormulaPicture(90, 90, 0), {.one_tile = one_tile});
    Session* const session = NewSession(*engine);
    Queue(session, {media.get()});
    EXPECT_EQ(session->position(), Ids(1).size() - 1 + media->facts().positions) << one_tile;
    media->Release(&engine->inputs());
    engine->CloseSession(session);
  }
}

TEST_F(SightOfRows, WhatIsThereOfAPictureTakesNoRowsAgain) {
  EngineOptions options = Options();
  options.max_media_rows = 40;
  options.no_prefix_cache = true;
  const auto engine = apart_.NewEngine(options);
  const TestPicture picture = FormulaPicture(90, 90, 0);
  Session* const session = NewSession(*engine);
  std::vector<float> logits;
  {
    const auto media = Encode(*engine, picture);
    EXPECT_EQ(engine->inputs().free_rows(), 0u);
    Queue(session, {media.get()});
    media->Release(&engine->inputs());
    logits = Logits(session);
  }
  // Half of its rows go.
  ASSERT_TRUE(session->Undo(session->position() / 2).ok());
  const size_t free = engine->inputs().free_rows();
  EXPECT_GT(free, 0u);
  EXPECT_LT(free, 40u);
  const auto again = Encode(*engine, picture);
  EXPECT_EQ(engine->inputs().free_rows(), 0u);
  engine->CloseSession(session);
  Session* const other = NewSession(*engine);
  Queue(other, {again.get()});
  EXPECT_EQ(Logits(other), logits);
}

TEST_F(SightOfRows, TooManyPartsAreRefused) {
  const TestModel large(Conversion(), [](format::ModelT& model) {
    StandApart(model);
    model.vision->tower->text->tile_marks.clear();
    model.vision->tower->processor->longest_edge = 32 * 30;
  });
  EngineOptions options = Options();
  options.max_media_rows = 8000;
  const auto engine = large.NewEngine(options);
  const TestPicture picture = FormulaPicture(90, 90, 0);
  const auto facts = FactsOfImage(large.file(), *ProcessorOf(large.file(), {}), {90, 90});
  EXPECT_EQ(facts.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(facts.status().message(), HasSubstr("must be at most 512"));
  Media media;
  EXPECT_THAT(engine->media().Encode(engine.get(), picture.image(), {}, {}, &media).message(),
              HasSubstr("must be at most 512"));
}

TEST_F(Sight, RowsOfTheHostAreOfItsOwnOption) {
  const auto engine = model_.NewEngine(Options());
  Session* const session = NewSession(*engine);
  const std::vector<float> values(engine->inputs().width());
  const Session::Piece piece{{}, {values.data(), RowFormat::kFloat32, 1, nullptr, false}};
  EXPECT_THAT(session->QueuePieces({&piece, 1}).message(),
              HasSubstr("it has 1 rows, but engine option max_input_rows is 0"));
}

}  // namespace
}  // namespace rondo::media_session_model_test
