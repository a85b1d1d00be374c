// What GGUF files call Mamba2's sizes and tensors, in the models of mamba.cc.
#pragma once

#include <nlohmann/json.hpp>

#include "tools/convert/sources/gguf/keys.h"
#include "tools/convert/sources/gguf/tensor_names.h"

namespace rondo::convert {

void AddGraniteHybrid(const GgufKeys& keys, nlohmann::json& config);
void AddFalconH1(const GgufKeys& keys, nlohmann::json& config);
void AddMamba2(const GgufKeys& keys, nlohmann::json& config);
void AddNemotronH(const GgufKeys& keys, nlohmann::json& config);

NameRules GraniteHybridRules();
NameRules FalconH1Rules();
// Of models whose layers are all mixers: Mamba2, Nemotron-H.
NameRules MixersRules();

}  // namespace rondo::convert
