// Documents: what is read, and what is refused, at which byte.
#include "runtime/grammar/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rondo::grammar {
namespace {

using testing::HasSubstr;

class Document {
 public:
  explicit Document(std::string_view text) : json_(room_, text.size()) {
    status_ = json_.Read(text);
  }
  const Status& status() const { return status_; }
  const Json* operator->() const { return &json_; }

 private:
  std::vector<uint8_t> memory_ = std::vector<uint8_t>(size_t{32} << 20);
  Room room_{memory_};
  Json json_;
  Status status_;
};

TEST(Json, ReadsValues) {
  const Document d(
      R"( {"a": [1, -2.5e3, "x\n\u00e9\ud83d\ude00\"", true, null], "b": {"c/d~": {}}} )");
  ASSERT_TRUE(d.status().ok()) << d.status().message();
  const JsonValue a = d->Find(0, "a");
  ASSERT_EQ(d->count(a), 5u);
  const JsonValue number = d->next(d->first(a));
  EXPECT_EQ(d->text(number), "-2.5e3");
  EXPECT_EQ(d->text(d->next(number)), "x\né\xf0\x9f\x98\x80\"");
  EXPECT_EQ(d->kind(d->Resolve("/b/c~1d~0", 0)), Json::Kind::kObject);
  EXPECT_EQ(d->Resolve("/a/1", 0), number);
  EXPECT_EQ(d->Resolve("/a/9", 0), Json::kNone);
  EXPECT_EQ(d->Resolve("", 0), 0u);
  char pointer[64];
  d->Pointer(d->Resolve("/b/c~1d~0", 0), pointer, sizeof pointer);
  EXPECT_STREQ(pointer, "#/b/c~1d~0");
  d->Pointer(number, pointer, sizeof pointer);
  EXPECT_STREQ(pointer, "#/a/1");
}

TEST(Json, EqualAsJsonSchemaHasIt) {
  const Document d(
      R"([{"a": 1, "b": [2]}, {"b": [2.0], "a": 10e-1}, {"a": 1}, [1, 2], [2, 1], 1, true])");
  std::vector<JsonValue> v;
  for (JsonValue one = d->first(0); one != Json::kNone; one = d->next(one)) v.push_back(one);
  EXPECT_TRUE(d->Equal(v[0], v[1]));
  EXPECT_FALSE(d->Equal(v[0], v[2]));
  EXPECT_FALSE(d->Equal(v[3], v[4]));
  EXPECT_FALSE(d->Equal(v[5], v[6]));
}

TEST(Json, RefusesByPlace) {
  const struct {
    std::string text;
    const char* words;
  } cases[] = {
      {"", "byte 0: expected a value"},
      {"{", "byte 1: expected a member's name"},
      {"{\"a\" 1}", "byte 5: expected :"},
      {"{\"a\": 1 \"b\": 2}", "expected , or }"},
      {"{\"a\": 1, \"a\": 2}", "there already"},
      {"[1 2]", "expected , or ]"},
      {"[1,]", "expected a value"},
      {"01", "byte 1: something behind the document"},
      {"1.", "behind its point"},
      {"-", "without digits"},
      {"1e+", "exponent"},
      {"\"abc", "does not end"},
      {"\"\\x\"", "an escape that JSON has not"},
      {"\"\\u12g4\"", "hexadecimal"},
      {"\"\x01\"", "a control character"},
      {"\"\xff\"", "not UTF-8"},
      {"nul", "expected a value"},
      {"{} {}", "something behind"},
      {std::string(600, '['), "256 deep"},
  };
  for (const auto& c : cases) {
    const Document d(c.text);
    EXPECT_EQ(d.status().code(), StatusCode::kInvalidArgument) << c.text;
    EXPECT_THAT(d.status().message(), HasSubstr(c.words)) << c.text;
  }
}

// What was planned for less is refused, and never cut.
TEST(Json, RefusesMoreThanItWasPlannedFor) {
  std::vector<uint8_t> memory(1 << 16);
  Room room(memory);
  Json json(room, 16);
  EXPECT_TRUE(json.Read(R"(["a\n","\u00e9"])").ok());
  const Status status = json.Read(R"(["abcdefgh\n\n\n\n\n\n\n\n\n\n"])");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("more text than its bytes can hold"));
}

// In time that grows as the text does.
TEST(Json, ManyMembers) {
  std::string text = "{";
  for (int i = 0; i < 60000; ++i) text += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":0";
  text += "}";
  const Document d(text);
  ASSERT_TRUE(d.status().ok()) << d.status().message();
  EXPECT_EQ(d->count(0), 60000u);
  EXPECT_NE(d->Find(0, "k59999"), Json::kNone);
}

}  // namespace
}  // namespace rondo::grammar
