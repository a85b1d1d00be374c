// BpeTables: the BPE model of tokenizer.json as the tables that the runtime reads.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/text/tokenizer_tables.h"
#include "tools/convert/tokenizer/json_value.h"
#include "tools/convert/tokenizer/vocabulary.h"

namespace rondo::convert {

struct BpeTables {
  std::vector<Atom> atoms;
  std::vector<int32_t> byte_tokens;  // [256], or empty
  int32_t unknown_token = -1;
  bool fuse_unknown = false;
  bool ignore_merges = false;
  std::vector<Merge> merges;
  std::vector<uint32_t> merge_slots;
  std::vector<uint8_t> joints;

  // `model`: the member of that name. Throws Error for other models than BPE, for options that
  // change what BPE is, for merges of unknown tokens or given twice.
  static BpeTables Parse(const JsonValue& model, const Vocabulary& vocabulary, bool byte_level);
};

// A hash table for `hashes.size()` entries; slot values are `values`.
std::vector<uint32_t> BuildSlots(const std::vector<uint64_t>& hashes,
                                 const std::vector<uint32_t>& values);

}  // namespace rondo::convert
