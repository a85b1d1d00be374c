// Damaged adapter files: cut anywhere or with any bit turned they are refused; with any byte of
// their metadata altered and sealed again they are refused, or harmless.
#include <gtest/gtest.h>

#include "tests/runtime/model/adapter_bytes.h"
#include "tests/support/adapter_models.h"
#include "tests/support/test_model.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo {
namespace {

class AdapterFileFuzz : public testing::Test {
 protected:
  AdapterFileFuzz() {
    const TempFolder folder;
    convert::WriteCheckpointOf(folder.path(), R"({"architectures": ["LlamaForCausalLM"],
        "vocab_size": 32, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1,
        "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 64})");
    model_.emplace(folder.path(), format::TensorFormat::Q8);
    adapter_.emplace(*model_, 2, 1, "proj", format::AdapterFormat::Bfloat16);
    EngineOptions options;
    options.context = 16;
    options.threads = 1;
    engine_ = model_->NewEngine(options, kMaxAdapterRank);
  }

  Result<AdapterFile> Open(const ModelBytes& bytes) const {
    return AdapterFile::Open(bytes.bytes(), model_->file());
  }
  // What is opened must run, whatever it says.
  void RunIfOpened(const ModelBytes& bytes) {
    const Result<AdapterFile> adapter = Open(bytes);
    if (!adapter.ok()) {
      EXPECT_STRNE(adapter.status().message(), "");
      return;
    }
    ++opened_;
    SessionOptions options;
    options.adapter = &*adapter;
    Session* const session = NewSession(*engine_, options);
    const std::vector<int32_t> ids = {1, 2, 3};
    EXPECT_TRUE(session->Prefill(ids).ok());
    engine_->CloseSession(session);
  }

  std::optional<ModelOnDisk> model_;
  std::optional<TestAdapter> adapter_;
  std::unique_ptr<Engine> engine_;
  size_t opened_ = 0;
};

TEST_F(AdapterFileFuzz, CutAnywhere) {
  const std::span<const uint8_t> bytes = adapter_->bytes().bytes();
  for (size_t n = 0; n < bytes.size(); ++n) {
    ASSERT_FALSE(AdapterFile::Open(bytes.first(n), model_->file()).ok()) << n;
  }
}

TEST_F(AdapterFileFuzz, AnyBitTurned) {
  ModelBytes bytes(adapter_->bytes().bytes());
  for (size_t bit = 0; bit < 8 * bytes.bytes().size(); ++bit) {
    uint8_t& byte = bytes.bytes()[bit / 8];
    byte ^= static_cast<uint8_t>(1 << bit % 8);
    ASSERT_FALSE(Open(bytes).ok()) << bit;
    byte ^= static_cast<uint8_t>(1 << bit % 8);
  }
}

TEST_F(AdapterFileFuzz, MetadataAlteredAndSealed) {
  ModelBytes bytes(adapter_->bytes().bytes());
  for (size_t i = 0; i < bytes.metadata().size(); ++i) {
    const uint8_t old = bytes.metadata()[i];
    for (const int value : {0, 1, 0x7f, 0x80, 0xff, old ^ 0x10, old + 1}) {
      bytes.metadata()[i] = static_cast<uint8_t>(value);
      bytes.SealMetadata();
      RunIfOpened(bytes);
    }
    bytes.metadata()[i] = old;
  }
  EXPECT_GT(opened_, 0u);  // the name, for one
}

TEST_F(AdapterFileFuzz, HeaderAlteredAndSealed) {
  ModelBytes bytes(adapter_->bytes().bytes());
  for (size_t i = 8; i < offsetof(FileHeader, header_checksum); ++i) {
    FileHeader header = bytes.header();
    const FileHeader old = header;
    for (const int value : {0, 1, 0x7f, 0xff}) {
      header = old;
      reinterpret_cast<uint8_t*>(&header)[i] = static_cast<uint8_t>(value);
      bytes.set_header(header);
      RunIfOpened(bytes);
    }
    bytes.set_header(old);
  }
}

}  // namespace
}  // namespace rondo
