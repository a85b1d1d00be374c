// Damaged Rondo files: any byte flipped, any length cut, and metadata rewritten at random with its
// checksum made good. All must end in a status.
#include <gtest/gtest.h>

#include <random>

#include "runtime/model/model_file.h"
#include "runtime/model/tensor_view.h"
#include "tests/runtime/model/model_bytes.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/random_checkpoint.h"
#include "tools/convert/convert.h"

namespace rondo {
namespace {

using format::TensorFormat;

constexpr size_t kRounds = 200000;

// About 10 kB: small enough to try every byte.
ModelBytes SmallModel() {
  const TempFolder folder;
  convert::CheckpointShape shape;
  shape.vocab_size = 12;
  shape.hidden_size = 8;
  shape.intermediate_size = 12;
  shape.n_heads = shape.n_kv_heads = 1;
  shape.attention_bias = true;
  convert::WriteRandomCheckpoint(folder / "model", shape);
  convert::ConvertOptions options;
  options.directory = folder / "model";
  options.output = folder / "model.rondo";
  options.weights = TensorFormat::Q4;
  convert::Convert(options, [](uint64_t, uint64_t) {});
  return ModelBytes(options.output);
}

Status OpenAndVerify(std::span<const uint8_t> bytes) {
  Result<ModelFile> file = ModelFile::Open(bytes);
  return file.ok() ? file->VerifyAll() : file.status();
}

// Everything that the runtime reads of an opened file.
uint64_t ReadAll(const ModelFile& file) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < file.model().tensors()->size(); ++i) {
    const TensorView tensor = ViewTensor(file, i);
    for (uint8_t byte : tensor.data) sum += byte;
    for (uint8_t byte : tensor.scales) sum += byte;
    sum += CheckFinite(tensor).ok();
  }
  for (const format::Layer* layer : *file.model().layers()) {
    sum += layer->attention()->norm()->weight() + layer->mlp()->norm()->weight() +
           layer->attention()->output()->weight() + layer->mlp()->down()->weight();
  }
  return sum;
}

TEST(ModelFileFuzz, EveryFlippedByteIsNoticed) {
  ModelBytes model = SmallModel();
  ASSERT_TRUE(OpenAndVerify(model.bytes()).ok());
  for (size_t i = 0; i < model.bytes().size(); ++i) {
    for (const int flip : {1, 0x80, 0xff}) {
      model.bytes()[i] = static_cast<uint8_t>(model.bytes()[i] ^ flip);
      ASSERT_FALSE(OpenAndVerify(model.bytes()).ok()) << "byte " << i;
      model.bytes()[i] = static_cast<uint8_t>(model.bytes()[i] ^ flip);
    }
  }
}

TEST(ModelFileFuzz, EveryTruncationIsNoticed) {
  const ModelBytes model = SmallModel();
  for (size_t size = 0; size < model.bytes().size(); ++size) {
    // A copy of its own, so that a read beyond the end is seen by the address sanitizer.
    const ModelBytes cut(model.bytes().first(size));
    ASSERT_FALSE(OpenAndVerify(cut.bytes()).ok()) << size << " bytes";
  }
}

TEST(ModelFileFuzz, SealedNonsenseNeverCrashes) {
  const ModelBytes model = SmallModel();
  std::mt19937 random(20);
  size_t opened = 0;
  for (size_t round = 0; round < kRounds; ++round) {
    ModelBytes copy = model;
    const std::span<uint8_t> metadata = copy.metadata();
    for (uint32_t change = random() % 4; change < 4; ++change) {
      const size_t at = random() % (metadata.size() - 8);
      switch (random() % 4) {
        case 0:
          metadata[at] = static_cast<uint8_t>(random());
          break;
        case 1:
          metadata[at] = static_cast<uint8_t>(metadata[at] + 1);
          break;
        case 2:
          std::memset(&metadata[at], random() % 2 == 0 ? 0 : 0xff, 1 + random() % 8);
          break;
        default:
          std::memcpy(&metadata[at], &metadata[random() % (metadata.size() - 8)], 4);
      }
    }
    copy.SealMetadata();
    const Result<ModelFile> file = ModelFile::Open(copy.bytes());
    if (!file.ok()) continue;
    ++opened;
    ReadAll(*file);
    static_cast<void>(file->VerifyAll());
  }
  // Changes to names and other free text leave a good file; most others must not.
  EXPECT_GT(opened, 0u);
  EXPECT_LT(opened, kRounds / 2);
}

}  // namespace
}  // namespace rondo
