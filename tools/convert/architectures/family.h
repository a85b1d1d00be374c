// Family: a decoder-only model as its checkpoint has it: what the whole model has, and its layers,
// each an ordered list of sublayers.
//
// A new one is Llama. Each architecture says in a small file of its own what differs: of all
// layers in `attention` and `mlp`, of single ones in a loop over `layers`. What no other has is a
// recipe or a function of that file. BuildDecoder makes the DecoderSpec of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tools/convert/architectures/family_config.h"
#include "tools/convert/architectures/sublayers/attention.h"
#include "tools/convert/architectures/sublayers/experts.h"
#include "tools/convert/architectures/sublayers/latent_attention.h"
#include "tools/convert/architectures/sublayers/laurel.h"
#include "tools/convert/architectures/sublayers/layer_embedding.h"
#include "tools/convert/architectures/sublayers/mlp.h"
#include "tools/convert/architectures/sublayers/recurrence.h"
#include "tools/convert/architectures/sublayers/short_conv.h"
#include "tools/convert/output/decoder_spec.h"

namespace rondo::convert {

using Sublayer = std::variant<Attention, LatentAttention, DeltaNet, Mamba2, ShortConv, Laurel, Mlp,
                              Experts, LayerEmbedding>;

struct Layer {
  std::vector<Sublayer> sublayers;
  // What stands at its end, behind the sublayers; null: nothing.
  std::function<void(SublayerBuilder& b, format::LayerT& layer)> at_end = nullptr;

  // The one that is there.
  Attention& attention() { return Get<Attention>(); }
  Mlp& mlp() { return Get<Mlp>(); }

 private:
  template <typename T>
  T& Get() {
    for (Sublayer& one : sublayers) {
      if (T* const found = std::get_if<T>(&one)) return *found;
    }
    throw std::bad_variant_access();
  }
};

// A head that predicts the token behind the next one, as the checkpoint has it: whole names,
// without ".weight".
struct DraftHeadNames {
  std::string input, embedding_norm, hidden_norm, norm;
  std::string layer;  // what the names of its layer begin with
};
struct DraftHead {
  DraftHeadNames names;
  std::optional<Layer> layer = {};  // null: as the last one
  bool chains_normed = false;       // as in the schema
};

// What makes a model an assistant, as the schema has it: whole names, without ".weight".
struct Assistant {
  std::string input, output;
  uint32_t other_hidden;
};

struct Family {
  // Llama's, of these sizes.
  explicit Family(const Sizes& all);

  Sizes sizes;
  std::vector<RopeSpec> ropes;
  float embedding_scale = 1, logit_soft_cap = 0;
  float logit_scale = 1;  // folded into the last norm
  bool tied = false;      // the head is the embedding
  bool head_bias = false;
  bool transposed = false;  // matrices are [inputs, output channels], as in GPT-2

  // Names, below `prefix`; without ".weight" and ".bias".
  std::string prefix = "model.";
  std::string layer_prefix = "layers.";
  std::string embedding = "embed_tokens";
  std::string embedding_norm;          // of what enters the first layer; empty: none
  std::string final_norm = "norm";     // empty: the last residual_norm serves
  std::string head = "lm_head";        // not below the prefix
  std::vector<std::string> ignored;    // of each layer
  std::vector<OtherName> other_names;  // these two as in DecoderSpec
  std::vector<std::string> left_out;

  // Norms of the stream.
  format::NormKind norm = format::NormKind::kRmsNorm;
  double epsilon = 1e-6;
  bool norm_bias = false;
  float norm_offset = 0;  // Gemma keeps weights less 1
  bool norm_weights = true;

  // The usual layer's.
  Attention attention;
  Mlp mlp;
  // Empty: each is the usual one.
  std::vector<Layer> layers;
  std::optional<TensorRecipe> positions;         // a table of them
  std::optional<TensorRecipe> embedding_offset;  // added to every embedding
  std::optional<DraftHead> draft_head;           // where it is wanted
  std::optional<Assistant> assistant;            // where it is one
  // Make the model's own parts of what sublayers need.
  std::vector<std::function<void(SublayerBuilder& b)>> before_layers;

  // Norms behind attention and MLP in place of those before.
  void PostNorm(const std::string& of_attention, const std::string& of_mlp);
  // All layers, as `attention` and `mlp` say now.
  void AddLayers();
  // The same, where these have windows (0: none).
  void AddLayers(const std::vector<uint32_t>& windows);
  // The same; layers without a window and those with one turn by ropes of their own (-1: not).
  struct RopeByWindow {
    int32_t full, sliding;
  };
  void AddLayers(const std::vector<uint32_t>& windows, const RopeByWindow& rope);
  // In place of the MLP, in layers for which `where` holds, or in all.
  void PlaceExperts(const Experts& experts,
                    const std::function<bool(uint32_t layer)>& where = nullptr);
  // Learned ones, in a tensor below the prefix; `first`: the row of position 0.
  void LearnPositions(const std::string& tensor, uint32_t first = 0);
};

// What most configs say: by which keys, and what is meant where one is absent.
struct FamilyKeys {
  format::NormKind norm = format::NormKind::kRmsNorm;
  const char* epsilon_key = "rms_norm_eps";
  double epsilon = 1e-6;
  const char* activation_key = "hidden_act";
  const char* activation = "silu";
  double theta = 10000;
  double turning = 1;  // the share of a head's channels; 0: `ropes` is the caller's
  std::optional<bool> attention_bias = {};  // of q, k, v and output; null: has no such key
  bool tied = false;
};
Family ReadFamily(const Config& config, const SizeKeys& sizes, const FamilyKeys& keys = {});

// Granite's: of scores, of the embedding, of what sublayers add, of logits.
void ReadMultipliers(const Config& config, Family& f);

// Throws Error where sizes contradict each other.
DecoderSpec BuildDecoder(Family family);

// The layers of what sees for the model of `spec`, its RoPE, embedding_norm and final_norm, where
// the family has them; its tensors are `spec`'s, and called "vision." and so on.
void BuildTower(Family family, DecoderSpec* spec, format::ModelT* vision);

}  // namespace rondo::convert
