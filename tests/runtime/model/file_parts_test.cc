// A file in parts: the same model wherever it is cut between sections, refused elsewhere.
#include "runtime/model/file_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/runtime/model/model_bytes.h"
#include "tests/support/packed_model.h"

namespace rondo::file_parts_test {
namespace {

using testing::HasSubstr;

using Spans = std::vector<std::span<const uint8_t>>;

const ConvertedModel& Model() {
  static const ConvertedModel model({}, format::TensorFormat::Q8, format::TensorFormat::Q8);
  return model;
}

// Each part in memory of its own, so that reading over its end is found.
class Parts {
 public:
  Parts(const ModelBytes& whole, std::vector<uint64_t> cuts) {
    cuts.push_back(whole.bytes().size());
    uint64_t begin = 0;
    for (const uint64_t end : cuts) {
      pieces_.push_back(std::make_unique<ModelBytes>(whole.bytes().subspan(begin, end - begin)));
      begin = end;
    }
  }
  Spans spans() const {
    Spans spans;
    for (const auto& piece : pieces_) spans.emplace_back(std::as_const(*piece).bytes());
    return spans;
  }
  Result<ModelFile> Open() const {
    const Spans parts = spans();
    RONDO_ASSIGN(const FileParts file, FileParts::Of(parts));
    return ModelFile::Open(file);
  }

 private:
  std::vector<std::unique_ptr<ModelBytes>> pieces_;
};

// Where sections and the metadata begin, each once.
std::vector<uint64_t> Places(const ModelBytes& whole) {
  std::vector<uint64_t> places;
  const ModelFile file = *ModelFile::Open(whole.bytes());
  for (const format::Section* section : *file.model().sections()) {
    if (section->offset() != (places.empty() ? 0 : places.back())) {
      places.push_back(section->offset());
    }
  }
  places.push_back(whole.header().metadata_offset);
  return places;
}

TEST(FilePartsTest, OpensWhereverItIsCutBetweenSections) {
  for (const ModelBytes& whole : {Model().portable(), Model().packed("scalar")}) {
    const ModelFile expected = *ModelFile::Open(whole.bytes());
    std::vector<std::vector<uint64_t>> ways;
    for (const uint64_t place : Places(whole)) ways.push_back({place});
    ASSERT_GT(ways.size(), 5u);
    ASSERT_LT(ways.size(), FileParts::kMost);
    ways.push_back(Places(whole));
    for (const std::vector<uint64_t>& cuts : ways) {
      const Parts parts(whole, cuts);
      const Result<ModelFile> file = parts.Open();
      ASSERT_TRUE(file.ok()) << file.status().message();
      EXPECT_EQ(file->file_bytes(), whole.bytes().size());
      EXPECT_TRUE(file->VerifyAll().ok());
      for (const format::Section* section : *expected.model().sections()) {
        EXPECT_TRUE(std::ranges::equal(file->bytes(section), expected.bytes(section)));
      }
    }
  }
}

TEST(FilePartsTest, RefusesACutInsideOfASectionByItsPlace) {
  const ModelBytes whole = Model().portable();
  const ModelFile file = *ModelFile::Open(whole.bytes());
  size_t refused = 0;
  for (const format::Section* section : *file.model().sections()) {
    if (section->bytes() <= kSectionAlignment) continue;
    const Status status = Parts(whole, {section->offset() + kSectionAlignment}).Open().status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("does not lie in one part"));
    EXPECT_THAT(status.message(), HasSubstr(std::to_string(section->offset()) + " to "));
    ++refused;
  }
  EXPECT_GT(refused, 5u);
  const Status status =
      Parts(whole, {whole.header().metadata_offset + kSectionAlignment}).Open().status();
  EXPECT_THAT(status.message(), HasSubstr("the metadata"));
}

TEST(FilePartsTest, RefusesWhatIsNoFileInParts) {
  const ModelBytes whole = Model().portable();
  const auto refusal = [](const Spans& spans) {
    return std::string(FileParts::Of(spans).status().message());
  };
  const std::span<const uint8_t> bytes = whole.bytes();
  EXPECT_THAT(refusal({}), HasSubstr("0 parts"));
  EXPECT_THAT(refusal(Spans(FileParts::kMost + 1, bytes.first(64))), HasSubstr("65 parts"));
  EXPECT_THAT(refusal({bytes.first(64), {}}), HasSubstr("part 1 of the model is empty"));
  EXPECT_THAT(refusal({bytes.first(64), bytes.subspan(65)}),
              HasSubstr("part 1 of the model does not begin at a multiple of 64"));
  EXPECT_THAT(refusal({bytes.first(65), bytes.first(64)}), HasSubstr("begins at byte 65"));
  // In another order, one missing, one twice.
  const std::vector<uint64_t> places = Places(whole);
  const Parts cut(whole, {places[2], places[4]});
  const Spans parts = cut.spans();
  for (const Spans& wrong : {Spans{parts[1], parts[0], parts[2]}, Spans{parts[0], parts[2]},
                             Spans{parts[0], parts[1], parts[1], parts[2]}, Spans{parts[0]}}) {
    EXPECT_FALSE(ModelFile::Open(*FileParts::Of(wrong)).ok());
  }
}

}  // namespace
}  // namespace rondo::file_parts_test
