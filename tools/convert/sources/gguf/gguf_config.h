// From a GGUF file's metadata to the config.json that the model came with, as far as it is needed.
#pragma once

#include <functional>

#include "tools/convert/sources/gguf/gguf_rules.h"

namespace rondo::convert {

// In the form of transformers 5 (`rope_parameters`), with the ids of the tokens that begin and end
// a text; ids that are no token are left out, and `notes` say so. Throws Error naming the file and
// the key that is missing, wrong or not known.
nlohmann::json ReadGgufConfig(const GgufKeys& keys, const GgufRules& rules,
                              std::vector<std::string>& notes);

// ---- What several architectures take from the same keys

// `theta`: of the layers meant, where they differ.
nlohmann::json RopeParameters(const GgufKeys& keys, double theta);
// Whether attention and MLP have biases.
void AddBiases(const GgufKeys& keys, nlohmann::json& config);
// Granite's, and its kin's.
void AddMultipliers(const GgufKeys& keys, nlohmann::json& config);
bool HasWindow(const GgufKeys& keys);
void AddWindow(const GgufKeys& keys, nlohmann::json& config);
// For models that are known by their window: it is noted where the file has none.
void NoteWindow(const GgufKeys& keys);
// Above 0 where the layers have experts.
uint64_t ExpertCount(const GgufKeys& keys);
// `count`: what config.json calls their number.
void AddExperts(const GgufKeys& keys, const char* count, nlohmann::json& config);
void AddExpertSize(const GgufKeys& keys, nlohmann::json& config);
// As DeepSeek's: groups, shared experts, a factor, dense layers at the beginning.
void AddDeepSeekExperts(const GgufKeys& keys, nlohmann::json& config);
// Refuses a file that scores experts otherwise than the model does.
enum class Gating { kSoftmax = 1, kSigmoid = 2 };
void CheckGating(const GgufKeys& keys, Gating expected);
// layer_types by attention.sliding_window_pattern: a list, or every how many layers one sees
// everything.
void AddSlidingLayers(const GgufKeys& keys, uint64_t period_if_absent, nlohmann::json& config);
// Layer by layer "full_attention", or `other`.
nlohmann::json LayerTypes(const GgufKeys& keys, const char* other,
                          const std::function<bool(uint64_t layer)>& is_full);

}  // namespace rondo::convert
