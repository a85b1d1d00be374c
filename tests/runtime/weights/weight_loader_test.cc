// Loading a portable file: what is refused, how it tells of its progress, what it leaves in memory.
#include "runtime/weights/weight_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "platforms/file_map.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/session.h"
#include "runtime/model/tensor_view.h"
#include "tests/runtime/model/model_bytes.h"
#include "tests/support/all_formats.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"
#include "tests/tools/convert/random_checkpoint.h"
#include "tools/convert/convert.h"

namespace rondo {
namespace {

using format::TensorFormat;
using testing::HasSubstr;

void Convert(const std::filesystem::path& path, const convert::CheckpointShape& shape,
             TensorFormat weights) {
  const TempFolder folder;
  convert::WriteRandomCheckpoint(folder / "model", shape);
  convert::ConvertOptions options;
  options.directory = folder / "model";
  options.output = path;
  options.weights = options.embedding = weights;
  convert::Convert(options, [](uint64_t, uint64_t) {});
}

convert::CheckpointShape TwoLayers() {
  convert::CheckpointShape shape;
  shape.n_layers = 2;
  shape.attention_bias = true;
  shape.intermediate_size = 200;
  return shape;
}

ModelBytes Small(TensorFormat weights) {
  const TempFolder folder;
  Convert(folder / "model.rondo", TwoLayers(), weights);
  return ModelBytes(folder / "model.rondo");
}

EngineOptions TwoThreads() {
  EngineOptions options;
  options.threads = 2;
  return options;
}

Status Load(const ModelBytes& bytes, const EngineOptions& options = TwoThreads()) {
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  if (!file.ok()) return file.status();
  return Engine::Create(*file, nullptr, options, nullptr, 0).status();
}

// Every section of every tensor, altered at its first and last byte.
TEST(WeightLoader, SeesEveryAlteredSection) {
  for (TensorFormat format : AllFormats()) {
    ModelBytes bytes = Small(format);
    ASSERT_TRUE(Load(bytes).ok());
    const ModelFile file = *ModelFile::Open(bytes.bytes());
    for (const format::Tensor* tensor : *file.model().tensors()) {
      for (const format::Section* section : {tensor->data(), tensor->scales(), tensor->tables()}) {
        if (section == nullptr) continue;
        for (const uint64_t at : {section->offset(), section->offset() + section->bytes() - 1}) {
          bytes.bytes()[at] ^= 1;
          const Status status = Load(bytes);
          EXPECT_EQ(status.code(), StatusCode::kCorrupt) << tensor->name()->c_str();
          if (section != tensor->tables()) {  // which tensors share
            EXPECT_THAT(status.message(), HasSubstr(tensor->name()->c_str()));
          }
          EXPECT_THAT(status.message(), HasSubstr("checksum"));
          bytes.bytes()[at] ^= 1;
        }
      }
    }
    ASSERT_TRUE(Load(bytes).ok());
  }
}

// Gives the section of a tensor's data, and the file, the checksums of what they hold now.
void Seal(const format::Section& section, ModelBytes& bytes, const ModelFile& file) {
  const format::Section sealed(section.offset(), section.bytes(),
                               Checksum(bytes.bytes().subspan(section.offset(), section.bytes())));
  for (const format::Section* s : *file.model().sections()) {
    if (s->offset() == sealed.offset()) const_cast<format::Section&>(*s) = sealed;
  }
  const_cast<format::Section&>(section) = sealed;
  bytes.SealMetadata();
}

// Not altered since it was written, but never any good.
TEST(WeightLoader, SeesEveryTensorWithAValueThatIsNotFinite) {
  for (TensorFormat format : AllFormats()) {
    const ModelBytes good = Small(format);
    const size_t tensors = (*ModelFile::Open(good.bytes())).model().tensors()->size();
    for (uint32_t i = 0; i < tensors; ++i) {
      ModelBytes bytes = good;
      const ModelFile file = *ModelFile::Open(bytes.bytes());
      const format::Tensor& tensor = *file.model().tensors()->Get(i);
      const format::Section& section =
          tensor.scales() != nullptr ? *tensor.scales() : *tensor.data();
      const uint64_t end = section.offset() + section.bytes();
      // The last one: an infinite bfloat16 or the upper half of an infinite float32.
      bytes.bytes()[end - 2] = 0x80;
      bytes.bytes()[end - 1] = 0x7f;
      Seal(section, bytes, file);
      const Status status = Load(bytes);
      EXPECT_EQ(status.code(), StatusCode::kCorrupt) << tensor.name()->c_str();
      EXPECT_THAT(status.message(), HasSubstr(tensor.name()->c_str()));
      EXPECT_THAT(status.message(), HasSubstr("not a finite number"));
    }
  }
}

// One matrix is most of it: threads without one of their own pack its end.
ModelBytes MostlyOneMatrix() {
  convert::CheckpointShape shape = TwoLayers();
  shape.vocab_size = 20000;
  const TempFolder folder;
  Convert(folder / "model.rondo", shape, TensorFormat::F32);
  return ModelBytes(folder / "model.rondo");
}

TEST(WeightLoader, SeveralThreadsMakeTheSameOfOneMatrix) {
  const ModelBytes bytes = MostlyOneMatrix();
  const ModelFile file = *ModelFile::Open(bytes.bytes());
  std::vector<float> first;
  for (const uint32_t threads : {1u, 2u, 5u, 8u}) {
    EngineOptions options;
    options.threads = threads;
    const auto engine = Engine::Create(file, nullptr, options, nullptr, 0);
    ASSERT_TRUE(engine.ok()) << engine.status().message();
    const Result<Session*> session = (*engine)->OpenSession({});
    ASSERT_TRUE(session.ok());
    ASSERT_TRUE((*session)->Prefill(std::vector<int32_t>{7, 19999}).ok());
    const auto logits = (*session)->Logits();
    ASSERT_TRUE(logits.ok());
    const std::vector<float> all(logits->begin(), logits->end());
    if (first.empty()) first = all;
    EXPECT_EQ(all, first) << threads << " threads";
  }
}

TEST(WeightLoader, TheFirstValueThatIsNotFiniteIsNamedWhoeverPacksIt) {
  ModelBytes bytes = MostlyOneMatrix();
  const ModelFile file = *ModelFile::Open(bytes.bytes());
  uint32_t largest = 0;
  for (uint32_t i = 0; i < file.model().tensors()->size(); ++i) {
    if (ViewTensor(file, i).data.size() > ViewTensor(file, largest).data.size()) largest = i;
  }
  const format::Section& section = *file.model().tensors()->Get(largest)->data();
  const std::vector<uint64_t> rows = {19990, 17000, 9000};
  for (const uint64_t row : rows) {
    const uint64_t at = section.offset() + row * (section.bytes() / 20000);
    bytes.bytes()[at + 2] = 0x80;
    bytes.bytes()[at + 3] = 0x7f;
    Seal(section, bytes, file);
    EngineOptions options;
    options.threads = 1;
    const Status alone = Load(bytes, options);
    ASSERT_THAT(alone.message(), HasSubstr("not a finite number"));
    for (int i = 0; i < 10; ++i) {
      options.threads = 2 + i % 7;
      EXPECT_STREQ(Load(bytes, options).message(), alone.message());
    }
  }
}

struct Heard {
  std::vector<std::pair<uint64_t, uint64_t>> calls;
  size_t cancel_at = SIZE_MAX;  // the call that answers so

  LoadProgress progress() {
    return {[](void* user, uint64_t done, uint64_t total) -> int32_t {
              Heard& heard = *static_cast<Heard*>(user);
              heard.calls.emplace_back(done, total);
              return heard.calls.size() > heard.cancel_at;
            },
            this};
  }
};

TEST(WeightLoader, TellsItsProgressToTheEnd) {
  const ModelBytes bytes = Small(TensorFormat::Q4);
  for (uint32_t threads : {1u, 2u}) {
    Heard heard;
    EngineOptions options;
    options.threads = threads;
    options.progress = heard.progress();
    ASSERT_TRUE(Load(bytes, options).ok());
    ASSERT_GE(heard.calls.size(), 1u);
    uint64_t last = 0;
    for (const auto& [done, total] : heard.calls) {
      EXPECT_EQ(total, heard.calls.back().second);
      EXPECT_GE(done, last);
      last = done;
    }
    EXPECT_EQ(last, heard.calls.back().second);
    // What is packed or checked: all tensors of two dimensions.
    const ModelFile file = *ModelFile::Open(bytes.bytes());
    uint64_t expected = 0;
    for (uint32_t i = 0; i < file.model().tensors()->size(); ++i) {
      const TensorView tensor = ViewTensor(file, i);
      if (tensor.rows > 1) expected += tensor.data.size() + tensor.scales.size();
    }
    EXPECT_EQ(last, expected);
  }
}

TEST(WeightLoader, AnyCallCancels) {
  const ModelBytes bytes = Small(TensorFormat::Q8);
  Heard whole;
  EngineOptions options;
  options.threads = 1;
  options.progress = whole.progress();
  ASSERT_TRUE(Load(bytes, options).ok());
  ASSERT_GT(whole.calls.size(), 5u);
  for (size_t at = 0; at < whole.calls.size(); ++at) {
    Heard heard;
    heard.cancel_at = at;
    options.progress = heard.progress();
    EXPECT_EQ(Load(bytes, options).code(), StatusCode::kCancelled) << at;
    EXPECT_EQ(heard.calls.size(), at + 1);  // and is the last one
  }
}

#if defined(__linux__)
// Bytes of this process's memory that are pages of `path`.
size_t ResidentBytes(const std::string& path) {
  std::ifstream maps("/proc/self/smaps");
  size_t bytes = 0;
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find('-') < line.find(':')) inside = line.ends_with(path);
    size_t kilobytes = 0;
    if (inside && std::sscanf(line.c_str(), "Rss: %zu kB", &kilobytes) == 1) {
      bytes += kilobytes * 1024;
    }
  }
  return bytes;
}

TEST(WeightLoader, GivesTheFilesPagesBackWhileItPacks) {
  convert::CheckpointShape shape;  // some 20 MB
  shape.vocab_size = 8000;
  shape.hidden_size = 256;
  shape.intermediate_size = 6000;
  const TempFolder folder;
  const std::filesystem::path path = folder / "model.rondo";
  Convert(path, shape, TensorFormat::F32);
  FileMap map;
  ASSERT_FALSE(FileMap::OpenPath(path.c_str(), &map));
  const ModelFile file = *ModelFile::Open(map.bytes(), &map);
  ASSERT_NE(Checksum(map.bytes()), 0u);  // reads all
  if (ResidentBytes(path) < map.bytes().size()) GTEST_SKIP() << "/proc tells nothing here";

  struct Most {
    std::string path;
    size_t bytes = 0;
  } most = {path, 0};
  EngineOptions options;
  options.threads = 1;
  options.context = 64;
  options.progress = {[](void* user, uint64_t done, uint64_t total) -> int32_t {
                        Most& m = *static_cast<Most*>(user);
                        // What is still to come was read by this test.
                        const size_t resident = ResidentBytes(m.path);
                        const size_t to_come = total - done;
                        m.bytes = std::max(m.bytes, resident - std::min(resident, to_come));
                        return 0;
                      },
                      &most};
  ASSERT_TRUE(Engine::Create(file, nullptr, options, nullptr, 0).ok());
  EXPECT_LT(ResidentBytes(path), size_t{2} << 20);
  EXPECT_LT(most.bytes, size_t{5} << 20);
}

// A pass reads its tokens' rows. The system maps more than a row: up to some hundred KB around it.
TEST(WeightLoader, LeavesTheTableOfLayerEmbeddingsInTheFile) {
  const TempFolder folder;
  convert::WriteCheckpointOf(folder / "model", R"({"architectures": ["Gemma4ForCausalLM"],
      "vocab_size": 100000, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 4,
      "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 64,
      "head_dim": 8, "global_head_dim": 8, "hidden_size_per_layer_input": 32,
      "vocab_size_per_layer_input": 100000})");
  convert::ConvertOptions options;
  options.directory = folder / "model";
  options.output = folder / "model.rondo";
  options.weights = options.embedding = TensorFormat::Q8;
  convert::Convert(options, [](uint64_t, uint64_t) {});
  FileMap map;
  ASSERT_FALSE(FileMap::OpenPath(options.output.c_str(), &map));
  const ModelFile file = *ModelFile::Open(map.bytes(), &map);
  ASSERT_NE(Checksum(map.bytes()), 0u);  // reads all
  if (ResidentBytes(options.output) < map.bytes().size())
    GTEST_SKIP() << "/proc tells nothing here";
  const size_t table = ViewTensor(file, file.model().layer_embeddings()->table()).data.size();
  ASSERT_EQ(table, size_t{100000} * 4 * 32);

  const auto engine = Engine::Create(file, nullptr, TwoThreads(), nullptr, 0);
  ASSERT_TRUE(engine.ok()) << engine.status().message();
  EXPECT_LT(ResidentBytes(options.output), size_t{2} << 20);
  const Result<Session*> session = (*engine)->OpenSession({});
  ASSERT_TRUE(session.ok());
  ASSERT_TRUE((*session)->Prefill(std::vector<int32_t>{7, 60000}).ok());
  ASSERT_TRUE((*session)->Logits().ok());
  EXPECT_LT(ResidentBytes(options.output), table / 4);
  EXPECT_LT((*engine)->plan().memory.arena_bytes(), table);
}
#endif

}  // namespace
}  // namespace rondo
