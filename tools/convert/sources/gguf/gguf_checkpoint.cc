#include "tools/convert/sources/gguf/gguf_checkpoint.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/base/checked.h"
#include "runtime/model/limits.h"
#include "tools/convert/common/fail.h"
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
  if (!name.ends_with(kScale) || FindRule(rules, ParseName(name)) != nullptr) return false;
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

// Of one of the last layers, which predict more tokens than one.
bool IsBehindLayers(const GgufKeys& keys, const ParsedName& name) {
  if (!name.stem.starts_with("blk.{}.") || name.numbers.front().size() > 9) return false;
  const uint64_t layer = std::stoul(name.numbers.front());
  return layer >= keys.n_layers() && layer < keys.Count("block_count", kMaxLayers);
}

struct DeltaHeads {
  explicit DeltaHeads(const GgufKeys& keys)
      : n_keys(keys.Count("ssm.group_count", kMaxHeads)),
        n_values(keys.Count("ssm.time_step_rank", kMaxHeads)),
        value_dim(keys.Count("ssm.inner_size", kMaxHeads * kMaxHeadDim) / n_values) {
    if (n_values % n_keys != 0 || value_dim == 0) {
      keys.Refuse("ssm.time_step_rank", "does not go with ssm.group_count and ssm.inner_size");
    }
  }
  uint64_t n_keys, n_values, value_dim;
};

}  // namespace

GgufCheckpoint::GgufCheckpoint(const GgufKeys& keys, const NameRules& rules) : file_(keys.file()) {
  for (const auto& [name, tensor] : file_.tensors()) {
    if (std::ranges::find(kNotWeights, name) == kNotWeights.end() && !IsScale(name, file_, rules)) {
      AddTensor(keys, name, tensor, rules);
    }
  }
}

void GgufCheckpoint::Refuse(const View& view, const std::string& problem) const {
  Fail(file_.path(), ": tensor ", view.source, " ", problem);
}

void GgufCheckpoint::AddTensor(const GgufKeys& keys, const std::string& name,
                               const GgufFile::Tensor& tensor, const NameRules& rules) {
  const ParsedName parsed = ParseName(name);
  std::vector<uint64_t> shape = tensor.shape;
  View view{name, &tensor, 0, shape.front(), tensor.elements() / shape.front()};
  if (IsBehindLayers(keys, parsed)) return AddView("mtp." + name, view, std::move(shape));
  const NameRule* const rule = FindRule(rules, parsed);
  if (rule == nullptr) return AddView(name, view, std::move(shape));
  const std::vector<float> scales = ScalesOf(name, keys, rules);
  if (!scales.empty()) view.scale = scales.front();
  switch (rule->change) {
    case Change::kExperts:
    case Change::kStreams:
    case Change::kHeads:
      return AddStack(keys, parsed, *rule, view, scales);
    case Change::kFusedQkv:
      return AddFusedQkv(keys, parsed, *rule, view);
    default:
      Undo(keys, rule->change, view, shape);
      return AddView(NameBy(*rule, parsed, parsed.numbers), view, std::move(shape));
  }
}

// As many tensors as the first dimension says, each of the others' shape.
void GgufCheckpoint::AddStack(const GgufKeys& keys, const ParsedName& parsed, const NameRule& rule,
                              View view, std::span<const float> scales) {
  const std::vector<uint64_t>& shape = view.tensor->shape;
  const bool is_vector = rule.change == Change::kHeads ||
                         (rule.change == Change::kExperts && parsed.suffix == ".bias");
  if (rule.change == Change::kHeads) {
    if (shape.size() != 2 || shape[0] > kMaxHeads) Refuse(view, "is not a vector for each head");
  } else if (rule.change == Change::kStreams) {
    if (shape.size() != 3 || shape[0] >= kMaxStreams) {
      Refuse(view, "is not a matrix for each stream");
    }
  } else if (shape.size() != (is_vector ? 2 : 3) || shape[0] != ExpertCount(keys)) {
    Refuse(view, std::string("is not a ") + (is_vector ? "vector" : "matrix") +
                     " for each of expert_count experts");
  }
  view.rows = shape[1];
  view.cols = is_vector ? 1 : shape[2];
  for (uint64_t i = 0; i < shape[0]; ++i) {
    view.first_row = i * view.rows;
    if (scales.size() > 1) view.scale = scales[i];
    std::vector<std::string> numbers = parsed.numbers;
    numbers.push_back(std::to_string(i));
    AddView(NameBy(rule, parsed, numbers), view, {shape.begin() + 1, shape.end()});
  }
}

void GgufCheckpoint::AddFusedQkv(const GgufKeys& keys, const ParsedName& parsed,
                                 const NameRule& rule, View view) {
  std::vector<uint64_t> shape = view.tensor->shape;
  const uint64_t q = keys.n_heads() * keys.head_dim(), kv = keys.n_kv_heads() * keys.head_dim();
  if (shape.size() > 2 || shape[0] != q + 2 * kv) {
    Refuse(view, "does not have the rows of all query, key and value heads");
  }
  for (const auto& [part, rows] : {std::pair{"q", q}, std::pair{"k", kv}, std::pair{"v", kv}}) {
    view.rows = shape[0] = rows;
    std::vector<std::string> numbers = parsed.numbers;
    numbers.push_back(part);
    AddView(NameBy(rule, parsed, numbers), view, shape);
    view.first_row += rows;
  }
}

void GgufCheckpoint::Undo(const GgufKeys& keys, Change change, View& view,
                          std::vector<uint64_t>& shape) const {
  const auto refuse_rows = [&](const std::string& expected) {
    Refuse(view, "has " + std::to_string(view.rows) + " rows, which are not " + expected);
  };
  switch (change) {
    case Change::kPlusOne:
      if (!view.source.ends_with(".bias")) view.value = Value::kLessOne;
      return;
    case Change::kPairedHeads: {
      const uint64_t head_dim = keys.head_dim();
      if (view.rows % head_dim != 0 || head_dim % 2 != 0) {
        refuse_rows("those of heads of " + std::to_string(head_dim));
      }
      view.row_order = PairedHeads(head_dim);
      return;
    }
    case Change::kGroupedQkv: {
      const uint64_t head_dim = keys.head_dim(), n_heads = keys.n_heads();
      const uint64_t groups = keys.n_kv_heads();
      if (groups == 0 || n_heads % groups != 0 || view.rows != (n_heads + 2 * groups) * head_dim) {
        refuse_rows("those of " + std::to_string(n_heads) + " heads of " +
                    std::to_string(head_dim) + ", and their keys and values");
      }
      view.row_order = GroupedQkv(groups, n_heads / groups, head_dim);
      return;
    }
    case Change::kTransposed:
      if (shape.size() > 2) Refuse(view, "has more than two dimensions");
      if (shape.size() == 1) return;
      view.transposed = true;
      view.keeps_blocks = false;
      std::swap(view.rows, view.cols);
      std::ranges::reverse(shape);
      return;
    case Change::kDepthwise:
      if (shape.size() == 2) shape = {shape[0], 1, shape[1]};
      return;
    case Change::kChannelsLast: {
      if (shape.size() == 2) return;
      if (shape.size() != 4) Refuse(view, "has not the dimensions rows, channels, y and x");
      const uint64_t channels = shape[1], places = shape[2] * shape[3];
      view.col_order = [channels, places](uint64_t col) {
        return col % channels * places + col / channels;
      };
      view.keeps_blocks = false;
      shape = {view.rows, view.cols};
      return;
    }
    case Change::kOnesBefore:
      shape.erase(shape.begin(), std::find_if(shape.begin(), shape.end() - 1,
                                              [](uint64_t size) { return size != 1; }));
      while (shape.size() < 3) shape.insert(shape.begin(), 1);
      return;
    case Change::kFlat:
    case Change::kDecay:
      shape = {view.rows * view.cols};
      view.rows = shape[0];
      view.cols = 1;
      if (change == Change::kDecay) view.value = Value::kLogOfMinus;
      return;
    case Change::kTiledHeads:
    case Change::kTiledColumns: {
      const DeltaHeads heads(keys);
      const uint64_t channels = change == Change::kTiledHeads ? view.rows : view.cols;
      // Of gates and vectors each head has one, and nothing lies before them.
      const uint64_t unit = channels == heads.n_values ? 1 : heads.value_dim;
      if (channels < heads.n_values * unit) {
        Refuse(view, "has fewer channels than the value heads");
      }
      const ChannelOrder order = TiledHeads(channels - heads.n_values * unit, heads.n_keys,
                                            heads.n_values / heads.n_keys, unit);
      (change == Change::kTiledHeads ? view.row_order : view.col_order) = order;
      view.keeps_blocks = change == Change::kTiledHeads || unit % kQ40Block == 0;
      return;
    }
    case Change::kTiledConv:
      Undo(keys, Change::kTiledHeads, view, shape);
      return Undo(keys, Change::kDepthwise, view, shape);
    case Change::kTiledDecay:
      Undo(keys, Change::kDecay, view, shape);
      return Undo(keys, Change::kTiledHeads, view, shape);
    default:
      return;
  }
}

void GgufCheckpoint::AddView(const std::string& name, View view, std::vector<uint64_t> shape) {
  const BlockType& type = *view.tensor->type;
  const uint64_t bytes = view.rows * view.cols / type.values * type.bytes;
  Add(name,
      {file_.PathOf(*view.tensor) + " (" + view.source + ")", type.name, std::move(shape), bytes});
  views_.emplace(name, std::move(view));
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
  if (view.transposed) {
    ReadTransposed(view, first, out);
  } else if (view.row_order || view.col_order) {
    ReadReordered(view, first, out);
  } else {
    file_.Read(view.source, *view.tensor, view.first_row * view.cols + first, out);
  }
  if (view.value == Value::kLessOne) {
    for (float& value : out) value -= 1.0f;
  } else if (view.value == Value::kLogOfMinus) {
    for (float& value : out) {
      if (value >= 0) Refuse(view, "holds a decay that is not below 0");
      value = std::log(-value);
    }
  }
}

void GgufCheckpoint::ReadReordered(const View& view, uint64_t first, std::span<float> out) const {
  std::vector<float> whole(view.col_order ? static_cast<size_t>(view.cols) : 0);
  for (size_t done = 0; done < out.size();) {
    const uint64_t row = (first + done) / view.cols, col = (first + done) % view.cols;
    const size_t n = std::min<uint64_t>(view.cols - col, out.size() - done);
    const uint64_t source = (view.row_order ? view.row_order(row) : row) * view.cols;
    if (!view.col_order) {
      file_.Read(view.source, *view.tensor, source + col, out.subspan(done, n));
    } else {
      file_.Read(view.source, *view.tensor, source, whole);
      for (size_t i = 0; i < n; ++i) out[done + i] = whole[view.col_order(col + i)];
    }
    done += n;
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

uint32_t GgufCheckpoint::BlockOfQ4B(const std::string& name) const {
  const auto found = views_.find(name);
  const bool holds = found != views_.end() && found->second.tensor->type->id == kQ40 &&
                     found->second.scale == 1 && found->second.tensor->shape.size() > 1 &&
                     found->second.cols % kQ40Block == 0 && found->second.keeps_blocks &&
                     found->second.value == Value::kAsItIs;
  return holds ? kQ40Block : 0;
}

void GgufCheckpoint::ReadQ4B(const std::string& name, uint64_t row, uint64_t n_rows, uint8_t* data,
                             uint16_t* scales) const {
  const View& view = views_.at(name);
  const uint64_t blocks_per_row = view.cols / kQ40Block;
  const uint32_t block_bytes = view.tensor->type->bytes;
  std::vector<uint8_t> blocks(static_cast<size_t>(blocks_per_row * block_bytes));
  for (uint64_t i = row; i < row + n_rows; ++i) {
    const uint64_t source = view.row_order ? view.row_order(i) : view.first_row + i;
    file_.ReadBlocks(*view.tensor, source * view.cols, blocks);
    for (uint64_t b = 0; b < blocks_per_row; ++b, data += kQ40Block / 2) {
      const uint64_t from = view.col_order ? view.col_order(b * kQ40Block) / kQ40Block : b;
      const float scale = FromFloat16(RepackQ40(blocks.data() + from * block_bytes, data));
      if (!std::isfinite(scale)) {
        Fail(file_.path(), ": tensor ", view.source, " has the scale ", scale, " in row ", source,
             ", expected finite weights");
      }
      *scales++ = RoundScale(scale);
    }
  }
}

}  // namespace rondo::convert
