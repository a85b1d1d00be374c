// The JSON Schema Test Suite, and schemas that people use (maskbench's sample), where the reference
// data is: nothing that is not valid is accepted, and what is refused is refused by its place.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/runtime/grammar/parts.h"
#include "tests/support/reference_data.h"
#include "tests/support/test_model.h"

namespace rondo::grammar {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::vector<fs::path> Files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() == ".json") files.push_back(file.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Counts {
  int right = 0, accepted = 0, rejected = 0, refused = 0;
};

// Members in any order.
void Judge(const json& schema, const json& tests, const std::string& name, Counts* counts,
           bool named_only = false) {
  Parts parts;
  const std::string text = schema.dump(-1, ' ', false, json::error_handler_t::replace);
  const std::string why = parts.ReadSchemaText(text, {.any_order = true, .named_only = named_only});
  if (!why.empty()) {
    ++counts->refused;
    EXPECT_TRUE(why.starts_with("#") || why.find(" schema") != std::string::npos)
        << name << ": " << why;
    return;
  }
  for (const json& test : tests) {
    const bool accepts = parts.Accepts(test.at("data").dump());
    const bool valid = test.at("valid").get<bool>();
    ASSERT_TRUE(parts.budget.ok()) << name;
    ++(accepts == valid ? counts->right : accepts ? counts->accepted : counts->rejected);
    EXPECT_FALSE(accepts != valid && (!named_only || accepts) && name.ends_with(".json"))
        << name << ": " << test.value("description", "") << ": " << test.at("data");
  }
}

TEST(SchemaSuite, AcceptsNothingThatIsNotValid) {
  for (const auto& [draft, least] : {std::pair("draft2020-12", 800), {"draft7", 760}}) {
    const fs::path folder = SharedData("schemas/suite/tests") / draft;
    RONDO_SKIP_WITHOUT(folder);
    const std::vector<fs::path> files = Files(folder);
    Counts counts;
    for (const fs::path& file : files) {
      std::ifstream in(file);
      for (json group : json::parse(in)) {
        json schema = group.at("schema");
        if (std::string(draft) == "draft7" && schema.is_object() && !schema.contains("$schema")) {
          schema["$schema"] = "http://json-schema.org/draft-07/schema#";
        }
        Judge(schema, group.at("tests"),
              file.filename().string() + ", " + group.value("description", ""), &counts);
      }
    }
    EXPECT_EQ(counts.accepted, 0);
    EXPECT_GE(counts.right, least);
    EXPECT_LE(counts.rejected, 24)
        << "formats that are annotations, whole numbers as 1.0, constants";
    EXPECT_LE(counts.refused, 160);
  }
}

TEST(SchemaSuite, SchemasThatPeopleUse) {
  const fs::path folder = SharedData("schemas/maskbench");
  RONDO_SKIP_WITHOUT(folder);
  const std::vector<fs::path> files = Files(folder);
  Counts counts;
  for (const fs::path& file : files) {
    std::ifstream in(file);
    const json all = json::parse(in);
    Judge(all.at("schema"), all.at("tests"), file.filename().string(), &counts);
  }
  EXPECT_EQ(counts.accepted, 0);
  EXPECT_EQ(counts.rejected, 0);
  EXPECT_LE(counts.refused, 15);
  EXPECT_GE(counts.right, 1180);
}

// Some of what is valid is not written: never the other way.
TEST(SchemaSuite, NamedMembersOnlyAreAsValid) {
  const fs::path folder = SharedData("schemas");
  RONDO_SKIP_WITHOUT(folder);
  Counts counts, used;
  for (const char* const draft : {"draft2020-12", "draft7"}) {
    for (const fs::path& file : Files(folder / "suite/tests" / draft)) {
      std::ifstream in(file);
      for (const json& group : json::parse(in)) {
        Judge(group.at("schema"), group.at("tests"), file.filename().string(), &counts, true);
      }
    }
  }
  EXPECT_EQ(counts.accepted, 0);
  EXPECT_GE(counts.right, 1300);
  for (const fs::path& file : Files(folder / "maskbench")) {
    std::ifstream in(file);
    const json all = json::parse(in);
    Judge(all.at("schema"), all.at("tests"), file.filename().string(), &used, true);
  }
  EXPECT_EQ(used.accepted, 0);
  EXPECT_GE(used.right, 1000);
  EXPECT_GT(used.rejected, 0);
}

}  // namespace
}  // namespace rondo::grammar
