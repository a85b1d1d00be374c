// BitNet: Llama with squared ReLU, and norms of what enters o_proj and down_proj. Its weights are
// -1, 0 or 1 times a number (Ma et al. 2024, "The Era of 1-bit LLMs"; sources/quantised/bitnet.cc).
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadBitNet(const Config& config) {
  Family f = ReadFamily(
      config, {.default_context = 2048},
      {.epsilon = 1e-5, .activation = "relu2", .theta = 500000, .attention_bias = false});
  f.attention.names.output_norm = "self_attn.attn_sub_norm";
  f.mlp.names.inner_norm = "mlp.ffn_sub_norm";
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> BitNetArchitectures() {
  return {{.name = "BitNetForCausalLM", .model_type = "bitnet", .read = ReadBitNet}};
}

}  // namespace rondo::convert
