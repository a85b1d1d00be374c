// The check of what makes a model turn pictures into rows.
#include <cmath>

#include "runtime/model/limits.h"
#include "runtime/model/linears.h"
#include "runtime/model/operators/attention.h"
#include "runtime/model/operators/layer_checker.h"

namespace rondo {

namespace {

using Ids = flatbuffers::Vector<uint32_t>;

// Processors have at most so many pixels a side, and none puts more together.
constexpr uint64_t kMaxPatchSide = 1024;
constexpr uint64_t kMaxTableSide = 1u << 16;
constexpr uint64_t kMaxPictureIds = 64;
constexpr uint64_t kMaxTileMarks = 1u << 12;

Status CheckIds(const char* what, const Ids* ids, uint64_t most, uint32_t vocab_size) {
  if (ids == nullptr) return Status();
  RONDO_RETURN_IF_ERROR(CheckRange(what, ids->size(), 0, most));
  for (const uint32_t id : *ids) {
    RONDO_RETURN_IF_ERROR(CheckRange("a token around pictures", id, 0, uint64_t{vocab_size} - 1));
  }
  return Status();
}

Status CheckText(const format::PictureText& text, uint32_t vocab_size) {
  RONDO_RETURN_IF_ERROR(
      CheckRange("the token of a picture", text.placeholder(), 0, uint64_t{vocab_size} - 1));
  for (const Ids* ids :
       {text.begin(), text.before_tile(), text.between_tile_rows(), text.before_whole(),
        text.before_only(), text.between_rows(), text.end()}) {
    RONDO_RETURN_IF_ERROR(
        CheckIds("the number of tokens around pictures", ids, kMaxPictureIds, vocab_size));
  }
  RONDO_RETURN_IF_ERROR(
      CheckIds("the number of tiles' marks", text.tile_marks(), kMaxTileMarks, vocab_size));
  const uint32_t marks = text.tile_marks() == nullptr ? 0 : text.tile_marks()->size();
  if (text.tile_mark_columns() == 0 ? marks == 0 : marks % text.tile_mark_columns() == 0) {
    return Status();
  }
  return Corrupt("tiles have %u marks in rows of %u", marks, text.tile_mark_columns());
}

// All rows see each other, and nothing is kept from pass to pass.
Status CheckSublayers(const format::Model& model) {
  for (uint32_t i = 0; i < model.layers()->size(); ++i) {
    const format::Layer& layer = *model.layers()->Get(i);
    const Place place = {static_cast<int>(i), "sublayer of a tower"};
    if (layer.scale() != -1) return Wrong(place, "is of a layer with a scale");
    for (const format::Sublayer* sublayer : *layer.sublayers()) {
      const format::Attention* attention = sublayer->op_as_Attention();
      if (sublayer->reads_previous_input()) return Wrong(place, "reads what another read");
      if (attention == nullptr) {
        if (sublayer->op_type() == format::Operator::Mlp) continue;
        return Wrong(place, "is no attention and no MLP");
      }
      if (attention->kv_layer() == kOwnKeys && attention->window() == 0 &&
          attention->chunk() == 0 && attention->alibi_slopes() == nullptr &&
          attention->query_scale() == nullptr && attention->sink_logits() == -1 &&
          attention->gate() == format::GateKind::kNone && !attention->bidirectional()) {
        continue;
      }
      return Wrong(place, "has what attention between patches has not");
    }
  }
  return Status();
}

Status CheckPositions(const LayerChecker& checker, const format::Tower& tower) {
  const Place place = {-1, "table of patches' positions"};
  if (tower.positions() > format::PatchPositions::MAX) {
    return UnknownKind(place, "kind", static_cast<unsigned>(tower.positions()));
  }
  if (tower.positions() == format::PatchPositions::kNone) {
    return tower.position_table() == -1 ? Status() : Wrong(place, "is there, but not used");
  }
  if (tower.position_table() < 0) return Wrong(place, "is absent");
  const bool smooth = tower.positions() == format::PatchPositions::kSmooth;
  RONDO_RETURN_IF_ERROR(CheckRange("the side of the table of patches' positions", tower.side(), 1,
                                   smooth ? kMaxSmoothSide : kMaxTableSide));
  const uint64_t side = tower.side();
  const bool sum = tower.positions() == format::PatchPositions::kSum;
  return checker.CheckFloats(place, static_cast<uint64_t>(tower.position_table()),
                             sum ? 2 * side : side * side, checker.hidden());
}

Status CheckClassRow(const LayerChecker& checker, const format::Tower& tower) {
  const Place place = {-1, "row behind the patches"};
  if (tower.class_row() < -1) return Wrong(place, "has a negative index other than -1");
  if (tower.class_row() == -1) return Status();
  if (tower.window() > 0) return Wrong(place, "stands beside windows of patches");
  return checker.CheckFloats(place, static_cast<uint64_t>(tower.class_row()), 2, checker.hidden());
}

Status CheckStandard(const LayerChecker& checker, const format::Tower& tower) {
  const Place place = {-1, "standard of merged patches"};
  if (tower.standard() < -1) return Wrong(place, "has a negative index other than -1");
  if (tower.standard() == -1) return Status();
  if (!tower.averages()) return Wrong(place, "is there, but patches are not averaged");
  return checker.CheckFloats(place, static_cast<uint64_t>(tower.standard()), 2, checker.hidden());
}

// A merger makes rows of the text's size of what has `size` channels when it is merged.
Status CheckMerger(const LayerChecker& checker, const format::Norm* norm, const DenseLayers* dense,
                   uint64_t size, uint64_t hidden_size) {
  RONDO_RETURN_IF_ERROR(checker.CheckNorm({-1, "norm of merged patches"}, norm, size));
  RONDO_RETURN_IF_ERROR(CheckDense(checker, dense, &size));
  if (size == hidden_size) return Status();
  return Corrupt("the tower makes rows of %llu numbers, expected %llu, the text's hidden_size",
                 ull{size}, ull{hidden_size});
}

// The text's first layers add what the further ones make, one each.
Status CheckMergers(const LayerChecker& checker, uint64_t size, const format::Model& text) {
  const auto* mergers = checker.model().tower()->mergers();
  if (mergers == nullptr || mergers->size() == 0) return Status();
  if (text.alt_up() != nullptr) {
    return Wrong({-1, "tower"}, "makes rows for layers of a text of several residual streams");
  }
  RONDO_RETURN_IF_ERROR(CheckRange("the number of a tower's further mergers", mergers->size(), 1,
                                   text.layers()->size()));
  uint64_t layer = 0;
  for (const format::TowerMerger* merger : *mergers) {
    RONDO_RETURN_IF_ERROR(CheckRange("the layer that a further merger reads", merger->layer(),
                                     layer, checker.model().layers()->size() - uint64_t{1}));
    layer = merger->layer() + uint64_t{1};
    RONDO_RETURN_IF_ERROR(
        CheckMerger(checker, merger->norm(), merger->dense(), size, text.hidden_size()));
  }
  return Status();
}

}  // namespace

Status CheckTower(const LayerChecker& checker, const format::Model& text) {
  const format::Tower& tower = *checker.model().tower();
  const Place place = {-1, "tower"};
  if (tower.processor() == nullptr || tower.text() == nullptr) {
    return Wrong(place, "lacks its processor or its place in texts");
  }
  RONDO_RETURN_IF_ERROR(
      CheckRange("a patch's pixels a side", tower.processor()->patch(), 1, kMaxPatchSide));
  const uint64_t patch = tower.processor()->patch(), merge = tower.processor()->merge();
  RONDO_RETURN_IF_ERROR(
      CheckRange("the patches a side that become one row", merge, 1, kMaxPatchSide / patch));
  RONDO_RETURN_IF_ERROR(
      CheckRange("the patches a side of a window", tower.window(), 0, kMaxTableSide));
  if (tower.window() % merge != 0) return Wrong(place, "has windows that part what is merged");
  RONDO_RETURN_IF_ERROR(checker.CheckLinear({-1, "product of patches"}, tower.patch(),
                                            checker.hidden(), 3 * patch * patch));
  RONDO_RETURN_IF_ERROR(CheckPositions(checker, tower));
  RONDO_RETURN_IF_ERROR(CheckSublayers(checker.model()));
  if (!std::isfinite(tower.scale())) return Wrong(place, "has a scale that is not finite");
  RONDO_RETURN_IF_ERROR(CheckStandard(checker, tower));
  RONDO_RETURN_IF_ERROR(CheckClassRow(checker, tower));
  const uint64_t size = MergedSize(checker.model());
  RONDO_RETURN_IF_ERROR(CheckRange("the size of what a tower merges", size, 1, kMaxHidden));
  RONDO_RETURN_IF_ERROR(
      CheckMerger(checker, tower.merged_norm(), tower.dense(), size, text.hidden_size()));
  RONDO_RETURN_IF_ERROR(CheckMergers(checker, size, text));
  if (tower.coordinates() > format::RowCoordinates::MAX) {
    return UnknownKind(place, "coordinates", static_cast<unsigned>(tower.coordinates()));
  }
  return CheckText(*tower.text(), text.vocab_size());
}

}  // namespace rondo
