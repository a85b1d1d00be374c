// What the library says is UTF-8, however long a name in it is and however small the buffer.
#include <cstring>
#include <string>

#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test {
namespace {

// The bytes that go on with a character are as many as its first one says.
bool IsWhole(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at++]);
    const size_t more = first < 0x80   ? 0
                        : first < 0xc0 ? 4
                        : first < 0xe0 ? 1
                        : first < 0xf0 ? 2
                                       : 3;
    if (more > text.size() - at) return false;
    for (size_t i = 0; i < more; ++i) {
      if ((static_cast<unsigned char>(text[at++]) & 0xc0) != 0x80) return false;
    }
  }
  return true;
}

class MessagesTest : public testing::Test {
 protected:
  // `call` with names of all lengths of a character's bytes, and with buffers of all sizes.
  template <typename Call>
  void ExpectWhole(const Call& call) {
    for (const char* character : {"\u00e9", "\u20ac", "\U0001f600"}) {
      for (size_t before = 0; before < 4; ++before) {
        std::string name(before, '.');
        for (int i = 0; i < 150; ++i) name += character;
        char whole[300] = "";
        ASSERT_NE(call(name, whole, sizeof whole), RONDO_STATUS_OK);
        ASSERT_TRUE(IsWhole(whole)) << whole;
        ASSERT_NE(std::strstr(whole, character), nullptr) << whole;
        for (size_t bytes = 1; bytes < sizeof whole; ++bytes) {
          char why[300] = "";
          call(name, why, bytes);
          const std::string text = why;
          ASSERT_LT(text.size(), bytes);
          ASSERT_TRUE(IsWhole(text)) << text;
          ASSERT_EQ(text, std::string(whole).substr(0, text.size()));
        }
      }
    }
  }

  int32_t Plan(const std::string& kernels, char* why, size_t why_bytes) const {
    rondo_engine_options options = EngineOptions();
    options.kernels = kernels.c_str();
    rondo_memory_plan plan = {};
    plan.struct_size = sizeof plan;
    return rondo_plan(model_.get(), &options, &plan, why, why_bytes);
  }

  const Model model_ = OpenTiny();
};

TEST_F(MessagesTest, ANameOfKernels) {
  ExpectWhole([&](const std::string& name, char* why, size_t why_bytes) {
    return Plan(name, why, why_bytes);
  });
  char why[256] = "";
  EXPECT_EQ(Plan("a\xff\xc3", why, sizeof why), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(std::strstr(why, "\"a??\""), nullptr) << why;
}

TEST_F(MessagesTest, WhatATemplateSays) {
  int64_t has_chat = 0;
  ASSERT_EQ(rondo_query("chat", &has_chat), RONDO_STATUS_OK);
  if (has_chat == 0) GTEST_SKIP() << "built without chat templates";
  for (const char* form :
       {"{{ raise_exception('%') }}", "{{ {}['%'].x }}", "{{ messages|%' }}",
        "{{ '%' is nothing }}", "{{ [1]['%'] + 1 }}", "{{ strftime_now('%' }}"}) {
    int32_t status = RONDO_STATUS_OK;
    const auto render = [&](const std::string& name, char* why, size_t why_bytes) {
      std::string text = form;
      text.replace(text.find('%'), 1, name);
      rondo_chat_options options;
      EXPECT_EQ(rondo_chat_options_init(&options, sizeof options), RONDO_STATUS_OK);
      options.messages = "[]";
      options.messages_bytes = 2;
      options.template_text = text.c_str();
      options.template_bytes = text.size();
      char out[16];
      size_t length = 0;
      status = rondo_chat_render(model_.get(), &options, out, sizeof out, &length, nullptr, 0,
                                 nullptr, why, why_bytes);
      EXPECT_TRUE(IsWhole(why)) << why;
      return status;
    };
    if (std::strstr(form, "raise") != nullptr || std::strstr(form, "{}") != nullptr) {
      ExpectWhole(render);
      continue;
    }
    for (size_t before = 0; before < 4; ++before) {
      for (size_t n = 1; n < 150; ++n) {
        std::string name(before, 'a');
        for (size_t i = 0; i < n; ++i) name += "\u20ac";
        char why[256] = "";
        render(name, why, sizeof why);
      }
    }
  }
}

}  // namespace
}  // namespace rondo::abi_test
