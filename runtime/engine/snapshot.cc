#include "runtime/engine/snapshot.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "runtime/base/checksum.h"
#include "runtime/engine/snapshot_parts.h"

namespace rondo {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie");

// Writes one thing after another.
class Writer {
 public:
  explicit Writer(uint8_t* out) : begin_(out), at_(out) {}
  uint8_t* Take(size_t bytes) { return std::exchange(at_, at_ + bytes); }
  void Put(const void* data, size_t bytes) { std::memcpy(Take(bytes), data, bytes); }
  std::span<const uint8_t> written() const { return {begin_, at_}; }

 private:
  uint8_t* const begin_;
  uint8_t* at_;
};

void WritePart(const BlockTable& kv, const SnapshotPart& part, Writer* writer) {
  const KvLayout& layout = kv.layout();
  const uint8_t* page = kv.Page(part.block, part.entry, part.head);
  if (layout.entry(part.entry).n_kv_heads == 0) {
    writer->Put(page, part.bytes);
    return;
  }
  const size_t bytes = SnapshotTokenBytes(layout, part.entry);
  for (size_t slot = 0; slot < part.tokens; ++slot) {
    layout.page(part.entry).Read(page, slot, writer->Take(bytes));
  }
}

void ReadPart(const uint8_t* bytes, const SnapshotPart& part, BlockTable* kv) {
  const KvLayout& layout = kv->layout();
  uint8_t* page = kv->Page(part.block, part.entry, part.head);
  if (layout.entry(part.entry).n_kv_heads == 0) {
    std::memcpy(page, bytes, part.bytes);
    return;
  }
  const size_t token_bytes = SnapshotTokenBytes(layout, part.entry);
  layout.page(part.entry).Clear(page);
  for (size_t slot = 0; slot < part.tokens; ++slot) {
    layout.page(part.entry).Put(page, slot, bytes + slot * token_bytes);
  }
}

InputFacts FactsOf(const SnapshotInput& in) {
  return {in.digest, in.rows, in.advance, (in.kind & 1) != 0, (in.kind & 2) != 0};
}

// visit(SnapshotInput) for each that `keys` has rows of, in order.
template <typename Visit>
void ForEachInput(const KeyHistory& keys, const Visit& visit) {
  for (uint64_t at = keys.begin(); keys.n_rows() > 0 && at < keys.end();) {
    const InputKey key = keys.key(at);
    uint64_t end = at + 1;
    if (key.is_row()) {
      const InputStore& store = *keys.inputs();
      const uint32_t first = key.row();
      while (end < keys.end() &&
             keys.key(end) == InputKey(key.input(), first + static_cast<uint32_t>(end - at))) {
        ++end;
      }
      const InputFacts& facts = store.facts(key.input());
      const uint32_t kind = (facts.sees_whole ? 1 : 0) + (facts.has_coordinates ? 2 : 0);
      visit(SnapshotInput{facts.digest, facts.rows, facts.advance, kind, first, at, end - at});
    }
    at = end;
  }
}

}  // namespace

Status WriteSnapshot(const SnapshotBinding& binding, const Sequence& sequence,
                     const GenerationState& generation, const Constraint& constraint,
                     std::span<uint8_t> out, size_t* bytes) {
  const KvLayout& layout = binding.kv;
  const ContextWindow& window = layout.window();
  // States without rows behind them: whoever restores runs these again.
  const uint64_t evaluated = sequence.kv().StatesFor(sequence.evaluated());
  const uint64_t first_token = sequence.keys().begin();
  const size_t n_groups = layout.groups().size();
  const uint32_t version =
      binding.adapter == nullptr ? kSnapshotVersion : kSnapshotVersionOfAdapter;
  CheckedSize size = CheckedSize(sequence.position() - first_token) * sizeof(int32_t) +
                     SnapshotHeaderBytes(version) + (n_groups + 1) * sizeof(uint64_t);
  for (size_t g = 0; g < n_groups; ++g) {
    size = size + SnapshotGroupBytes(layout, g, sequence.kv().FirstHeld(g, evaluated), evaluated);
  }
  const auto save = [&](std::span<uint8_t> places) {
    return constraint.Save(sequence.keys(), generation.text_begin, places);
  };
  const KeyHistory& keys = sequence.keys();
  const int64_t first_shift = keys.shift(first_token);
  uint64_t inputs = 0;
  ForEachInput(keys, [&](const SnapshotInput&) { inputs += sizeof(SnapshotInput); });
  if (inputs > 0 || first_shift != 0) inputs += sizeof first_shift;
  if (inputs > 0) size = size + inputs + sizeof inputs;
  const uint64_t prefix[] = {keys.prefix(), sizeof(uint64_t)};
  if (prefix[0] > 0) size = size + sizeof prefix;
  uint64_t places = save({});
  if (places > 0) size = size + places + sizeof places;
  *bytes = size.ValueOrMost();
  if (out.size() < *bytes) {
    return Status::Error(StatusCode::kBufferTooSmall,
                         "the snapshot has %zu bytes, but the buffer only %zu", *bytes, out.size());
  }
  SnapshotHeader header = {
      .magic = {},
      .version = version | (places > 0 ? kSnapshotHasPlaces : 0) |
                 (prefix[0] > 0 ? kSnapshotHasPrefix : 0) | (inputs > 0 ? kSnapshotHasInputs : 0),
      .kv_format = static_cast<uint32_t>(binding.kv_format),
      .bytes = *bytes,
      .model = binding.model.model().identity(),
      .kv_shape = SnapshotKvShape(layout),
      .context_blocks = window.slides ? window.blocks : 0,
      .sink_blocks = window.sink_blocks,
      .position = sequence.position(),
      .evaluated = evaluated,
      .first_token = first_token,
      .generated = generation.generated,
      .text_begin = generation.text_begin,
      .finished = generation.finished,
      .is_long = sequence.is_long(),
      .continues = generation.continues,
      .n_groups = n_groups,
  };
  std::copy(std::begin(kSnapshotMagic), std::end(kSnapshotMagic), header.magic);
  Writer writer(out.data());
  writer.Put(&header, sizeof header);
  if (binding.adapter != nullptr) writer.Put(binding.adapter->data(), sizeof *binding.adapter);
  for (uint64_t at = first_token; at < sequence.position(); ++at) {
    const int32_t token = keys[at];
    writer.Put(&token, sizeof token);
  }
  for (size_t g = 0; g < n_groups; ++g) {
    const uint64_t first = sequence.kv().FirstHeld(g, evaluated);
    writer.Put(&first, sizeof first);
  }
  for (size_t g = 0; g < n_groups; ++g) {
    ForSnapshotParts(layout, g, sequence.kv().FirstHeld(g, evaluated), evaluated,
                     [&](const SnapshotPart& part) { WritePart(sequence.kv(), part, &writer); });
  }
  if (inputs > 0) {
    writer.Put(&first_shift, sizeof first_shift);
    ForEachInput(keys, [&](const SnapshotInput& in) { writer.Put(&in, sizeof in); });
    writer.Put(&inputs, sizeof inputs);
  }
  if (prefix[0] > 0) writer.Put(prefix, sizeof prefix);
  if (places > 0) {
    save({writer.Take(places), static_cast<size_t>(places)});
    writer.Put(&places, sizeof places);
  }
  const uint64_t checksum = Checksum(writer.written());
  writer.Put(&checksum, sizeof checksum);
  return Status();
}

uint64_t Snapshot::first_block(size_t group) const {
  uint64_t block;
  std::memcpy(&block, first_blocks() + group * sizeof block, sizeof block);
  return block;
}

SnapshotInput Snapshot::input(size_t i) const {
  SnapshotInput input;
  std::memcpy(&input, inputs_.data() + sizeof(int64_t) + i * sizeof input, sizeof input);
  return input;
}

int64_t Snapshot::first_shift() const {
  int64_t shift = 0;
  if (!inputs_.empty()) std::memcpy(&shift, inputs_.data(), sizeof shift);
  return shift;
}

uint64_t Snapshot::prefix() const {
  uint64_t prefix = 0;
  if (!prefix_.empty()) std::memcpy(&prefix, prefix_.data(), sizeof prefix);
  return prefix;
}

Status Snapshot::HoldInputs() const {
  for (size_t i = 0; i < n_inputs(); ++i) {
    const Result<uint32_t> number = binding_.inputs->Find(FactsOf(input(i)));
    if (number.ok()) continue;
    ReleaseInputs(i);
    return number.status();
  }
  return Status();
}

// Of the first n: what is held is found.
void Snapshot::ReleaseInputs(size_t n) const {
  for (size_t i = 0; i < n; ++i) {
    const Result<uint32_t> number = binding_.inputs->Find(FactsOf(input(i)));
    binding_.inputs->Release(*number);
    binding_.inputs->Release(*number);
  }
}

bool Snapshot::TakeBlocks(Sequence* sequence) const {
  const size_t n_groups = binding_.kv.groups().size();
  for (size_t g = 0; g < n_groups; ++g) {
    if (!sequence->kv().CanRenew(g, first_block(g), header_.evaluated)) return false;
  }
  for (size_t g = 0; g < n_groups; ++g) {
    sequence->kv().Renew(g, first_block(g), header_.evaluated);
  }
  return true;
}

void Snapshot::CopyTo(Sequence* sequence) const {
  const KvLayout& layout = binding_.kv;
  const uint8_t* at = kv();
  for (size_t g = 0; g < layout.groups().size(); ++g) {
    const uint64_t first = layout.groups()[g].FirstInRing(header_.evaluated);
    const uint64_t sinks = layout.groups()[g].Sinks(header_.evaluated);
    ForSnapshotParts(layout, g, first_block(g), header_.evaluated, [&](const SnapshotPart& part) {
      // A ring of fewer rows leaves the oldest ones out.
      if (part.block < sinks || part.block >= first) ReadPart(at, part, &sequence->kv());
      at += part.bytes;
    });
  }
  sequence->Restart(header_.first_token, first_shift(), prefix(), header_.evaluated,
                    header_.is_long != 0);
  size_t next = 0;
  for (uint64_t at_key = header_.first_token; at_key < header_.position;) {
    if (next < n_inputs() && input(next).position == at_key) {
      const SnapshotInput in = input(next++);
      const uint32_t number = *binding_.inputs->Find(FactsOf(in));
      sequence->AppendInput(number, in.first_row, static_cast<uint32_t>(in.n_rows));
      binding_.inputs->Release(number);
      at_key += in.n_rows;
      continue;
    }
    int32_t id;  // the bytes may have no alignment
    std::memcpy(&id, tokens() + (at_key - header_.first_token) * sizeof id, sizeof id);
    sequence->Append({&id, 1}, 1);
    ++at_key;
  }
}

}  // namespace rondo
