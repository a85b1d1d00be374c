// What the bench counts of models, against sums by hand.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "tests/runtime/model/model_bytes.h"
#include "tests/support/places.h"
#include "tests/temp_folder.h"
#include "tests/tools/bench/small_shapes.h"
#include "tools/bench/costs.h"
#include "tools/bench/random_model.h"
#include "tools/convert/convert.h"

namespace rondo::tools {
namespace {

constexpr double kMlp = 3 * 32 * 40;
constexpr double kHead = 100 * 32;
constexpr double kBeside = 16;  // bytes of a position, beside its int8 key and value

// Of the plan of an engine, the bytes of one state in the region that holds them; 0: there is none.
double PlannedState(const Model& model) {
  EngineOptions options;
  options.context = 256;
  const Engine engine = CreateEngine(model, options);
  for (uint32_t i = 0; i < engine.Memory().n_regions; ++i) {
    const rondo_memory_region region = engine.MemoryRegion(i);
    unsigned long long blocks = 0, bytes = 0;
    if (std::sscanf(region.name, "recurrent states, %llu x %llu", &blocks, &bytes) == 2) {
      return static_cast<double>(bytes);
    }
  }
  return 0;
}

struct Counted {
  explicit Counted(const Shape& shape, const RandomModelOptions& options = {})
      : model(MakeRandomModel(shape, options)), costs(CostsOf(model.parts, "avx512vnni")) {}
  BenchModel model;
  ModelCosts costs;
};

// An output head of its own or not, it is multiplied once.
TEST(BenchModelCosts, Dense) {
  for (const char* tied : {"true", "false"}) {
    const Counted c(SmallShape("llama", std::string("\"tie_word_embeddings\": ") + tied));
    EXPECT_EQ(c.costs.layer_products, 32 * 64 + 32 * 32 + kMlp);
    EXPECT_EQ(c.costs.head_products, kHead);
    // Tiles of 16 channels: 64 of qkv, 32, 80, 32 (of 40 inputs), 112 of the head.
    EXPECT_EQ(c.costs.weight_bytes, (64 + 32 + 80 + 112) * (32 + 12) + 32 * (40 + 12));
    EXPECT_EQ(CacheBytes(c.costs, 100, 1), (16 + 16 + kBeside) * 100.5);
    EXPECT_EQ(c.costs.state_bytes, 0);
    EXPECT_EQ(c.costs.row_bytes, 0);
    EXPECT_TRUE(c.costs.experts.empty());
  }
}

TEST(BenchModelCosts, Experts) {
  const Counted c(SmallExperts());
  const double expert = 3 * 32 * 24;
  EXPECT_EQ(c.costs.layer_products, 32 * 64 + 32 * 32 + 2 * expert) << "the router is float32";
  const double router = 16 * 33 * 4, others = (64 + 32 + 112) * (32 + 12) + router;
  const double expert_bytes = 48 * (32 + 12) + 32 * (24 + 12);
  EXPECT_DOUBLE_EQ(WeightBytes(c.costs, 1), others + 2 * expert_bytes);
  EXPECT_DOUBLE_EQ(WeightBytes(c.costs, 2), others + 3.5 * expert_bytes);
  EXPECT_NEAR(WeightBytes(c.costs, 500), others + 8 * expert_bytes, 1e-6);
}

TEST(BenchModelCosts, LatentAttention) {
  const Counted c(SmallLatent());
  // q, kv_down, for each head key_up and value_up, and the output.
  const double attention = 32 * 64 + 32 * 24 + 4 * (8 * 16 + 8 * 16) + 32 * 32;
  const double expert = 3 * 32 * 8;  // one of four, and the shared one
  EXPECT_EQ(c.costs.layer_products, 2 * attention + kMlp + 2 * expert);
  EXPECT_EQ(CacheBytes(c.costs, 100, 1), 2 * ((8 + 16) + 16 + kBeside) * 100.5)
      << "one latent of 16 with a key's 8 before it, and once more, whatever the heads";
}

TEST(BenchModelCosts, DeltaNet) {
  const Counted c(SmallDeltaNet());
  const double net = 32 * (2 * 16 + 2 * 64) + 64 * 32;
  const double attention = 32 * (2 * 32 + 2 * 16) + 32 * 32;  // with its gate
  EXPECT_EQ(c.costs.layer_products, net + attention + 2 * kMlp);
  EXPECT_EQ(c.costs.state_bytes, 4 * (4 * 8 * 16) + 4 * (3 * (2 * 16 + 64)));
  EXPECT_EQ(c.costs.state_bytes, PlannedState(c.model.handle));
  EXPECT_EQ(CacheBytes(c.costs, 100, 1), (16 + 16 + kBeside) * 100.5) << "of one layer";
  EXPECT_EQ(PassBytes(c.costs, 0, 1) - WeightBytes(c.costs, 1),
            2 * c.costs.state_bytes + (16 + 16 + kBeside) * 0.5);
}

TEST(BenchModelCosts, Mamba) {
  const Counted c(SmallMamba());
  const double mamba = 32 * (2 * 64 + 2 * 8) + 64 * 32;
  EXPECT_EQ(c.costs.layer_products, mamba + 32 * 64 + 32 * 32 + 2 * kMlp);
  EXPECT_EQ(c.costs.state_bytes, 4 * (4 * 8 * 16) + 4 * (3 * (64 + 2 * 8)));
  EXPECT_EQ(c.costs.state_bytes, PlannedState(c.model.handle));
}

TEST(BenchModelCosts, ShortConvolution) {
  const Counted c(SmallConv());
  EXPECT_EQ(c.costs.layer_products, 4 * 32 * 32 + 32 * 64 + 32 * 32 + 2 * kMlp);
  EXPECT_EQ(c.costs.state_bytes, 4 * 2 * 32) << "what two positions put in";
}

TEST(BenchModelCosts, WindowsSharedKeysAndLayerEmbeddings) {
  const Counted c(SmallLayerEmbeddings());
  const double projection = 32 * 4 * 8, own = 2 * 32 * 8;
  const double sliding = 32 * 32 + 32 * 32, global = 64 * 32 + 64 * 32;
  const double sliding_kv = 32 * 32, global_kv = 64 * 32;
  EXPECT_EQ(c.costs.layer_products,
            projection + 4 * (kMlp + own) + 2 * (sliding + global) + sliding_kv + global_kv);
  const double in_window = 16 + 16 + kBeside, in_context = 32 + 32 + kBeside;
  EXPECT_EQ(CacheBytes(c.costs, 1000, 1), 2 * in_window * 64 + 2 * in_context * 1000.5)
      << "by those that share them, too";
  EXPECT_EQ(c.costs.row_bytes, 4 * (8 + 4)) << "of each layer a row of the table and its scale";
}

TEST(BenchModelCosts, Sight) {
  const TempFolder folder;
  convert::ConvertOptions options;
  options.directory = std::filesystem::path(kTestData) / "seeing";
  options.output = folder / "one.rondo";
  convert::Convert(options, [](uint64_t, uint64_t) {});
  const ModelBytes two = Rewrite(ModelBytes(options.output), [](format::ModelT& model) {
    format::TowerT& tower = *model.vision->tower;
    tower.mergers.push_back(std::make_unique<format::TowerMergerT>());
    tower.mergers[0]->dense.push_back(std::make_unique<format::DenseT>(*tower.dense[0]));
  });
  std::ofstream(folder / "two.rondo", std::ios::binary)
      .write(reinterpret_cast<const char*>(two.bytes().data()),
             static_cast<std::streamsize>(two.bytes().size()));
  const double layer = 4 * 32 * 32 + 2 * 32 * 48, merger = 2 * 2 * 32 * 64;
  for (const auto& [file, mergers] : {std::pair("one.rondo", 1), std::pair("two.rondo", 2)}) {
    const ModelCosts costs = CostsOf(ReadParts(folder / file), "avx512vnni");
    EXPECT_EQ(costs.patch_products, 3 * 8 * 8 * 32 + 2 * layer);
    EXPECT_EQ(costs.picture_row_products, mergers * merger) << file;
  }
}

// What a position takes in the plan is what one reads of it, where each sublayer has its own.
TEST(BenchModelCosts, KeysAndValuesAreThoseOfThePlan) {
  for (const Shape& shape : {SmallExperts(), SmallLatent(), SmallSinks()}) {
    const Counted c(shape);
    EngineOptions options;
    options.context = 256;
    const Engine engine = CreateEngine(c.model.handle, options);
    double bytes = 0;
    for (const CachePart& cache : c.costs.caches) bytes += cache.bytes;
    EXPECT_EQ(bytes, static_cast<double>(engine.Memory().kv_bytes_per_token)) << shape.name;
  }
}

}  // namespace
}  // namespace rondo::tools
