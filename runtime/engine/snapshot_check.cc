// What a snapshot's bytes must be before anything of them is taken.
#include <algorithm>
#include <cstring>

#include "runtime/base/checksum.h"
#include "runtime/base/finite.h"
#include "runtime/engine/options.h"
#include "runtime/engine/session.h"
#include "runtime/engine/snapshot.h"
#include "runtime/engine/snapshot_parts.h"
#include "runtime/model/check_messages.h"

namespace rondo {
namespace {

// Positions are multiplied by frequencies as doubles, which hold every whole number up to here.
constexpr uint64_t kMaxPosition = uint64_t{1} << 53;

RONDO_PRINTF(1, 2) Status Mismatch(const char* format, ...) {
  char text[Status::kMaxMessage];
  va_list arguments;
  va_start(arguments, format);
  FormatMessage(text, sizeof(text), format, arguments);
  va_end(arguments);
  return Status::Error(StatusCode::kSnapshotMismatch, "%s", text);
}

}  // namespace

Result<Snapshot> Snapshot::Open(const SnapshotBinding& binding, std::span<const uint8_t> bytes) {
  Snapshot snapshot(binding, bytes);
  RONDO_RETURN_IF_ERROR(snapshot.ReadHeader());
  RONDO_RETURN_IF_ERROR(snapshot.CheckBinding());
  RONDO_RETURN_IF_ERROR(snapshot.CheckPositions());
  RONDO_RETURN_IF_ERROR(snapshot.CheckPrefix());
  RONDO_RETURN_IF_ERROR(snapshot.CheckGroups());
  RONDO_RETURN_IF_ERROR(snapshot.CheckLastRow());
  RONDO_RETURN_IF_ERROR(snapshot.CheckTokens());
  RONDO_RETURN_IF_ERROR(snapshot.CheckKv());
  return snapshot;
}

// The bytes are a snapshot, whole and unaltered.
Status Snapshot::ReadHeader() {
  if (bytes_.size() < sizeof kSnapshotMagic ||
      std::memcmp(bytes_.data(), kSnapshotMagic, sizeof kSnapshotMagic) != 0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "not a snapshot: the bytes do not begin with RNDOSNAP");
  }
  if (bytes_.size() < sizeof header_ + sizeof(uint64_t)) {
    return Corrupt("the snapshot ends after %zu bytes, inside its header of %zu", bytes_.size(),
                   sizeof header_);
  }
  std::memcpy(&header_, bytes_.data(), sizeof header_);
  const bool has_places = (header_.version & kSnapshotHasPlaces) != 0;
  const bool has_inputs = (header_.version & kSnapshotHasInputs) != 0;
  const bool has_prefix = (header_.version & kSnapshotHasPrefix) != 0;
  header_.version &= ~(kSnapshotHasPlaces | kSnapshotHasPrefix | kSnapshotHasInputs);
  if (header_.version > kSnapshotVersionOfAdapter) {
    return Status::Error(StatusCode::kNewerFormat,
                         "the snapshot has format version %u, this version of Rondo reads up to %u",
                         header_.version, kSnapshotVersionOfAdapter);
  }
  if (header_.bytes != bytes_.size()) {
    return Corrupt("the snapshot was %s: it has %zu bytes, its header says %llu",
                   bytes_.size() < header_.bytes ? "truncated" : "appended to", bytes_.size(),
                   ull{header_.bytes});
  }
  const size_t end = bytes_.size() - sizeof(uint64_t);
  uint64_t checksum;
  std::memcpy(&checksum, bytes_.data() + end, sizeof checksum);
  if (Checksum(bytes_.first(end)) != checksum) {
    return Corrupt("the snapshot was altered: its checksum does not match");
  }
  if (header_.version == 0) return Corrupt("the snapshot has format version 0, expected 1 to 3");
  if (header_bytes() > end) {
    return Corrupt("the snapshot ends after %zu bytes, inside its header of %zu", bytes_.size(),
                   header_bytes());
  }
  if (has_places) RONDO_RETURN_IF_ERROR(TakeOff("places", &places_));
  if (has_prefix) RONDO_RETURN_IF_ERROR(TakeOff("prefix", &prefix_));
  return has_inputs ? TakeOff("inputs", &inputs_) : Status();
}

// Sizes are then checked without it.
Status Snapshot::TakeOff(const char* what, std::span<const uint8_t>* part) {
  const size_t end = bytes_.size() - sizeof(uint64_t);
  uint64_t n = 0;
  if (end - header_bytes() >= sizeof n) std::memcpy(&n, bytes_.data() + end - sizeof n, sizeof n);
  if (n == 0 || n > end - header_bytes() - sizeof n) {
    return Corrupt("the snapshot's %s take %llu bytes, expected 1 to less than its %zu", what,
                   ull{n}, bytes_.size());
  }
  *part = bytes_.subspan(end - sizeof n - n, n);
  bytes_ = bytes_.first(bytes_.size() - sizeof n - n);
  return Status();
}

// It was made by this model, with what shapes the KV as here.
Status Snapshot::CheckBinding() const {
  const uint64_t model = binding_.model.model().identity();
  if (header_.model != model) {
    return Mismatch("the snapshot is of another model (%016llx, this one is %016llx)",
                    ull{header_.model}, ull{model});
  }
  if (header_.version == kSnapshotVersionOfNumber) {
    return Mismatch(
        "the snapshot was made by a version of Rondo whose snapshots name their adapter by a "
        "number that other adapters can have: make it again");
  }
  const uint8_t* const adapter =
      header_.version == kSnapshotVersionOfAdapter ? bytes_.data() + sizeof header_ : nullptr;
  const uint8_t* const expected = binding_.adapter == nullptr ? nullptr : binding_.adapter->data();
  const bool same = adapter == nullptr || expected == nullptr
                        ? adapter == expected
                        : std::equal(adapter, adapter + sizeof(Digest), expected);
  if (!same) {
    const auto name = [](char* text, size_t size, const uint8_t* digest) {
      uint64_t begin = 0;
      for (size_t i = 0; digest != nullptr && i < sizeof begin; ++i) begin = begin << 8 | digest[i];
      Format(text, size, digest == nullptr ? "none" : "%016llx...", ull{begin});
    };
    char theirs[24], ours[24];
    name(theirs, sizeof theirs, adapter);
    name(ours, sizeof ours, expected);
    return Mismatch("the snapshot's adapter is %s, the session's is %s", theirs, ours);
  }
  if (!IsKvFormat(header_.kv_format)) {
    return Corrupt("the snapshot's KV format is %u, expected 0 to %zu", header_.kv_format,
                   KvFormatRules().size() - 1);
  }
  const auto kv_format = static_cast<KvFormat>(header_.kv_format);
  if (kv_format != binding_.kv_format) {
    return Mismatch("the snapshot's keys and values are %s, the engine's %s",
                    RuleOf(kv_format).name, RuleOf(binding_.kv_format).name);
  }
  const ContextWindow& window = binding_.kv.window();
  if ((header_.context_blocks != 0) != window.slides) {
    return Mismatch("the snapshot's context policy is to %s, the engine's to %s",
                    header_.context_blocks != 0 ? "slide" : "stop",
                    window.slides ? "slide" : "stop");
  }
  if (window.slides && header_.context_blocks != window.blocks) {
    return Mismatch(
        "the snapshot's context slides over %llu blocks of %zu tokens, the engine's "
        "over %llu",
        ull{header_.context_blocks}, kKvBlockTokens, ull{window.blocks});
  }
  if (header_.sink_blocks != window.sink_blocks) {
    return Mismatch("the snapshot keeps %llu first blocks of %zu tokens, the engine %llu",
                    ull{header_.sink_blocks}, kKvBlockTokens, ull{window.sink_blocks});
  }
  if (header_.kv_shape != SnapshotKvShape(binding_.kv) ||
      header_.n_groups != binding_.kv.groups().size()) {
    return Mismatch(
        "the snapshot's keys and values are laid out by another version of Rondo, or with another "
        "draft_head than the engine's");
  }
  return Status();
}

Status Snapshot::CheckPositions() const {
  const SnapshotHeader& h = header_;
  const ContextWindow& window = binding_.kv.window();
  if (h.position > kMaxPosition) {
    return Corrupt("the snapshot has %llu tokens, expected at most %llu", ull{h.position},
                   ull{kMaxPosition});
  }
  if (!window.slides && h.position > binding_.limits.context) {
    return Status::Error(StatusCode::kContextFull,
                         "the snapshot has %llu tokens, the engine's context room for %llu",
                         ull{h.position}, ull{binding_.limits.context});
  }
  if (h.evaluated > h.position) {
    return Corrupt("%llu tokens of the snapshot are evaluated, but it has only %llu",
                   ull{h.evaluated}, ull{h.position});
  }
  // Under STOP all tokens are remembered; else those that wait and those that penalties look at.
  const uint64_t waiting = h.position - h.evaluated;
  const uint64_t remembered = std::min<uint64_t>(h.position, kMaxPenaltyWindow);
  const uint64_t latest = window.slides ? h.position - remembered : 0;
  if (h.first_token > latest) {
    return Corrupt("the snapshot remembers tokens from position %llu on, expected %llu or before",
                   ull{h.first_token}, ull{latest});
  }
  const size_t most =
      Sequence::HistoryTokens(binding_.kv.ring_tokens(), window, binding_.limits.context);
  if (window.slides && waiting > most) {
    return Corrupt("%llu tokens of the snapshot wait to be evaluated, expected at most %zu",
                   ull{waiting}, most);
  }
  if (h.first_token > h.evaluated) {
    return Corrupt(
        "the snapshot remembers tokens from position %llu on, but those from %llu on "
        "wait to be evaluated",
        ull{h.first_token}, ull{h.evaluated});
  }
  if (h.generated > h.position || h.text_begin > h.position) {
    return Corrupt("the snapshot has %llu tokens, but %llu generated ones and a text from %llu on",
                   ull{h.position}, ull{h.generated}, ull{h.text_begin});
  }
  if (h.finished > static_cast<uint32_t>(FinishReason::kGrammar)) {
    return Corrupt("the snapshot's generation ended for reason %u, expected 0 to %u", h.finished,
                   static_cast<uint32_t>(FinishReason::kGrammar));
  }
  if (h.is_long > 1 || h.continues > 1) {
    return Corrupt("a flag of the snapshot is %u, expected 0 or 1",
                   std::max(h.is_long, h.continues));
  }
  const bool may_change = binding_.limits.short_context != 0 && !window.slides;
  const bool begins_long = window.slides && binding_.limits.context > binding_.limits.short_context;
  if (!may_change && h.is_long != begins_long) {
    return Corrupt(
        "the snapshot's positions turn by the frequencies for %s sequences, expected "
        "those for %s ones",
        h.is_long != 0 ? "long" : "short", begins_long ? "long" : "short");
  }
  return Status();
}

// It is evaluated whole or not at all, and can be again.
Status Snapshot::CheckPrefix() const {
  if (!prefix_.empty() && prefix_.size() != sizeof(uint64_t)) {
    return Corrupt("the snapshot's prefix takes %zu bytes, expected 8", prefix_.size());
  }
  const bool is_evaluated = header_.evaluated > 0;
  const uint64_t least = binding_.limits.has_prefix && is_evaluated ? 1 : 0;
  const uint64_t evaluated = is_evaluated ? header_.evaluated : header_.position;
  const uint64_t most = binding_.limits.has_prefix ? evaluated : 0;
  if (prefix() < least || prefix() > most) {
    return Corrupt("the first %llu tokens of the snapshot see each other, expected %llu to %llu",
                   ull{prefix()}, ull{least}, ull{most});
  }
  // What waits for the first pass becomes the prefix.
  const bool begins = binding_.limits.has_prefix && !is_evaluated && prefix() == 0;
  const uint64_t pass = begins ? header_.position : prefix();
  if (pass <= std::min<uint64_t>(binding_.limits.max_rows, binding_.limits.context)) {
    return Status();
  }
  return Mismatch(
      "the snapshot's first %llu tokens see each other and are of one pass, but engine options "
      "max_rows and context are %zu and %llu",
      ull{pass}, binding_.limits.max_rows, ull{binding_.limits.context});
}

// The groups hold what the row behind the evaluated ones sees, and their sizes are those of the
// bytes.
Status Snapshot::CheckGroups() const {
  const SnapshotHeader& h = header_;
  const size_t n_groups = binding_.kv.groups().size();
  CheckedSize size = CheckedSize(h.position - h.first_token) * sizeof(int32_t) + header_bytes() +
                     (n_groups + 1) * sizeof(uint64_t);
  if (!size.valid() || size.value() > bytes_.size()) {
    return Corrupt("the snapshot's %zu bytes end inside of its %llu tokens", bytes_.size(),
                   ull{h.position - h.first_token});
  }
  for (size_t g = 0; g < n_groups; ++g) {
    const KvLayout::Group& group = binding_.kv.groups()[g];
    const uint64_t first = first_block(g);
    const uint64_t sinks = group.Sinks(h.evaluated);
    const uint64_t blocks = KvLayout::Group::Blocks(h.evaluated);
    const uint64_t needed =
        std::min(blocks, std::max(sinks, group.window.FirstRecentBlock(h.evaluated)));
    if (first < sinks || first > needed) {
      return Corrupt(
          "group %zu of the snapshot holds KV blocks from %llu on, expected from %llu to "
          "%llu",
          g, ull{first}, ull{sinks}, ull{needed});
    }
    const uint64_t most = group.window.RingBlocks(kMaxRows) - group.window.sink_blocks;
    if (blocks - first > most) {
      return Corrupt("group %zu of the snapshot holds %llu KV blocks, expected at most %llu", g,
                     ull{blocks - first}, ull{most});
    }
    size = size + SnapshotGroupBytes(binding_.kv, g, first, h.evaluated);
  }
  if (!size.valid() || size.value() != bytes_.size()) {
    return Corrupt("the snapshot's tokens and KV take %llu bytes, but it has %zu",
                   ull{size.ValueOrMost()}, bytes_.size());
  }
  return Status();
}

// Where nothing waits, the last row must run once more for its logits, here as in the session that
// was saved, which had its rule from held_blocks.h, too.
Status Snapshot::CheckLastRow() const {
  const SnapshotHeader& h = header_;
  if (h.evaluated == 0 || h.evaluated < h.position) return Status();
  const KvLayout& layout = binding_.kv;
  const uint64_t remembered =
      Sequence::HistoryTokens(layout.ring_tokens(), layout.window(), binding_.limits.context);
  const uint64_t first_token =
      std::max(h.first_token, h.position - std::min(h.position, remembered));
  const auto held = [&](size_t g, uint64_t block) {
    const KvLayout::Group& group = layout.groups()[g];
    return block < group.Sinks(h.evaluated) ||
           (block >= std::max(first_block(g), group.FirstInRing(h.evaluated)) &&
            block < KvLayout::Group::Blocks(h.evaluated));
  };
  if (RunsFrom(layout, h.position - 1, first_token, held) != kNoRow) return Status();
  return Corrupt(
      "the snapshot holds too few KV blocks and tokens to make the logits behind its %llu tokens",
      ull{h.position});
}

// In order, side by side or not. Of an input that begins before what is remembered the first rows
// are not; the last ones may have been undone. No coordinate is less than 0.
Status Snapshot::CheckInputs() const {
  if (inputs_.empty()) return Status();
  if (binding_.inputs->max_rows() == 0) {
    return Mismatch("the snapshot has inputs, but engine option max_input_rows is 0");
  }
  if (inputs_.size() < sizeof(int64_t) ||
      (inputs_.size() - sizeof(int64_t)) % sizeof(SnapshotInput) != 0) {
    return Corrupt("the snapshot's inputs take %zu bytes, expected 8 and some times %zu",
                   inputs_.size(), sizeof(SnapshotInput));
  }
  constexpr auto kMost = static_cast<int64_t>(kMaxPosition);
  int64_t shift = first_shift();
  if (shift > (header_.first_token == 0 ? 0 : kMost) ||
      shift < -static_cast<int64_t>(header_.first_token)) {
    return Corrupt("the snapshot's tokens are shifted by %lld, expected -%llu to %lld",
                   static_cast<long long>(shift), ull{header_.first_token},
                   static_cast<long long>(header_.first_token == 0 ? 0 : kMost));
  }
  uint64_t end = header_.first_token;
  for (size_t i = 0; i < n_inputs(); ++i) {
    const SnapshotInput in = input(i);
    const bool is_whole = in.rows >= 1 && in.rows <= kMaxInputRows && in.n_rows >= 1 &&
                          in.first_row < in.rows && in.n_rows <= in.rows - in.first_row;
    const bool is_cut =
        ((in.kind & 1) != 0 && in.first_row + in.n_rows != in.rows) ||
        (in.first_row > 0 && (in.position != header_.first_token || in.first_row > in.position));
    if (!is_whole || is_cut || in.kind > 3) {
      return Corrupt("input %zu of the snapshot has rows %u to %llu of %u", i, in.first_row,
                     ull{in.first_row + in.n_rows}, in.rows);
    }
    if (in.advance < 1 || in.advance > kMaxCoordinate + 1) {
      return Corrupt("input %zu of the snapshot takes %d coordinates, expected 1 to %d", i,
                     in.advance, kMaxCoordinate + 1);
    }
    if (in.position < end || in.position > header_.position ||
        in.n_rows > header_.position - in.position) {
      return Corrupt("input %zu of the snapshot is at position %llu, expected %llu to %llu", i,
                     ull{in.position}, ull{end}, ull{header_.position});
    }
    end = in.position + in.n_rows;
    const uint64_t begin = in.position - in.first_row;
    if ((in.kind & 1) != 0 && prefix() > begin && prefix() < begin + in.rows) {
      return Corrupt("the snapshot's first %llu tokens see each other, and end inside input %zu",
                     ull{prefix()}, i);
    }
    const int64_t begins_at = static_cast<int64_t>(in.position) - in.first_row + shift;
    if (begins_at < 0 || begins_at > kMost) {
      return Corrupt("input %zu of the snapshot begins at coordinate %lld, expected 0 to %lld", i,
                     static_cast<long long>(begins_at), static_cast<long long>(kMost));
    }
    if (in.first_row + in.n_rows == in.rows) shift += in.advance - static_cast<int64_t>(in.rows);
  }
  return Status();
}

Status Snapshot::CheckTokens() const {
  RONDO_RETURN_IF_ERROR(CheckInputs());
  size_t next = 0;
  uint64_t rows_end = 0;  // of the input that positions are in
  for (uint64_t at = header_.first_token; at < header_.position; ++at) {
    int32_t id;
    std::memcpy(&id, tokens() + (at - header_.first_token) * sizeof id, sizeof id);
    if (next < n_inputs() && input(next).position == at) {
      rows_end = at + input(next).n_rows;
      ++next;
    }
    if (at < rows_end && id == InputKey::kNoToken) continue;
    if (at < rows_end) {
      return Corrupt("position %llu of the snapshot has a row of an input, and token id %d",
                     ull{at}, id);
    }
    if (id >= 0 && static_cast<size_t>(id) < binding_.limits.vocab_size) continue;
    return Corrupt(
        "token id %d at position %llu of the snapshot is out of range: the vocabulary "
        "has %zu",
        id, ull{at}, binding_.limits.vocab_size);
  }
  return Status();
}

Status Snapshot::CheckKv() const {
  const KvLayout& layout = binding_.kv;
  const uint8_t* at = kv();
  SnapshotPart bad = {SIZE_MAX, 0, 0, 0, 0};
  for (size_t g = 0; g < layout.groups().size(); ++g) {
    ForSnapshotParts(layout, g, first_block(g), header_.evaluated, [&](const SnapshotPart& part) {
      bool finite = true;
      if (layout.entry(part.entry).n_kv_heads == 0) {
        finite = AllFinite({at, part.bytes});
      } else {
        const size_t bytes = part.bytes / part.tokens;
        for (size_t i = 0; i < part.tokens; ++i) {
          finite &= layout.page(part.entry).IsFinite(at + i * bytes);
        }
      }
      if (!finite && bad.entry == SIZE_MAX) bad = part;
      at += part.bytes;
    });
  }
  if (bad.entry == SIZE_MAX) return Status();
  return Corrupt("a number in KV block %llu of the snapshot, sublayer %zu, head %zu, is not finite",
                 ull{bad.block}, bad.entry, bad.head);
}

}  // namespace rondo
