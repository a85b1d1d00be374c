// Conversations with pictures: looked at once, kept as long as they are talked about.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/support/reference_data.h"
#include "tests/temp_folder.h"
#include "tests/tools/chat/saved_messages.h"
#include "tests/tools/run_tool.h"
#include "tools/chat/conversation.h"
#include "tools/chat/conversation_file.h"
#include "tools/convert/convert.h"

namespace rondo::tools::chat_pictures_model_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

const std::filesystem::path kMedia = SharedData("media");
const std::filesystem::path kReference = kMedia / "smolvlm" / "a";

std::string PictureFile(const std::string& name) {
  return (kMedia / "pictures" / (name + ".png")).string();
}

bool HasChat() {
  int64_t has_chat = 0;
  rondo_query("chat", &has_chat);
  return has_chat != 0;
}

constexpr auto kIgnore = [](Part, std::string_view) {};

class ChatPictures : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasChat()) GTEST_SKIP() << "built without chat templates";
    RONDO_SKIP_WITHOUT(kReference);
    convert::ConvertOptions options;
    options.directory = kReference;
    options.output = folder_ / "model.rondo";
    options.weights = options.embedding = options.media_weights = format::TensorFormat::F32;
    convert::Convert(options, [](uint64_t, uint64_t) {});
    model_ = OpenModel(options.output.string());
    setup_.max_tokens = 6;
    setup_.ignore_eos = true;
  }
  Engine NewEngine(uint32_t context = 1024) const {
    EngineOptions options;
    options.context = context;
    options.threads = 1;
    options.kv_format = RONDO_KV_FLOAT32;
    options.max_media_rows = 200;
    return CreateEngine(*model_, options);
  }
  static uint64_t Prefilled(const Engine& engine) { return engine.Stats().tokens_prefilled; }
  // A copy, which may go away.
  std::string Copy(const std::string& name) const {
    const std::filesystem::path to = folder_ / "picture.png";
    std::filesystem::copy_file(PictureFile(name), to,
                               std::filesystem::copy_options::overwrite_existing);
    return to.string();
  }

  TempFolder folder_;
  std::optional<Model> model_;
  SessionOptions setup_;
};

TEST_F(ChatPictures, AreLookedAtOnce) {
  const Engine engine = NewEngine();
  Conversation conversation(*model_, engine, setup_, {});
  ASSERT_TRUE(conversation.sees());
  const std::string file = Copy("p123x77");
  const rondo_image_facts facts = conversation.Attach(file);
  EXPECT_EQ(facts.rows, 28u);
  std::filesystem::remove(file);
  EXPECT_EQ(Prefilled(engine), 0u);
  conversation.Ask("What is it?", kIgnore);
  const uint64_t first = Prefilled(engine);
  EXPECT_GE(first, facts.positions);
  EXPECT_EQ(conversation.messages()[0]["content"][0]["type"], "image");
  EXPECT_EQ(conversation.messages()[0]["content"][1]["text"], "What is it?");
  conversation.Ask("And now?", kIgnore);
  EXPECT_GE(conversation.stats().kept, facts.positions);
  EXPECT_LT(Prefilled(engine) - first, facts.positions) << "the picture is not read again";
  conversation.Reset();
  EXPECT_TRUE(conversation.messages().empty());
  EXPECT_EQ(conversation.position(), 0u);
}

// What the session keeps is what a conversation that reads all at once has.
TEST_F(ChatPictures, TurnsAreThoseOfOneThatReadsAllAtOnce) {
  const Engine one = NewEngine(), other = NewEngine();
  Conversation a(*model_, one, setup_, {});
  a.Attach(PictureFile("p64x64"));
  a.Attach(PictureFile("p30x90"));
  a.Ask("compare them", kIgnore);
  a.Attach(PictureFile("p123x77"));
  Conversation b(*model_, other, setup_, {});
  b.Load(a.messages(), "");
  b.Attach(PictureFile("p123x77"));
  std::string expected, actual;
  a.Ask("and this?", [&](Part, std::string_view text) { expected += text; });
  b.Ask("and this?", [&](Part, std::string_view text) { actual += text; });
  EXPECT_EQ(actual, expected);
  EXPECT_EQ(b.position(), a.position());
  EXPECT_EQ(b.stats().kept, 0u);
  EXPECT_EQ(b.messages(), a.messages());
}

TEST_F(ChatPictures, ThatWereKeptAreNotReadAgain) {
  const std::string kept = (folder_ / "kept").string();
  const Engine one = NewEngine(), other = NewEngine(), third = NewEngine();
  Conversation a(*model_, one, setup_, {}), b(*model_, other, setup_, {});
  a.Attach(Copy("p123x77"));
  a.Ask("What is it?", kIgnore);
  const uint64_t before = Prefilled(one);
  KeepConversation(kept, a);
  EXPECT_TRUE(ReadConversation(kept, &b));
  EXPECT_EQ(b.position(), a.position());
  EXPECT_EQ(b.messages(), a.messages());
  std::string expected, actual;
  a.Ask("And now?", [&](Part, std::string_view text) { expected += text; });
  b.Ask("And now?", [&](Part, std::string_view text) { actual += text; });
  EXPECT_EQ(actual, expected);
  EXPECT_EQ(b.stats().kept, a.stats().kept);
  EXPECT_EQ(Prefilled(other), Prefilled(one) - before);

  // Another picture under that name is none that they talked about.
  Copy("p77x123");
  Conversation c(*model_, third, setup_, {});
  try {
    ReadConversation(kept, &c);
    ADD_FAILURE() << "it was loaded";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("has another picture than"));
  }
  EXPECT_TRUE(c.messages().empty());
  std::filesystem::remove(folder_ / "picture.png");
  EXPECT_THROW(ReadConversation(kept, &c), Error);
}

// A turn that does not fit is taken back with its pictures.
TEST_F(ChatPictures, OfATurnThatIsTakenBackAreGone) {
  const Engine engine = NewEngine(/*context=*/128);
  Conversation conversation(*model_, engine, setup_, {});
  conversation.Ask("Hello", kIgnore);
  const uint64_t before = conversation.position();
  const Json messages = conversation.messages();
  for (const char* const name : {"p64x64", "p30x90", "p123x77"}) {
    conversation.Attach(PictureFile(name));
  }
  EXPECT_THROW(conversation.Ask("compare them", kIgnore), Error);
  EXPECT_EQ(conversation.messages(), messages);
  EXPECT_LE(conversation.position(), before);
  conversation.Ask("And now?", kIgnore);
  EXPECT_GT(conversation.stats().kept, 0u);
  EXPECT_EQ(conversation.messages().size(), 4u);
}

class ChatPicturesTool : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasChat()) GTEST_SKIP() << "built without chat templates";
    RONDO_SKIP_WITHOUT(kReference);
    model_ = tool_.Convert(kReference.string(), "f32");
  }
  ToolResult Chat(const std::string& input, const std::string& flags = "") {
    tool_.Write("input", input);
    return tool_("chat " + model_ + " --ignore-eos --greedy --max-tokens 4 --kv f32 " + flags +
                 " < '" + tool_.Path("input") + "'");
  }
  std::string RunOn(const std::string& prompt, const std::string& images) {
    tool_.Write("prompt", prompt);
    const ToolResult result =
        tool_("run " + model_ + " - --raw --ignore-eos --greedy --max-tokens 4 --kv f32 " + images +
              " < '" + tool_.Path("prompt") + "'");
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  }
  static std::string Image(const std::string& name) {
    return " --image '" + PictureFile(name) + "'";
  }

  ToolRunner tool_;
  std::string model_;
};

// The reference's chat: its template makes the prompt of cases.json, and what follows is what `run`
// says behind that.
TEST_F(ChatPicturesTool, TheTemplateMakesThePromptOfTransformers) {
  std::ifstream file(kReference / "cases.json");
  const Json reference = Json::parse(file);
  Json chat;
  for (const Json& test : reference.at("cases")) {
    if (test.at("name") == "chat_two") chat = test;
  }
  Json messages = chat.at("messages");
  size_t next = 0;
  for (Json& part : messages[0]["content"]) {
    if (part["type"] == "image") part["path"] = PictureFile(chat.at("pictures")[next++]);
  }
  messages.push_back({{"role", "assistant"}, {"content", "so"}});
  tool_.Write("kept", messages.dump(2) + "\n");
  const ToolResult result = Chat("/load " + tool_.Path("kept") + "\nmore\n");
  EXPECT_EQ(result.code, 0) << result.err;
  const std::string prompt = chat.at("prompt").get<std::string>() +
                             " so<end_of_utterance>\nUser: more<end_of_utterance>\nAssistant:";
  EXPECT_EQ(result.out, RunOn(prompt, Image("p64x64") + Image("p30x90")));
}

TEST_F(ChatPicturesTool, CommandsAndNamesOfFilesAreAlike) {
  const std::string a = PictureFile("p64x64"), b = PictureFile("p30x90");
  const std::string save = "/save " + tool_.Path("saved") + "\n";
  const ToolResult result = Chat("/image " + a + "\n'" + b + "'\ncompare them\n" + save);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("saved: "));
  EXPECT_EQ(result.out, RunOn("<|im_start|>User:<image><image>compare them<end_of_utterance>\n"
                              "Assistant:",
                              Image("p64x64") + Image("p30x90")));
  const Json content = SavedMessages(tool_.Read("saved"))[0]["content"];
  ASSERT_EQ(content.size(), 3u);
  EXPECT_EQ(content[0]["path"], a);
  EXPECT_EQ(content[1]["path"], b);
  // Between """ it is what it says.
  Chat("\"\"\"" + a + "\"\"\"\n" + save);
  EXPECT_EQ(SavedMessages(tool_.Read("saved"))[0]["content"], a);
}

// As terminals and file managers write them where files are dropped, and as people type them.
TEST_F(ChatPicturesTool, NamesMayBeWrittenAsAShellOrAUrlWritesThem) {
  const std::filesystem::path folder = tool_.Path("a b");
  std::filesystem::create_directory(folder);
  std::filesystem::copy_file(PictureFile("p64x64"), folder / "c.png");
  const std::string path = (folder / "c.png").string(),
                    save = "/save " + tool_.Path("saved") + "\n";
  const auto with = [&path](const std::string& space) {
    std::string out;
    for (const char c : path) out += c == ' ' ? space : std::string(1, c);
    return out;
  };
  std::vector<std::string> lines = {"/image " + path, "/image '" + path + "'",
                                    "/image file://" + with("%20"), "file://" + with("%20"),
                                    "file://localhost" + with("%20")};
  if (std::filesystem::path::preferred_separator == '/') {
    lines.insert(lines.end(), {"/image " + with("\\ "), with("\\ ")});
  }
  const std::string flag = "--image '" + path + "' ";
  const std::string expected = Chat("What is it?\n", flag).out;
  for (const std::string& line : lines) {
    SCOPED_TRACE(line);
    std::string input = line;
    const ToolResult result = Chat(input.append("\nWhat is it?\n").append(save));
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, expected);
    EXPECT_EQ(SavedMessages(tool_.Read("saved"))[0]["content"][0]["path"], path);
  }
  EXPECT_EQ(Chat("/image " + path + " '" + path + "'\n").code, 1) << "of two each is a name";
  EXPECT_THAT(Chat("/image " + PictureFile("p64x64") + " '" + path + "'\nhey\n" + save).err,
              HasSubstr("saved"));
  EXPECT_EQ(SavedMessages(tool_.Read("saved"))[0]["content"].size(), 3u);
}

TEST_F(ChatPicturesTool, TextsAloneAreReadToo) {
  EXPECT_EQ(Chat("Hello there\n").out,
            RunOn("<|im_start|>User: Hello there<end_of_utterance>\nAssistant:", ""));
}

TEST_F(ChatPicturesTool, RefusalsSayWhatToDo) {
  const std::string picture = PictureFile("p640x400");
  const ToolResult many = Chat("/image " + picture + "\n", "--image-rows 8");
  EXPECT_EQ(many.code, 1);
  EXPECT_THAT(many.err, ContainsRegex("becomes [0-9]+ rows, but .* is 8 \\(--image-rows N has"));
  EXPECT_THAT(Chat("/image " + picture + "\n", "--image-rows 0").err,
              HasSubstr("takes no pictures (--image-rows N has"));
  const std::string a = PictureFile("p64x64"), b = PictureFile("p30x90");
  const ToolResult full = Chat("/image " + a + "\n/image " + b + "\n", "--image-rows 30");
  EXPECT_EQ(full.code, 1);
  EXPECT_THAT(full.err, ContainsRegex("\\(--image-rows N has memory for N rows .*; /reset gives"));
  EXPECT_THAT(Chat("/image\n").err, HasSubstr("/image needs the name of a file"));
  EXPECT_THAT(Chat("/image " + tool_.Path("none.png") + "\n").err, HasSubstr("none.png"));

  const std::string out = tool_.Path("blind.rondo");
  ASSERT_EQ(tool_("convert '" + kReference.string() + "' --text-only -o '" + out + "'").code, 0);
  model_ = "'" + out + "'";
  EXPECT_THAT(Chat("/image " + a + "\n").err, HasSubstr("reads texts alone"));
  const std::string saved = tool_.Path("saved");
  Chat(a + "\n/save " + saved + "\n");
  EXPECT_EQ(SavedMessages(tool_.Read("saved"))[0]["content"], a) << "a text, for who does not see";
}

}  // namespace
}  // namespace rondo::tools::chat_pictures_model_test
