#include "tools/convert/sources/gguf/mmproj.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "tests/temp_folder.h"
#include "tests/tools/convert/seeing_gguf.h"
#include "tools/convert/architectures/mmproj/mmproj_rules_of.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class MmprojTest : public testing::Test {
 protected:
  Mmproj Open(const GgufWriter& writer) {
    return OpenMmproj(writer.Save(folder_ / "mmproj.gguf"), MmprojRulesOf, 64);
  }
  std::string Refusal(const GgufWriter& writer) {
    try {
      Open(writer);
    } catch (const Error& error) {
      return error.what();
    }
    return "it was opened";
  }
  // A tower of one layer and little else, of this projector.
  static GgufWriter Small(const std::string& projector) {
    SeeingMmproj mmproj;
    mmproj.projector = projector;
    mmproj.n_layers = 1;
    GgufWriter writer = mmproj.Keys();
    writer.Floats("v.blk.0.ffn_up.weight", {48, 32}, std::vector<float>(size_t{48} * 32));
    return writer;
  }
  static std::vector<float> Counted(size_t n, float first) {
    std::vector<float> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = first + static_cast<float>(i);
    return values;
  }
  static std::vector<float> All(const Mmproj& mmproj, const std::string& name) {
    std::vector<float> values(mmproj.checkpoint->tensors().at(name).elements());
    mmproj.checkpoint->Read(name, 0, values);
    return values;
  }
  TempFolder folder_;
};

TEST_F(MmprojTest, IsAFolderOfItsOwn) {
  const Mmproj mmproj = Open(SeeingMmproj().Whole());
  EXPECT_EQ(mmproj.whole["model_type"], "smolvlm");
  EXPECT_EQ(mmproj.whole["scale_factor"], 2);
  EXPECT_EQ(mmproj.vision.object()["intermediate_size"], 48);
  EXPECT_EQ(mmproj.vision.object()["hidden_act"], "gelu_pytorch_tanh");
  EXPECT_EQ(mmproj.vision.object()["layer_norm_eps"], 1e-6);
  EXPECT_EQ(mmproj.processor.object()["size"]["longest_edge"], 96);
  EXPECT_EQ(mmproj.processor.object()["image_mean"][0], 0.5);
  EXPECT_TRUE(mmproj.checkpoint->tensors().contains(
      "model.vision_model.encoder.layers.1.self_attn.out_proj.bias"));
}

// As the config of the checkpoint has it, which says 1e-6 by saying nothing.
TEST_F(MmprojTest, TheConvertersOwnEpsilonIsNotTheModels) {
  SeeingMmproj mmproj;
  mmproj.epsilon = 1e-5f;
  EXPECT_EQ(Open(mmproj.Whole()).vision.object()["layer_norm_eps"], 1e-6);
}

TEST_F(MmprojTest, FramesAndQueriesAreJoined) {
  GgufWriter writer = Small("qwen2vl_merger");
  writer.Floats("v.patch_embd.weight", {2, 3, 2, 1}, Counted(12, 0))
      .Floats("v.patch_embd.weight.1", {2, 3, 2, 1}, Counted(12, 100))
      .Floats("v.blk.0.attn_q.weight", {2, 2}, Counted(4, 0))
      .Floats("v.blk.0.attn_k.weight", {2, 2}, Counted(4, 10))
      .Floats("v.blk.0.attn_v.weight", {2, 2}, Counted(4, 20));
  const Mmproj mmproj = Open(writer);
  EXPECT_THAT(mmproj.checkpoint->tensors().at("model.visual.patch_embed.proj.weight").shape,
              ElementsAre(2, 3, 2, 2, 1));
  EXPECT_THAT(All(mmproj, "model.visual.patch_embed.proj.weight"),
              ElementsAre(0, 1, 100, 101, 2, 3, 102, 103, 4, 5, 104, 105, 6, 7, 106, 107, 8, 9, 108,
                          109, 10, 11, 110, 111));
  EXPECT_THAT(mmproj.checkpoint->tensors().at("model.visual.blocks.0.attn.qkv.weight").shape,
              ElementsAre(6, 2));
  EXPECT_THAT(All(mmproj, "model.visual.blocks.0.attn.qkv.weight"),
              ElementsAre(0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23));
}

// A bound that bounds nothing.
TEST_F(MmprojTest, OneValueMayBeInfinite) {
  GgufWriter writer = Small("qwen2vl_merger");
  writer.Floats("v.blk.0.attn_q.input_max", {1}, {std::numeric_limits<float>::infinity()});
  EXPECT_THAT(All(Open(writer), "model.visual.blocks.0.attn.q.input_max"),
              ElementsAre(std::numeric_limits<float>::infinity()));
}

TEST_F(MmprojTest, PartsOfOneTensorHaveOneShape) {
  GgufWriter writer = Small("qwen2vl_merger");
  writer.Floats("v.patch_embd.weight", {2, 3, 2, 1}, Counted(12, 0))
      .Floats("v.patch_embd.weight.1", {2, 3, 1, 1}, Counted(6, 0));
  EXPECT_THAT(Refusal(writer), HasSubstr("another shape than"));
  GgufWriter flat = Small("qwen2vl_merger");
  flat.Floats("v.patch_embd.weight", {2, 6}, Counted(12, 0))
      .Floats("v.patch_embd.weight.1", {2, 6}, Counted(12, 0));
  EXPECT_THAT(Refusal(flat), HasSubstr("has 2 dimensions, expected rows, channels, y and x"));
}

TEST_F(MmprojTest, PatchesHaveTheirChannelsLast) {
  GgufWriter writer = Small("lfm2");
  writer.Floats("v.position_embd.weight", {4, 32}, Counted(128, 0))
      .Floats("mm.1.weight", {8, 128}, Counted(1024, 0))
      .Floats("v.patch_embd.weight", {1, 3, 2, 2}, Counted(12, 0));
  const Mmproj mmproj = Open(writer);
  const std::string name = "model.vision_tower.embeddings.patch_embedding.weight";
  EXPECT_THAT(mmproj.checkpoint->tensors().at(name).shape, ElementsAre(1, 12));
  EXPECT_THAT(All(mmproj, name), ElementsAre(0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11));
  EXPECT_EQ(mmproj.vision.object()["num_patches"], 4);
  EXPECT_EQ(mmproj.whole["projector_hidden_size"], 8);
  EXPECT_EQ(mmproj.whole["projector_use_layernorm"], false);
}

TEST_F(MmprojTest, NamesWhatDoesNotFit) {
  const auto with = [](auto change) {
    SeeingMmproj mmproj;
    change(mmproj);
    return mmproj.Whole();
  };
  EXPECT_THAT(Refusal(with([](SeeingMmproj& m) { m.width = 96; })),
              AllOf(HasSubstr("mmproj.gguf: key clip.vision.projection_dim is 96, but the text's "
                              "model has a hidden size of 64"),
                    HasSubstr("--text-only")));
  EXPECT_THAT(Refusal(with([](SeeingMmproj& m) { m.projector = "third_eye"; })),
              AllOf(HasSubstr("key clip.projector_type is third_eye; known: gemma3, gemma4v, "
                              "idefics3, internvl, lfm2, pixtral, qwen2.5vl_merger, "
                              "qwen2vl_merger, qwen3vl_merger"),
                    HasSubstr("--text-only")));
  EXPECT_THAT(Refusal(with([](SeeingMmproj& m) { m.sees = false; })),
              HasSubstr("has_vision_encoder is false: it has nothing that sees"));
  EXPECT_THAT(Refusal(SeeingMmproj().Whole().Key("clip.vision.pupils", uint32_t{2})),
              HasSubstr("key clip.vision.pupils is not known"));
}

TEST_F(MmprojTest, RefusesSizesThatItsTensorsContradict) {
  const auto with = [](auto change) {
    SeeingMmproj mmproj;
    change(mmproj);
    return mmproj.Whole();
  };
  EXPECT_THAT(Refusal(with([](SeeingMmproj& m) { m.image_size = 64; })),
              HasSubstr("key clip.vision.image_size gives a grid of 8 x 8 patches, but tensor "
                        "v.position_embd.weight has 16 positions"));
  // A grid whose places, times channels, are more than any number holds.
  EXPECT_THAT(Refusal(with([](SeeingMmproj& m) {
                m.image_size = 0xffffffff;
                m.patch_size = 1;
              })),
              HasSubstr("key clip.vision.image_size is 4294967295, expected an integer from 1 to"));
  EXPECT_THAT(Refusal(with([](SeeingMmproj& m) { m.hidden = 0xffffffff; })),
              HasSubstr("key clip.vision.embedding_length is 4294967295, expected"));
  EXPECT_THAT(Refusal(with([](SeeingMmproj& m) { m.patch_size = 0; })),
              HasSubstr("key clip.vision.patch_size is 0, expected"));
  EXPECT_THAT(Refusal(with([](SeeingMmproj& m) { m.n_layers = 0; })),
              HasSubstr("key clip.vision.block_count is 0, expected"));
  EXPECT_THAT(Refusal(with([](SeeingMmproj& m) { m.scale_factor = 0; })),
              HasSubstr("key clip.vision.projector.scale_factor is 0, expected"));
}

// Whatever a byte of the header says, the answer is an Error or a model.
TEST_F(MmprojTest, AnyByteMayBeWrong) {
  const std::string whole = SeeingMmproj().Whole().Bytes();
  const size_t header = SeeingMmproj().Whole().Header().size();
  std::mt19937 random(1);
  for (int round = 0; round < 1500; ++round) {
    std::string damaged = whole;
    for (uint32_t i = random() % 3 + 1; i > 0; --i) {
      damaged[random() % header] = static_cast<char>(random());
    }
    std::ofstream(folder_ / "damaged.gguf", std::ios::binary) << damaged;
    try {
      const Mmproj mmproj = OpenMmproj(folder_ / "damaged.gguf", MmprojRulesOf, 64);
      for (const auto& [name, entry] : mmproj.checkpoint->tensors()) {
        if (entry.elements() < 1u << 16) All(mmproj, name);
      }
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("damaged.gguf"));
    }
  }
}

}  // namespace
}  // namespace rondo::convert
