// Every field of the operators, out of range, absent or against another: the file is refused, and
// the sentence names what, where, and what was expected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "runtime/engine/engine.h"
#include "tests/runtime/model/operator_models.h"
#include "tests/runtime/model/sublayers.h"

namespace rondo::operator_check_test {
namespace {

using format::ModelT;
using testing::HasSubstr;

const ModelBytes& Model(const std::string& name) {
  static std::map<std::string, ModelBytes> models;
  auto found = models.find(name);
  if (found == models.end()) {
    found = models.emplace(name, Converted(OperatorModelNamed(name))).first;
  }
  return found->second;
}

format::GatedDeltaNetT& Delta(ModelT& m) { return *SublayerAt(m, 0, 0).op.AsGatedDeltaNet(); }
format::Mamba2T& Mamba(ModelT& m) {
  for (auto& sublayer : m.layers[0]->sublayers) {
    if (sublayer->op.AsMamba2() != nullptr) return *sublayer->op.AsMamba2();
  }
  throw std::runtime_error("no mamba");
}
format::LatentAttentionT& Latent(ModelT& m) { return *SublayerAt(m, 0, 0).op.AsLatentAttention(); }
format::ExpertsT& Experts(ModelT& m) { return *SublayerAt(m, 1, 1).op.AsExperts(); }
format::AttentionT& Sharing(ModelT& m) { return AttentionOf(m, 2); }
format::LayerEmbeddingT& Embedding(ModelT& m) { return *SublayerAt(m, 0, 2).op.AsLayerEmbedding(); }

constexpr uint32_t kHuge = UINT32_MAX - 1;
constexpr int32_t kAbsent = 1 << 30;

struct Case {
  const char* name;
  const char* model;
  std::function<void(ModelT&)> change;
  const char* words;  // in the message
};

class OperatorCheck : public testing::TestWithParam<Case> {};

TEST_P(OperatorCheck, RefusesByName) {
  const ModelBytes bytes = Rewrite(Model(GetParam().model), GetParam().change);
  const Status status = ModelFile::Open(bytes.bytes()).status();
  EXPECT_TRUE(status.code() == StatusCode::kCorrupt || status.code() == StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr(GetParam().words));
}

const std::vector<Case> kDraftHead = {
    {"NoLayer", "head", [](ModelT& m) { m.draft_head->layer.reset(); }, "draft head has no layer"},
    {"NoSublayers", "head", [](ModelT& m) { m.draft_head->layer->sublayers.clear(); },
     "layer 1 has 0 sublayers"},
    {"NoInput", "head", [](ModelT& m) { m.draft_head->input.reset(); }, "draft head's input"},
    {"NarrowInput", "head", [](ModelT& m) { m.draft_head->input->weight = m.head->weight; },
     "the model's sizes ask for 16 x 32"},
    {"NoTokens", "head", [](ModelT& m) { m.draft_head->n_tokens = 0; },
     "the draft head's n_tokens is 0, expected 1 to 12"},
    {"TooManyTokens", "head", [](ModelT& m) { m.draft_head->n_tokens = 13; },
     "the draft head's n_tokens is 13, expected 1 to 12"},
    {"NormThatIsNone", "head", [](ModelT& m) { m.draft_head->norm->weight = kHuge; },
     "draft head's norm"},
    {"KeysOfAnotherLayer", "head",
     [](ModelT& m) { m.draft_head->layer->sublayers[0]->op.AsAttention()->kv_layer = 0; },
     "the model's sizes ask for"},
    {"Embeddings", "head",
     [](ModelT& m) { m.draft_head->layer->sublayers[1]->op.Set(format::LayerEmbeddingT()); },
     "layer 1"},
};

std::string NameOf(const testing::TestParamInfo<Case>& info) { return info.param.name; }

const std::vector<Case> kDelta = {
    {"NoValueHeads", "delta", [](ModelT& m) { Delta(m).n_value_heads = 0; },
     "layer 0's delta net has 0 value heads and 1 key heads, expected at most 4096, a multiple"},
    {"NoKeyHeads", "delta", [](ModelT& m) { Delta(m).n_key_heads = 0; },
     "has 2 value heads and 0 key heads"},
    {"HeadsNotDivided", "delta", [](ModelT& m) { Delta(m).n_key_heads = 3; },
     "has 2 value heads and 3 key heads"},
    {"HugeHeads", "delta", [](ModelT& m) { Delta(m).n_value_heads = kHuge; },
     "has 4294967294 value heads"},
    {"OtherHeads", "delta", [](ModelT& m) { Delta(m).n_value_heads = 4; },
     "tensor layers.0.delta.input is 80 x 16, the model's sizes ask for 144 x 16"},
    {"OddKeyDim", "delta", [](ModelT& m) { Delta(m).key_head_dim = 12; },
     "layer 0 has a state of 12, expected a multiple of 8 up to 512"},
    {"NoKeyDim", "delta", [](ModelT& m) { Delta(m).key_head_dim = 0; }, "a state of 0"},
    {"HugeValueDim", "delta", [](ModelT& m) { Delta(m).value_head_dim = kHuge; },
     "layer 0 has heads of 4294967294, expected a multiple of 8 up to 512"},
    {"NoTaps", "delta", [](ModelT& m) { Delta(m).taps = 0; },
     "layer 0's delta net has a convolution of 0 taps, expected 1 to 64"},
    {"HugeTaps", "delta", [](ModelT& m) { Delta(m).taps = kHuge; }, "of 4294967294 taps"},
    {"OtherTaps", "delta", [](ModelT& m) { Delta(m).taps = 4; },
     "tensor layers.0.delta.conv is 3 x 48, the model's sizes ask for 4 x 48"},
    {"NoInput", "delta", [](ModelT& m) { Delta(m).input.reset(); },
     "layer 0's input of the delta net is absent"},
    {"InputIndex", "delta", [](ModelT& m) { Delta(m).input->weight = kHuge; },
     "layer 0's input of the delta net points at a tensor that is absent"},
    {"NoGates", "delta", [](ModelT& m) { Delta(m).gates.reset(); },
     "layer 0's gates of the delta net is absent"},
    {"GatesOfOtherSize", "delta",
     [](ModelT& m) { Delta(m).gates->weight = Delta(m).input->weight; },
     "layers.0.delta.input is 80 x 16, the model's sizes ask for 4 x 16"},
    {"NoOutput", "delta", [](ModelT& m) { Delta(m).output.reset(); },
     "layer 0's output of the delta net is absent"},
    {"KernelIndex", "delta", [](ModelT& m) { Delta(m).kernel = kHuge; },
     "layer 0's kernel of the delta net points at a tensor that is absent"},
    {"BiasIndex", "delta", [](ModelT& m) { Delta(m).bias = kAbsent; },
     "layer 0's bias of the kernel of the delta net points at a tensor"},
    {"BiasNegative", "delta", [](ModelT& m) { Delta(m).bias = -2; },
     "bias of the kernel of the delta net has a negative index other than -1"},
    {"DecayIndex", "delta", [](ModelT& m) { Delta(m).decay = kHuge; },
     "layer 0's decay of the delta net points at a tensor that is absent"},
    {"DecayOfOtherSize", "delta", [](ModelT& m) { Delta(m).decay = m.final_norm->weight; },
     "ask for 1 x 2"},
    {"DtBiasIndex", "delta", [](ModelT& m) { Delta(m).dt_bias = kHuge; },
     "layer 0's dt_bias of the delta net points at a tensor that is absent"},
    {"BetaScaleZero", "delta", [](ModelT& m) { Delta(m).beta_scale = 0; },
     "layer 0's delta net has a beta_scale of 0, expected a finite number above 0"},
    {"BetaScaleNan", "delta", [](ModelT& m) { Delta(m).beta_scale = NAN; }, "has a beta_scale of"},
    {"NormGroup", "delta", [](ModelT& m) { Delta(m).norm->group = 3; },
     "layer 0's norm of the delta net has a group that does not divide its channels"},
    {"NormOfOtherSize", "delta", [](ModelT& m) { Delta(m).norm->weight = m.final_norm->weight; },
     "ask for 1 x 32"},
    {"SharesWithDeltaNet", "delta", [](ModelT& m) { AttentionOf(m, 1).kv_layer = 0; },
     "layer 1's attention reads the keys and values of layer 0, which has no attention of its own"},
    {"SharesWithItself", "delta", [](ModelT& m) { AttentionOf(m, 1).kv_layer = 1; },
     "reads the keys and values of layer 1, expected one before"},
};

const std::vector<Case> kMamba = {
    {"GroupsDoNotDivide", "mamba", [](ModelT& m) { Mamba(m).n_groups = 3; },
     "layer 0's mamba has 4 heads and 3 groups, expected at most 4096, a multiple of these"},
    {"OtherGroups", "mamba", [](ModelT& m) { Mamba(m).n_groups = 1; },
     "layers.0.mamba.input is 96 x 16, the model's sizes ask for 80 x 16"},
    {"HugeState", "mamba", [](ModelT& m) { Mamba(m).state_size = 1024; },
     "layer 0 has a state of 1024, expected a multiple of 8 up to 512"},
    {"OddHeads", "mamba", [](ModelT& m) { Mamba(m).head_dim = 4; }, "layer 0 has heads of 4"},
    {"NoTaps", "mamba", [](ModelT& m) { Mamba(m).taps = 0; }, "a convolution of 0 taps"},
    {"NoInput", "mamba", [](ModelT& m) { Mamba(m).input.reset(); },
     "layer 0's input of mamba is absent"},
    {"NoSteps", "mamba", [](ModelT& m) { Mamba(m).dt.reset(); },
     "layer 0's steps of mamba is absent"},
    {"NoOutput", "mamba", [](ModelT& m) { Mamba(m).output.reset(); },
     "layer 0's output of mamba is absent"},
    {"SkipIndex", "mamba", [](ModelT& m) { Mamba(m).skip = kHuge; },
     "layer 0's skip of mamba points at a tensor that is absent"},
    {"SkipOfOtherSize", "mamba", [](ModelT& m) { Mamba(m).skip = m.final_norm->weight; },
     "ask for 1 x 4"},
    {"DecayOfOtherKind", "mamba", [](ModelT& m) { Mamba(m).decay = Mamba(m).input->weight; },
     "ask for 1 x 4"},
    {"LimitsTurned", "mamba",
     [](ModelT& m) {
       Mamba(m).dt_min = 2;
       Mamba(m).dt_max = 1;
     },
     "layer 0's mamba holds its steps to 2 and 1, expected at least 0, in this order"},
    {"LimitNan", "mamba", [](ModelT& m) { Mamba(m).dt_max = NAN; }, "holds its steps to 0 and"},
    {"LimitNegative", "mamba", [](ModelT& m) { Mamba(m).dt_min = -1; }, "holds its steps to -1"},
    {"LimitInfinite", "mamba", [](ModelT& m) { Mamba(m).dt_max = INFINITY; },
     "holds its steps to 0 and inf"},
    {"NormKind", "mamba", [](ModelT& m) { Mamba(m).norm->kind = static_cast<format::NormKind>(3); },
     "layer 0's norm of mamba asks for norm kind 3"},
};

const std::vector<Case> kLatent = {
    {"NoHeads", "latent", [](ModelT& m) { Latent(m).n_heads = 0; },
     "layer 0 has latent attention with 0 heads, expected 1 to 4096"},
    {"HugeHeads", "latent", [](ModelT& m) { Latent(m).n_heads = kHuge; }, "with 4294967294 heads"},
    {"OtherHeads", "latent", [](ModelT& m) { Latent(m).n_heads = 4; }, "ask for 64 x 12"},
    {"NopeDim", "latent", [](ModelT& m) { Latent(m).nope_dim = 4; }, "layer 0 has nope_dim 4"},
    {"RopeDim", "latent", [](ModelT& m) { Latent(m).rope_dim = 0; }, "layer 0 has rope_dim 0"},
    {"LatentDim", "latent", [](ModelT& m) { Latent(m).latent_dim = kHuge; },
     "layer 0 has latent_dim 4294967294"},
    {"ValueDim", "latent", [](ModelT& m) { Latent(m).v_head_dim = 520; },
     "layer 0 has v_head_dim 520, expected a multiple of 8 up to 512"},
    {"ScoreScale", "latent", [](ModelT& m) { Latent(m).score_scale = -INFINITY; },
     "layer 0's latent attention has a score_scale that is not a finite number above 0"},
    {"QueryScale", "latent",
     [](ModelT& m) {
       Latent(m).query_scale = std::make_unique<format::QueryScaleT>();
       Latent(m).query_scale->factor = NAN;
       Latent(m).query_scale->period = 1;
     },
     "layer 0's latent attention has a query_scale whose factor is not"},
    {"RopeIndex", "latent", [](ModelT& m) { Latent(m).rope = kAbsent; },
     "layer 0's latent attention points at a rope that is absent"},
    {"RopeTooWide", "latent", [](ModelT& m) { m.ropes[0]->frequencies.resize(5, 1.0); },
     "layer 0 has head_dim 8 but its rope has 5 frequencies"},
    {"QDownIndex", "latent", [](ModelT& m) { Latent(m).q_down->weight = kHuge; },
     "layer 0's q_down points at a tensor that is absent"},
    {"QDownOfOtherSize", "latent",
     [](ModelT& m) { Latent(m).q_down->weight = Latent(m).output->weight; },
     "layers.0.attention.q_norm is 1 x 12, the model's sizes ask for 1 x 16"},
    {"NoQDown", "latent",
     [](ModelT& m) {
       Latent(m).q_down.reset();
       Latent(m).q_norm.reset();
     },
     "layers.0.attention.q is 32 x 12, the model's sizes ask for 32 x 16"},
    {"QNormOfOtherSize", "latent",
     [](ModelT& m) { Latent(m).q_norm->weight = m.final_norm->weight; }, "ask for 1 x 12"},
    {"NoKvDown", "latent", [](ModelT& m) { Latent(m).kv_down.reset(); },
     "layer 0's kv_down is absent"},
    {"NoLatentNormOfThatSize", "latent",
     [](ModelT& m) { Latent(m).latent_norm->weight = Latent(m).q_norm->weight; }, "ask for 1 x 16"},
    {"KeyUpIndex", "latent", [](ModelT& m) { Latent(m).key_up[1]->weight = kHuge; },
     "layer 0's key_up points at a tensor that is absent"},
    {"ValueUpOfOtherSize", "latent",
     [](ModelT& m) { Latent(m).value_up[1]->weight = Latent(m).key_up[1]->weight; },
     "layers.0.attention.key_up.1 is 16 x 8, the model's sizes ask for 8 x 16"},
    {"NoOutput", "latent", [](ModelT& m) { Latent(m).output.reset(); },
     "layer 0's attention output is absent"},
};

const std::vector<Case> kExperts = {
    {"NoRouter", "latent", [](ModelT& m) { Experts(m).router.reset(); },
     "layer 1's router is absent"},
    {"NoGateUp", "latent", [](ModelT& m) { Experts(m).experts[2]->gate_up.reset(); },
     "layer 1's expert's gate_up is absent"},
    {"UnlikeSizes", "latent",
     [](ModelT& m) {
       Experts(m).experts[2]->down->weight = Experts(m).experts[2]->gate_up->weight;
     },
     "experts.2.gate_up is 16 x 16, the model's sizes ask for 16 x 8"},
    {"HugeSize", "latent", [](ModelT& m) { Experts(m).intermediate_size = kHuge; },
     "layer 1 has intermediate_size 4294967294"},
    {"Activation", "latent",
     [](ModelT& m) { Experts(m).activation = static_cast<format::Activation>(77); },
     "activation 77"},
    {"JitterNan", "latent", [](ModelT& m) { Experts(m).jitter = NAN; },
     "layer 1's mixture of experts has a jitter that is not a finite number"},
    {"SharedNormOfNoShared", "latent",
     [](ModelT& m) {
       Experts(m).shared.reset();
       Experts(m).shared_size = 0;
       Experts(m).shared_post_norm = std::make_unique<format::NormT>(*m.final_norm);
     },
     "has the size or a norm of a shared expert that is absent"},
    {"SharedDownAbsent", "latent", [](ModelT& m) { Experts(m).shared->down.reset(); },
     "layer 1's expert's down is absent"},
    {"HugeGroups", "latent", [](ModelT& m) { Experts(m).n_groups = kHuge; },
     "uses 1 of 4294967294 groups of its 4 experts"},
    {"HugeGroupsUsed", "latent", [](ModelT& m) { Experts(m).n_groups_used = kHuge; },
     "uses 4294967294 of 2 groups"},
    {"ThreeBest", "latent", [](ModelT& m) { Experts(m).group_best = 3; },
     "layer 1 chooses groups by their 3 best of 2 experts, expected 1 or 2"},
    {"WeightScalesOfOtherSize", "latent",
     [](ModelT& m) { Experts(m).weight_scales = static_cast<int32_t>(m.final_norm->weight); },
     "ask for 1 x 4"},
    {"PostNormOfOtherSize", "latent",
     [](ModelT& m) {
       Experts(m).experts_post_norm = std::make_unique<format::NormT>(*Latent(m).q_norm);
     },
     "ask for 1 x 16"},
};

const std::vector<Case> kLayerEmbeddings = {
    {"NoSize", "embeddings", [](ModelT& m) { m.layer_embeddings->size = 0; },
     "the size of layer embeddings is 0, expected 1 to 131072"},
    {"HugeSize", "embeddings", [](ModelT& m) { m.layer_embeddings->size = kHuge; },
     "the size of layer embeddings is 4294967294"},
    {"OtherSize", "embeddings", [](ModelT& m) { m.layer_embeddings->size = 8; },
     "layer_embeddings.table is 30 x 4, the model's sizes ask for 30 x 8"},
    {"TableScale", "embeddings", [](ModelT& m) { m.layer_embeddings->table_scale = NAN; },
     "the model's layer embeddings have a scale that is not finite"},
    {"Scale", "embeddings", [](ModelT& m) { m.layer_embeddings->scale = INFINITY; },
     "the model's layer embeddings have a scale that is not finite"},
    {"TableIndex", "embeddings", [](ModelT& m) { m.layer_embeddings->table = kHuge; },
     "the model's layer embeddings point at a tensor that is absent"},
    {"RowsOfHalfALayer", "embeddings",
     [](ModelT& m) { m.layer_embeddings->table = SublayerAt(m, 0, 1).op.AsMlp()->down->weight; },
     "have 16 rows, expected some for each of 3 layers"},
    {"NoProjection", "embeddings", [](ModelT& m) { m.layer_embeddings->projection.reset(); },
     "the model's projection of layer embeddings is absent"},
    {"NormOfOtherSize", "embeddings",
     [](ModelT& m) { m.layer_embeddings->norm->weight = m.final_norm->weight; }, "ask for 1 x 4"},
    {"NoGate", "embeddings", [](ModelT& m) { Embedding(m).gate.reset(); },
     "layer 0's layer embedding's gate is absent"},
    {"NoDown", "embeddings", [](ModelT& m) { Embedding(m).down.reset(); },
     "layer 0's layer embedding's down is absent"},
    {"Activation", "embeddings",
     [](ModelT& m) { Embedding(m).activation = format::Activation::kNone; },
     "layer 0's layer embedding asks for activation 0"},
    {"LayerScaleNegative", "embeddings", [](ModelT& m) { m.layers[1]->scale = -3; },
     "layer 1's scale has a negative index other than -1"},
};

const std::vector<Case> kAttention = {
    {"SharesWithNegative", "embeddings", [](ModelT& m) { Sharing(m).kv_layer = -5; },
     "layer 2's attention reads the keys and values of layer -5, expected one before"},
    {"SharesWithHuge", "embeddings", [](ModelT& m) { Sharing(m).kv_layer = kAbsent; },
     "of layer 1073741824, expected one before"},
    {"SharesWithOtherWindow", "embeddings", [](ModelT& m) { Sharing(m).kv_layer = 1; },
     "with the same KV heads, head sizes, window and chunk"},
    {"VNormGroup", "embeddings", [](ModelT& m) { AttentionOf(m, 0).v_norm->group = 5; },
     "layer 0's v norm has a group that does not divide its channels"},
    {"VNormOfOthersValues", "embeddings",
     [](ModelT& m) {
       Sharing(m).v_norm = std::make_unique<format::NormT>(*AttentionOf(m, 0).v_norm);
     },
     "layer 2's attention has norms of keys or values, which are another layer's"},
    {"HugeWindow", "sinks", [](ModelT& m) { AttentionOf(m, 0).window = kHuge; },
     "layer 0's attention has a window or chunk beyond any context"},
    {"HugeChunk", "chunks", [](ModelT& m) { AttentionOf(m, 0).chunk = kHuge; },
     "layer 0's attention has a window or chunk beyond any context"},
    {"SinkIndex", "sinks", [](ModelT& m) { AttentionOf(m, 0).sink_logits = kAbsent; },
     "layer 0's sink logits points at a tensor that is absent"},
    {"SinkNegative", "sinks", [](ModelT& m) { AttentionOf(m, 0).sink_logits = -2; },
     "layer 0's sink logits has a negative index other than -1"},
    {"Cap", "sinks", [](ModelT& m) { AttentionOf(m, 0).soft_cap = -1; },
     "layer 0's attention has a soft cap or clip that is not"},
    {"Clip", "sinks", [](ModelT& m) { AttentionOf(m, 0).qkv_clip = NAN; },
     "layer 0's attention has a soft cap or clip that is not"},
    {"GateByHead", "sinks",
     [](ModelT& m) {
       AttentionOf(m, 0).gate = format::GateKind::kSoftplus;
       AttentionOf(m, 0).gate_by_head = true;
     },
     "attention.qkv is 32 x 16, the model's sizes ask for 34 x 16"},
    {"OutputNormOfOtherKind", "sinks",
     [](ModelT& m) {
       AttentionOf(m, 0).output_norm = std::make_unique<format::NormT>(*m.final_norm);
       AttentionOf(m, 0).output_norm->epsilon = 0;
     },
     "layer 0's norm of the heads' outputs has an epsilon that is not a finite number above 0"},
    {"QueryScaleNegative", "chunks", [](ModelT& m) { AttentionOf(m, 1).query_scale->factor = -1; },
     "layer 1's attention has a query_scale whose factor is not a finite number of at least 0"},
    {"SlopeNan", "sinks",
     [](ModelT& m) {
       AttentionOf(m, 0).alibi_slopes = {1, NAN};
     },
     "layer 0's attention has an ALiBi slope that is not finite"},
    {"ClipsOfAText", "sinks", [](ModelT& m) { AttentionOf(m, 0).clips = 0; },
     "layer 0's attention has clips, which only a tower's has"},
    {"ClipsOfATextsMlp", "embeddings", [](ModelT& m) { SublayerAt(m, 1, 1).op.AsMlp()->clips = 0; },
     "layer 1's mlp has clips, which only a tower's has"},
    {"WindowOfPatches", "sinks", [](ModelT& m) { AttentionOf(m, 0).in_window = true; },
     "layer 0's attention sees windows of patches, but there are none"},
    {"SlopesLacking", "sinks", [](ModelT& m) { AttentionOf(m, 0).alibi_slopes = {1}; },
     "layer 0 has 1 ALiBi slopes for 2 heads"},
};

INSTANTIATE_TEST_SUITE_P(Delta, OperatorCheck, testing::ValuesIn(kDelta), NameOf);
INSTANTIATE_TEST_SUITE_P(Mamba, OperatorCheck, testing::ValuesIn(kMamba), NameOf);
INSTANTIATE_TEST_SUITE_P(Latent, OperatorCheck, testing::ValuesIn(kLatent), NameOf);
INSTANTIATE_TEST_SUITE_P(Experts, OperatorCheck, testing::ValuesIn(kExperts), NameOf);
INSTANTIATE_TEST_SUITE_P(LayerEmbeddings, OperatorCheck, testing::ValuesIn(kLayerEmbeddings),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(DraftHead, OperatorCheck, testing::ValuesIn(kDraftHead), NameOf);
INSTANTIATE_TEST_SUITE_P(Attention, OperatorCheck, testing::ValuesIn(kAttention), NameOf);

// Vectors are read when an engine is created.
struct Vector {
  const char* model;
  const char* tensor;
};

class OperatorVectors : public testing::TestWithParam<Vector> {};

TEST_P(OperatorVectors, MustBeNumbers) {
  ModelBytes bytes = Model(GetParam().model);
  bool found = false;
  const ModelBytes damaged = [&] {
    const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
    for (const format::Tensor* tensor : *file->model().tensors()) {
      if (tensor->name()->str() != GetParam().tensor) continue;
      const float nan = NAN;
      std::memcpy(bytes.bytes().data() + tensor->data()->offset(), &nan, sizeof nan);
      found = true;
    }
    return Rewrite(bytes, [&](ModelT& m) {
      const auto seal = [&](format::Section* section) {
        const auto data = bytes.bytes().subspan(section->offset(), section->bytes());
        *section = format::Section(section->offset(), section->bytes(), Checksum(data));
      };
      for (format::Section& section : m.sections) seal(&section);
      for (auto& tensor : m.tensors) {
        if (tensor->name == GetParam().tensor) seal(tensor->data.get());
      }
    });
  }();
  ASSERT_TRUE(found);
  const Result<ModelFile> file = ModelFile::Open(damaged.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  const auto engine = Engine::Create(*file, nullptr, {}, nullptr, 0);
  ASSERT_FALSE(engine.ok());
  EXPECT_EQ(engine.status().code(), StatusCode::kCorrupt);
  EXPECT_EQ(engine.status().message(),
            "value 0 of tensor " + std::string(GetParam().tensor) + " is not a finite number");
}

INSTANTIATE_TEST_SUITE_P(Every, OperatorVectors,
                         testing::Values(Vector{"delta", "layers.0.delta.decay"},
                                         Vector{"delta", "layers.0.delta.dt_bias"},
                                         Vector{"delta", "layers.0.delta.conv"},
                                         Vector{"delta", "layers.0.delta.norm"},
                                         Vector{"mamba", "layers.0.mamba.decay"},
                                         Vector{"mamba", "layers.0.mamba.dt_bias"},
                                         Vector{"mamba", "layers.0.mamba.skip"},
                                         Vector{"mamba", "layers.0.mamba.conv.bias"},
                                         Vector{"latent", "layers.0.attention.latent_norm"},
                                         Vector{"latent", "layers.1.mlp.choice_bias"},
                                         Vector{"embeddings", "layers.0.attention.v_norm"},
                                         Vector{"embeddings", "layer_embeddings.norm"},
                                         Vector{"sinks", "layers.0.attention.sinks"}),
                         [](const auto& info) {
                           std::string name = info.param.tensor;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace rondo::operator_check_test
