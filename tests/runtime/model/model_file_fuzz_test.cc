// Damaged Rondo files: any byte flipped, any length cut, and metadata rewritten at random with its
// checksum made good. All must end in a status.
#include <gtest/gtest.h>

#include <random>

#include "tests/runtime/model/damaged_model.h"
#include "tests/runtime/model/operator_models.h"

namespace rondo {
namespace {

constexpr size_t kRounds = 200000;        // of each file
constexpr size_t kOperatorRounds = 5000;  // of each operator's

class ModelFileFuzz : public testing::TestWithParam<const char*> {};

Status OpenAndVerify(std::span<const uint8_t> bytes) {
  Result<ModelFile> file = ModelFile::Open(bytes);
  return file.ok() ? file->VerifyAll() : file.status();
}

TEST_P(ModelFileFuzz, EveryFlippedByteIsNoticed) {
  ModelBytes model = SmallModel(GetParam());
  ASSERT_TRUE(OpenAndVerify(model.bytes()).ok());
  for (size_t i = 0; i < model.bytes().size(); ++i) {
    for (const int flip : {1, 0x80, 0xff}) {
      model.bytes()[i] = static_cast<uint8_t>(model.bytes()[i] ^ flip);
      ASSERT_FALSE(OpenAndVerify(model.bytes()).ok()) << "byte " << i;
      model.bytes()[i] = static_cast<uint8_t>(model.bytes()[i] ^ flip);
    }
  }
}

TEST_P(ModelFileFuzz, EveryTruncationIsNoticed) {
  const ModelBytes model = SmallModel(GetParam());
  for (size_t size = 0; size < model.bytes().size(); ++size) {
    // A copy of its own, so that a read beyond the end is seen by the address sanitizer.
    const ModelBytes cut(model.bytes().first(size));
    ASSERT_FALSE(OpenAndVerify(cut.bytes()).ok()) << size << " bytes";
  }
}

// How many of `rounds` rewrites were opened.
size_t OpenNonsense(const ModelBytes& model, size_t rounds) {
  std::mt19937 random(20);
  size_t opened = 0;
  for (size_t round = 0; round < rounds; ++round) {
    ModelBytes copy = model;
    const std::span<uint8_t> metadata = copy.metadata();
    for (uint32_t change = random() % 4; change < 4; ++change) {
      const size_t at = random() % (metadata.size() - 8);
      switch (random() % 4) {
        case 0:
          metadata[at] = static_cast<uint8_t>(random());
          break;
        case 1:
          metadata[at] = static_cast<uint8_t>(metadata[at] + 1);
          break;
        case 2:
          std::memset(&metadata[at], random() % 2 == 0 ? 0 : 0xff, 1 + random() % 8);
          break;
        default:
          std::memcpy(&metadata[at], &metadata[random() % (metadata.size() - 8)], 4);
      }
    }
    copy.SealMetadata();
    const Result<ModelFile> file = ModelFile::Open(copy.bytes());
    if (!file.ok()) continue;
    ++opened;
    ReadAll(*file);
    if (opened % 16 == 0) RunIt(*file);
    static_cast<void>(file->VerifyAll());
  }
  return opened;
}

TEST_P(ModelFileFuzz, SealedNonsenseNeverCrashes) {
  const size_t opened = OpenNonsense(SmallModel(GetParam()), kRounds);
  // Changes to names and other free text leave a good file; most others must not.
  EXPECT_GT(opened, 0u);
  EXPECT_LT(opened, kRounds / 2);
}

INSTANTIATE_TEST_SUITE_P(Files, ModelFileFuzz, testing::Values("", "scalar", "avx512vnni"),
                         [](const auto& info) {
                           return *info.param == '\0' ? std::string("portable")
                                                      : "packed_" + std::string(info.param);
                         });

class OperatorsFuzz : public testing::TestWithParam<OperatorModel> {};

TEST_P(OperatorsFuzz, SealedNonsenseNeverCrashes) {
  const ModelBytes model = Converted(GetParam());
  RunIt(*ModelFile::Open(model.bytes()));
  const size_t opened = OpenNonsense(model, kOperatorRounds);
  EXPECT_GT(opened, 0u);
  EXPECT_LT(opened, kOperatorRounds / 2);
}

INSTANTIATE_TEST_SUITE_P(Models, OperatorsFuzz, testing::ValuesIn(kOperatorModels),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace rondo
