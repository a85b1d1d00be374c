// The FlatBuffers metadata of a Rondo file from a DecoderSpec and the tensors as stored.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rondo_generated.h"
#include "tools/convert/output/decoder_spec.h"

namespace rondo::convert {

// A tensor's place in the file, in the terms of format::Tensor.
struct StoredTensor {
  format::TensorFormat format;
  uint64_t rows, cols;
  uint32_t block;  // 0 but for Q4B
  format::Section data;
  std::optional<format::Section> scales;
  std::optional<format::Section> tables;  // of Q4
  // What rounding did to what was rounded row by row: the squares of the errors by those of the
  // weights, the mean over columns.
  double lost = 0;
};

// Those of FormatRules with values of at most so many bits.
std::vector<std::string> FormatNames(uint32_t most_bits = UINT32_MAX);
// False for what is no format's name.
bool LiesInBlocks(const std::string& name);
// By FormatRule::name. Throws Error for any other text.
format::TensorFormat FormatNamed(const std::string& name);
// "q8", "q4b, block 64": as the facts of a file say it.
std::string FormatFact(format::TensorFormat format, uint32_t block);

using Facts = std::vector<std::pair<std::string, std::string>>;

// Finishes `builder` as the metadata. `stored` goes with `spec.tensors` one by one; `tokenizer`,
// `chat` and `sampling` may be null; `sections` are all of the file's, in order.
void BuildMetadata(const std::string& model_name, const DecoderSpec& spec, const Facts& facts,
                   const std::vector<StoredTensor>& stored,
                   const std::vector<format::Section>& sections,
                   flatbuffers::Offset<format::Tokenizer> tokenizer,
                   flatbuffers::FlatBufferBuilder& builder,
                   flatbuffers::Offset<format::Chat> chat = {},
                   flatbuffers::Offset<format::Sampling> sampling = {});

}  // namespace rondo::convert
