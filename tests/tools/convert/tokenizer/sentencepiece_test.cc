// Models in SentencePiece's form, put together byte by byte: what they mean, and what a damaged
// one is told.
#include "tools/convert/tokenizer/sentencepiece.h"

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/tools/error_of.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert::sentencepiece_test {
namespace {

using Ids = std::vector<int32_t>;

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(0x80 | (value & 0x7F));
  return bytes + static_cast<char>(value);
}
std::string Number(uint32_t field, uint64_t value) { return Varint(field << 3) + Varint(value); }
std::string Bytes(uint32_t field, const std::string& value) {
  return Varint(field << 3 | 2) + Varint(value.size()) + value;
}
std::string Float(uint32_t field, float value) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &value, 4);
  return Varint(field << 3 | 5) + bytes;
}
std::string Piece(const std::string& text, float score, uint64_t kind = 1) {
  return Bytes(1, Bytes(1, text) + Float(2, score) + Number(3, kind));
}
std::string Trainer(uint64_t model_type, bool byte_fallback = false) {
  return Bytes(2, Number(3, model_type) + Number(35, byte_fallback ? 1 : 0));
}
std::string Normalizer(bool add_dummy_prefix, bool remove_extra_whitespaces) {
  return Bytes(3,
               Number(3, add_dummy_prefix ? 1 : 0) + Number(4, remove_extra_whitespaces ? 1 : 0));
}

// <unk> 0, <s> 1, </s> 2, then the pieces.
std::string Specials() { return Piece("<unk>", 0, 2) + Piece("<s>", 0, 3) + Piece("</s>", 0, 3); }

class Compiled {
 public:
  explicit Compiled(const SentencePieceModel& model, const Surroundings& surroundings = {}) {
    builder_.Finish(CompileTokenizer(SentencePieceJson(model, surroundings, "a.model"), "a.model",
                                     64, sink_, builder_));
    tables_.settings = flatbuffers::GetRoot<format::Tokenizer>(builder_.GetBufferPointer());
    tables_ = rondo::test::TablesOf(tables_.settings, sink_);
    auto tokenizer = Tokenizer::Create(tables_, tables_.vocab_size());
    EXPECT_TRUE(tokenizer.ok()) << tokenizer.status().message();
    if (tokenizer.ok()) tokenizer_ = std::move(*tokenizer);
  }
  const Tokenizer& operator*() const { return *tokenizer_; }

 private:
  rondo::test::MemorySink sink_;
  flatbuffers::FlatBufferBuilder builder_;
  TokenizerTables tables_;
  std::unique_ptr<Tokenizer> tokenizer_;
};

TEST(SentencePiece, Unigram) {
  const std::string bytes = Specials() + Piece("\u2581", -2) + Piece("a", -3) + Piece("b", -3) +
                            Piece("\u2581ab", -4) + Piece("ab", -5) + Trainer(1) +
                            Normalizer(true, true);
  const SentencePieceModel model = ReadSentencePiece(bytes, "a.model");
  EXPECT_TRUE(model.unigram);
  EXPECT_TRUE(model.add_dummy_prefix);
  EXPECT_TRUE(model.remove_extra_whitespaces);
  EXPECT_FALSE(model.byte_fallback);
  ASSERT_EQ(model.pieces.size(), 8u);
  EXPECT_EQ(model.pieces[6].text, "\u2581ab");
  EXPECT_EQ(model.pieces[6].score, -4);
  EXPECT_EQ(model.pieces[1].kind, PieceKind::kControl);

  const Compiled compiled(model);
  EXPECT_EQ(rondo::test::Encode(*compiled, "  ab   ab  "), (Ids{6, 6}));
  EXPECT_EQ(rondo::test::Encode(*compiled, "abb"), (Ids{6, 5}));
  EXPECT_EQ(rondo::test::Encode(*compiled, "xyzb"), (Ids{3, 0, 5}));
  EXPECT_EQ(rondo::test::Encode(*compiled, "<s>ab"), (Ids{1, 6}));
  EXPECT_EQ(rondo::test::Decode(*compiled, Ids{6, 6}), "ab ab");
}

TEST(SentencePiece, BpeWithBytes) {
  std::string bytes = Specials();
  for (int byte = 0; byte < 256; ++byte) {
    char text[8];
    std::snprintf(text, sizeof text, "<0x%02X>", static_cast<unsigned>(byte));
    bytes += Piece(text, 0, 6);
  }
  bytes += Piece("\u2581a", -1) + Piece("bc", -2) + Piece("\u2581", -3) + Piece("a", -4) +
           Piece("b", -5) + Piece("c", -6) + Piece("<u>", -7, 4) + Trainer(2, true) +
           Normalizer(true, false);
  const SentencePieceModel model = ReadSentencePiece(bytes, "a.model");
  EXPECT_FALSE(model.unigram);
  EXPECT_TRUE(model.byte_fallback);
  const Compiled compiled(model);
  constexpr int32_t kA = 259;  // "_a"
  EXPECT_EQ(rondo::test::Encode(*compiled, "abc"), (Ids{kA, kA + 1}));
  EXPECT_EQ(rondo::test::Encode(*compiled, " abc<u>"), (Ids{kA + 2, kA, kA + 1, kA + 6}));
  EXPECT_EQ(rondo::test::Encode(*compiled, "a\u00E9"), (Ids{kA, 3 + 0xC3, 3 + 0xA9}));
  // Ill-formed bytes: a U+FFFD, EF BF BD, for each, as SentencePiece reads them.
  const Ids one = {3 + 0xEF, 3 + 0xBF, 3 + 0xBD};
  Ids expected = {kA};
  for (int i = 0; i < 3; ++i) expected.insert(expected.end(), one.begin(), one.end());
  expected.push_back(kA + 4);
  EXPECT_EQ(rondo::test::Encode(*compiled,
                                "a\xE2\x96\xFF"
                                "b"),
            expected);
  EXPECT_EQ(rondo::test::Decode(*compiled, Ids{kA, 3 + 0xC3, 3 + 0xA9, kA}), "a\u00E9 a");
}

// Without "legacy", only the beginning of the whole text gets a space before it.
TEST(SentencePiece, PrefixFirstOnly) {
  const std::string bytes = Specials() + Piece("\u2581a", -1) + Piece("\u2581", -2) +
                            Piece("a", -3) + Trainer(2) + Normalizer(true, false);
  SentencePieceModel model = ReadSentencePiece(bytes, "a.model");
  EXPECT_EQ(rondo::test::Encode(*Compiled(model), "a<s>a"), (Ids{3, 1, 3}));
  model.prefix_first_only = true;
  EXPECT_EQ(rondo::test::Encode(*Compiled(model), "a<s>a"), (Ids{3, 1, 5}));
  EXPECT_EQ(rondo::test::Encode(*Compiled(model), "a<s> a"), (Ids{3, 1, 3}));
  model.add_dummy_prefix = false;
  EXPECT_EQ(rondo::test::Encode(*Compiled(model), "a<s>a"), (Ids{5, 1, 5}));
}

TEST(SentencePiece, SurroundingsStandAround) {
  const std::string bytes = Specials() + Piece("a", -3) + Trainer(2) + Normalizer(false, false);
  Surroundings surroundings;
  surroundings.before = {1};
  surroundings.after = {2};
  AddedToken loose;  // takes the place of the model's own
  loose.id = 2;
  loose.text = "</s>";
  loose.strip_right = true;
  surroundings.added.push_back(loose);
  const Compiled compiled(ReadSentencePiece(bytes, "a.model"), surroundings);
  EXPECT_EQ(rondo::test::Encode(*compiled, "a</s>  a", true), (Ids{1, 3, 2, 3, 2}));
}

TEST(SentencePiece, APieceTwiceIsTheLastOfThemAndBothHaveItsText) {
  const std::string bytes =
      Specials() + Piece("a", -3) + Piece("a", -3) + Trainer(2) + Normalizer(false, false);
  const Compiled compiled(ReadSentencePiece(bytes, "a.model"));
  EXPECT_EQ(rondo::test::Encode(*compiled, "aa"), (Ids{4, 4}));
  EXPECT_EQ(rondo::test::Decode(*compiled, Ids{3, 4}), "aa");
}

struct Refused {
  const char* name;
  std::string bytes;
  const char* message;
};

class SentencePieceRefuses : public ::testing::TestWithParam<Refused> {};

TEST_P(SentencePieceRefuses, NamingFileAndField) {
  const std::string message = SentenceOf(
      [] { SentencePieceJson(ReadSentencePiece(GetParam().bytes, "a.model"), {}, "a.model"); });
  EXPECT_EQ(message.find("a.model: "), 0u) << message;
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Damaged, SentencePieceRefuses,
    ::testing::Values(
        Refused{"Empty", "", "has no pieces"},
        Refused{"LengthPastTheEnd", Specials() + std::string("\x0A\x20zz", 4),
                "a length of 32 bytes, but only 2 follow"},
        Refused{"LengthOfExabytes", "\x0A" + Varint(UINT64_MAX),
                "a length of 18446744073709551615"},
        Refused{"InnerLengthPastThePiece", Bytes(1, std::string("\x0A\x09z", 3)),
                "piece 0, field 1 at byte 4: a length of 9 bytes, but only 1 follow"},
        Refused{"EndlessNumber", std::string(20, '\xFF'), "a number has more than ten bytes"},
        Refused{"NumberCutOff", Specials() + "\x20\x80", "the file ends inside of a number"},
        Refused{"FieldZero", std::string("\x02\x00", 2), "the number of a field is out of range"},
        Refused{"GroupsOfOld", std::string("\x0B", 1), "wire type 3 is not known"},
        Refused{"PieceAsNumber", Number(1, 5), "is of wire type 0, expected 2"},
        Refused{"ScoreAsNumber", Bytes(1, Number(2, 5)), "piece 0, field 2"},
        Refused{"ScoreNotFinite", Piece("a", std::numeric_limits<float>::infinity()),
                "the score is not a finite number"},
        Refused{"PieceNotUtf8", Piece("\xFF", 0), "the piece is not UTF-8"},
        Refused{"KindUnknown", Piece("a", 0, 9), "kind 9 is not known"},
        Refused{"WordModel", Specials() + Trainer(3), "model type 3 is not supported"},
        Refused{"Suffixes", Specials() + Bytes(2, Number(24, 1)), "treat_whitespace_as_suffix"},
        Refused{"BareSpaces", Specials() + Bytes(3, Number(5, 0)), "escape_whitespaces"}),
    [](const auto& info) { return std::string(info.param.name); });

// Every refusal of a charsmap comes from the compiler, which is given it as base64.
TEST(SentencePiece, RefusesDamagedCharsmaps) {
  const auto units = [](const std::vector<uint32_t>& list, uint32_t says,
                        const std::string& texts) {
    std::string bytes(reinterpret_cast<const char*>(&says), 4);
    bytes.append(reinterpret_cast<const char*>(list.data()), 4 * list.size());
    return bytes + texts;
  };
  SentencePieceModel model;
  model.pieces = {{"a", -1, PieceKind::kNormal}};
  const auto message = [&](const std::string& charsmap) {
    model.charsmap = charsmap;
    return SentenceOf([&] { const Compiled compiled(model); });
  };
  // A root whose child for 'A' (0x41) has its children, here the value, at unit 0x40 ^ 0x41 ... :
  // unit 0: offset 2; 'A' lies at 2 ^ 0x41 = 0x43, ends there with the value at 0x43 ^ 1 = 0x42.
  std::vector<uint32_t> array(0x44, 0);
  array[0] = 2u << 10;
  array[0x43] = 1u << 10 | 1u << 8 | 0x41;
  array[0x42] = 0x80000000u;
  const auto bytes = static_cast<uint32_t>(4 * array.size());
  EXPECT_EQ(message(units(array, bytes, std::string("a\0", 2))), "");
  {
    const Compiled compiled(model);
    EXPECT_EQ(rondo::test::Encode(*compiled, "A"), Ids{0});
  }
  EXPECT_NE(message("xy").find("too short"), std::string::npos);
  EXPECT_NE(message(units(array, bytes + 8, "")).find("says that its double array has"),
            std::string::npos);
  EXPECT_NE(message(units(array, bytes - 1, "a")).find("says that"), std::string::npos);
  EXPECT_NE(message(units(array, bytes, "")).find("outside of its texts"), std::string::npos);
  EXPECT_NE(message(units(array, bytes, std::string("\xFF\0", 2))).find("not UTF-8"),
            std::string::npos);
  EXPECT_NE(message(units({}, 0, "a")).find("without units"), std::string::npos);
  array[0x42] = 7;
  EXPECT_NE(message(units(array, bytes, "a")).find("without a value"), std::string::npos);
  array[0x43] = 0x1FFFFFu << 10 | 1u << 8 | 0x41;
  EXPECT_NE(message(units(array, bytes, "a")).find("leads out of itself"), std::string::npos);
  // A unit that is its own child: endless texts.
  array[0x43] = 0x41u << 10 | 0x41;
  EXPECT_NE(message(units(array, bytes, "a")).find("more than 64 bytes"), std::string::npos);
}

// Bits flipped and ends cut off: refused with a sentence, or read; never worse.
TEST(SentencePiece, SurvivesRandomDamage) {
  const std::string whole = Specials() + Piece("\u2581a", -1) + Piece("b", -2) + Trainer(2, true) +
                            Normalizer(true, true);
  std::mt19937 random(11);
  size_t refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = whole.substr(0, random() % 4 == 0 ? random() % whole.size() : whole.size());
    for (size_t flips = random() % 4; flips > 0 && !bytes.empty(); --flips) {
      char& byte = bytes[random() % bytes.size()];
      byte = static_cast<char>(random() % 2 == 0 ? random() : byte ^ (1 << random() % 8));
    }
    const std::string message =
        SentenceOf([&] { SentencePieceJson(ReadSentencePiece(bytes, "a.model"), {}, "a.model"); });
    refused += message.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace rondo::convert::sentencepiece_test
