#include "tools/convert/architectures/bert_parts.h"

#include <utility>

#include "runtime/model/limits.h"

namespace rondo::convert {

void AddTokenType(const Config& config, const std::string& tensor, Family& f) {
  const uint64_t types = config.Integer("type_vocab_size", 0, kMaxVocab, 2);
  if (types == 0) return;
  const uint64_t hidden = f.sizes.hidden;
  f.embedding_offset = {
      "token_type", TensorRole::kVector, {{f.prefix + tensor, hidden, 0, {types, hidden}}}, 1};
}

DecoderSpec BuildEncoder(Family f) {
  const std::string prefix = f.prefix;
  f.tied = true;  // there is no head
  f.attention.bidirectional = true;
  f.final_norm = "";
  // What predicts tokens, or the next sentence, stands under one of these names.
  for (const char* part : {"pooler.", "cls.", "lm_head."}) {
    f.left_out.emplace_back(part);
    f.left_out.push_back(prefix + part);
  }
  DecoderSpec spec = BuildDecoder(std::move(f));
  spec.ignored.insert(prefix + "embeddings.position_ids");
  return spec;
}

}  // namespace rondo::convert
