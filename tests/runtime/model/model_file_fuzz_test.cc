// Damaged Rondo files: any byte flipped, any length cut, and metadata rewritten at random with its
// checksum made good. All must end in a status.
#include <gtest/gtest.h>

#include <random>

#include "runtime/engine/engine.h"
#include "runtime/engine/session.h"
#include "runtime/model/linears.h"
#include "runtime/model/model_file.h"
#include "runtime/model/tensor_view.h"
#include "tests/support/packed_model.h"

namespace rondo {
namespace {

using format::TensorFormat;

constexpr size_t kRounds = 200000;  // of each file

// About 10 kB: small enough to try every byte. Portable, or packed for `kernels`.
ModelBytes SmallModel(const char* kernels) {
  convert::CheckpointShape shape;
  shape.vocab_size = 12;
  shape.hidden_size = 8;
  shape.intermediate_size = 12;
  shape.n_heads = shape.n_kv_heads = 1;
  shape.attention_bias = true;
  const ConvertedModel model(shape, TensorFormat::Q4, TensorFormat::Q8);
  return *kernels == '\0' ? model.portable() : model.packed(kernels);
}

class ModelFileFuzz : public testing::TestWithParam<const char*> {};

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
    ForEachLinear(*layer, [&](const format::Linear& linear) { sum += linear.weight(); });
    if (layer->mlp()->norm() != nullptr) sum += layer->mlp()->norm()->weight();
  }
  return sum;
}

// What is opened can be run. A packed file's weights are taken as they are.
void RunIt(const ModelFile& file) {
  EngineOptions options;
  options.kernels = "scalar";
  options.context = 64;
  options.threads = 1;
  options.max_rows = 2;
  const auto engine = Engine::Create(file, nullptr, options, nullptr, 0);
  if (!engine.ok()) return;
  const Result<Session*> session = (*engine)->OpenSession({});
  if (!session.ok()) return;
  if (!(*session)->Prefill(std::vector<int32_t>{0, 0, 0}).ok()) return;
  static_cast<void>((*session)->Next());
}

TEST_P(ModelFileFuzz, EveryFlippedByteIsNoticed) {
  ModelBytes model = SmallModel(GetParam());
  ASSERT_TRUE(OpenAndVerify(model.bytes()).ok());
  for (size_t i = 0; i < model.bytes().size(); ++i) {
    for (const int flip : {1, 0x80, 0xff}) {
      model.bytes()[i] = static_cast<uint8_t>(model.bytes()[i] ^ flip);
      ASSERT_FALSE(OpenAndVerify(model.bytes()).ok()) << "byte " << i;
      model.bytes()[i] = static_cast<uint8_t>(model.bytes()[i] ^ flip);
    }
  }
}

TEST_P(ModelFileFuzz, EveryTruncationIsNoticed) {
  const ModelBytes model = SmallModel(GetParam());
  for (size_t size = 0; size < model.bytes().size(); ++size) {
    // A copy of its own, so that a read beyond the end is seen by the address sanitizer.
    const ModelBytes cut(model.bytes().first(size));
    ASSERT_FALSE(OpenAndVerify(cut.bytes()).ok()) << size << " bytes";
  }
}

TEST_P(ModelFileFuzz, SealedNonsenseNeverCrashes) {
  const ModelBytes model = SmallModel(GetParam());
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
    if (opened % 16 == 0) RunIt(*file);
    static_cast<void>(file->VerifyAll());
  }
  // Changes to names and other free text leave a good file; most others must not.
  EXPECT_GT(opened, 0u);
  EXPECT_LT(opened, kRounds / 2);
}

INSTANTIATE_TEST_SUITE_P(Files, ModelFileFuzz, testing::Values("", "scalar", "avx512vnni"),
                         [](const auto& info) {
                           return *info.param == '\0' ? std::string("portable")
                                                      : "packed_" + std::string(info.param);
                         });

}  // namespace
}  // namespace rondo
