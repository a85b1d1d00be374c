// What people give to `rondo convert` that is no model: it is named for what it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/tools/convert/random_checkpoint.h"
#include "tests/tools/convert/small_gguf.h"
#include "tests/tools/run_tool.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kPointer =
    "version https://git-lfs.github.com/spec/v1\noid sha256:6ad1\nsize 1059424\n";

// As torch.save() begins one.
std::string PyTorchZip() {
  const std::string name = "archive/data.pkl";
  std::string header("PK\3\4", 4);
  header.resize(30);
  header[26] = static_cast<char>(name.size());
  return header + name + "\x80\2}q";
}

class FirstContact : public testing::Test {
 protected:
  FirstContact() { WriteRandomCheckpoint(model_, {}); }

  // Of a conversion that must fail and leave nothing.
  std::string Sentence(const std::string& path) {
    const ToolResult result = tool_("convert " + tool_.Path(path) + " -o " + out_);
    EXPECT_EQ(result.code, 1) << result.out;
    EXPECT_THAT(result.err, StartsWith("rondo: " + tool_.Path(path)));
    EXPECT_FALSE(fs::exists(out_));
    return result.err;
  }
  ToolRunner tool_;
  const std::string model_ = tool_.Path("model"), out_ = tool_.Path("out.rondo");
};

TEST_F(FirstContact, PointersOfGitLfs) {
  const auto is_pointer = AllOf(HasSubstr("is a pointer of Git LFS"), HasSubstr("`git lfs pull`"));
  tool_.Write("pointer.gguf", kPointer);
  EXPECT_THAT(Sentence("pointer.gguf"), is_pointer);
  for (const char* name : {"tokenizer.json", "tokenizer.model", "generation_config.json",
                           "tokenizer_config.json", "model.safetensors", "config.json"}) {
    fs::remove_all(model_);
    WriteRandomCheckpoint(model_, {});
    tool_.Write("model/" + std::string(name), kPointer);
    EXPECT_THAT(Sentence("model"), AllOf(is_pointer, HasSubstr(name)));
  }
}

TEST_F(FirstContact, FilesByTheirBeginningOrName) {
  const std::string whole = SmallGguf().Whole().Bytes();
  const std::string rondo = tool_.Path("own.rondo");
  ASSERT_EQ(tool_("convert " + model_ + " -o " + rondo).code, 0);
  const std::pair<std::string, std::string> kFiles[] = {
      {tool_.Read("own.rondo"), "is a Rondo file already"},
      {tool_.Read("model/model.safetensors"), "is one file of a checkpoint: name the folder"},
      {whole.substr(0, whole.size() / 2), "finish the download"},
      {whole.substr(0, 40), "finish the download"},
      {"", "is empty"},
      {std::string("PK\3\4") + "x", "is a ZIP archive: unpack it"},
      {PyTorchZip(), "load them there and save them"},
      {"\x80\2}q", "safetensors"},
      {"<!DOCTYPE html><html>", "is a web page"},
      {"anything", "is neither a folder nor a GGUF file"},
  };
  for (const auto& [bytes, words] : kFiles) {
    tool_.Write("file", bytes);
    EXPECT_THAT(Sentence("file"), HasSubstr(words));
  }
  tool_.Write("m.gguf.part1of2", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(Sentence("m.gguf.part1of2"), HasSubstr("put all parts together"));
  tool_.Write("m.gguf.part2of2", whole.substr(whole.size() / 2));
  EXPECT_THAT(Sentence("m.gguf.part2of2"), HasSubstr("put all parts together"));
}

TEST_F(FirstContact, WeightsThatAreNoSafetensors) {
  const auto is_pytorch = AllOf(HasSubstr("PyTorch"), Not(HasSubstr("unpack")));
  tool_.Write("pytorch_model.bin", "PK\3\4");
  EXPECT_THAT(Sentence("pytorch_model.bin"), is_pytorch);
  tool_.Write("m.pth", "anything");
  EXPECT_THAT(Sentence("m.pth"), is_pytorch);
  // llama2.c's: sizes alone, and behind a magic number.
  const int32_t kSizes[] = {288, 768, 6, 6, 6, -32000, 256, 0};
  const std::string first(reinterpret_cast<const char*>(kSizes), sizeof kSizes);
  for (const std::string& bytes : {first, std::string("24ka\1\0\0\0", 8)}) {
    tool_.Write("stories.bin", bytes);
    EXPECT_THAT(Sentence("stories.bin"), AllOf(HasSubstr("llama2.c"), Not(HasSubstr("PyTorch"))));
  }
  tool_.Write("data.bin", std::string(64, '\x7f'));
  EXPECT_THAT(Sentence("data.bin"), HasSubstr("is neither a folder nor a GGUF file"));
  fs::remove(fs::path(model_) / "model.safetensors");
  tool_.Write("model/stories.bin", first);
  EXPECT_THAT(Sentence("model"), AllOf(HasSubstr("stories.bin"), HasSubstr("llama2.c")));
}

TEST_F(FirstContact, OtherKindsOfGguf) {
  GgufWriter lora;
  lora.Key("general.architecture", std::string("llama"))
      .Key("general.type", std::string("adapter"))
      .Floats("blk.0.attn_q.weight.lora_a", {2, 2}, {1, 2, 3, 4})
      .Save(tool_.Path("lora.gguf"));
  EXPECT_THAT(Sentence("lora.gguf"), HasSubstr("is a LoRA adapter"));
  GgufWriter clip;
  clip.Key("general.architecture", std::string("clip")).Floats("v", {1}, {1});
  clip.Save(tool_.Path("mmproj.gguf"));
  EXPECT_THAT(Sentence("mmproj.gguf"), HasSubstr("mmproj"));
  SmallGguf().Keys().Save(tool_.Path("vocab.gguf"));
  EXPECT_THAT(Sentence("vocab.gguf"), HasSubstr("has no tensors"));
}

TEST_F(FirstContact, FoldersByWhatTheyHold) {
  const auto sentence = [&](const std::string& file, const std::string& bytes) {
    fs::remove_all(tool_.Path("folder"));
    fs::create_directories(fs::path(tool_.Path("folder/" + file)).parent_path());
    tool_.Write("folder/" + file, bytes);
    return Sentence("folder");
  };
  EXPECT_THAT(sentence("adapter_config.json", "{}"), HasSubstr("is a LoRA adapter"));
  EXPECT_THAT(sentence("mmproj-a.gguf", "GGUF"), HasSubstr("mmproj-a.gguf"));
  tool_.Write("folder/my-model.gguf", "GGUF");  // which the mmproj is beside
  EXPECT_THAT(Sentence("folder"), HasSubstr("my-model.gguf"));
  EXPECT_THAT(sentence("m.gguf", "GGUF"), AllOf(HasSubstr("name that"), HasSubstr("m.gguf")));
  EXPECT_THAT(sentence("inner/config.json", "{}"), HasSubstr("folder/inner does: name that"));
  EXPECT_THAT(sentence("x.safetensors.incomplete", ""), HasSubstr("part of a download"));
  EXPECT_THAT(sentence("README.md", ""), HasSubstr("holds no config.json"));
  fs::remove(fs::path(model_) / "model.safetensors");
  tool_.Write("model/pytorch_model.bin", "PK");
  EXPECT_THAT(Sentence("model"), AllOf(HasSubstr("PyTorch"), HasSubstr("safetensors")));
}

TEST_F(FirstContact, JsonErrorsHaveAPlace) {
  tool_.Write("model/generation_config.json", "");
  EXPECT_THAT(Sentence("model"), HasSubstr("generation_config.json is empty"));
  tool_.Write("model/generation_config.json", "{\n \"a\": 1,\n}");
  EXPECT_THAT(Sentence("model"),
              HasSubstr("generation_config.json: line 3, column 1: not JSON: a comma before }"));
  tool_.Write("model/generation_config.json", "{\n \"a\": ");
  EXPECT_THAT(Sentence("model"), HasSubstr("line 2, column 7: not JSON: the file ends here"));
  tool_.Write("model/generation_config.json", "{\"\u00e9\": 1} x");
  EXPECT_THAT(Sentence("model"), HasSubstr("line 1, column 10: not JSON: invalid literal"));
  tool_.Write("model/generation_config.json", "[]");
  EXPECT_THAT(Sentence("model"), HasSubstr("is not a JSON object, but of type array"));
  tool_.Write("model/generation_config.json", "<html>");
  EXPECT_THAT(Sentence("model"), HasSubstr("is a web page, not JSON"));
}

TEST_F(FirstContact, ADownloadThatIsNotFinished) {
  fs::resize_file(fs::path(model_) / "model.safetensors", 1500);
  EXPECT_THAT(Sentence("model"), HasSubstr("finish the download"));
}

TEST_F(FirstContact, AnEmptyFileIsNoPartOfOne) {
  tool_.Write("model/model.safetensors", "");
  EXPECT_THAT(Sentence("model"), AllOf(HasSubstr("model.safetensors"), HasSubstr("it is empty"),
                                       Not(HasSubstr("beginning"))));
}

TEST_F(FirstContact, WebPagesInThePlaceOfFiles) {
  for (const char* name : {"chat_template.jinja", "additional_chat_templates/tools.jinja"}) {
    fs::create_directories(fs::path(tool_.Path("model/" + std::string(name))).parent_path());
    tool_.Write("model/" + std::string(name), "\n<!doctype HTML>\n<html><title>404</title>");
    EXPECT_THAT(Sentence("model"), AllOf(HasSubstr(name), HasSubstr("is a web page")));
    fs::remove(tool_.Path("model/" + std::string(name)));
  }
  tool_.Write("model/chat_template.jinja", "<html_like>{{ messages[0].content }}");
  EXPECT_EQ(tool_("convert " + model_ + " -o " + out_).code, 0);
  fs::remove(out_);
  fs::remove(tool_.Path("model/tokenizer.json"));
  tool_.Write("model/vocab.json", "{\"a\": 0}");
  tool_.Write("model/merges.txt", "<HTML>");
  EXPECT_THAT(Sentence("model"), AllOf(HasSubstr("merges.txt"), HasSubstr("is a web page")));
}

TEST_F(FirstContact, AnEmptyTemplateIsTold) {
  tool_.Write("model/chat_template.jinja", " \n");
  const ToolResult result = tool_("convert " + model_ + " -o " + out_);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("the chat template 'default' is empty: left out"));
}

}  // namespace
}  // namespace rondo::convert
