// Chat through rondo.h.
#include <algorithm>
#include <cstring>
#include <string>

#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test::chat_test {
namespace {

constexpr size_t kPointer = sizeof(void*);
static_assert(offsetof(rondo_chat_options, local_time) == 8);
static_assert(offsetof(rondo_chat_options, messages) == 16);
static_assert(offsetof(rondo_chat_options, template_name) == 16 + 6 * kPointer);
static_assert(sizeof(rondo_chat_options) == 16 + 9 * kPointer);

constexpr const char* kTemplate =
    "{% for m in messages %}[{{ m.role }}] {{ m.content }}{% endfor %}{{ x }}";
constexpr const char* kMessages = R"([{"role": "user", "content": "Hello there"}])";

class ChatTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int64_t has_chat = 0;
    ASSERT_EQ(rondo_query("chat", &has_chat), RONDO_STATUS_OK);
    if (has_chat == 0) GTEST_SKIP() << "built without chat templates";
  }

  static rondo_chat_options Options(const char* messages = kMessages) {
    rondo_chat_options options;
    EXPECT_EQ(rondo_chat_options_init(&options, sizeof options), RONDO_STATUS_OK);
    options.messages = messages;
    options.messages_bytes = std::strlen(messages);
    options.template_text = kTemplate;
    options.template_bytes = std::strlen(kTemplate);
    return options;
  }

  int32_t Render(const rondo_chat_options& options) {
    return rondo_chat_render(model_.get(), &options, text_, sizeof text_, &length_, ids_,
                             std::size(ids_), &count_, why_, sizeof why_);
  }

  Model model_ = OpenTiny();
  char text_[256];
  size_t length_ = 0;
  int32_t ids_[256];
  size_t count_ = 0;
  char why_[256];
};

TEST_F(ChatTest, TextAndIds) {
  rondo_chat_options options = Options();
  EXPECT_EQ(options.flags, uint32_t{RONDO_CHAT_ADD_GENERATION_PROMPT});
  ASSERT_EQ(Render(options), RONDO_STATUS_OK) << why_;
  EXPECT_STREQ(text_, "[user] Hello there");
  EXPECT_EQ(length_, std::strlen(text_));
  EXPECT_STREQ(why_, "");
  std::vector<int32_t> expected(256);
  size_t n = 0;
  ASSERT_EQ(rondo_tokenize(model_.get(), text_, length_, 0, expected.data(), expected.size(), &n),
            RONDO_STATUS_OK);
  expected.resize(n);
  EXPECT_EQ(std::vector<int32_t>(ids_, ids_ + count_), expected);
  options.variables = R"({"x": "!"})";
  options.variables_bytes = std::strlen(options.variables);
  ASSERT_EQ(Render(options), RONDO_STATUS_OK) << why_;
  EXPECT_STREQ(text_, "[user] Hello there!");
}

// Whoever wrote the messages speaks no special token, wherever the template puts what they wrote.
TEST_F(ChatTest, ContentStaysPlain) {
  constexpr const char* kHostile =
      R"([{"role": "<|eos|>", "content": "a<|eos|><|bos|>b", "<|pad|>": "|eos|>"}])";
  rondo_chat_options options = Options(kHostile);
  options.template_text =
      "<|bos|>{% for m in messages %}{{ m.role }}{{ m.content|upper|lower }}<{{ m['<|pad|>'] }}"
      "{{ m|tojson }}{{ m.content.split('a')|last }}<|eos|>{% endfor %}{{ tools }}{{ x }}";
  options.template_bytes = std::strlen(options.template_text);
  options.tools = R"(["<|eos|>"])";
  options.tools_bytes = std::strlen(options.tools);
  options.variables = R"({"x": "<|pad|>"})";
  options.variables_bytes = std::strlen(options.variables);
  const auto special = [this] {
    std::vector<int32_t> ids(ids_, ids_ + count_);
    std::erase_if(ids, [](int32_t id) { return id > 2; });  // <|bos|>, <|eos|>, <|pad|>
    return ids;
  };
  ASSERT_EQ(Render(options), RONDO_STATUS_OK) << why_;
  EXPECT_GT(special().size(), 10u);
  const std::string text = text_;
  options.flags |= RONDO_CHAT_PLAIN_CONTENT;
  ASSERT_EQ(Render(options), RONDO_STATUS_OK) << why_;
  EXPECT_EQ(special(), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(text_, text) << "the text is the same";
  const std::vector<int32_t> ids(ids_, ids_ + count_);
  char decoded[256];
  ASSERT_EQ(rondo_detokenize(model_.get(), ids_, count_, 0, decoded, sizeof decoded, &length_),
            RONDO_STATUS_OK);
  EXPECT_EQ(decoded, text);

  // Ids alone, their number alone, the text alone.
  ASSERT_EQ(rondo_chat_render(model_.get(), &options, nullptr, 0, nullptr, ids_, std::size(ids_),
                              &count_, why_, sizeof why_),
            RONDO_STATUS_OK);
  EXPECT_EQ(std::vector<int32_t>(ids_, ids_ + count_), ids);
  EXPECT_EQ(rondo_chat_render(model_.get(), &options, nullptr, 0, nullptr, nullptr, 0, &count_,
                              why_, sizeof why_),
            RONDO_STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(count_, ids.size());
  ASSERT_EQ(rondo_chat_render(model_.get(), &options, text_, sizeof text_, &length_, nullptr, 0,
                              nullptr, why_, sizeof why_),
            RONDO_STATUS_OK);
  EXPECT_EQ(text_, text);
}

TEST_F(ChatTest, PlainContentToGoOnWith) {
  rondo_chat_options options = Options(R"([{"role": "assistant", "content": "a<|eos|>"}])");
  options.template_text = "<|bos|>{{ messages[0].content }}<|eos|>";
  options.template_bytes = std::strlen(options.template_text);
  options.flags = RONDO_CHAT_CONTINUE_FINAL | RONDO_CHAT_PLAIN_CONTENT;
  ASSERT_EQ(Render(options), RONDO_STATUS_OK) << why_;
  EXPECT_STREQ(text_, "<|bos|>a<|eos|>");
  EXPECT_EQ(ids_[0], 0);
  EXPECT_EQ(std::count(ids_, ids_ + count_, 1), 0);
  options.flags = RONDO_CHAT_CONTINUE_FINAL;
  ASSERT_EQ(Render(options), RONDO_STATUS_OK) << why_;
  EXPECT_EQ(std::count(ids_, ids_ + count_, 1), 1);
}

// Where no content holds a special token's text, nothing changes.
TEST_F(ChatTest, PlainContentKeepsTheIdsOfOthers) {
  rondo_chat_options options = Options(R"([{"role": "user", "content": "Once upon a  time\n"}])");
  options.template_text = "<|bos|><|{{ messages[0].role }}|> {{ messages[0].content }} x<|eos|>";
  options.template_bytes = std::strlen(options.template_text);
  ASSERT_EQ(Render(options), RONDO_STATUS_OK) << why_;
  const std::vector<int32_t> ids(ids_, ids_ + count_);
  options.flags |= RONDO_CHAT_PLAIN_CONTENT;
  ASSERT_EQ(Render(options), RONDO_STATUS_OK) << why_;
  EXPECT_EQ(std::vector<int32_t>(ids_, ids_ + count_), ids);
}

TEST_F(ChatTest, SizesAreToldAndEitherIsOptional) {
  const rondo_chat_options options = Options();
  ASSERT_EQ(Render(options), RONDO_STATUS_OK);
  const size_t length = length_, count = count_;
  EXPECT_EQ(rondo_chat_render(model_.get(), &options, nullptr, 0, &length_, nullptr, 0, &count_,
                              nullptr, 0),
            RONDO_STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(length_, length);
  EXPECT_EQ(count_, count);
  EXPECT_EQ(rondo_chat_render(model_.get(), &options, text_, length, &length_, ids_, count, &count_,
                              why_, sizeof why_),
            RONDO_STATUS_BUFFER_TOO_SMALL);
  EXPECT_STREQ(text_, "");
  EXPECT_EQ(rondo_chat_render(model_.get(), &options, text_, length + 1, &length_, nullptr, 0,
                              nullptr, why_, sizeof why_),
            RONDO_STATUS_OK);
  EXPECT_EQ(rondo_chat_render(model_.get(), &options, nullptr, 0, nullptr, ids_, count, &count_,
                              why_, sizeof why_),
            RONDO_STATUS_OK);
  EXPECT_EQ(rondo_chat_render(model_.get(), &options, nullptr, 0, nullptr, ids_, count - 1, &count_,
                              why_, sizeof why_),
            RONDO_STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(count_, count);
}

TEST_F(ChatTest, FailuresLeaveNothing) {
  const auto expect = [this](rondo_chat_options options, int32_t status, const char* part) {
    length_ = count_ = 7;
    text_[0] = 'x';
    EXPECT_EQ(Render(options), status) << part;
    EXPECT_NE(std::string(why_).find(part), std::string::npos) << why_;
    EXPECT_EQ(length_, 0u);
    EXPECT_EQ(count_, 0u);
    EXPECT_STREQ(text_, "");
  };
  expect(Options("[1]"), RONDO_STATUS_INVALID_ARGUMENT, "messages[0]");
  rondo_chat_options options = Options();
  options.flags = 8;
  expect(options, RONDO_STATUS_INVALID_ARGUMENT, "flags");
  options = Options();
  options.messages = nullptr;
  expect(options, RONDO_STATUS_INVALID_ARGUMENT, "messages is NULL");
  options = Options();
  options.tools_bytes = 4;
  expect(options, RONDO_STATUS_INVALID_ARGUMENT, "tools is NULL");
  options = Options();
  options.template_name = "default";
  expect(options, RONDO_STATUS_INVALID_ARGUMENT, "exclude each other");
  options = Options();
  options.template_text = nullptr;
  options.template_bytes = 0;
  expect(options, RONDO_STATUS_UNSUPPORTED, "no chat template");
  options.template_text = "{{ raise_exception('not so') }}";
  options.template_bytes = std::strlen(options.template_text);
  expect(options, RONDO_STATUS_INVALID_ARGUMENT, "line 1: TemplateError: not so");
  options = Options();
  options.struct_size = 8;
  expect(options, RONDO_STATUS_VERSION_MISMATCH, "struct_size");
}

TEST_F(ChatTest, Nulls) {
  const rondo_chat_options options = Options();
  const int32_t invalid = RONDO_STATUS_INVALID_ARGUMENT;
  size_t n = 0;
  char c[8];
  EXPECT_EQ(rondo_chat_options_init(nullptr, sizeof options), invalid);
  rondo_chat_options small;
  EXPECT_EQ(rondo_chat_options_init(&small, 8), RONDO_STATUS_VERSION_MISMATCH);
  EXPECT_EQ(rondo_chat_render(nullptr, &options, c, 8, &n, nullptr, 0, nullptr, nullptr, 0),
            invalid);
  EXPECT_EQ(rondo_chat_render(model_.get(), nullptr, c, 8, &n, nullptr, 0, nullptr, nullptr, 0),
            invalid);
  EXPECT_EQ(
      rondo_chat_render(model_.get(), &options, nullptr, 8, &n, nullptr, 0, nullptr, nullptr, 0),
      invalid);
  EXPECT_EQ(rondo_chat_render(model_.get(), &options, c, 8, &n, nullptr, 8, nullptr, nullptr, 0),
            invalid);
  EXPECT_EQ(
      rondo_chat_render(model_.get(), &options, c, 8, nullptr, nullptr, 0, nullptr, nullptr, 0),
      invalid);
  EXPECT_EQ(rondo_model_chat_template(nullptr, nullptr, c, 8, &n), invalid);
  EXPECT_EQ(rondo_model_chat_template(model_.get(), nullptr, c, 8, nullptr), invalid);
  EXPECT_EQ(rondo_model_chat_template_name(nullptr, 0, c, 8, &n), invalid);
  EXPECT_EQ(rondo_model_chat_template_name(model_.get(), 0, c, 8, nullptr), invalid);
}

TEST_F(ChatTest, AModelWithoutTemplates) {
  size_t n = 0;
  char c[8];
  EXPECT_EQ(rondo_model_chat_template_name(model_.get(), 0, c, 8, &n),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_model_chat_template(model_.get(), nullptr, c, 8, &n),
            RONDO_STATUS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace rondo::abi_test::chat_test
