#include "tools/convert/sources/gguf/gguf_generation.h"

#include <string>
#include <utility>

namespace rondo::convert {

nlohmann::json ReadGgufGeneration(const Config& keys) {
  const std::pair<const char*, const char*> kNames[] = {
      {"temperature", "general.sampling.temp"},
      {"top_k", "general.sampling.top_k"},
      {"top_p", "general.sampling.top_p"},
      {"min_p", "general.sampling.min_p"},
      {"repetition_penalty", "general.sampling.penalty_repeat"}};
  nlohmann::json generation = nlohmann::json::object();
  for (const auto& [name, key] : kNames) {
    if (keys.Has(key)) generation[name] = keys.Number(key);
  }
  // Not followed; named so that this is told.
  for (const char* name : {"xtc_probability", "xtc_threshold", "penalty_last_n", "mirostat"}) {
    const std::string key = std::string("general.sampling.") + name;
    if (keys.Has(key.c_str())) generation[name] = keys.Number(key.c_str());
  }
  // llama.cpp takes the most likely token at and below 0.
  const bool is_greedy = generation.value("temperature", 1.0) <= 0;
  const bool chooses = generation.contains("temperature") || generation.contains("top_k") ||
                       generation.contains("top_p") || generation.contains("min_p");
  if (chooses) generation["do_sample"] = !is_greedy;
  return generation;
}

}  // namespace rondo::convert
