// JSON Schema: which texts are valid; what is refused, by its place.
#include "runtime/grammar/schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/runtime/grammar/parts.h"

namespace rondo::grammar {
namespace {

using testing::HasSubstr;

struct Case {
  const char* schema;
  std::vector<const char*> valid;
  std::vector<const char*> invalid;
};

void Check(const std::vector<Case>& cases, const SchemaOptions& options = {}) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.schema);
    Parts parts;
    ASSERT_EQ(parts.ReadSchemaText(c.schema, options), "");
    for (const char* const text : c.valid) EXPECT_TRUE(parts.Accepts(text)) << text;
    for (const char* const text : c.invalid) EXPECT_FALSE(parts.Accepts(text)) << text;
    EXPECT_TRUE(parts.budget.ok());
  }
}

TEST(Schema, Types) {
  Check({
      {"true", {"1", "\"a\"", "[1, {\"a\": null}]", "{}"}, {"", "a", "[1,]", "{\"a\"}", "01"}},
      {R"({"type": "null"})", {"null"}, {"0", "nul"}},
      {R"({"type": ["boolean", "integer"]})",
       {"true", "false", "-3", "0"},
       {"1.5", "\"a\"", "tru"}},
      {R"({"type": "number"})", {"1", "1.5", "-0.0", "1e9"}, {"01", "1.", "\"1\""}},
      {R"({"type": "string"})",
       {R"("é\u0041\n")", "\"\""},
       {"\"a", "\"\n\"", R"("\x")", "\"\xff\""}},
  });
}

TEST(Schema, Numbers) {
  Check({
      {R"({"type": "integer", "minimum": -3, "exclusiveMaximum": 12})",
       {"-3", "0", "11"},
       {"-4", "12", "1.0"}},
      {R"({"minimum": 0.5, "maximum": 10})",
       {"0.5", "0.75", "10", "10.0", "\"a\""},
       {"0.4", "10.01"}},
      {R"({"type": "integer", "minimum": 5, "exclusiveMinimum": true})", {"6"}, {"5"}},
      {R"({"type": "integer", "minimum": 0})", {"0", "7"}, {"-0", "-1"}},
      {R"({"type": "integer", "multipleOf": 7})", {"0", "14", "-21"}, {"1", "15"}},
      {R"({"type": "number", "multipleOf": 0.01})", {"1.25", "3"}, {"1.255"}},
      {R"({"type": "number", "multipleOf": 5})", {"10", "-5.0"}, {"2.5", "7", "1e1"}},
  });
}

TEST(Schema, Strings) {
  Check({
      {R"({"type": "string", "minLength": 2, "maxLength": 3})",
       {"\"éa\"", R"("\u00e9\n\"")"},
       {"\"a\"", "\"abcd\""}},
      {R"({"type": "string", "pattern": "^a+$", "maxLength": 2})",
       {"\"a\"", "\"aa\""},
       {"\"aaa\"", "\"b\"", R"("\u0061")"}},
      {R"({"type": "string", "format": "date"})", {"\"2024-02-29\""}, {"\"2023-02-29\"", "\"x\""}},
      {R"({"type": "string", "format": "uuid"})",
       {"\"2eb8aa08-aa98-11ea-b4aa-73b441d16380\""},
       {"\"2eb8aa08\""}},
      {R"({"type": "string", "format": "ipv4"})", {"\"127.0.0.1\""}, {"\"256.0.0.1\""}},
      {R"({"type": "string", "format": "email"})", {"\"a.b@c.de\""}, {"\"ab\""}},
      {R"({"type": "string", "format": "of-nobody"})", {"\"a\""}, {"1"}},
  });
}

TEST(Schema, Objects) {
  Check({
      {R"({"properties": {"a": {"type": "integer"}, "b": {}}, "required": ["b"],
           "additionalProperties": false, "type": "object"})",
       {R"({"a": 1, "b": 2})", R"({"b":[]})"},
       {R"({"a": 1})", R"({"b": 1, "a": 2})", R"({"b":1,"c":1})"}},
      {R"({"type": "object", "additionalProperties": {"type": "null"}, "properties": {"a": {}}})",
       {R"({"a": 1, "x": null, "y": null})", "{}", R"({"x":null})"},
       {R"({"x": 1})", R"({"x":null,"a":1})"}},
      {R"({"type": "object", "patternProperties": {"^n": {"type": "number"}, "s$": {"minimum": 5}},
           "additionalProperties": false})",
       {R"({"n": 1, "ns": 6})", R"({"s": "x"})"},
       {R"({"n": "a"})", R"({"ns": 4})", R"({"x": 1})"}},
      {R"({"type": "object", "propertyNames": {"pattern": "^[a-c]$"}, "maxProperties": 2,
           "minProperties": 1})",
       {R"({"a": 1, "c": 2})"},
       {"{}", R"({"d": 1})", R"({"a":1,"b":2,"c":3})"}},
      {R"({"type": "object", "required": ["a"], "properties": {"a": false}, "additionalProperties": true,
           "minProperties": 0, "anyOf": [{"type": "object"}, {"type": "string"}]})",
       {},
       {}},
  });
}

TEST(Schema, Addresses) {
  Check({
      {R"({"format": "uri", "type": "string"})",
       {R"("http://a.b:80/c/d?e=/?#f")", R"("urn:a:b")", R"("file:///a")", R"("x://u:p@h")",
        R"("mailto:a%20b@c")", R"("a:")"},
       {R"("http://a:b")", R"("a:[")", R"("a/b")", R"("://x")", R"("http://a]]")", R"("//a")",
        R"("a:b#c#d")", R"("a:%2")"}},
      {R"({"format": "uri-reference", "type": "string"})",
       {R"("//a/b")", R"("/a:b")", R"("a/b:c?d#e")", R"("")", R"("#")", R"("http://a")"},
       {R"(":")", R"("1:b")", R"("a[")", R"("//a:b")"}},
  });
}

// A name that is not declared may be written twice, and who reads it has one member of it.
TEST(Schema, WhatMayComeTwiceCountsOnce) {
  Check({
      {R"({"type": "object", "minProperties": 1})", {R"({"a":1})"}, {"{}"}},
      {R"({"type": "object", "required": ["a"], "minProperties": 2})",
       {R"({"a":1,"b":2})"},
       {R"({"a":1})"}},
      {R"({"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "minProperties": 2,
           "additionalProperties": false})",
       {R"({"a":1,"c":2})"},
       {R"({"a":1})"}},
  });
  for (const char* const schema :
       {R"({"type": "object", "minProperties": 2})",
        R"({"type": "object", "properties": {"a": {}}, "minProperties": 2})",
        R"({"required": ["a"], "patternProperties": {"^x": {}}, "minProperties": 3})"}) {
    Parts parts;
    EXPECT_THAT(parts.ReadSchemaText(schema), HasSubstr("minProperties")) << schema;
  }
}

TEST(Schema, MembersInAnyOrder) {
  Check({{R"({"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "required": ["a", "c"],
              "additionalProperties": {"type": "null"}})",
          {R"({"c":1,"a":2})", R"({"x":null,"c":1,"y":null,"a":2,"b":3})"},
          {R"({"c":1})", R"({"a":1,"a":2,"c":3})", R"({"c":1,"a":2,"x":1})"}}},
        {.any_order = true});
}

TEST(Schema, Arrays) {
  Check({
      {R"({"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3})",
       {"[1]", "[ 1 , 2,3 ]"},
       {"[]", "[1,2,3,4]", "[\"a\"]"}},
      {R"({"type": "array", "prefixItems": [{"type": "string"}, {"type": "null"}], "items": false})",
       {"[]", "[\"a\"]", "[\"a\",null]"},
       {"[null]", "[\"a\",null,1]"}},
      {R"({"type": "array", "items": [{"type": "string"}], "additionalItems": {"type": "null"},
           "minItems": 2})",
       {"[\"a\",null]", "[\"a\",null,null]"},
       {"[\"a\"]", "[\"a\",1]"}},
      {R"({"type": "array", "contains": {"const": 5}, "items": {"type": "integer"}})",
       {"[1,5,2]", "[5]"},
       {"[]", "[1,2]"}},
      {R"({"type": "array", "maxItems": 0})", {"[]"}, {"[1]"}},
  });
}

TEST(Schema, Combinations) {
  Check({
      {R"({"enum": ["a", 1, null, {"x": [1]}, true]})",
       {"\"a\"", "1", "null", "{\"x\": [1]}", "true"},
       {"\"b\"", "2", "{\"x\":[2]}", "false"}},
      {R"({"enum": ["a", "bb", 3], "minLength": 2})", {"\"bb\"", "3"}, {"\"a\""}},
      {R"({"enum": [{"ab": 2}, {"b": 2}, {"ac": "x"}], "additionalProperties": false,
           "patternProperties": {"^a": {"type": "integer"}}})",
       {R"({"ab": 2})"},
       {R"({"b": 2})", R"({"ac": "x"})"}},
      {R"({"const": "q\"\n"})", {R"("q\"\n")"}, {"\"q\""}},
      {R"({"allOf": [{"properties": {"a": {"minimum": 2}}}, {"properties": {"a": {"type": "integer"}}}],
           "type": "object", "required": ["a"]})",
       {R"({"a": 2})"},
       {R"({"a": 1})", R"({"a": 2.5})", "{}"}},
      {R"({"anyOf": [{"type": "integer"}, {"type": "string", "maxLength": 1}]})",
       {"1", "\"a\""},
       {"\"ab\"", "null"}},
      {R"({"oneOf": [{"type": "integer"}, {"type": "string"}]})", {"1", "\"a\""}, {"null"}},
      {R"({"oneOf": [{"type": "integer"}, {"minimum": 3}]})", {"1", "3.5", "\"a\""}, {"3", "2.5"}},
      {R"({"type": "string", "not": {"minLength": 3}})", {"\"ab\""}, {"\"abc\""}},
      {R"({"type": "number", "not": {"minimum": 2, "maximum": 4}})", {"1", "4.1"}, {"2", "4"}},
      {R"({"not": {"type": ["string", "object"]}})", {"1", "[]"}, {"\"a\"", "{}"}},
      {R"({"type": "string", "not": {"enum": ["a", "b"]}})",
       {"\"c\"", "\"aa\""},
       {"\"a\"", "\"b\""}},
      {R"({"type": "object", "properties": {"k": {}, "v": {}}, "additionalProperties": false,
           "if": {"properties": {"k": {"const": 1}}, "required": ["k"]},
           "then": {"properties": {"v": {"type": "string"}}}, "else": {"properties": {"v": false}}})",
       {R"({"k":1,"v":"a"})", R"({"k":2})", "{}"},
       {R"({"k":1,"v":2})", R"({"k":2,"v":"a"})", R"({"v":1})"}},
      {R"({"type": "object", "dependentRequired": {"a": ["b"]}, "properties": {"a": {}, "b": {}}})",
       {"{}", R"({"b":1})", R"({"a":1,"b":1})"},
       {R"({"a":1})"}},
  });
}

TEST(Schema, References) {
  Check({
      {R"({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "required": ["v"],
           "additionalProperties": false,
           "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}}}}})",
       {R"({"v":1})", R"({"v":1,"next":{"v":2,"next":{"v":3}}})"},
       {R"({"v":1,"next":{}})"}},
      {R"({"$defs": {"a%b": {"type": "null"}, "x/y": {"$anchor": "here", "type": "boolean"}},
           "anyOf": [{"$ref": "#/$defs/a%25b"}, {"$ref": "#here"}, {"$ref": "#/$defs/x~1y"}]})",
       {"null", "true"},
       {"1"}},
      {R"({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"s": {"type": "string"}},
           "properties": {"a": {"$ref": "#/definitions/s", "maxLength": 1}}, "type": "object"})",
       {R"({"a": "long"})"},
       {R"({"a": 1})"}},
  });
}

// Of what one alternative says another one may be a part, also where it is a list of values.
TEST(Schema, ListsOfValuesBesideAlternatives) {
  Check({
      {R"({"oneOf": [{"type": "string"}, {"enum": ["auto", "none"]}]})", {"\"x\""}, {"\"auto\""}},
      {R"({"oneOf": [{"type": "integer"}, {"$ref": "#/$defs/one"}], "$defs": {"one": {"enum": [1, "a"]}}})",
       {"2", "\"a\""},
       {"1"}},
      {R"({"enum": [1, 2, "a"], "anyOf": [{"type": "string"}, {"minimum": 2}], "not": {"const": 2}})",
       {"\"a\""},
       {"1", "2"}},
      {R"({"enum": [{"a": 1}, 2], "properties": {"a": {"$ref": "#"}}})", {"2"}, {R"({"a": 1})"}},
      {R"({"type": "object", "propertyNames": {"enum": ["a", "bb"], "minLength": 2}})",
       {R"({"bb": 1})", "{}"},
       {R"({"a": 1})"}},
      {R"({"type": "object", "propertyNames": {"allOf": [{"enum": ["a", "b"]}, {"enum": ["b"]}]}})",
       {R"({"b": 1})"},
       {R"({"a": 1})"}},
  });
}

TEST(Schema, CharactersThatAreWrittenInTwoHalvesAreOne) {
  Check({
      {R"({"type": "string", "minLength": 2})",
       {R"("\ud83d\ude00x")", R"("\u0041\uFFFF")", R"("\uD7FF\ue000")"},
       {R"("\ud83d\ude00")", R"("\ud800x")", R"("x\udc00")"}},
      {R"({"type": "string", "maxLength": 1})", {R"("\ud83d\ude00")"}, {R"("\ud83d\ude00x")"}},
      {R"({"type": "string"})", {R"("\uDBFF\uDFFF")"}, {R"("\ud800")", R"("\ude00\ud83d")"}},
  });
}

TEST(Schema, ZeroHasTwoSigns) {
  Check({
      {R"({"type": "number", "not": {"const": 0}})", {"1", "-0.5"}, {"0", "-0", "-0.0", "0.0"}},
      {R"({"type": "number", "not": {"type": "integer"}})", {"0.5"}, {"-0", "-0.0", "0"}},
  });
}

// In draft 7 nothing that stands beside a $ref says anything; so nothing of it can be what fails.
TEST(Schema, WhatStandsBesideAReferenceOfDraft7SaysNothing) {
  const std::string begin =
      R"({"$schema": "http://json-schema.org/draft-07/schema#",
          "definitions": {"i": {"type": "integer"}, "o": {"type": "object", "required": ["a"]}}, )";
  const std::string not_integer =
      begin + R"("not": {"$ref": "#/definitions/i", "type": "string"}})";
  const std::string not_first =
      begin + R"("not": {"enum": [1], "required": ["a"], "$ref": "#/definitions/i"}})";
  const std::string member =
      begin + R"("properties": {"m": {"$ref": "#/definitions/o", "properties": {"a": false},
                                     "additionalProperties": false}}, "type": "object"})";
  const std::string literal =
      begin + R"("enum": [1, "a"], "allOf": [{"patternProperties": {"(": {}}, "const": "a",
                                              "$ref": "#/definitions/i"}]})";
  Check({
      {not_integer.c_str(), {"\"a\"", "true", "1.5"}, {"1"}},
      {not_first.c_str(), {"\"a\"", "{}"}, {"1", "2"}},
      {member.c_str(), {R"({"m": {"a": 1, "b": 2}})"}, {R"({"m": {"b": 2}})"}},
      {literal.c_str(), {"1"}, {"\"a\""}},
  });
}

TEST(Schema, OppositesOfWhatStandsInASchema) {
  Check({
      {R"({"not": {"type": "string", "minify": 1, "maxims": {}, "exclusively": true, "x-of": 1}})",
       {"1", "[]"},
       {"\"a\""}},
      {R"({"type": "object", "not": {"minProperties": 2}})", {R"({"a":1})"}, {R"({"a":1,"b":2})"}},
      {R"({"type": ["string", "null"], "not": {"not": {"type": "string"}}})", {"\"a\""}, {"null"}},
      {R"({"type": "integer", "allOf": [{"not": false}, {"not": {"anyOf": [false, {"minimum": 3}]}}]})",
       {"2"},
       {"3"}},
  });
  for (const char* const schema :
       {R"({"not": true})", R"({"anyOf": [{"not": {}}]})", R"({"not": {"not": false}})"}) {
    Parts parts;
    ASSERT_EQ(parts.ReadSchemaText(schema), "") << schema;
    EXPECT_EQ(parts.start, Machine::kDead) << schema;
  }
}

// What would not fit into a conjunction is never left out of it.
TEST(Schema, ConjunctionsThatAreFull) {
  const struct {
    const char* keywords;
    const char* invalid;
    const char* each = "true";  // of the others of allOf
  } cases[] = {
      {R"("anyOf": [{"type": "integer"}])", "\"a\""},
      {R"("oneOf": [{"type": "integer"}, {"minimum": 3}])", "3"},
      {R"("if": {"type": "integer"}, "then": {"minimum": 5})", "1"},
      {R"("if": {"type": "string"}, "else": {"minimum": 5})", "1"},
      {R"("dependentSchemas": {"a": {"required": ["b"]}})", R"({"a":1})"},
      {R"("dependentRequired": {"a": ["b", "c"]})", R"({"a":1,"b":1})"},
      {R"("not": {"not": {"type": "integer"}})", "\"a\""},
      {R"("contains": {"const": 5})", "[1]", R"({"items": {}})"},
      {R"("patternProperties": {"a": {}, "b": {}, "c": {}, "d": {}, "e": {}}, "allOf": [
          {"additionalProperties": {"type": "null"}}])",
       R"({"abcde":1})", R"({"additionalProperties": {}})"},
  };
  for (const auto& c : cases) {
    int read = 0, refused = 0;
    for (int n = 183; n < 196; ++n) {
      std::string parts_of_it;
      for (int i = 0; i < n; ++i) parts_of_it += std::string(i > 0 ? "," : "") + c.each;
      const std::string schema = "{\"allOf\": [" + parts_of_it + ", {" + c.keywords + "}]}";
      Parts parts;
      const std::string why = parts.ReadSchemaText(schema);
      ++(why.empty() ? read : refused);
      if (why.empty()) {
        EXPECT_FALSE(parts.Accepts(c.invalid)) << n << " and " << c.keywords;
      } else {
        EXPECT_THAT(why, HasSubstr("192 schemas")) << c.keywords;
      }
    }
    EXPECT_GT(read, 0) << c.keywords;
    EXPECT_GT(refused, 0) << c.keywords;
  }
}

// What is asked for twice is decided once.
TEST(Schema, SchemasThatAreAskedForTwice) {
  Check(
      {{R"({"allOf": [{"$ref": "#/$defs/a"}, {"if": {"type": "integer"}, "then": {"$ref": "#/$defs/a"}}],
              "$defs": {"a": {"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}],
                              "not": {"const": 5}}}})",
        {"3", "null"},
        {"2", "5", "\"a\""}},
       {R"({"anyOf": [{"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]}, {"type": "null"}],
              "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}], "maximum": 9},
                        "b": {"oneOf": [{"type": "integer"}, {"type": "string"}]}}})",
        {"9", "null", "\"a\""},
        {"10", "true"}}});
}

TEST(Schema, SchemasThatAreTheirOwnValue) {
  for (const char* const schema : {
           R"({"$ref": "#"})",
           R"({"allOf": [{"$ref": "#"}]})",
           R"({"not": {"$ref": "#"}})",
           R"({"anyOf": [{"type": "string"}, {"$ref": "#"}]})",
           R"({"oneOf": [{"$ref": "#"}, {"type": "string"}]})",
           R"({"if": {"type": "string"}, "else": {"$ref": "#"}})",
           R"({"dependentSchemas": {"a": {"$ref": "#"}}})",
           R"({"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]},
                                                         "b": {"allOf": [{"$ref": "#/$defs/a"}]}}})",
           R"({"propertyNames": {"$ref": "#/$defs/a"}, "$defs": {"a": {"$ref": "#/$defs/a"}}})",
       }) {
    Parts parts;
    EXPECT_THAT(parts.ReadSchemaText(schema), HasSubstr("refers to itself as its own value"))
        << schema;
  }
  // By way of a member or an item, and where nothing is a schema's own value.
  Check({{R"({"properties": {"not": {"$ref": "#"}, "$ref": {"type": "string"}}, "type": "object",
              "anyOf": [{"required": ["not"]}, {"required": ["$ref"]}]})",
          {R"({"not":{"$ref":"#"}})"},
          {R"({"not":{}})"}}});
}

TEST(Schema, NoSpaces) {
  Check({{R"({"type": "object", "additionalProperties": {"type": "array"}})",
          {R"({"a":[1,2]})"},
          {R"({"a": []})", R"({"a":[1, 2]})"}}},
        {.spaces = Spaces::kNone});
}

TEST(Schema, OneSpace) {
  Check({{R"({"type": "object", "additionalProperties": {"type": "array"}})",
          {R"({"a": [1, 2], "b": []})", "{}"},
          {R"({"a":[1, 2]})", R"({"a": [1,2]})", R"({ "a": [1, 2]})", R"({"a" : [1, 2]})",
           R"({"a": [1,  2]})", R"({"a": [ ]})"}},
         {R"({"enum": [{"a": [1, 2]}]})", {R"({"a": [1, 2]})"}, {R"({"a":[1,2]})"}}},
        {.spaces = Spaces::kOne});
}

TEST(Schema, AlternativesThatAMemberTellsApart) {
  Check({
      {R"({"oneOf": [{"$ref": "#/$defs/a"}, {"allOf": [{"type": "object", "required": ["k"]},
             {"properties": {"k": {"enum": ["b", "c"]}}}]}], "$defs": {"a": {"type": "object",
             "properties": {"k": {"const": "a"}, "v": {"type": "null"}}, "required": ["k"]}}})",
       {R"({"k": "a"})", R"({"k": "c", "v": 1})"},
       {R"({"k": "a", "v": 1})", R"({"k": "d"})", "{}", "1"}},
      {R"({"type": "object", "required": ["k"], "oneOf": [{"properties": {"k": {"const": "a"}}},
             {"properties": {"k": {"const": "b"}}}]})",
       {R"({"k": "a"})", R"({"k": "b"})"},
       {R"({"k": "c"})", "{}"}},
      // These do not: {"k": "a"}, {} and 1 hold by both.
      {R"({"oneOf": [{"type": "object", "properties": {"k": {"const": "a"}}, "required": ["k"]},
             {"type": "object", "properties": {"k": {"enum": ["a", "b"]}}, "required": ["k"]}]})",
       {R"({"k": "b"})"},
       {R"({"k": "a"})"}},
      {R"({"oneOf": [{"type": "object", "properties": {"k": {"const": "a"}}},
             {"type": "object", "properties": {"k": {"const": "b"}}}]})",
       {R"({"k": "b"})"},
       {"{}"}},
      {R"({"oneOf": [{"properties": {"k": {"const": "a"}}, "required": ["k"]},
             {"properties": {"k": {"const": "b"}}, "required": ["k"]}]})",
       {R"({"k": "b"})"},
       {"1"}},
  });
}

TEST(Schema, MembersThatAskForOthers) {
  Check({
      {R"({"type": "object", "dependentRequired": {"a": ["b"], "b": ["c"], "c": ["a"]}})",
       {"{}", R"({"a": 1, "b": 1, "c": 1})", R"({"d": 1})"},
       {R"({"a": 1})", R"({"a": 1, "b": 1})", R"({"c": 1})"}},
      {R"({"type": "object", "dependentRequired": {"a": ["b"]},
           "dependentSchemas": {"a": {"properties": {"b": {"type": "null"}}}}})",
       {R"({"b": 1})", R"({"b": null, "a": 1})"},
       {R"({"a": 1})", R"({"b": 1, "a": 1})"}},
      {R"({"dependentRequired": {"a": ["b"]}})", {"1", "{}"}, {R"({"a": 1})"}},
  });
}

TEST(Schema, NamedMembersOnly) {
  constexpr SchemaOptions kNamed = {.spaces = Spaces::kOne, .named_only = true};
  Check(
      {
          {R"({"type": "object", "properties": {"a": {}, "b": {"type": "object"}}})",
           {"{}", R"({"a": 1})", R"({"a": {"c": 1}, "b": {"c": 1}})"},
           {R"({"c": 1})", R"({"a": 1, "c": 1})", R"({"a":1})", "{\n}"}},
          {R"({"required": ["a"]})", {R"({"a": 1})"}, {"{}", R"({"a": 1, "b": 1})"}},
          {R"({"type": "object", "properties": {}})", {"{}"}, {R"({"a": 1})"}},
          {R"({"items": {"type": "object"}})", {R"([{"a": 1}, {}])"}, {}},
          {R"({"properties": {"a": {}}, "additionalProperties": {"type": "null"}})",
           {R"({"a": 1, "b": null})"},
           {R"({"b": 1})"}},
          {R"({"properties": {"a": {}}, "additionalProperties": true})", {R"({"b": 1})"}, {}},
          {R"({"properties": {"a": {}}, "patternProperties": {"^x": {"type": "null"}}})",
           {R"({"a": 1, "x1": null})"},
           {R"({"x1": 1})", R"({"b": 1})"}},
          {R"({"properties": {"a": {}}, "patternProperties": {}})", {}, {R"({"b": 1})"}},
          {R"({"patternProperties": {"^x": {}}})", {R"({"x": 1})"}, {R"({"b": 1})"}},
          {R"({"allOf": [{"properties": {"a": {}}}, {"$ref": "#/$defs/b"}],
               "$defs": {"b": {"properties": {"b": {}}}}})",
           {R"({"a": 1, "b": 1})"},
           {R"({"a": 1, "c": 1})"}},
          {R"({"properties": {"a": {}}, "allOf": [{"additionalProperties": true}]})",
           {R"({"b": 1})"},
           {}},
          {R"({"properties": {"k": {"enum": ["x", "y"]}}, "required": ["k"],
               "if": {"properties": {"k": {"const": "x"}}},
               "then": {"required": ["z"]}, "else": {"properties": {"w": {}}}})",
           {R"({"k": "x", "z": 1})", R"({"k": "y", "w": 1})"},
           {R"({"k": "y", "z": 1})", R"({"k": "x"})"}},
          {R"({"properties": {"a": {}}, "dependentSchemas": {"a": {"properties": {"c": {}}}}})",
           {R"({"a": 1, "c": 1})", "{}"},
           {R"({"c": 1})"}},
          // Those that are named do not suffice.
          {R"({"properties": {"a": {}, "b": false}, "required": ["a"], "minProperties": 2})",
           {R"({"a": 1, "c": 1})"},
           {R"({"a": 1})", R"({"a": 1, "b": 1})"}},
          {R"({"properties": {"a": {}, "b": {}, "c": {}}, "minProperties": 2})",
           {R"({"a": 1, "c": 1})"},
           {R"({"a": 1})", R"({"a": 1, "d": 1})"}},
          {R"({"oneOf": [{"required": ["a"], "properties": {"b": false}},
                         {"required": ["b"], "properties": {"a": false}}]})",
           {R"({"a": 1})", R"({"b": 1})"},
           {R"({"a": 1, "c": 1})", R"({"a": 1, "b": 1})"}},
      },
      kNamed);
  SchemaOptions any_order = kNamed;
  any_order.any_order = true;
  Check({{R"({"properties": {"a": {}, "b": {}}})", {R"({"b": 1, "a": 1})"}, {R"({"c": 1})"}}},
        any_order);
  // Both alternatives hold of {"z": 1}, which the second does not name.
  Check({{R"({"oneOf": [{"type": "object", "minProperties": 1},
               {"type": "object", "properties": {"b": {"enum": [1], "type": "null"}},
                "minProperties": 1}]})",
          {R"({"b": 2})"},
          {R"({"z": 1})"}}},
        kNamed);
}

TEST(Schema, RefusesByPointer) {
  const struct {
    const char* schema;
    const char* words;
  } cases[] = {
      {"1", "#: expected a schema"},
      {R"({"type": "strin"})", "#/type: expected null, boolean"},
      {R"({"properties": {"a/b": {"items": {"uniqueItems": true}}}})",
       "#/properties/a~1b/items/uniqueItems: uniqueItems is not supported"},
      {R"({"unevaluatedProperties": false})", "#/unevaluatedProperties"},
      {R"({"pattern": "(a"})", "#/pattern: the pattern is not well formed at byte 0"},
      {R"({"pattern": "\\bx"})", "#/pattern: the pattern asks for a word's boundary"},
      {R"({"$ref": "#/nowhere"})", "#/$ref: there is no such schema"},
      {R"({"$ref": "http://elsewhere/s.json"})", "#/$ref: a schema that is not in this document"},
      {R"({"oneOf": [{"type": "integer"}, {"multipleOf": 3}]})",
       "#/oneOf: oneOf with alternatives"},
      {R"({"not": {"propertyNames": false}})", "#/not/propertyNames: the opposite of this keyword"},
      {R"({"$defs": {"A": {"$id": "http://a/A", "items": {"$ref": "#/$defs/x"}}},
           "$ref": "#/$defs/A"})",
       "$ref: a reference within a schema with an $id"},
      {R"({"format": "idn-email"})", "#/format: this format"},
      {R"({"minLength": -1})", "#/minLength: expected a number from 0 on"},
      {R"({"multipleOf": 0})", "#/multipleOf: expected a number above 0"},
  };
  for (const auto& c : cases) {
    Parts parts;
    EXPECT_THAT(parts.ReadSchemaText(c.schema), HasSubstr(c.words)) << c.schema;
  }
}

TEST(Schema, WhatNothingFitsIsNotProductive) {
  for (const char* const schema :
       {"false", R"({"type": "string", "minLength": 3, "maxLength": 2})",
        R"({"type": "object", "required": ["a"], "properties": {"a": false}})",
        R"({"type": "integer", "minimum": 3, "maximum": 2})", R"({"enum": []})",
        R"({"allOf": [{"type": "string"}, {"type": "null"}]})",
        R"({"type": "string", "pattern": "^a$", "not": {"const": "a"}})"}) {
    SCOPED_TRACE(schema);
    Parts parts;
    ASSERT_EQ(parts.ReadSchemaText(schema), "");
    EXPECT_EQ(parts.start, Machine::kDead);
  }
}

}  // namespace
}  // namespace rondo::grammar
