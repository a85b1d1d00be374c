// The architectures that the converter knows: each turns config.json into a DecoderSpec.
#pragma once

#include "tools/convert/architectures/decoder_spec.h"
#include "tools/convert/sources/config.h"

namespace rondo::convert {

// By config.json's `architectures`, or `model_type` where that is absent. Throws Error naming the
// architecture and those known, or the key that is wrong. Token ids are the caller's to add.
DecoderSpec ReadArchitecture(const Config& config);

DecoderSpec ReadGemma(const Config& config);
DecoderSpec ReadGemma2(const Config& config);
DecoderSpec ReadGemma3(const Config& config);
DecoderSpec ReadGpt2(const Config& config);
DecoderSpec ReadGptNeox(const Config& config);
DecoderSpec ReadGranite(const Config& config);
DecoderSpec ReadLfm2(const Config& config);
DecoderSpec ReadLlama(const Config& config);
DecoderSpec ReadMistral(const Config& config);
DecoderSpec ReadMixtral(const Config& config);
DecoderSpec ReadOlmo2(const Config& config);
DecoderSpec ReadOlmoe(const Config& config);
DecoderSpec ReadPhi(const Config& config);
DecoderSpec ReadPhi3(const Config& config);
DecoderSpec ReadQwen2(const Config& config);
DecoderSpec ReadQwen3(const Config& config);
DecoderSpec ReadQwen3Moe(const Config& config);
DecoderSpec ReadSmolLm3(const Config& config);
DecoderSpec ReadStableLm(const Config& config);
DecoderSpec ReadStarcoder2(const Config& config);

}  // namespace rondo::convert
