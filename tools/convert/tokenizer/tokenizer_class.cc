#include "tools/convert/tokenizer/tokenizer_class.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "tools/convert/tokenizer/known_patterns.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

// Models whose tokenizer.json AutoTokenizer takes as it is, whatever class the folder names.
constexpr std::string_view kByFile[] = {"arctic",
                                        "chameleon",
                                        "deepseek_ocr",
                                        "deepseek_v2",
                                        "deepseek_v3",
                                        "deepseek_v32",
                                        "deepseek_v4",
                                        "fuyu",
                                        "glm",
                                        "glm4",
                                        "glm4_moe",
                                        "glm4_moe_lite",
                                        "granite",
                                        "granitemoe",
                                        "granitemoehybrid",
                                        "internlm2",
                                        "granitemoeshared",
                                        "jamba",
                                        "llava",
                                        "llava_next",
                                        "minimax_m2",
                                        "ministral",
                                        "ministral3",
                                        "mistral",
                                        "mistral3",
                                        "mixtral",
                                        "molmo",
                                        "molmo2",
                                        "nemotron",
                                        "olmo3",
                                        "olmo_hybrid",
                                        "phi3",
                                        "phi3_v",
                                        "phimoe",
                                        "pixtral",
                                        "step3p5",
                                        "voxtral"};
// The class of a model whose folder names none.
constexpr std::string_view kByQwen2[] = {"qwen2",      "qwen2_moe", "qwen2_vl",
                                         "qwen2_5_vl", "qwen3",     "qwen3_moe",
                                         "qwen3_next", "qwen3_vl",  "qwen3_vl_moe"};
constexpr std::string_view kByGptNeoX[] = {"falcon_mamba", "gpt_neox", "mamba", "mamba2",
                                           "mpt",          "olmo",     "olmo2", "olmoe",
                                           "stablelm",     "xlstm"};
constexpr std::string_view kByGpt2[] = {"codegen",     "dbrx",    "flex_olmo", "gpt2",
                                        "gpt_bigcode", "gpt_neo", "gptj",      "jais2",
                                        "opt",         "phi",     "starcoder2"};

template <size_t n>
bool Holds(const std::string_view (&list)[n], const std::string& name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

json ByteLevel(bool prefix, bool use_regex) {
  return {{"type", "ByteLevel"}, {"add_prefix_space", prefix}, {"use_regex", use_regex}};
}

void PutLlama(const TokenizerConfig& config, json& document) {
  const bool prefix = config.Flag("add_prefix_space").value_or(true);
  const bool legacy = config.Flag("legacy").value_or(false);
  document["normalizer"] = nullptr;
  document["pre_tokenizer"] = {{"type", "Metaspace"},
                               {"replacement", "\u2581"},
                               {"prepend_scheme", !prefix  ? "never"
                                                  : legacy ? "always"
                                                           : "first"},
                               {"split", false}};
  json steps = json::array();
  steps.push_back({{"type", "Replace"}, {"pattern", {{"String", "\u2581"}}}, {"content", " "}});
  steps.push_back({{"type", "ByteFallback"}});
  steps.push_back({{"type", "Fuse"}});
  if (prefix) steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  document["decoder"] = {{"type", "Sequence"}, {"decoders", std::move(steps)}};
  document["model"]["unk_token"] = nullptr;
  document["model"]["fuse_unk"] = true;
  document["model"]["byte_fallback"] = true;
}

}  // namespace

TokenizerClass ClassOf(const TokenizerConfig& config) {
  const std::string type = config.model_type();
  if (Holds(kByFile, type)) return TokenizerClass::kFile;
  if (type == "qwen2") return TokenizerClass::kQwen2;
  const std::string name = config.tokenizer_class();
  if (name == "LlamaTokenizer" || name == "Phi3Tokenizer") return TokenizerClass::kLlama;
  if (name == "GPT2Tokenizer") return TokenizerClass::kGpt2;
  if (name == "Qwen2Tokenizer") return TokenizerClass::kQwen2;
  if (name == "GPTNeoXTokenizer") return TokenizerClass::kGptNeoX;
  if (!name.empty()) return TokenizerClass::kFile;
  if (Holds(kByQwen2, type)) return TokenizerClass::kQwen2;
  if (Holds(kByGptNeoX, type)) return TokenizerClass::kGptNeoX;
  return Holds(kByGpt2, type) ? TokenizerClass::kGpt2 : TokenizerClass::kFile;
}

void PutPipeline(TokenizerClass of, const TokenizerConfig& config, json& document) {
  if (of == TokenizerClass::kFile) return;
  if (of == TokenizerClass::kLlama) return PutLlama(config, document);
  const bool prefix = config.Flag("add_prefix_space").value_or(false);
  const bool nfc = of != TokenizerClass::kGpt2;
  document["normalizer"] = nfc ? json({{"type", "NFC"}}) : json();
  document["decoder"] = ByteLevel(prefix, true);
  if (of != TokenizerClass::kQwen2) {
    document["pre_tokenizer"] = ByteLevel(prefix, true);
    return;
  }
  const json split = {{"type", "Split"},
                      {"pattern", {{"Regex", kQwen2Pattern}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  document["pre_tokenizer"] = {{"type", "Sequence"},
                               {"pretokenizers", json::array({split, ByteLevel(prefix, false)})}};
}

const char* DefaultToken(TokenizerClass of, const std::string& key) {
  if (of == TokenizerClass::kLlama) {
    return key == "unk_token"   ? "<unk>"
           : key == "bos_token" ? "<s>"
           : key == "eos_token" ? "</s>"
                                : nullptr;
  }
  if (of == TokenizerClass::kFile) return nullptr;
  if (key == "unk_token" || key == "eos_token") return "<|endoftext|>";
  if (key == "bos_token") return of == TokenizerClass::kQwen2 ? nullptr : "<|endoftext|>";
  if (key != "pad_token" || of == TokenizerClass::kGpt2) return nullptr;
  return of == TokenizerClass::kQwen2 ? "<|endoftext|>" : "<|padding|>";
}

}  // namespace rondo::convert
