#include "tools/convert/sources/json_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/error_of.h"

namespace rondo::convert {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Python writes them where a number has no end: every file may have them.
TEST(JsonText, InfinitiesAreNull) {
  EXPECT_EQ(ParseJson(R"({"limit": [0.0, Infinity, -Infinity, NaN], "text": "a NaN, \"Infinity"})",
                      "config.json"),
            json::parse(R"({"limit": [0.0, null, null, null], "text": "a NaN, \"Infinity"})"));
}

TEST(JsonText, WhatBreaksIsToldInWords) {
  const auto message = [](const char* text) {
    return SentenceOf([&] { ParseJson(text, "config.json"); });
  };
  EXPECT_THAT(message("{\"a\": NaN,\n oops}"),
              HasSubstr("config.json: line 2, column 2: not JSON"));
  EXPECT_EQ(message(R"({"a": 1e999})"), "config.json: number overflow parsing '1e999'");
}

}  // namespace
}  // namespace rondo::convert
