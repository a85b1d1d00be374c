// Evaluation: how well a model predicts a text, and how near its predictions are to another's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tools/common/library.h"

namespace rondo::tools {

// A text's tokens cut into chunks of `context`, each of which is evaluated on its own; what remains
// is left out. What the tokenizer begins texts with, a BOS as a rule or nothing, stands before the
// text, and in the place of each chunk's first tokens. This is what llama.cpp's perplexity program
// does.
class Chunks {
 public:
  // Throws Error where the text is shorter than one chunk. `context` is more than `begin` has.
  Chunks(const std::vector<int32_t>& tokens, std::vector<int32_t> begin, uint32_t context);

  uint64_t count() const { return count_; }
  std::vector<int32_t> operator[](uint64_t i) const;

 private:
  std::vector<int32_t> tokens_;
  std::vector<int32_t> begin_;
  uint32_t context_;
  uint64_t count_;
};

// Over the positions of each chunk from the middle on: each is scored by how well it predicts the
// next token of the chunk.
struct Perplexity {
  uint64_t tokens = 0;        // scored
  double mean_nll = 0;        // natural logarithm, per token
  double perplexity = 0;      // exp(mean_nll)
  double standard_error = 0;  // of the perplexity, taking tokens as independent
};

// Over all positions of all chunks.
struct Divergence {
  uint64_t positions = 0;
  double kl = 0;              // mean of KL(reference || model), in nats
  double standard_error = 0;  // of kl, taking positions as independent
  double top1 = 0;            // share of positions at which both find the same token most likely
};

struct Evaluation {
  Perplexity model;
  std::optional<Perplexity> reference;
  std::optional<Divergence> divergence;
};

// Called after each chunk with the chunks done, of how many, and the figures so far.
using EvalProgress =
    std::function<void(uint64_t done, uint64_t total, const Evaluation& evaluation)>;

// Each session must be of an engine with room for a chunk, and is reset for each; `reference` may
// be null. Needs memory for some rows of logits. Throws rondo::Error.
Evaluation Evaluate(Session* model, Session* reference, const Chunks& chunks,
                    const EvalProgress& progress);

}  // namespace rondo::tools
