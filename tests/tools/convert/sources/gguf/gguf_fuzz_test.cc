// Damaged GGUF files: whatever a byte says, the answer is an Error or a model.
#include <gtest/gtest.h>

#include <random>

#include "tests/temp_folder.h"
#include "tests/tools/convert/sources/gguf/gguf_writer.h"
#include "tools/convert/error.h"
#include "tools/convert/sources/gguf/gguf_checkpoint.h"
#include "tools/convert/sources/gguf/gguf_config.h"
#include "tools/convert/sources/gguf/gguf_tokenizer.h"

namespace rondo::convert {
namespace {

std::string WholeFile() {
  GgufWriter writer;
  writer.Key("general.architecture", std::string("llama"))
      .Key("llama.block_count", uint32_t{1})
      .Key("llama.embedding_length", uint32_t{32})
      .Key("llama.feed_forward_length", uint32_t{32})
      .Key("llama.context_length", uint32_t{16})
      .Key("llama.attention.head_count", uint32_t{2})
      .Key("llama.attention.layer_norm_rms_epsilon", 1e-5f)
      .Key("tokenizer.ggml.model", std::string("gpt2"))
      .Key("tokenizer.ggml.pre", std::string("llama-bpe"))
      .Key("tokenizer.ggml.bos_token_id", uint32_t{1})
      .Key("tokenizer.ggml.add_bos_token", true)
      .Array<std::string>("tokenizer.ggml.tokens", {"a", "b", "ab", "<s>"})
      .Array<int32_t>("tokenizer.ggml.token_type", {1, 1, 1, 3})
      .Array<float>("tokenizer.ggml.scores", {0, 0, 0, 0})
      .Array<std::string>("tokenizer.ggml.merges", {"a b"})
      .Floats("rope_freqs.weight", {8}, std::vector<float>(8, 1))
      .Floats("token_embd.weight", {4, 32}, std::vector<float>(128, 0.5f))
      .Tensor("blk.0.attn_q.weight", {32, 32}, kQ40, std::string(32 * 18, '\1'))
      .Floats("blk.0.ffn_up.weight", {1, 32}, std::vector<float>(32, 1));
  return writer.Bytes();
}

// All that the converter does with a GGUF file before and while it reads tensors.
void ReadEverything(const std::filesystem::path& path) {
  const GgufFile file(path);
  const GgufKeys keys(file);
  ReadGgufConfig(keys);
  const GgufCheckpoint checkpoint(keys);
  for (const auto& [name, entry] : checkpoint.tensors()) {
    uint64_t elements = 1;
    for (const uint64_t size : entry.shape) elements *= size;
    std::vector<float> values(elements);
    checkpoint.Read(name, 0, values);
    if (!checkpoint.HoldsQ4(name)) continue;
    std::vector<uint8_t> nibbles(elements / 2);
    std::vector<uint16_t> scales(elements / 32);
    checkpoint.ReadQ4(name, 0, entry.shape[0], nibbles.data(), scales.data());
  }
  std::vector<std::string> notes;
  ReadGgufTokenizer(keys.all(), file.metadata(), "model.gguf", notes);
}

class GgufFuzzTest : public testing::Test {
 protected:
  // True where the file was read; anything thrown but an Error fails the test.
  bool Read(const std::string& bytes) {
    std::filesystem::remove(folder_ / "model.gguf");  // some file systems flush what is replaced
    std::ofstream(folder_ / "model.gguf", std::ios::binary) << bytes;
    try {
      ReadEverything(folder_ / "model.gguf");
      return true;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("model.gguf"), std::string::npos) << error.what();
      return false;
    }
  }
  TempFolder folder_;
};

TEST_F(GgufFuzzTest, TheWholeFileIsRead) { EXPECT_TRUE(Read(WholeFile())); }

TEST_F(GgufFuzzTest, AFileCutAnywhereIsRefused) {
  const std::string whole = WholeFile();
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(Read(whole.substr(0, size)));
}

TEST_F(GgufFuzzTest, AnyByteMayBeWrong) {
  const std::string whole = WholeFile();
  const size_t header = whole.find(std::string(16, '\1'));
  for (size_t at = 0; at < header; ++at) {
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(value);
      Read(damaged);
    }
  }
}

TEST_F(GgufFuzzTest, ManyBytesMayBeWrong) {
  const std::string whole = WholeFile();
  std::mt19937 random(1);
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = whole;
    for (int i = random() % 8; i >= 0; --i) {
      const size_t at = random() % damaged.size();
      if (random() % 4 == 0) {
        damaged.erase(at, random() % 16);
      } else if (random() % 4 == 0) {
        damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 16));
      } else {
        damaged[at] = static_cast<char>(random());
      }
    }
    Read(damaged);
  }
}

}  // namespace
}  // namespace rondo::convert
