// The projectors behind a SigLIP: idefics3 (SmolVLM, Idefics 3), lfm2 (LFM2-VL), gemma3.
#include <string>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/mmproj/projectors.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

constexpr const char *kTanh = "gelu_pytorch_tanh", *kTower = "model.vision_tower.";

void AddIdefics3(const GgufKeys& keys, MmprojConfigs& configs) {
  // llama.cpp's converter writes 1e-5 where the config does not say it, which means 1e-6.
  json& epsilon = configs.vision["layer_norm_eps"];
  if (epsilon == 1e-5) epsilon = 1e-6;
  configs.vision["hidden_act"] = ActivationOf(keys, kTanh);
  CheckGrid(keys, 0);
  configs.whole["scale_factor"] = ScaleFactor(keys, 2);
  // A tile is what the tower sees; older files do not say how large a whole picture becomes, which
  // is four of them in all models.
  const uint64_t tile = keys.Count("image_size", kMaxHidden);
  const char* const kLongest = "preproc_image_size";
  const uint64_t longest = keys.Has(kLongest) ? keys.Count(kLongest, kMaxHidden) : 4 * tile;
  configs.processor["max_image_size"] = {{"longest_edge", tile}};
  configs.processor["size"] = {{"longest_edge", longest}};
}

void AddLfm2(const GgufKeys& keys, MmprojConfigs& configs) {
  configs.vision["hidden_act"] = ActivationOf(keys, kTanh);
  configs.vision["num_patches"] = DimensionOf(keys, "v.position_embd.weight", 0);
  configs.whole["downsample_factor"] = ScaleFactor(keys, 2);
  configs.whole["projector_hidden_size"] = DimensionOf(keys, "mm.1.weight", 0);
  configs.whole["projector_bias"] = keys.HasTensor("mm.1.bias");
  configs.whole["projector_use_layernorm"] = keys.HasTensor("mm.input_norm.weight");
  const std::string filter = keys.Text("image_resize_algo", "bilinear");
  const json kFilters = {{"lanczos", 1}, {"bilinear", 2}, {"bicubic", 3}};
  if (!kFilters.contains(filter)) {
    keys.Refuse("image_resize_algo", "is " + filter + "; known: bicubic, bilinear, lanczos");
  }
  configs.processor["resample"] = kFilters.at(filter);
  AddTiles(keys, "min_tiles", "max_tiles", configs);
}

void AddGemma3(const GgufKeys& keys, MmprojConfigs& configs) {
  configs.vision["hidden_act"] = ActivationOf(keys, kTanh);
  CheckGrid(keys, 0);
  const uint64_t side = keys.Count("image_size", kMaxHidden) / keys.Count("patch_size", kMaxHidden);
  const uint64_t across = side / ScaleFactor(keys, 4);
  configs.whole["mm_tokens_per_image"] = across * across;
}

}  // namespace

MmprojRules Idefics3Mmproj() {
  NameRules names = SiglipNames("model.vision_model.");
  names.push_back({"mm.model.fc", "model.connector.modality_projection.proj"});
  return {"smolvlm", names, AddIdefics3};
}

MmprojRules Lfm2Mmproj() {
  const std::string connector = "model.multi_modal_projector.";
  NameRules names = SiglipNames(kTower);
  names.push_back({"v.patch_embd.weight", kTower + std::string("embeddings.patch_embedding.weight"),
                   Change::kChannelsLast});
  names.push_back({"mm.input_norm", connector + "layer_norm"});
  names.push_back({"mm.{}", connector + "linear_{}"});
  return {"lfm2_vl", names, AddLfm2};
}

MmprojRules Gemma3Mmproj() {
  const std::string connector = "model.multi_modal_projector.";
  NameRules names = SiglipNames(kTower);
  names.push_back({"mm.soft_emb_norm", connector + "mm_soft_emb_norm", Change::kPlusOne});
  names.push_back({"mm.input_projection.weight", connector + "mm_input_projection_weight"});
  return {"gemma3", names, AddGemma3};
}

}  // namespace rondo::convert
