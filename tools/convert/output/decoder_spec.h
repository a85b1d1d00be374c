// DecoderSpec: what an architecture says a model is, before the file is written: the tables of
// runtime/model/rondo.fbs, and for each tensor the recipe that makes it.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "rondo_generated.h"

namespace rondo::convert {

enum class TensorRole {
  kVector,     // norm weights and biases: float32 always
  kTable,      // small matrices that are float32 always
  kMatrix,     // [output channels, inputs], in the format of --weights
  kEmbedding,  // embedding and output head, in the format of --embedding
  kVision,     // matrices of what sees, in the format of --media-weights
};

// Tensors of the checkpoint, or rows of them, stacked by rows; those of a kVector are
// one-dimensional and are laid end to end. Each value, or e^value where `exponential`, becomes
// value * scale + offset, with the scales of recipe and part.
struct TensorRecipe {
  struct Part {
    std::string source;  // name in the checkpoint; empty: none, the values are `computed`
    uint64_t rows;       // of a kVector: elements
    uint64_t first_row = 0;
    // As the checkpoint has it; empty: [rows, cols], [cols, rows] if transposed, [rows] of a
    // vector.
    std::vector<uint64_t> shape = {};
    uint64_t row_step = 1;   // 2: every other row
    uint64_t first_col = 0;  // of a transposed one: its row in the checkpoint
    uint64_t matrix = 0;     // of a transposed tensor with three dimensions: which
    float scale = 1;
  };
  // Another way in which checkpoints hold the same.
  struct Form {
    std::vector<Part> parts;
    bool transposed = false;
  };
  std::string name;  // in the Rondo file
  TensorRole role;
  std::vector<Part> parts;
  uint64_t cols;            // of a kVector: 1
  bool transposed = false;  // the checkpoint's matrices are [inputs, output channels]
  float scale = 1;
  float offset = 0;
  std::vector<Form> others =
      {};  // the first whose tensors are there is taken, where `parts` aren't
  bool exponential = false;
  bool bounds = false;  // an infinite value, which bounds nothing, becomes the largest finite one
  // Whole rows, from `row` on, of a part that no tensor holds; null: all values are 1.
  std::function<void(uint64_t row, std::span<float> rows)> computed = {};
  // Rows have `inner` columns in the checkpoint, and are multiplied by a matrix of it, [inner,
  // cols] or [cols, inner].
  struct Factor {
    std::string source;
    uint64_t inner;
    bool cols_first;
  };
  std::optional<Factor> factor = {};
  // Rows are runs of `from` columns in the checkpoint, behind each of which come zeros, so that
  // they are `to`. Not beside a factor.
  struct Padding {
    uint64_t from, to;
  };
  std::optional<Padding> padding = {};
  // A row has so many columns in the checkpoint, of which `make` makes its own. Beside neither.
  struct Columns {
    uint64_t from;
    std::function<void(std::span<const float> row, std::span<float> made)> make;
  };
  std::optional<Columns> columns = {};
  // Rows are multiplied by the elements of this vector of the checkpoint; empty: they are not.
  std::string row_scales = {};
  // Then whole rows and columns are multiplied by two to the power of these
  // (identities/scale_channels.h); empty: by 1.
  std::vector<int8_t> row_powers = {}, col_powers = {};
  // In the end columns are multiplied by these gains (null: by 1), and each row, or each column, is
  // turned (base/turn.h). Of one part, where columns are. All that reads one norm shares them.
  std::shared_ptr<const std::vector<float>> gains = {};
  bool rows_turned = false, columns_turned = false;

  // Of a row in the checkpoint.
  uint64_t source_cols() const {
    if (columns) return columns->from;
    if (padding) return cols / padding->to * padding->from;
    return factor ? factor->inner : cols;
  }
  float ScaleOf(const Part& part) const { return scale * part.scale; }
  // The parts' values are taken as they are but for ScaleOf() and what IsChanged() says.
  bool IsOnlyScaled() const {
    return offset == 0 && !exponential && !factor && !padding && !columns && row_scales.empty();
  }
  bool IsChanged() const {
    return !row_powers.empty() || !col_powers.empty() || gains != nullptr || rows_turned ||
           columns_turned;
  }
  uint64_t rows() const {
    uint64_t sum = 0;
    for (const Part& part : parts) sum += part.rows;
    return sum;
  }
  std::vector<uint64_t> SourceShape(const Part& part) const {
    if (!part.shape.empty()) return part.shape;
    if (role == TensorRole::kVector) return {part.rows};
    return transposed ? std::vector{source_cols(), part.rows}
                      : std::vector{part.rows, source_cols()};
  }
  std::vector<uint64_t> FactorShape() const {
    return factor->cols_first ? std::vector{cols, factor->inner} : std::vector{factor->inner, cols};
  }
};

// visit(name) for each name of a tensor of the checkpoint that `recipe` uses, or would in another
// form: of its parts, but those that are computed, of its factor, and of its rows' scales.
template <typename Recipe, typename Visit>
void ForEachName(Recipe& recipe, const Visit& visit) {
  const auto visit_parts = [&](auto& parts) {
    for (auto& part : parts) {
      if (!part.source.empty()) visit(part.source);
    }
  };
  visit_parts(recipe.parts);
  for (auto& form : recipe.others) visit_parts(form.parts);
  if (recipe.factor) visit(recipe.factor->source);
  if (!recipe.row_scales.empty()) visit(recipe.row_scales);
}

// A part of tensors' names, and what some checkpoints have in its place.
struct OtherName {
  std::string ours, theirs;
};

struct RopeSpec : format::RopeT {
  std::string description;  // for `rondo inspect`
};

struct DecoderSpec {
  std::string architecture;
  uint32_t vocab_size, hidden_size, context_length;
  int32_t bos_token = -1;
  std::vector<uint32_t> eos_tokens;
  std::vector<TensorRecipe> tensors;  // in the order in which they are written
  uint32_t embedding;                 // index into tensors, as all of these
  std::vector<format::LayerT> layers;
  std::vector<RopeSpec> ropes;
  std::optional<format::NormT> embedding_norm;
  format::NormT final_norm;
  format::LinearT head;
  float embedding_scale = 1;
  float logit_soft_cap = 0;
  int32_t positions = -1;  // a tensor [context_length, hidden_size]
  int32_t embedding_offset = -1;
  std::optional<format::LayerEmbeddingsT> layer_embeddings;
  std::optional<format::AltUpT> alt_up;
  std::optional<format::DraftHeadT> draft_head;
  std::optional<format::AssistantT> assistant;
  std::optional<format::EmbedderT> embedder;  // then `head` is nothing
  bool turned = false;                        // the residual stream
  bool prefix_sees_whole = false;
  // Texts in the literals of chat templates that become others.
  std::vector<OtherName> template_texts;
  // What sees for it; its tensors are among these. Null: nothing does.
  std::shared_ptr<format::ModelT> vision;
  // What the names of most tensors begin with; some checkpoints leave it out.
  std::string prefix;
  std::vector<OtherName> other_names;
  // The config does not say whether the head is the embedding: it is where the checkpoint has none.
  bool head_may_be_tied = false;
  // Other models, assistants, may read what the last layers keep and what the final norm makes.
  bool has_assistants = false;
  // The config says that the head is the embedding: what the checkpoint would call a head of its
  // own, which is among the ignored. Empty: it does not.
  std::string tied_head;
  // Tensors of the checkpoint that may be there and are not needed. Any other that no recipe
  // names is refused: it would mean that the model is not what its config says.
  std::set<std::string> ignored;
  // What the names of those begin with that belong to other parts than the text's model: images,
  // sound, heads that predict more than one token. `rondo inspect` tells.
  std::vector<std::string> left_out;

  // Of these parts no tensor is left out.
  void Keep(std::initializer_list<const char*> parts) {
    for (const char* part : parts) std::erase(left_out, part);
  }

  uint32_t Add(TensorRecipe recipe) {
    tensors.push_back(std::move(recipe));
    return static_cast<uint32_t>(tensors.size() - 1);
  }
};

}  // namespace rondo::convert
