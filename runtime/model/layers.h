// The layers of a model file in the order in which rows go through them: its own, and that of its
// draft head, where it has one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rondo_generated.h"

namespace rondo {

// Of a model that has passed CheckModel.
class Layers {
 public:
  // `draft_head`: the head's layer is wanted, too.
  Layers(const format::Model& model, bool draft_head)
      : model_(model), own_(model.layers()->size()), draft_head_(draft_head && HasHead(model)) {}

  static bool HasHead(const format::Model& model) { return model.draft_head() != nullptr; }
  size_t own() const { return own_; }
  size_t size() const { return own_ + (draft_head_ ? 1 : 0); }
  bool has_draft_head() const { return draft_head_; }
  const format::Layer& operator[](size_t i) const {
    return i < own_ ? *model_.layers()->Get(static_cast<uint32_t>(i))
                    : *model_.draft_head()->layer();
  }

  size_t CountSublayers() const {
    size_t n = 0;
    for (size_t i = 0; i < size(); ++i) n += (*this)[i].sublayers()->size();
    return n;
  }

 private:
  const format::Model& model_;
  size_t own_;
  bool draft_head_;
};

}  // namespace rondo
