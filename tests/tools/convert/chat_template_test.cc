// Chat templates from every place where a checkpoint may have them.
#include "tools/convert/chat_template.h"

#include <gtest/gtest.h>

#include <fstream>

#include "runtime/chat/chat.h"
#include "runtime/model/limits.h"
#include "tests/runtime/model/model_bytes.h"
#include "tests/support/places.h"
#include "tests/temp_folder.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/convert.h"
#include "tools/convert/tokenizer/folder_chat.h"

namespace rondo::convert {
namespace {

class ChatTemplate : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  NamedTexts Templates() { return ReadFolderChat(folder_.path()).templates; }
  void ExpectRefused(const std::string& part) {
    try {
      ReadFolderChat(folder_.path());
      FAIL() << "accepted, expected " << part;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
  TempFolder folder_;
};

TEST_F(ChatTemplate, NoneIsNone) {
  EXPECT_TRUE(Templates().empty());
  Write("tokenizer_config.json", R"({"chat_template": null, "bos_token": null})");
  EXPECT_TRUE(Templates().empty());
}

TEST_F(ChatTemplate, OneTextAndTokens) {
  Write("special_tokens_map.json", R"({"unk_token": "<old>", "pad_token": {"content": "<pad>"}})");
  Write("tokenizer_config.json", R"({"chat_template": "{{ 1 }}", "bos_token": "<s>",
      "eos_token": {"content": "</s>", "lstrip": false}, "unk_token": "<unk>", "sep_token": null,
      "extra_special_tokens": {"image_token": "<image>"}})");
  const ChatSource source = ReadFolderChat(folder_.path());
  EXPECT_EQ(source.templates, (NamedTexts{{"default", "{{ 1 }}"}}));
  EXPECT_EQ(source.tokens, (NamedTexts{{"unk_token", "<unk>"},
                                       {"pad_token", "<pad>"},
                                       {"bos_token", "<s>"},
                                       {"eos_token", "</s>"},
                                       {"image_token", "<image>"}}));
}

// They serve a template that is given when the model runs.
TEST_F(ChatTemplate, TokensAloneAreKept) {
  Write("tokenizer_config.json", R"({"bos_token": "<s>"})");
  flatbuffers::FlatBufferBuilder builder;
  std::vector<std::string> notes;
  EXPECT_FALSE(BuildChat(ReadFolderChat(folder_.path()), builder, notes).IsNull());
}

TEST_F(ChatTemplate, TokensOfTheTokenizersClass) {
  Write("tokenizer.json", "{}");
  Write("tokenizer_config.json", R"({"tokenizer_class": "LlamaTokenizer", "eos_token": "<e>"})");
  EXPECT_EQ(ReadFolderChat(folder_.path()).tokens,
            (NamedTexts{{"eos_token", "<e>"}, {"bos_token", "<s>"}, {"unk_token", "<unk>"}}));
}

TEST_F(ChatTemplate, NamedTexts) {
  Write("tokenizer_config.json", R"({"chat_template": [{"name": "tool_use", "template": "T"},
      {"name": "default", "template": "D"}]})");
  EXPECT_EQ(Templates(), (NamedTexts{{"default", "D"}, {"tool_use", "T"}}));
}

TEST_F(ChatTemplate, FilesOfTheirOwn) {
  Write("tokenizer_config.json", R"({"chat_template": "old"})");
  Write("chat_template.json", R"({"chat_template": "newer"})");
  EXPECT_EQ(Templates(), (NamedTexts{{"default", "newer"}}));
  Write("chat_template.jinja", "newest\n");
  Write("additional_chat_templates/rag.jinja", "R");
  Write("additional_chat_templates/notes.txt", "no template");
  EXPECT_EQ(Templates(), (NamedTexts{{"default", "newest\n"}, {"rag", "R"}}));
}

TEST_F(ChatTemplate, WhatIsRefused) {
  Write("tokenizer_config.json", "[");
  ExpectRefused("tokenizer_config.json: line 1, column 2: not JSON");
  Write("tokenizer_config.json", R"({"chat_template": 5})");
  ExpectRefused("key chat_template is neither");
  Write("tokenizer_config.json", R"({"chat_template": [{"name": "x"}]})");
  ExpectRefused("without a template");
  std::filesystem::remove(folder_ / "tokenizer_config.json");
  Write("chat_template.jinja", std::string(kMaxTemplateBytes + 1, ' '));
  ExpectRefused("chat_template.jinja");

  flatbuffers::FlatBufferBuilder builder;
  std::vector<std::string> notes;
  const ChatSource large = {{{"default", std::string(kMaxTemplateBytes + 1, ' ')}}, {}};
  EXPECT_THROW(BuildChat(large, builder, notes), Error);
  EXPECT_THROW(BuildChat({NamedTexts(kMaxTemplates + 1, {"a", "b"}), {}}, builder, notes), Error);
  EXPECT_THROW(BuildChat({{{"", "text"}}, {}}, builder, notes), Error);
}

TEST_F(ChatTemplate, ABrokenTemplateIsKeptAndTold) {
  if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  flatbuffers::FlatBufferBuilder builder;
  std::vector<std::string> notes;
  const NamedTexts templates = {
      {"default", "{{ 1"}, {"other", "ok"}, {"third", "{% if x %}{{ x|truncate }}{% endif %}"}};
  EXPECT_FALSE(BuildChat({templates, {}}, builder, notes).IsNull());
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_NE(notes[0].find("'default' cannot be used in full: chat template, line 1"),
            std::string::npos);
  EXPECT_NE(notes[1].find("'third' cannot be used in full: chat template, line 1: unknown filter "
                          "'truncate'"),
            std::string::npos);
}

TEST_F(ChatTemplate, IntoTheFileAndChecked) {
  std::filesystem::copy(std::filesystem::path(kTestData) / "tiny", folder_.path());
  Write("chat_template.jinja", "{{ bos_token }}");
  ConvertOptions options;
  options.directory = folder_.path();
  options.output = folder_ / "out.rondo";
  Convert(options, [](uint64_t, uint64_t) {});
  const ModelBytes bytes(options.output);
  const auto file = ModelFile::Open(bytes.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  const format::Chat* chat = file->model().chat();
  ASSERT_NE(chat, nullptr);
  EXPECT_EQ(chat->templates()->Get(0)->name()->str(), "default");
  EXPECT_EQ(chat->templates()->Get(0)->text()->str(), "{{ bos_token }}");
  EXPECT_EQ(chat->tokens()->Get(0)->text()->str(), "<|bos|>");

  const auto refused = [&bytes](const std::function<void(format::ChatT&)>& change) {
    const ModelBytes changed = Rewrite(bytes, [&](format::ModelT& model) { change(*model.chat); });
    return ModelFile::Open(changed.bytes()).status().code() == StatusCode::kCorrupt;
  };
  EXPECT_FALSE(refused([](format::ChatT& c) { c.templates.clear(); }));
  EXPECT_TRUE(refused([](format::ChatT& c) { c.templates[0]->name.clear(); }));
  EXPECT_TRUE(
      refused([](format::ChatT& c) { c.templates[0]->text.resize(kMaxTemplateBytes + 1); }));
  EXPECT_FALSE(refused([](format::ChatT& c) { c.tokens.clear(); }));
}

}  // namespace
}  // namespace rondo::convert
