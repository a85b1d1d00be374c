// Patterns that are given a long text: the same matches, in steps that are linear in it, or an
// error that names its cause.
#include "runtime/text/regex.h"

#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace rondo {
namespace {

class RegexTest : public ::testing::Test {
 protected:
  void Use(const std::string& pattern) {
    regex_ = {};  // its memory goes
    memory_ = std::move(*RegexMemory::Create());
    auto regex = Regex::Compile(pattern, /*utf=*/true, *memory_);
    ASSERT_TRUE(regex.ok()) << regex.status().message();
    regex_ = std::move(*regex);
  }

  // Finds every match in `text`, as one text; begins and ends, one after the other.
  Status FindAll(const std::string& text, std::vector<size_t>* places) {
    memory_->BeginText(text.size());
    places->clear();
    for (size_t at = 0; at < text.size(); at = places->back()) {
      RegexMatch match;
      RONDO_RETURN_IF_ERROR(regex_.Find(reinterpret_cast<const uint8_t*>(text.data()) + at,
                                        text.size() - at, /*more=*/false, &match));
      if (match.kind != RegexMatch::Kind::kFound) break;
      places->insert(places->end(), {at + match.begin, at + match.end});
    }
    return {};
  }
  uint64_t Charged(const std::string& text) const {
    return RegexMemory::kFixedSteps + RegexMemory::kStepsPerByte * text.size() -
           memory_->steps_left();
  }

  std::vector<uint8_t> block_ = std::vector<uint8_t>(RegexMemory::BlockBytes());
  std::unique_ptr<RegexMemory> memory_;
  Regex regex_;
};

// Matches are longer than what a first attempt sees, lie across its end, and are far apart.
TEST_F(RegexTest, LongMatchesAreFoundWhole) {
  Use(" {2,}");
  std::mt19937 random(7);
  std::string text;
  std::vector<size_t> expected;
  while (text.size() < 1'000'000) {
    for (size_t count = random() % 600; count > 0; --count) text += "\u4F60";
    text += " a";
    const size_t spaces = 2 + random() % (random() % 8 == 0 ? 20'000 : 600);
    expected.insert(expected.end(), {text.size(), text.size() + spaces});
    text += std::string(spaces, ' ') + "b";
  }
  std::vector<size_t> places;
  const Status status = FindAll(text, &places);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(places, expected);
}

// An alternative that takes all the spaces and gives each of them back, before the one that fits.
TEST_F(RegexTest, StepsAreLinearInALongMatch) {
  Use("\\s*[\\r\\n]+|\\s+");
  std::vector<size_t> places;
  for (size_t size = 1 << 10; size <= 1 << 16; size *= 2) {
    const std::string text(size, ' ');
    ASSERT_TRUE(FindAll(text, &places).ok());
    EXPECT_EQ(places, (std::vector<size_t>{0, size}));
    EXPECT_GE(Charged(text), size);
    EXPECT_LE(Charged(text), 24 * size);
  }
}

// Some thousand steps at every place. Short texts get by; the steps of a long one end in an error.
TEST_F(RegexTest, AllPlacesTogetherHaveOneBudget) {
  Use("(?:z|zz){1,10}b|z");
  std::vector<size_t> places;
  EXPECT_TRUE(FindAll(std::string(20, 'z'), &places).ok());
  EXPECT_EQ(places.size(), 40u);
  for (const size_t size : {10'000, 100'000, 1'000'000}) {
    const std::string text(size, 'z');
    const Status status = FindAll(text, &places);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_STREQ(status.message(),
                 "the tokenizer's patterns need more steps than the text may take: 1000000, and 64 "
                 "for each byte");
    EXPECT_LE(Charged(text), RegexMemory::kFixedSteps + RegexMemory::kStepsPerByte * size);
  }
}

TEST_F(RegexTest, ErrorsNameTheirCause) {
  RegexMatch match;
  const std::string text(60'000, 'z');
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  Use("(?:z|z|z?z)+b");
  std::string few(60, 'z');
  few += "yb";
  Status status =
      regex_.Find(reinterpret_cast<const uint8_t*>(few.data()), few.size(), false, &match);
  EXPECT_STREQ(status.message(),
               "a pattern of the tokenizer needs more than 262144 steps at one place of the text");
  Use("(?:z|y)+b?");
  memory_->Seal(block_);
  memory_->BeginText(text.size());
  status = regex_.Find(bytes, text.size(), false, &match);
  EXPECT_STREQ(status.message(),
               "a pattern of the tokenizer needs more than 229376 bytes of memory at one place of "
               "the text");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  Use("(?<a>z(?&a)?|y)(?(R)x|z(?R))");  // calls itself without an end
  memory_->Seal(block_);
  status = regex_.Find(bytes, 600, false, &match);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rondo
