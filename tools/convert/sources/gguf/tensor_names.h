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
  kPlusOne,       // 1 was added to each weight, not to biases (norms of gemma)
  kTransposed,    // of two dimensions; a vector is as it was (gpt2)
  kGroupedQkv,    // query, key and value rows, which were interleaved by group (gptneox, falcon)
  kFusedQkv,      // query, key and value stacked, which were three tensors (phi2)
  kExperts,       // all experts stacked, which were a tensor each
  kStreams,       // matrices of all streams but one stacked, which were a tensor each (gemma3n)
  kHeads,         // all heads stacked, which were a tensor each (stablelm)
  kDepthwise,     // [channels, taps], which was [channels, 1, taps] (lfm2)
  kFlat,          // of two dimensions, which was a vector (mamba2)
  kDecay,         // -e^x of each value x, and kFlat (mamba2)
  kTiledHeads,    // rows of a delta net's value heads, which lay by key heads (qwen35)
  kTiledColumns,  // columns likewise
  kTiledConv,     // kTiledHeads and kDepthwise
  kTiledDecay,    // kTiledHeads and kDecay
  kChannelsLast,  // [rows, channels, y, x], which was [rows, y * x * channels] (lfm2's patches)
  kOnesBefore,    // may lack the first of three dimensions, which are 1 (internvl's positions)
};

// "{}" stands for a number: of the layer, the expert. In `hugging_face` there is one more for
// kExperts, kStreams and kHeads; for kFusedQkv the last "{}" becomes q, k and v.
// Names are without ".weight", ".bias" or the ends of ranges (".input_min"), which are the same on
// both sides. A rule whose `gguf` has one of these is for that tensor alone, and its `hugging_face`
// is the whole name.
struct NameRule {
  std::string_view gguf;
  std::string hugging_face;
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

// The rule for this tensor; null where there is none.
const NameRule* FindRule(const NameRules& rules, const ParsedName& name);

// The tensor's name by the rule, with its "{}" filled in from `numbers`.
std::string NameBy(const NameRule& rule, const ParsedName& name,
                   const std::vector<std::string>& numbers);

// `pattern` with its "{}" filled in from `numbers`, and the suffix.
std::string FillIn(std::string_view pattern, const std::vector<std::string>& numbers,
                   const std::string& suffix);

// Llama's names, which most have.
NameRules UsualNames();
// Of q and k, where llama.cpp's converter makes neighbours of the channels that turn together.
NameRules PairedHeadNames();
// Of experts in `mlp.experts`.
NameRules StackedExpertNames();
// Of experts in `block_sparse_moe`.
NameRules MixtralNames();
// Of experts in `mlp.shared_experts`, which all tokens go through.
NameRules SharedExpertNames();
// Of Granite's experts, whose gate and up are one tensor in the checkpoint.
NameRules GraniteExpertNames();
// `rules`, and `others` before them.
NameRules With(NameRules rules, const NameRules& others);

}  // namespace rondo::convert
