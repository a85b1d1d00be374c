// Answers through rondo.h: the parser, the grammar of calls, what is around a thought.
#include <cstring>
#include <string>

#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test::answers_test {
namespace {

constexpr size_t kPointer = sizeof(void*);
static_assert(offsetof(rondo_chat_part, call) == 8);
static_assert(offsetof(rondo_chat_part, text) == 16);
static_assert(sizeof(rondo_chat_part) == 16 + 6 * kPointer);

constexpr const char* kTemplate =
    "{% for m in messages %}[{{ m.role }}]{% if m.reasoning_content %}<think>\n"
    "{{ m.reasoning_content }}\n</think>\n{% endif %}{{ m.content }}{% for c in m.tool_calls %}"
    "<call>{{ c.function.name }} {{ c.function.arguments|tojson }}</call>{% endfor %}[end]"
    "{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}";
constexpr const char* kMessages = R"([{"role": "user", "content": "Hello there"}])";
constexpr const char* kTools =
    R"([{"name": "find", "parameters": {"type": "object", "properties": {"what": {"type": "string"}}}}])";

class AnswersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int64_t has_chat = 0;
    ASSERT_EQ(rondo_query("chat", &has_chat), RONDO_STATUS_OK);
    if (has_chat == 0) GTEST_SKIP() << "built without chat templates";
  }
  void TearDown() override { rondo_chat_parser_close(parser_); }

  static rondo_chat_options Options(const char* tools = kTools) {
    rondo_chat_options options;
    EXPECT_EQ(rondo_chat_options_init(&options, sizeof options), RONDO_STATUS_OK);
    options.messages = kMessages;
    options.messages_bytes = std::strlen(kMessages);
    options.tools = tools;
    options.tools_bytes = tools == nullptr ? 0 : std::strlen(tools);
    options.template_text = kTemplate;
    options.template_bytes = std::strlen(kTemplate);
    return options;
  }
  int32_t Create(const rondo_chat_options& options) {
    return rondo_chat_parser_create(model_.get(), &options, &parser_, why_, sizeof why_);
  }
  // A letter for each part, and its texts.
  std::string Parts() {
    std::string parts;
    for (;;) {
      rondo_chat_part part;
      part.struct_size = sizeof part;
      EXPECT_EQ(rondo_chat_parser_next(parser_, &part), RONDO_STATUS_OK);
      EXPECT_NE(part.text, nullptr);
      EXPECT_NE(part.name, nullptr);
      EXPECT_NE(part.id, nullptr);
      if (part.kind == RONDO_CHAT_PART_NONE) return parts;
      parts += "?CTFAE"[part.kind];
      parts += std::to_string(part.call) + "(" + std::string(part.text, part.text_bytes) +
               std::string(part.name, part.name_bytes) + ")";
    }
  }

  Model model_ = OpenTiny();
  rondo_chat_parser* parser_ = nullptr;
  char why_[256];
};

TEST_F(AnswersTest, Parts) {
  ASSERT_EQ(Create(Options()), RONDO_STATUS_OK) << why_;
  const std::string answer =
      "<think>\nHm\n</think>\nSo:<call>find {\"what\": \"x\"}</call><call>find {}</call>[end]";
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(rondo_chat_parser_push(parser_, answer.data(), answer.size(), 1), RONDO_STATUS_OK);
    EXPECT_EQ(Parts(), "T0(Hm)C0(So:)F0(find)A0({\"what\": \"x\"})E0()F1(find)A1({})E1()");
    EXPECT_EQ(rondo_chat_parser_push(parser_, "x", 1, 0), RONDO_STATUS_INVALID_ARGUMENT);
    ASSERT_EQ(rondo_chat_parser_reset(parser_), RONDO_STATUS_OK);
  }
  // The model may go before.
  model_.reset();
  ASSERT_EQ(rondo_chat_parser_push(parser_, "<call>find {\"w", 14, 0), RONDO_STATUS_OK);
  EXPECT_EQ(Parts(), "F0(find)A0({\"w)");
  ASSERT_EQ(rondo_chat_parser_push(parser_, nullptr, 0, 1), RONDO_STATUS_OK);
  EXPECT_EQ(Parts(), "");
}

TEST_F(AnswersTest, BadCalls) {
  const rondo_chat_options options = Options();
  EXPECT_EQ(rondo_chat_parser_create(model_.get(), &options, nullptr, why_, sizeof why_),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_chat_parser_create(nullptr, &options, &parser_, why_, sizeof why_),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_chat_parser_create(model_.get(), nullptr, &parser_, why_, sizeof why_),
            RONDO_STATUS_INVALID_ARGUMENT);
  rondo_chat_options plain = Options();
  plain.template_text = "{% for m in messages %}{{ m.content }}{% endfor %}";
  plain.template_bytes = std::strlen(plain.template_text);
  EXPECT_EQ(Create(plain), RONDO_STATUS_UNSUPPORTED);
  EXPECT_NE(std::string(why_).find("no form for calls"), std::string::npos) << why_;
  EXPECT_EQ(parser_, nullptr);
  plain.template_text = "{% broken";
  plain.template_bytes = std::strlen(plain.template_text);
  EXPECT_EQ(Create(plain), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_chat_parser_push(nullptr, "a", 1, 0), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_chat_parser_reset(nullptr), RONDO_STATUS_INVALID_ARGUMENT);
  ASSERT_EQ(Create(Options()), RONDO_STATUS_OK) << why_;
  EXPECT_EQ(rondo_chat_parser_push(parser_, nullptr, 1, 0), RONDO_STATUS_INVALID_ARGUMENT);
  rondo_chat_part part;
  part.struct_size = 7;
  EXPECT_EQ(rondo_chat_parser_next(parser_, &part), RONDO_STATUS_VERSION_MISMATCH);
  EXPECT_EQ(rondo_chat_parser_next(parser_, nullptr), RONDO_STATUS_INVALID_ARGUMENT);
  part.struct_size = sizeof part;
  EXPECT_EQ(rondo_chat_parser_next(nullptr, &part), RONDO_STATUS_INVALID_ARGUMENT);
}

TEST_F(AnswersTest, GrammarIsOneThatGrammarsAreMadeOf) {
  const rondo_chat_options options = Options();
  char text[4096];
  size_t length = 0;
  ASSERT_EQ(rondo_chat_grammar(model_.get(), &options, RONDO_CALLS_ONE, "find", text, sizeof text,
                               &length, why_, sizeof why_),
            RONDO_STATUS_OK)
      << why_;
  EXPECT_EQ(length, std::strlen(text));
  EXPECT_NE(std::string(text).find("root ::= "), std::string::npos) << text;
  rondo_grammar_options grammar_options;
  ASSERT_EQ(rondo_grammar_options_init(&grammar_options, sizeof grammar_options), RONDO_STATUS_OK);
  grammar_options.kind = RONDO_GRAMMAR_GBNF;
  rondo_grammar* grammar = nullptr;
  EXPECT_EQ(rondo_grammar_create(model_.get(), &grammar_options, text, length, nullptr, 0, &grammar,
                                 why_, sizeof why_),
            RONDO_STATUS_OK)
      << why_ << "\n"
      << text;
  rondo_grammar_close(grammar);
  EXPECT_EQ(rondo_chat_grammar(model_.get(), &options, RONDO_CALLS_AUTO, nullptr, nullptr, 0,
                               &length, why_, sizeof why_),
            RONDO_STATUS_BUFFER_TOO_SMALL);
  EXPECT_GT(length, 0u);
  const auto refused = [&](const rondo_chat_options& these, int32_t calls, const char* function,
                           int32_t status) {
    length = 7;
    EXPECT_EQ(rondo_chat_grammar(model_.get(), &these, calls, function, text, sizeof text, &length,
                                 why_, sizeof why_),
              status);
    EXPECT_EQ(length, 0u);
    EXPECT_STREQ(text, "");
    EXPECT_STRNE(why_, "");
  };
  refused(options, 3, nullptr, RONDO_STATUS_INVALID_ARGUMENT);
  refused(options, -1, nullptr, RONDO_STATUS_INVALID_ARGUMENT);
  refused(options, RONDO_CALLS_ONE, "seek", RONDO_STATUS_INVALID_ARGUMENT);
  refused(Options(nullptr), RONDO_CALLS_ONE, nullptr, RONDO_STATUS_INVALID_ARGUMENT);
}

TEST_F(AnswersTest, Thinking) {
  const rondo_chat_options options = Options(nullptr);
  char begin[64], end[64];
  size_t begin_length = 0, end_length = 0;
  ASSERT_EQ(rondo_chat_thinking(model_.get(), &options, begin, sizeof begin, &begin_length, end,
                                sizeof end, &end_length, why_, sizeof why_),
            RONDO_STATUS_OK)
      << why_;
  EXPECT_STREQ(begin, "<think>\n");
  EXPECT_STREQ(end, "\n</think>\n");
  EXPECT_EQ(rondo_chat_thinking(model_.get(), &options, nullptr, 0, &begin_length, end, sizeof end,
                                &end_length, why_, sizeof why_),
            RONDO_STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(begin_length, 8u);
  EXPECT_EQ(end_length, 10u);
  EXPECT_EQ(rondo_chat_thinking(model_.get(), &options, begin, sizeof begin, nullptr, end,
                                sizeof end, &end_length, why_, sizeof why_),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_chat_thinking(nullptr, &options, begin, sizeof begin, &begin_length, end,
                                sizeof end, &end_length, why_, sizeof why_),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(begin_length + end_length, 0u);
}

}  // namespace
}  // namespace rondo::abi_test::answers_test
