// From the tensor names of llama.cpp's converter to those of transformers, and what that converter
// did to the values, which is to be undone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rondo::convert {

// What a GGUF file's tensor is, in terms of the Hugging Face tensor or tensors that it came from.
enum class Change {
  kNone,
  kPairedHeads,   // rows of each head: channels i and i + head_dim / 2 are neighbours (llama)
  kPlusOne,       // 1 was added to each value (norms of gemma)
  kTransposed,    // of two dimensions; a vector is as it was (gpt2)
  kSplitByThird,  // query, key and value rows, which were interleaved by head (gptneox)
  kFusedQkv,      // query, key and value stacked, which were three tensors (phi2)
  kExperts,       // all experts stacked, which were a tensor each
  kHeads,         // all heads stacked, which were a tensor each (stablelm)
  kDepthwise,     // [channels, taps], which was [channels, 1, taps] (lfm2)
};

// "{}" stands for a number: of the layer, the expert. In `hugging_face` there is one more for
// kExperts and kHeads; for kFusedQkv the last "{}" becomes q, k and v.
// Names are without ".weight" or ".bias", which are the same on both sides.
struct NameRule {
  std::string_view gguf;
  std::string_view hugging_face;
  Change change = Change::kNone;
};

// A name as rules have it: "blk.3.attn_q.bias" is {"blk.{}.attn_q", {"3"}, ".bias"}.
struct ParsedName {
  std::string stem;
  std::vector<std::string> numbers;
  std::string suffix;
};
ParsedName ParseName(const std::string& name);

// Of an architecture; later ones before earlier ones.
using NameRules = std::vector<NameRule>;

// The rule for this stem; null where there is none.
const NameRule* FindRule(const NameRules& rules, const std::string& stem);

// `pattern` with its "{}" filled in from `numbers`, and the suffix.
std::string FillIn(std::string_view pattern, const std::vector<std::string>& numbers,
                   const std::string& suffix);

// Llama's names, which most have.
NameRules UsualNames();
// Of q and k, where llama.cpp's converter makes neighbours of the channels that turn together.
NameRules PairedHeadNames();
// Of experts in `mlp.experts`.
NameRules StackedExpertNames();
// `rules`, and `others` before them.
NameRules With(NameRules rules, const NameRules& others);

}  // namespace rondo::convert
