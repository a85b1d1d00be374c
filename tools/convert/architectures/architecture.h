// The architectures that the converter knows. Each is a row: what Hugging Face and GGUF files call
// it and its tensors, and how its config becomes a DecoderSpec. A family, which is those that share
// code, is a file with a function that returns its rows; families.inc lists the families.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/config.h"
#include "tools/convert/sources/gguf/keys.h"
#include "tools/convert/sources/gguf/tensor_names.h"

namespace rondo::convert {

struct Architecture {
  const char* name;        // config.json's `architectures`
  const char* model_type;  // config.json's `model_type`
  DecoderSpec (*read)(const Config& config);
  // Of a model that also sees or hears, in place of `read`: the model_type of its text_config,
  // where that does not say (text_part.h).
  const char* text_type = nullptr;
  // Makes of its text_config that of a model of its own; null: it is one.
  Config (*text_config)(const Config& text) = nullptr;

  // It predicts no tokens: it makes vectors of texts, also where its folder does not say how.
  bool is_encoder = false;
  // The prefix of a text of it sees itself whole.
  bool has_prefix = false;

  const char* gguf = nullptr;  // general.architecture; null: no file of this one is known
  // Of those that share that name, whether a file is of this one; null: it is.
  bool (*is_in_gguf)(const GgufKeys& keys) = nullptr;
  // Adds to `config`, which has what all architectures have, what only some do; null: nothing.
  void (*add_gguf)(const GgufKeys& keys, nlohmann::json& config) = nullptr;
  NameRules gguf_names = UsualNames();
  double gguf_rope_theta = 1e4;  // where the file has none
  bool gguf_usual_heads = true;  // false: add_gguf adds heads, MLP and RoPE, if there are any
};

// By config.json's `architectures`, or `model_type` where that is absent. Throws Error naming the
// architecture and those known.
const Architecture& FindArchitecture(const Config& config);
// By general.architecture and what the file holds. Throws Error likewise.
const Architecture& FindArchitecture(const GgufKeys& keys);

// By `model_type` alone, whatever class of it `architectures` names.
bool IsEncoder(const Config& config);

// Throws Error naming the key that is wrong. Token ids are the caller's to add.
DecoderSpec ReadArchitecture(const Config& config);

}  // namespace rondo::convert
