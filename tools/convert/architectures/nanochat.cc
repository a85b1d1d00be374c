// nanochat: norms without weights everywhere, also of the embedding and, behind RoPE, of q and k;
// squared ReLU, and a RoPE that turns the other way.
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadNanoChat(const Config& config) {
  Family f = ReadFamily(config, {}, {.activation = "relu2", .attention_bias = false});
  f.norm_weights = false;
  f.embedding_norm = "norm";
  f.attention.head_norm = HeadNorm::kPlain;
  f.attention.norms_after_rope = true;
  f.mlp.Ungate("mlp.fc1", "mlp.fc2");
  f.attention.rope_pairs = RopePairs::kReversed;
  const char* const kCap = "final_logit_softcapping";
  if (config.Has(kCap) || !config.Mentions(kCap)) {
    f.logit_soft_cap = static_cast<float>(config.Positive(kCap, 15));
  }
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> NanoChatArchitectures() {
  return {{.name = "NanoChatForCausalLM", .model_type = "nanochat", .read = ReadNanoChat}};
}

}  // namespace rondo::convert
