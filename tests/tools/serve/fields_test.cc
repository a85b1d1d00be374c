// Members of requests: read by their type and range, refused by their pointer.
#include "tools/serve/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::tools::serve {
namespace {

using testing::HasSubstr;

template <typename Call>
ApiError RefusalOf(const Call& call) {
  try {
    call();
  } catch (const ApiError& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was refused";
  return ApiError(0, "");
}

TEST(FieldsTest, ValuesAreReadByTheirType) {
  const Json body = ParseBody(
      R"({"a": 1.5, "b": 3, "c": true, "d": "x", "e": null, "f": {}, "g": [], "h": 16.0})");
  Fields fields(body);
  EXPECT_EQ(fields.Number("a", 0, 2), 1.5);
  EXPECT_EQ(fields.Integer("b", 0, 3), 3);
  EXPECT_EQ(fields.Integer("h", 0, 16), 16) << "as JavaScript has no other numbers";
  EXPECT_EQ(fields.Bool("c"), true);
  EXPECT_EQ(fields.Text("d"), "x");
  EXPECT_EQ(fields.Number("e", 0, 1), std::nullopt) << "null is as if it were not there";
  EXPECT_NE(fields.Object("f"), nullptr);
  EXPECT_NE(fields.Array("g"), nullptr);
  EXPECT_EQ(fields.Integer("none", 0, 1), std::nullopt);
  fields.RefuseOthers();
}

TEST(FieldsTest, WhatIsWrongIsNamedByItsPointer) {
  const Json body =
      ParseBody(R"({"n": "x", "i": 1.5, "big": 1e300, "neg": -1, "huge": 18446744073709551615})");
  Fields fields(body, "/a/0");
  const ApiError number = RefusalOf([&] { fields.Number("n", 0, 2); });
  EXPECT_EQ(number.status(), 400);
  EXPECT_EQ(number.pointer(), "/a/0/n");
  EXPECT_STREQ(number.what(), "/a/0/n is \"x\", expected a number from 0.0 to 2.0");
  for (const char* const name : {"i", "big", "neg", "huge"}) {
    EXPECT_THAT(RefusalOf([&] { fields.Integer(name, 0, 9); }).what(),
                HasSubstr("expected an integer from 0 to 9"))
        << name;
  }
  EXPECT_THAT(RefusalOf([&] { fields.RequiredText("gone"); }).what(),
              HasSubstr("/a/0/gone is missing, expected a text"));
  EXPECT_EQ(PointerTo("/a", std::string("b/c~d")), "/a/b~1c~0d");
}

TEST(FieldsTest, WhatNobodyReadsIsRefused) {
  const Json body = ParseBody(R"({"max_tokns": 1, "user": "x", "nothing": null})");
  Fields fields(body);
  fields.Integer("max_tokens", 1, 9);
  fields.Ignore({"user"});
  const ApiError error = RefusalOf([&] { fields.RefuseOthers(); });
  EXPECT_STREQ(error.what(), "/max_tokns is not known here; did you mean max_tokens?");
  EXPECT_EQ(error.code(), "unknown_parameter");
}

TEST(FieldsTest, BodiesThatAreNoneAreRefused) {
  for (const std::string& body :
       {std::string(), std::string("{"), std::string("[1]"), std::string("\"x\""),
        std::string("{\"a\": NaN}"), std::string("{\"a\": 1e999}"),
        std::string("{\"a\": \"\xff\"}"), std::string("{\"a\": \"\\ud800\"}"),
        std::string("{\"a\":\0}", 7), std::string(1000000, '[') + std::string(1000000, ']'),
        "{\"a\":" + std::string(200, '[') + std::string(200, ']') + "}"}) {
    EXPECT_EQ(RefusalOf([&] { ParseBody(body); }).status(), 400) << body.substr(0, 20);
  }
}

TEST(FieldsTest, ErrorsAreWhatClientsRead) {
  const Json body = ErrorBody(ApiError(404, "there is none", "/model", "model_not_found"));
  EXPECT_EQ(body["type"], "error");
  EXPECT_EQ(body["error"]["message"], "there is none");
  EXPECT_EQ(body["error"]["type"], "not_found_error");
  EXPECT_EQ(body["error"]["param"], "/model");
  EXPECT_EQ(body["error"]["code"], "model_not_found");
  const Reply reply = ErrorReply(ApiError(429, "full").RetryAfter(2));
  EXPECT_EQ(reply.headers.at(0).name, "Retry-After");
  EXPECT_EQ(reply.headers.at(0).value, "2");
}

}  // namespace
}  // namespace rondo::tools::serve
