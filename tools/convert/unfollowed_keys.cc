#include "tools/convert/unfollowed_keys.h"

#include <algorithm>
#include <string_view>

namespace rondo::convert {
namespace {

using nlohmann::json;

struct Key {
  std::string_view name;
  double off = 0;  // the number that changes nothing
};

constexpr Key kUnfollowed[] = {{"begin_suppress_tokens"},
                               {"constraints"},
                               {"diversity_penalty"},
                               {"dola_layers"},
                               {"encoder_no_repeat_ngram_size"},
                               {"encoder_repetition_penalty", 1},
                               {"epsilon_cutoff"},
                               {"eta_cutoff"},
                               {"exponential_decay_length_penalty"},
                               {"force_words_ids"},
                               {"forced_bos_token_id", -1},
                               {"forced_decoder_ids"},
                               {"forced_eos_token_id", -1},
                               {"guidance_scale", 1},
                               {"min_length"},
                               {"min_new_tokens"},
                               {"mirostat"},
                               {"num_beams", 1},
                               {"penalty_alpha"},
                               {"penalty_last_n"},
                               {"sequence_bias"},
                               {"token_healing"},
                               {"top_h"},
                               {"typical_p", 1},
                               {"watermarking_config"},
                               {"xtc_probability"}};

// What is followed elsewhere, what says how to compute and not what, what only beams or other
// programs read, and the limits that every command has its own of.
constexpr std::string_view kKnown[] = {"assistant_confidence_threshold",
                                       "assistant_early_exit",
                                       "assistant_lookbehind",
                                       "assistant_token_id",
                                       "bad_words_ids",
                                       "bos_token_id",
                                       "cache_config",
                                       "cache_implementation",
                                       "chat_format",
                                       "compile_config",
                                       "decoder_start_token_id",
                                       "disable_compile",
                                       "do_sample",
                                       "early_stopping",
                                       "eos_token_id",
                                       "is_assistant",
                                       "length_penalty",
                                       "low_memory",
                                       "max_length",
                                       "max_matching_ngram_size",
                                       "max_new_tokens",
                                       "max_window_size",
                                       "min_p",
                                       "no_repeat_ngram_size",
                                       "num_assistant_tokens",
                                       "num_assistant_tokens_schedule",
                                       "num_beam_groups",
                                       "num_return_sequences",
                                       "output_attentions",
                                       "output_hidden_states",
                                       "output_logits",
                                       "output_scores",
                                       "pad_token_id",
                                       "prefill_chunk_size",
                                       "prompt_lookup_num_tokens",
                                       "remove_invalid_values",
                                       "renormalize_logits",
                                       "repetition_penalty",
                                       "return_dict_in_generate",
                                       "return_legacy_cache",
                                       "stop_strings",
                                       "suppress_tokens",
                                       "target_lookbehind",
                                       "temperature",
                                       "top_k",
                                       "top_p",
                                       "transformers_version",
                                       "use_cache",
                                       "user_token_id",
                                       "xtc_threshold"};

bool IsOff(const json& value, double off) {
  if (value.is_number()) return value.get<double>() == off;
  return value.is_null() || value == false ||
         ((value.is_structured() || value.is_string()) && value.empty());
}

// Whether the key is none that anybody knows to change nothing.
bool Changes(const std::string& name, const json& value, bool own) {
  const auto* const found = std::ranges::find(kUnfollowed, name, &Key::name);
  if (found != std::end(kUnfollowed)) return !IsOff(value, found->off);
  const bool is_private = name.starts_with("_") || name.find('.') != std::string::npos;
  return own && !is_private && std::ranges::find(kKnown, name) == std::end(kKnown) &&
         !IsOff(value, 0);
}

std::string Short(const json& value) {
  constexpr size_t kMost = 40;
  const std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

}  // namespace

void TellUnfollowed(const Config& generation, bool own, std::vector<std::string>& notes) {
  std::string keys;
  for (const auto& [name, value] : generation.object().items()) {
    if (Changes(name, value, own)) keys += (keys.empty() ? "" : ", ") + name + " " + Short(value);
  }
  if (!keys.empty()) {
    notes.push_back("recommended for generating, but not followed: " + keys);
  }
}

}  // namespace rondo::convert
