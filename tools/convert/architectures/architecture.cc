#include "tools/convert/architectures/architecture.h"

#include <array>

namespace rondo::convert {
namespace {

struct Architecture {
  const char* name;
  const char* model_type;
  DecoderSpec (*read)(const Config&);
};

constexpr std::array kArchitectures = {
    Architecture{"Gemma2ForCausalLM", "gemma2", ReadGemma2},
    Architecture{"Gemma3ForCausalLM", "gemma3_text", ReadGemma3},
    Architecture{"GemmaForCausalLM", "gemma", ReadGemma},
    Architecture{"GPT2LMHeadModel", "gpt2", ReadGpt2},
    Architecture{"GPTNeoXForCausalLM", "gpt_neox", ReadGptNeox},
    Architecture{"GraniteForCausalLM", "granite", ReadGranite},
    Architecture{"Lfm2ForCausalLM", "lfm2", ReadLfm2},
    Architecture{"LlamaForCausalLM", "llama", ReadLlama},
    Architecture{"MistralForCausalLM", "mistral", ReadMistral},
    Architecture{"MixtralForCausalLM", "mixtral", ReadMixtral},
    Architecture{"Olmo2ForCausalLM", "olmo2", ReadOlmo2},
    Architecture{"OlmoeForCausalLM", "olmoe", ReadOlmoe},
    Architecture{"Phi3ForCausalLM", "phi3", ReadPhi3},
    Architecture{"PhiForCausalLM", "phi", ReadPhi},
    Architecture{"Qwen2ForCausalLM", "qwen2", ReadQwen2},
    Architecture{"Qwen3ForCausalLM", "qwen3", ReadQwen3},
    Architecture{"Qwen3MoeForCausalLM", "qwen3_moe", ReadQwen3Moe},
    Architecture{"SmolLM3ForCausalLM", "smollm3", ReadSmolLm3},
    Architecture{"StableLmForCausalLM", "stablelm", ReadStableLm},
    Architecture{"Starcoder2ForCausalLM", "starcoder2", ReadStarcoder2},
};

[[noreturn]] void RefuseUnknown(const Config& config, const char* key, const std::string& name) {
  std::string known;
  for (const Architecture& architecture : kArchitectures) {
    known += std::string(known.empty() ? "" : ", ") + architecture.name;
  }
  config.Refuse(key, "names the architecture " + name + "; known: " + known);
}

}  // namespace

DecoderSpec ReadArchitecture(const Config& config) {
  const std::vector<std::string> names = config.Texts("architectures");
  const std::string model_type = config.Text("model_type", "");
  if (names.size() > 1) config.Refuse("architectures", "names more than one architecture");
  if (names.empty() && model_type.empty()) config.Refuse("architectures", "is missing");
  for (const Architecture& architecture : kArchitectures) {
    const bool same_type = model_type == architecture.model_type;
    if (names.empty() ? !same_type : names.front() != architecture.name) continue;
    if (!same_type && !model_type.empty()) {
      config.Refuse("model_type", "is " + model_type + ", which is not " + architecture.name);
    }
    DecoderSpec spec = architecture.read(config);
    spec.architecture = architecture.name;
    return spec;
  }
  if (names.empty()) RefuseUnknown(config, "model_type", model_type);
  RefuseUnknown(config, "architectures", names.front());
}

}  // namespace rondo::convert
