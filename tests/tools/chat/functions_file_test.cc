// Functions in the forms of several makers, which are one to the templates; or refused by name.
#include "tools/chat/functions_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/temp_folder.h"
#include "tools/common/error.h"

namespace rondo::tools {
namespace {

using ::testing::EndsWith;

class FunctionsFile : public ::testing::Test {
 protected:
  std::string Read(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return ReadFunctions(path_);
  }
  std::string Refused(const std::string& text) {
    try {
      return "read: " + Read(text);
    } catch (const Error& error) {
      return error.what();
    }
  }

  const TempFolder folder_;
  const std::string path_ = (folder_ / "tools.json").string();
};

TEST_F(FunctionsFile, WhatIsNoListIsRefusedByTheFile) {
  for (const char* text : {"", " \n", "// no", "[1,"}) {
    EXPECT_EQ(Refused(text), path_ + " is not JSON, expected a list of functions") << text;
  }
  for (const char* text : {"1", "\"[]\"", "{}", R"({"name": "f"})", R"({"tools": 1})"}) {
    EXPECT_EQ(Refused(text), path_ + " is no JSON list of functions") << text;
  }
  EXPECT_EQ(Refused("[]"), path_ + " has no function");
}

constexpr const char* kSchema = R"({"type": "object", "properties": {"city": {"type": "string"}}})";

TEST_F(FunctionsFile, OneFormForAll) {
  const std::string schema = kSchema;
  const std::string usual =
      R"([{"type": "function", "function": {"name": "weather", "description": "D", "parameters": )" +
      schema + "}}]";
  EXPECT_EQ(Read(usual), usual);
  EXPECT_EQ(Read("\xef\xbb\xbf" + usual), usual);
  const auto expected = nlohmann::ordered_json::parse(usual);
  for (
      const char* const form :
      {R"({"name": "weather", "description": "D", "inputSchema": )",
       R"({"name": "weather", "title": "W", "description": "D", "outputSchema": {}, "inputSchema": )",
       R"({"name": "weather", "description": "D", "input_schema": )",
       R"({"type": "custom", "name": "weather", "description": "D", "input_schema": )",
       R"({"name": "weather", "description": "D", "parameters": )"}) {
    EXPECT_EQ(nlohmann::ordered_json::parse(
                  Read(std::string("[").append(form).append(schema).append("}]"))),
              expected)
        << form;
  }
  EXPECT_EQ(nlohmann::ordered_json::parse(
                Read(R"([{"type": "function", "function": {"name": "weather", "description": "D",)"
                     R"( "inputSchema": )" +
                     schema + "}}]")),
            expected);
  // As servers of functions answer.
  EXPECT_EQ(nlohmann::ordered_json::parse(Read(R"({"tools": )" + usual + "}")), expected);
  EXPECT_EQ(nlohmann::ordered_json::parse(Read(R"({"result": {"tools": )" + usual + "}}")),
            expected);
  EXPECT_NE(Read(R"([{"name": "stop", "parameters": null}])").find("stop"), std::string::npos);
}

TEST_F(FunctionsFile, WhatWouldBeOfAnyArgumentsIsRefused) {
  const std::string schema = kSchema;
  EXPECT_THAT(
      Refused(R"([{"name": "a"}, {"name": "weather", "schema": )" + schema + "}]"),
      EndsWith(": weather has no parameters, but \"schema\": the schema of its arguments is "
               "expected in \"parameters\", \"inputSchema\" or \"input_schema\""));
  EXPECT_THAT(Refused(R"([{"name": "w", "parameters": {}, "inputSchema": {}}])"),
              EndsWith(": w has both parameters and inputSchema"));
  EXPECT_THAT(Refused(R"([{"name": "w", "parameters": "{}"}])"),
              EndsWith(": w: parameters is no JSON object"));
  EXPECT_THAT(Refused(R"([{"type": "web_search", "name": "web_search"}])"),
              EndsWith(": tool 1 is of type \"web_search\", expected \"function\""));
  EXPECT_THAT(Refused(R"([{"name": "w"}, {"functionDeclarations": []}])"),
              EndsWith(": tool 2 has no name"));
  EXPECT_THAT(Refused(R"([{"toolSpec": {"name": "w"}}])"), EndsWith(": tool 1 has no name"));
  EXPECT_THAT(Refused(R"([{"name": "w"}, {"name": "w"}])"), EndsWith(": w is there twice"));
  EXPECT_THAT(Refused("[1]"), EndsWith(": tool 1 is no JSON object"));
}

TEST_F(FunctionsFile, OtherBytesAreRefused) {
  EXPECT_THAT(Refused("[\n\"\xe9\"]"), EndsWith("is not UTF-8 in line 2, at its byte 3"));
  EXPECT_THAT(Refused(std::string("\xff\xfe[\0", 4)),
              EndsWith("is written in UTF-16, expected UTF-8"));
}

}  // namespace
}  // namespace rondo::tools
