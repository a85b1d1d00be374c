#include "tools/convert/sources/gguf/gguf_checkpoint.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/base/checked.h"
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/fail.h"
#include "tools/convert/sources/float_formats.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

constexpr uint64_t kQ40Block = 32;

// Not weights: the config holds what they say.
constexpr std::array kNotWeights = {"rope_freqs.weight", "rope_factors_short.weight",
                                    "rope_factors_long.weight"};

constexpr std::string_view kScale = ".scale";

// The scale of a weight whose type has too few bits for it (NVFP4): "X.scale" beside "X.weight",
// for all of it or for each expert. A rule for the name says that it is something else.
bool IsScale(const std::string& name, const GgufFile& file, const NameRules& rules) {
  if (!name.ends_with(kScale) || FindRule(rules, ParseName(name).stem) != nullptr) return false;
  const auto weight = file.tensors().find(name.substr(0, name.size() - kScale.size()) + ".weight");
  if (weight == file.tensors().end()) return false;
  const std::vector<uint64_t>& shape = weight->second.shape;
  const uint64_t n = file.tensors().at(name).elements();
  return n == 1 || (shape.size() == 3 && n == shape[0]);
}

// None, one, or one for each expert.
std::vector<float> ScalesOf(const std::string& name, const GgufKeys& keys, const NameRules& rules) {
  const ParsedName parsed = ParseName(name);
  if (parsed.suffix != ".weight") return {};
  const std::string scale =
      name.substr(0, name.size() - parsed.suffix.size()) + std::string(kScale);
  if (!keys.HasTensor(scale) || !IsScale(scale, keys.file(), rules)) return {};
  return keys.Values(scale, kMaxExperts);
}

}  // namespace

GgufCheckpoint::GgufCheckpoint(const GgufKeys& keys) : file_(keys.file()) {
  const NameRules& rules = FindArchitecture(keys).gguf_names;
  for (const auto& [name, tensor] : file_.tensors()) {
    if (std::ranges::find(kNotWeights, name) == kNotWeights.end() && !IsScale(name, file_, rules)) {
      AddTensor(keys, name, tensor, rules);
    }
  }
}

void GgufCheckpoint::AddTensor(const GgufKeys& keys, const std::string& name,
                               const GgufFile::Tensor& tensor, const NameRules& rules) {
  const auto refuse = [&](const std::string& problem) {
    Fail(file_.path(), ": tensor ", name, " ", problem);
  };
  const ParsedName parsed = ParseName(name);
  const NameRule* rule = FindRule(rules, parsed.stem);
  const Change change = rule == nullptr ? Change::kNone : rule->change;
  const std::vector<uint64_t>& shape = tensor.shape;
  View view{name,          &tensor, 0, shape.front(), tensor.elements() / shape.front(),
            Change::kNone, 0,       1};
  const std::vector<float> scales = ScalesOf(name, keys, rules);
  if (!scales.empty()) view.scale = scales.front();

  // As many tensors as there are parts of equal size, each of this shape.
  const auto add_parts = [&](uint64_t n_parts, const std::vector<uint64_t>& part_shape) {
    const uint64_t rows = part_shape.front();
    view.cols = 1;
    for (size_t i = 1; i < part_shape.size(); ++i) view.cols *= part_shape[i];
    view.rows = rows;
    for (uint64_t i = 0; i < n_parts; ++i) {
      view.first_row = i * rows;
      if (scales.size() > 1) view.scale = scales[i];
      std::vector<std::string> numbers = parsed.numbers;
      numbers.push_back(std::to_string(i));
      AddView(FillIn(rule->hugging_face, numbers, parsed.suffix), view, part_shape);
    }
  };

  switch (change) {
    case Change::kExperts:
      if (shape.size() != 3 || shape[0] != ExpertCount(keys)) {
        refuse("is not a matrix for each of expert_count experts");
      }
      return add_parts(shape[0], {shape[1], shape[2]});
    case Change::kHeads:
      if (shape.size() != 2 || shape[0] > kMaxHeads) refuse("is not a vector for each head");
      return add_parts(shape[0], {shape[1]});
    case Change::kFusedQkv: {
      const uint64_t q = keys.n_heads() * keys.head_dim();
      const uint64_t kv =
          keys.Count("attention.head_count_kv", kMaxHeads, keys.n_heads()) * keys.head_dim();
      if (shape.size() > 2 || shape[0] != q + 2 * kv) {
        refuse("does not have the rows of all query, key and value heads");
      }
      std::vector<uint64_t> part_shape = shape;
      for (const auto& [part, rows] : {std::pair{"q", q}, std::pair{"k", kv}, std::pair{"v", kv}}) {
        view.rows = part_shape[0] = rows;
        std::vector<std::string> numbers = parsed.numbers;
        numbers.push_back(part);
        AddView(FillIn(rule->hugging_face, numbers, parsed.suffix), view, part_shape);
        view.first_row += rows;
      }
      return;
    }
    default:
      break;
  }

  std::vector<uint64_t> hugging_face_shape = shape;
  view.change = change;
  if (change == Change::kPairedHeads || change == Change::kSplitByThird) {
    const uint64_t unit = change == Change::kPairedHeads ? 2 : 3;
    view.head_dim = keys.head_dim();
    if (view.rows % view.head_dim != 0 || view.rows / view.head_dim % (unit == 3 ? 3 : 1) != 0 ||
        view.head_dim % 2 != 0) {
      refuse("has " + std::to_string(view.rows) + " rows, which are not those of heads of " +
             std::to_string(view.head_dim));
    }
  } else if (change == Change::kTransposed) {
    if (shape.size() > 2) refuse("has more than two dimensions");
    if (shape.size() == 1) {
      view.change = Change::kNone;
    } else {
      std::swap(view.rows, view.cols);
      std::ranges::reverse(hugging_face_shape);
    }
  } else if (change == Change::kDepthwise && shape.size() == 2) {
    hugging_face_shape = {shape[0], 1, shape[1]};
  }
  AddView(rule == nullptr ? name : FillIn(rule->hugging_face, parsed.numbers, parsed.suffix), view,
          std::move(hugging_face_shape));
}

void GgufCheckpoint::AddView(const std::string& name, View view, std::vector<uint64_t> shape) {
  const BlockType& type = *view.tensor->type;
  const uint64_t bytes = view.rows * view.cols / type.values * type.bytes;
  Add(name,
      {file_.PathOf(*view.tensor) + " (" + view.source + ")", type.name, std::move(shape), bytes});
  views_.emplace(name, std::move(view));
}

uint64_t GgufCheckpoint::SourceRow(const View& view, uint64_t row) const {
  const uint64_t head = row / view.head_dim, channel = row % view.head_dim;
  const uint64_t half = view.head_dim / 2;
  if (view.change == Change::kPairedHeads) {
    return head * view.head_dim + channel % half * 2 + channel / half;
  }
  // kSplitByThird: q, k, v of head 0, of head 1, ...; in the source all q, all k, all v.
  return head % 3 * (view.rows / 3) + head / 3 * view.head_dim + channel;
}

void GgufCheckpoint::Read(const std::string& name, uint64_t first, std::span<float> out) const {
  const View& view = views_.at(name);
  ReadUnscaled(view, first, out);
  if (view.scale == 1) return;
  for (float& value : out) {
    value *= view.scale;
    if (!std::isfinite(value)) {
      Fail(file_.path(), ": tensor ", view.source, " times its scale, ", view.scale,
           ", is not finite");
    }
  }
}

void GgufCheckpoint::ReadUnscaled(const View& view, uint64_t first, std::span<float> out) const {
  switch (view.change) {
    case Change::kTransposed:
      return ReadTransposed(view, first, out);
    case Change::kPairedHeads:
    case Change::kSplitByThird:
      for (size_t done = 0; done < out.size();) {
        const uint64_t row = (first + done) / view.cols, col = (first + done) % view.cols;
        const size_t n = std::min<uint64_t>(view.cols - col, out.size() - done);
        file_.Read(view.source, *view.tensor, SourceRow(view, row) * view.cols + col,
                   out.subspan(done, n));
        done += n;
      }
      return;
    default:
      file_.Read(view.source, *view.tensor, view.first_row * view.cols + first, out);
      if (view.change == Change::kPlusOne) {
        for (float& value : out) value -= 1.0f;
      }
  }
}

void GgufCheckpoint::ReadTransposed(const View& view, uint64_t first, std::span<float> out) const {
  if (transposed_of_ != &view) {
    std::vector<float> values(static_cast<size_t>(view.rows * view.cols));
    file_.Read(view.source, *view.tensor, 0, values);
    transposed_.resize(values.size());
    for (uint64_t row = 0; row < view.rows; ++row) {
      for (uint64_t col = 0; col < view.cols; ++col) {
        transposed_[row * view.cols + col] = values[col * view.rows + row];
      }
    }
    transposed_of_ = &view;
  }
  std::copy_n(transposed_.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
}

bool GgufCheckpoint::HoldsQ4B(const std::string& name) const {
  const auto found = views_.find(name);
  return found != views_.end() && found->second.tensor->type->id == kQ40 &&
         found->second.scale == 1 && found->second.tensor->shape.size() > 1 &&
         found->second.cols % kQ40Block == 0 &&
         (found->second.change == Change::kNone || found->second.change == Change::kPairedHeads ||
          found->second.change == Change::kSplitByThird);
}

void GgufCheckpoint::ReadQ4B(const std::string& name, uint64_t row, uint64_t n_rows, uint8_t* data,
                             uint16_t* scales) const {
  const View& view = views_.at(name);
  const uint64_t blocks_per_row = view.cols / kQ40Block;
  const uint32_t block_bytes = view.tensor->type->bytes;
  std::vector<uint8_t> blocks(static_cast<size_t>(blocks_per_row * block_bytes));
  for (uint64_t i = row; i < row + n_rows; ++i) {
    const uint64_t source = view.change == Change::kNone ? view.first_row + i : SourceRow(view, i);
    file_.ReadBlocks(*view.tensor, source * view.cols, blocks);
    for (uint64_t b = 0; b < blocks_per_row; ++b, data += kQ40Block / 2) {
      const float scale = FromFloat16(RepackQ40(blocks.data() + b * block_bytes, data));
      if (!std::isfinite(scale)) {
        Fail(file_.path(), ": tensor ", view.source, " has the scale ", scale, " in row ", source,
             ", expected finite weights");
      }
      *scales++ = RoundScale(scale);
    }
  }
}

}  // namespace rondo::convert
