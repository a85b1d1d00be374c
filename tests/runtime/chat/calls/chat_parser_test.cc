// Answers taken apart: what is a call, what only looks like one, what happens where a text ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/base/utf8.h"
#include "tests/runtime/chat/calls/forms.h"
#include "tests/runtime/chat/calls/parsed.h"

namespace rondo {
namespace {

using test::Parsed;
using ::testing::HasSubstr;

class ChatParserTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  }

  void Use(const ChatRequest& request) {
    auto parser = ChatParser::Create(request);
    EXPECT_TRUE(parser.ok()) << parser.status().message();
    if (parser.ok()) parser_ = std::move(*parser);
  }
  void Use(const char* form) { Use(test::FormRequest(form)); }

  // The parts, the same for every cut.
  Parsed Parse(std::string_view answer) {
    Parsed parsed = test::Parse(*parser_, answer);
    test::ExpectSameForEveryCut(*parser_, answer, parsed);
    return parsed;
  }
  void ExpectContent(std::string_view answer, std::string_view content) {
    const Parsed parsed = Parse(answer);
    EXPECT_EQ(parsed.content, content);
    EXPECT_EQ(parsed.thinking, "");
    EXPECT_TRUE(parsed.calls.empty()) << answer;
  }
  // One whole call, after this content.
  void ExpectCall(std::string_view answer, std::string_view content, std::string_view name,
                  std::string_view id, std::string_view arguments) {
    const Parsed parsed = Parse(answer);
    SCOPED_TRACE(answer);
    EXPECT_EQ(parsed.content, content);
    ASSERT_EQ(parsed.calls.size(), 1u);
    EXPECT_EQ(parsed.calls[0].name, name);
    EXPECT_EQ(parsed.calls[0].id, id);
    EXPECT_EQ(parsed.calls[0].arguments, arguments);
    EXPECT_TRUE(parsed.calls[0].whole);
  }

  std::unique_ptr<ChatParser> parser_;
};

constexpr const char* kCall =
    "<call>\n{\"name\": \"find\", \"arguments\": {\"what\": \"a\"}}\n</call>";

TEST_F(ChatParserTest, ContentThoughtsAndCalls) {
  Use(test::kJsonForm);
  const Parsed parsed =
      Parse(std::string("<think>\nHm <call>.\n</think>\n\nLook:\n") + kCall +
            "\n<call>\n{\"name\": \"stop\", \"arguments\": {}}\n</call><|end|>\n");
  EXPECT_EQ(parsed.thinking, "Hm <call>.");
  EXPECT_EQ(parsed.content, "Look:");
  EXPECT_EQ(parsed.order, "tcf");
  ASSERT_EQ(parsed.calls.size(), 2u);
  EXPECT_EQ(parsed.calls[0].arguments, R"({"what": "a"})");
  EXPECT_EQ(parsed.calls[1].name, "stop");
  EXPECT_EQ(parsed.calls[1].arguments, "{}");
  EXPECT_TRUE(parsed.calls[1].whole);
}

TEST_F(ChatParserTest, OtherSpacesThanTheTemplates) {
  Use(test::kJsonForm);
  ExpectCall("<call>{\"name\":\"find\",\"arguments\":{\"what\":\"a\"}}</call>", "", "find", "",
             R"({"what":"a"})");
  ExpectCall("\n\n<call>\n\n{ \"name\" : \"find\" ,\n\"arguments\" : {}\n}\n\n</call>\n", "\n",
             "find", "", "{}");
  // Before a call there is no more of the template's than its own.
  ExpectCall(std::string("Text. \n\n") + kCall, "Text. \n", "find", "", R"({"what": "a"})");
}

TEST_F(ChatParserTest, WhatOnlyLooksLikeACallIsContent) {
  Use(test::kJsonForm);
  for (const char* const text :
       {"<", "<call", "<call>", "<call>\n{\"name\": \"find\"}\n</call>", "a <call> b",
        "<call>\n{\"name\": \"find\", \"arguments\": 1}\n</call>", "</call>", "<call><call>",
        "<call>\n{\"name\": \"two words\", \"arguments\": {}}\n</call>",
        "<call>\n{\"name\": \"\", \"arguments\": {}}\n</call>",
        "<call>\n{\"tool\": \"find\", \"arguments\": {}}\n</call>", "{\"name\": \"find\"",
        "Say <think>\n.", "\n", " \n \n ", "\xff<\xc3", "</think>"}) {
    ExpectContent(text, text);
  }
  // A name of over 128 bytes, and one of just so many.
  const std::string name(128, 'n');
  ExpectContent("<call>\n{\"name\": \"n" + name + "\", \"arguments\": {}}",
                "<call>\n{\"name\": \"n" + name + "\", \"arguments\": {}}");
  ExpectCall("<call>\n{\"name\": \"" + name + "\", \"arguments\": {}}\n</call>", "", name, "",
             "{}");
}

TEST_F(ChatParserTest, ACallBehindWhatLooksLikeOne) {
  Use(test::kJsonForm);
  ExpectCall(std::string("<call>\n") + kCall, "<call>", "find", "", R"({"what": "a"})");
  ExpectCall(std::string("<call>\n{\"name\": \"") + kCall, "<call>\n{\"name\": \"", "find", "",
             R"({"what": "a"})");
}

TEST_F(ChatParserTest, ABrokenCallLosesNothing) {
  Use(test::kJsonForm);
  const Parsed parsed =
      Parse("<call>\n{\"name\": \"find\", \"arguments\": {\"what\": nothing}}\n</call> and more");
  ASSERT_EQ(parsed.calls.size(), 1u);
  EXPECT_FALSE(parsed.calls[0].whole);
  EXPECT_EQ(parsed.calls[0].arguments + parsed.content, "{\"what\": nothing}}\n</call> and more");
  // Behind it a call is a call.
  const Parsed next = Parse(std::string("<call>\n{\"name\": \"find\", \"arguments\": {]") + kCall);
  ASSERT_EQ(next.calls.size(), 2u);
  EXPECT_FALSE(next.calls[0].whole);
  EXPECT_TRUE(next.calls[1].whole);
}

TEST_F(ChatParserTest, TheTextEndsEarly) {
  Use(test::kJsonForm);
  const std::string whole = std::string("So:\n") + kCall;
  const size_t name_ends = whole.find("{\"what\"") + 1, arguments_end = whole.find("}}") + 1;
  for (size_t size = 0; size <= whole.size(); ++size) {
    const Parsed parsed = test::Parse(*parser_, whole.substr(0, size));
    if (size < name_ends) {
      EXPECT_EQ(parsed.content, whole.substr(0, size));
      EXPECT_TRUE(parsed.calls.empty()) << size;
      continue;
    }
    ASSERT_EQ(parsed.calls.size(), 1u) << size;
    EXPECT_EQ(parsed.content, "So:");
    EXPECT_EQ(parsed.calls[0].whole, size >= arguments_end) << size;
  }
}

TEST_F(ChatParserTest, TheTurnsEndIsTheTemplates) {
  Use(test::kJsonForm);
  ExpectContent("Yes.<|end|>\n", "Yes.");
  ExpectContent("Yes.<|end|>", "Yes.");
  ExpectContent("<|end|>", "");
  ExpectContent("Yes.<|end", "Yes.<|end");
  ExpectContent("Yes.<|end|> No.", "Yes.<|end|> No.");
  ExpectContent("Yes.<|end|>\n<|end|>\n", "Yes.<|end|>\n");
}

TEST_F(ChatParserTest, Thoughts) {
  Use(test::kJsonForm);
  const auto expect = [this](std::string_view answer, std::string_view thinking,
                             std::string_view content) {
    const Parsed parsed = Parse(answer);
    EXPECT_EQ(parsed.thinking, thinking) << answer;
    EXPECT_EQ(parsed.content, content) << answer;
  };
  expect("<think>\na\n</think>\n\nb", "a", "b");
  expect("<think>a</think>b", "a", "b");
  expect(" \n<think>\n\n\na\n\n\n</think>\n\n\nb", "\n\na\n\n", "\nb");
  expect("<think>\n\n</think>\n\nb", "", "b");
  expect("<think>never ends </thin", "never ends </thin", "");
  expect("<think>", "", "");
  expect("<think>a</think><think>b</think>c", "ab", "c");
  expect("c <think>a</think>", "", "c <think>a</think>");
  ChatRequest inside = test::FormRequest(test::kJsonForm);
  inside.variables = R"({"think": true})";
  Use(inside);
  expect("a\n</think>\n\nb", "a", "b");
  expect("</think>b", "", "b");
  expect("all of it", "all of it", "");
}

TEST_F(ChatParserTest, WithoutToolsNothingIsACall) {
  Use(test::FormRequest(test::kJsonForm, ""));
  ExpectContent(kCall, kCall);
  Use(test::FormRequest(test::kJsonForm, "[]"));
  ExpectContent(kCall, kCall);
}

TEST_F(ChatParserTest, IdsBeforeAndBehindTheArguments) {
  Use(test::kIdBehindForm);
  const std::string one =
      R"([CALLS][{"name": "find", "arguments": {"what": "a"}, "id": "abc123def"}])";
  ExpectCall("So: " + one, "So: ", "find", "abc123def", R"({"what": "a"})");
  const Parsed two =
      Parse(R"([CALLS][{"name": "find", "arguments": {}, "id": "a1"}, {"name": "stop", )"
            R"("arguments": {"x": [1]}, "id": "b2"}]<|end|>)");
  ASSERT_EQ(two.calls.size(), 2u);
  EXPECT_EQ(two.calls[0].id, "a1");
  EXPECT_EQ(two.calls[1].id, "b2");
  EXPECT_EQ(two.calls[1].arguments, R"({"x": [1]})");
  EXPECT_EQ(two.content, "");
  // Without the id, or with its text cut, it is no call, and nothing is lost.
  for (const size_t size : {one.size() - 1, one.size() - 8, size_t{40}}) {
    ExpectContent("So: " + one.substr(0, size), "So: " + one.substr(0, size));
  }
  Use(test::kNumberForm);
  ExpectCall(R"(<|act|>[{"id": "7", "tool": "find", "with": {}}]<|/act|>)", "", "find", "7", "{}");
  Use(test::kRunForm);
  ExpectCall("Hm<|call|>functions.find:12<|with|>{\"what\": \"x\"}<|done|>", "Hm", "find",
             "functions.find:12", R"({"what": "x"})");
  ExpectCall("<|call|>functions.a:b:0<|with|>{}<|done|>", "", "a:b", "functions.a:b:0", "{}");
}

TEST_F(ChatParserTest, TagsBecomeJson) {
  Use(test::kTagForm);
  const auto call = [](const std::string& parameters) {
    return "<call>\n<function=find>\n" + parameters + "</function>\n</call>";
  };
  const auto expect = [&](const std::string& key, const std::string& value,
                          const std::string& json) {
    ExpectCall(call("<parameter=" + key + ">\n" + value + "\n</parameter>\n"), "", "find", "",
               "{\"" + key + "\": " + json + "}");
  };
  ExpectCall(call(""), "", "find", "", "{}");
  expect("what", "a \"b\" \\ \tc", R"("a \"b\" \\ \u0009c")");
  expect("what", "12", R"("12")");
  expect("what", "", R"("")");
  expect("what", "\n two\nlines \n", R"("\n two\nlines \n")");
  expect("what", "</parameter> <b> </param", R"("</parameter> <b> </param")");
  expect("most", "12", "12");
  expect("most", " -3 ", "-3");
  expect("most", "many", R"("many")");
  expect("deep", "True", "true");
  expect("deep", "false", "false");
  expect("more", "{'a': [1, None, \"it's\"], 'b': {}}", R"({"a": [1, null, "it's"], "b": {}})");
  expect("more", R"({"a": [1]})", R"({"a": [1]})");
  expect("more", "{'a': ", R"("{'a': ")");
  expect("any", "{\"a\": 1}", R"({"a": 1})");
  expect("any", "True", R"("True")");
  expect("unknown", "[1]", "[1]");
  expect("unknown", "some words", R"("some words")");
  expect(
      "unknown", std::string(20000, '"'), '"' + [] {
        std::string text;
        for (int i = 0; i < 20000; ++i) text += "\\\"";
        return text;
      }() + '"');
  ExpectCall(call("<parameter=what>\na\n</parameter>\n<parameter=most>\n1\n</parameter>\n"), "",
             "find", "", R"({"what": "a", "most": 1})");
  ExpectCall("<call><function=find><parameter=what>a</parameter></function></call>", "", "find", "",
             R"({"what": "a"})");
}

TEST_F(ChatParserTest, TagsThatEndEarlyLoseNothing) {
  Use(test::kTagForm);
  const std::string whole =
      "<call>\n<function=find>\n<parameter=what>\nword\n</parameter>\n<parameter=most>\n12\n"
      "</parameter>\n</function>\n</call>";
  for (size_t size = 0; size < whole.size(); ++size) {
    const Parsed parsed = test::Parse(*parser_, whole.substr(0, size));
    const bool whole_call = size > whole.find("</function>") + 10;
    for (const test::ParsedCall& call : parsed.calls) EXPECT_EQ(call.whole, whole_call) << size;
    const std::string all =
        parsed.content + (parsed.calls.empty() ? "" : parsed.calls[0].arguments);
    if (size > whole.find("word") + 4) {
      EXPECT_THAT(all, HasSubstr("word"));
    }
    if (size > whole.find("12") + 2) {
      EXPECT_THAT(all, HasSubstr("12"));
    }
  }
}

TEST_F(ChatParserTest, TagsThatTellTheType) {
  Use(test::kTypedTagForm);
  ExpectCall(
      "<calls><invoke name=\"find\"><parameter name=\"most\" string=\"true\">12</parameter>"
      "<parameter name=\"what\" string=\"false\">[1, 2]</parameter></invoke></calls>",
      "", "find", "", R"({"most": "12", "what": [1, 2]})");
}

TEST_F(ChatParserTest, NotationsBecomeJson) {
  Use(test::kPythonForm);
  ExpectCall(
      "<|py|>find({'what': 'it\\'s \\x41\\u00e9\\n', \"a\": [True, None, -1.5e3, []]})<|/py|>", "",
      "find", "",
      R"({"what": "it's A)"
      "\xc3\xa9"
      R"(\n", "a": [true, null, -1.5e3, []]})");
  Use(test::kQuoteForm);
  ExpectCall(
      "<|call|>find{what:<|q|>a \"b\", {c}: 'd'<|q|>,most:1,more:{x y:[<|q|><|q|>,word]}}<|/call|>",
      "", "find", "", R"({"what": "a \"b\", {c}: 'd'", "most": 1, "more": {"x y": ["", "word"]}})");
  ExpectCall("<|call|>stop{}<|/call|>", "", "stop", "", "{}");
}

TEST_F(ChatParserTest, BareJsonIsACallWhereAnAnswerBeginsWithIt) {
  Use(test::kBareForm);
  ExpectCall(R"({"name": "find", "parameters": {}}<|end|>)", "", "find", "", "{}");
  ExpectCall("\n{\"name\": \"find\", \"parameters\": {}}", "", "find", "", "{}");
  ExpectContent(R"({"name": "unknown", "parameters": {}})",
                R"({"name": "unknown", "parameters": {}})");
  ExpectContent(R"(Use {"name": "find", "parameters": {}})",
                R"(Use {"name": "find", "parameters": {}})");
}

TEST_F(ChatParserTest, Channels) {
  Use(test::kChannelForm);
  const Parsed parsed = Parse(
      "<|channel|>thought<|message|>Hm.<|end|><|start|>bot<|channel|>final<|message|>"
      "Yes.<|return|>");
  EXPECT_EQ(parsed.thinking, "Hm.");
  EXPECT_EQ(parsed.content, "Yes.");
  const Parsed call = Parse(
      "<|channel|>thought<|message|>Hm.<|end|><|start|>bot "
      "to=find<|channel|>json<|message|>{}<|call|>");
  EXPECT_EQ(call.thinking, "Hm.");
  EXPECT_EQ(call.content, "");
  ASSERT_EQ(call.calls.size(), 1u);
  EXPECT_TRUE(call.calls[0].whole);
}

TEST_F(ChatParserTest, TemplatesWithoutAForm) {
  const auto refused = [](const char* form, const char* why) {
    const auto parser = ChatParser::Create(test::FormRequest(form));
    ASSERT_FALSE(parser.ok()) << form;
    EXPECT_EQ(parser.status().code(), StatusCode::kUnsupported);
    EXPECT_THAT(parser.status().message(), HasSubstr(why));
  };
  refused("{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}",
          "leaves an assistant's tool_calls out");
  refused(
      RONDO_FORM("{{ m.content }}{% for c in m.tool_calls %}<c>{{ c.function.name }}{% endfor %}"),
      "does not show a call's arguments behind its name");
  refused(RONDO_FORM(
              "{{ m.content }}{% if m.tool_calls %}{{ raise_exception('none here') }}{% endif %}"),
          "none here");
  refused(RONDO_FORM("{{ m.content }}{% for c in m.tool_calls %}<c>{{ c.function.name }} "
                     "{{ c.function.arguments.values()|join(' ') }}{% endfor %}"),
          "does not show a call's arguments behind its name");
  const auto silent = ChatParser::Create(test::FormRequest("{{ messages|length }}"));
  ASSERT_FALSE(silent.ok());
  EXPECT_THAT(silent.status().message(), HasSubstr("leaves out what a user says"));
}

// Wherever the text is cut, and where a long one is handed out in pieces.
TEST_F(ChatParserTest, PartsAreWholeCharacters) {
  std::string many;
  for (int i = 0; i < 3000; ++i) many += i % 7 == 0 ? "a" : "\xe4\xb8\x96";
  const std::string tags = "<call>\n<function=find>\n<parameter=what>\n" + many +
                           "\n</parameter>\n<parameter=any>\nx" + many +
                           "\n</parameter>\n</function>\n</call>";
  for (const auto& [form, answer] :
       {std::pair<const char*, std::string>{test::kJsonForm,
                                            "<think>\n\xc3\xa4\n</think>\n\nGr\xc3\xbc\xc3\x9f"
                                            "e \xf0\x9f\x99\x82<call>\n{\"name\": \"find\", "
                                            "\"arguments\": {\"what\": \"\xc3\xbc\"}}\n</call>"},
        {test::kTagForm, tags}}) {
    Use(form);
    for (const size_t piece : {size_t{1}, size_t{2}, size_t{3}, answer.size()}) {
      parser_->Reset();
      std::string text;
      for (size_t at = 0; at < answer.size(); at += piece) {
        ASSERT_TRUE(
            parser_->Push(std::string_view(answer).substr(at, piece), at + piece >= answer.size())
                .ok());
        for (ChatPart part; (part = parser_->Next()).kind != ChatPartKind::kNone;) {
          const auto* bytes = reinterpret_cast<const uint8_t*>(part.text.data());
          ASSERT_EQ(Utf8Prefix({bytes, part.text.size()}), part.text.size())
              << "pieces of " << piece << " bytes: " << part.text;
          text += part.text;
        }
      }
      EXPECT_NE(text.find(form == test::kTagForm ? many : "Gr\xc3\xbc\xc3\x9f"), text.npos);
    }
  }
}

// What is no UTF-8 waits no longer than what could be.
TEST_F(ChatParserTest, BytesThatAreNoCharacterAreNotLost) {
  Use(test::kJsonForm);
  ExpectContent("a\xc3(\x80\x80\x80\x80\xff b\xf0\x9f", "a\xc3(\x80\x80\x80\x80\xff b\xf0\x9f");
}

TEST_F(ChatParserTest, LastMeansLast) {
  Use(test::kJsonForm);
  ASSERT_TRUE(parser_->Push("a", true).ok());
  const Status status = parser_->Push("", false);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  Parsed parsed;
  test::Drain(*parser_, &parsed);
  EXPECT_EQ(parsed.content, "a");
  parser_->Reset();
  EXPECT_TRUE(parser_->Push("b", false).ok());
}

TEST_F(ChatParserTest, HoldsSoMuchAndNoMore) {
  Use(test::kTagForm);
  const std::string begin = "<call>\n<function=find>\n<parameter=any>\n";
  const std::string mebibyte(size_t{1} << 20, 'x');
  ASSERT_TRUE(parser_->Push(begin, false).ok());
  Parsed parsed;
  test::Drain(*parser_, &parsed);
  for (size_t i = 0; i < ChatParser::kMaxHeldBytes / mebibyte.size() - 1; ++i) {
    ASSERT_TRUE(parser_->Push(mebibyte, false).ok()) << i;
    test::Drain(*parser_, &parsed);
  }
  // The value is held until it is whole.
  EXPECT_EQ(parser_->Push(mebibyte + "x", false).code(), StatusCode::kOutOfMemory);
  ASSERT_TRUE(parser_->Push("\n</parameter>\n</function>\n</call>", true).ok());
  test::Drain(*parser_, &parsed);
  ASSERT_EQ(parsed.calls.size(), 1u);
  EXPECT_TRUE(parsed.calls[0].whole);
  EXPECT_EQ(parsed.calls[0].arguments.size(),
            ChatParser::kMaxHeldBytes - mebibyte.size() + std::string("{\"any\": \"\"}").size());
  // Content and strings of any length go through.
  Use(test::kJsonForm);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(parser_->Push(mebibyte, false).ok());
    Parsed content;
    test::Drain(*parser_, &content);
    EXPECT_EQ(content.content.size(), mebibyte.size());
  }
}

}  // namespace
}  // namespace rondo
