// Which files of a folder make up a checkpoint.
#include "tools/convert/sources/checkpoint_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/temp_folder.h"
#include "tests/tools/error_of.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CheckpointFiles : public testing::Test {
 protected:
  void Put(const std::string& path, const std::string& text = "") const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }

  TempFolder folder_;
  const DiskFolder files_{folder_.path()};
};

TEST_F(CheckpointFiles, AreThoseThatAModelConsistsOf) {
  for (const char* path :
       {"README.md", "config.json", "model.safetensors", "model.fp16.safetensors", "merges.txt",
        "vocab.json", "chat_template.jinja", "other.jinja", "pytorch_model.bin",
        "original/model.safetensors", "onnx/config.json",
        "additional_chat_templates/tool_use.jinja", "additional_chat_templates/notes.md"}) {
    Put(path);
  }
  EXPECT_THAT(FilesOfCheckpoint(files_),
              ElementsAre("additional_chat_templates/tool_use.jinja", "chat_template.jinja",
                          "config.json", "merges.txt", "model.safetensors", "vocab.json"));
  Put("spiece.model");
  EXPECT_THAT(FilesOfCheckpoint(files_),
              ElementsAre("additional_chat_templates/tool_use.jinja", "chat_template.jinja",
                          "config.json", "model.safetensors", "spiece.model", "vocab.json"));
}

TEST_F(CheckpointFiles, OfShardsAreThoseThatTheIndexNames) {
  for (const char* path : {"a.safetensors", "part/b.safetensors", "c.safetensors"}) Put(path);
  Put(kWeightsIndexFile, R"({"weight_map": {"x": "a.safetensors", "y": "part/b.safetensors"}})");
  EXPECT_THAT(FilesOfCheckpoint(files_),
              ElementsAre("a.safetensors", kWeightsIndexFile, "part/b.safetensors"));
  Put(kWeightsIndexFile, R"({"weight_map": {"x": "."}})");
  EXPECT_THAT(SentenceOf([&] { FindWeights(files_); }), HasSubstr("weight_map.x is not the name"));
}

TEST_F(CheckpointFiles, AreInTheFoldersOfModules) {
  Put(kModulesFile, R"([{"path": "", "type": "sentence_transformers.models.Transformer"},
                        {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
                        {"path": "./deep/dense/", "type": "Dense"}])");
  for (const char* path : {"1_Pooling/config.json", "1_Pooling/README.md", "deep/config.json",
                           "deep/dense/config.json", "deep/dense/model.safetensors"}) {
    Put(path);
  }
  EXPECT_THAT(FilesOfCheckpoint(files_),
              ElementsAre("1_Pooling/config.json", "deep/dense/config.json",
                          "deep/dense/model.safetensors", kModulesFile));
  Put(kModulesFile, R"([{"path": "../x", "type": "Pooling"}])");
  EXPECT_THAT(SentenceOf([&] { FilesOfCheckpoint(files_); }), HasSubstr("leads out of the folder"));
}

TEST_F(CheckpointFiles, OfAnAdapterAreItsOwn) {
  EXPECT_THAT(FilesOfAdapter(files_), IsEmpty());
  for (const char* path : {"config.json", "model.safetensors", "adapter_config.json",
                           "adapter_model.safetensors", "tokenizer.model"}) {
    Put(path);
  }
  EXPECT_THAT(FilesOfAdapter(files_),
              ElementsAre("adapter_config.json", "config.json", "adapter_model.safetensors"));
}

}  // namespace
}  // namespace rondo::convert
