// Snapshot: a session as bytes: its tokens, their KV, and where its generation stands. It belongs
// to a model and to what shapes the KV, not to a kernel set, a packing or a number of rows.
//
// Little-endian, without alignment:
//   SnapshotHeader
//   Digest                            version 3: the adapter's AdapterFile::digest. Without one the
//                                     version is 1; 2 had a number that other contents can have
//   int32  [position - first_token]   the tokens that are remembered; -1: a row of an input
//   uint64 [n_groups]                 of each layer group, the first KV block behind the sinks
//   KV     of each group, of its sinks and of its blocks from that one on, of each sublayer, of
//   each
//          KV head: the evaluated positions of the block, as KvPage::Read gives them; of a short
//          convolution floats; of a sublayer with a state the floats of that, once a block
//   int64, SnapshotInput [m], uint64  with kSnapshotHasInputs: the shift of the first token that is
//                                     remembered (KeyHistory), the inputs, and how many bytes both
//                                     take; rows of inputs are not saved
//   uint64 [2]                        with kSnapshotHasPrefix: KeyHistory::prefix, and the 8 bytes
//                                     that it takes
//   uint8  [n], uint64                with kSnapshotHasPlaces: where the generation stood by its
//                                     grammar and its thoughts (Constraint::Save), and n
//   uint64                            XXH3-64 of all bytes before
#pragma once

#include <cstdint>
#include <span>

#include "runtime/base/digest.h"
#include "runtime/base/status.h"
#include "runtime/engine/sequence.h"
#include "runtime/kv/input_store.h"
#include "runtime/kv/kv_layout.h"
#include "runtime/model/model_file.h"

namespace rondo {

inline constexpr char kSnapshotMagic[8] = {'R', 'N', 'D', 'O', 'S', 'N', 'A', 'P'};
inline constexpr uint32_t kSnapshotVersion = 1;
inline constexpr uint32_t kSnapshotVersionOfNumber = 2;
inline constexpr uint32_t kSnapshotVersionOfAdapter = 3;
// Added to a version.
inline constexpr uint32_t kSnapshotHasPlaces = 0x100;
inline constexpr uint32_t kSnapshotHasInputs = 0x200;
inline constexpr uint32_t kSnapshotHasPrefix = 0x400;

struct SnapshotHeader {
  char magic[8];            // kSnapshotMagic
  uint32_t version;         // one of these
  uint32_t kv_format;       // KvFormat
  uint64_t bytes;           // of all
  uint64_t model;           // Model.identity of the file
  uint64_t kv_shape;        // what the sublayers keep of a position
  uint64_t context_blocks;  // that a row sees, sinks included; 0 under STOP, where it sees all
  uint64_t sink_blocks;
  uint64_t position;
  uint64_t evaluated;    // tokens whose KV follows
  uint64_t first_token;  // position of the first one remembered
  uint64_t generated;    // Session's own, as the next two
  uint64_t text_begin;
  uint32_t finished;   // FinishReason
  uint16_t is_long;    // Sequence::is_long
  uint16_t continues;  // SessionText::continues
  uint64_t n_groups;
};
static_assert(sizeof(SnapshotHeader) == 112);

// Rows of an input at positions one behind another, in the order of these.
struct SnapshotInput {
  Digest digest;  // InputFacts, as the next three
  uint32_t rows;
  int32_t advance;
  uint32_t kind;       // 1: sees_whole; 2: has_coordinates; 3: both
  uint32_t first_row;  // at `position`
  uint64_t position;
  uint64_t n_rows;
};
static_assert(sizeof(SnapshotInput) == 64);

// With what follows it.
constexpr size_t SnapshotHeaderBytes(uint32_t version) {
  return sizeof(SnapshotHeader) + (version == kSnapshotVersionOfAdapter ? sizeof(Digest) : 0);
}

// What a session's engine has to do with its snapshots.
struct SnapshotBinding {
  const ModelFile& model;
  const KvLayout& kv;
  KvFormat kv_format;
  const SequenceLimits& limits;
  const Digest* adapter;  // AdapterFile::digest; null: none
  InputStore* inputs;
};

// Where a session's generation stands.
struct GenerationState {
  uint64_t generated;
  uint64_t text_begin;
  uint32_t finished;
  bool continues;
};

// Writes the snapshot to `out`; `bytes` is always its size. Error: kBufferTooSmall.
Status WriteSnapshot(const SnapshotBinding& binding, const Sequence& sequence,
                     const GenerationState& generation, const Constraint& constraint,
                     std::span<uint8_t> out, size_t* bytes);

// A snapshot that has passed all checks for an engine. A view of the bytes.
class Snapshot {
 public:
  // Errors: kInvalidArgument (no snapshot), kNewerFormat, kCorrupt (what, where, what was
  // expected), kSnapshotMismatch (which of model and options), kContextFull (more tokens than the
  // context has).
  static Result<Snapshot> Open(const SnapshotBinding& binding, std::span<const uint8_t> bytes);

  GenerationState generation() const {
    return {header_.generated, header_.text_begin, header_.finished, header_.continues != 0};
  }

  // Places of a session with this constraint, which are those of another, or well-formed. Error:
  // kCorrupt.
  Status CheckPlaces(const Constraint& constraint) const {
    return constraint.CheckSaved(places_, header_.text_begin, header_.first_token,
                                 header_.position);
  }
  void LoadPlaces(Constraint* constraint) const {
    constraint->Forget();
    constraint->Load(places_, header_.text_begin, header_.first_token, header_.position);
  }

  // Its inputs are held from here on, those that the engine has with their rows. Error, and nothing
  // has happened: kKvPoolFull.
  Status HoldInputs() const;
  void ReleaseInputs() const { ReleaseInputs(n_inputs()); }
  // `sequence`, of the engine that this was opened for, gets blocks for what is held. False, and
  // nothing has happened, where the pool has too few.
  bool TakeBlocks(Sequence* sequence) const;
  // After both: it becomes what was saved.
  void CopyTo(Sequence* sequence) const;

 private:
  Snapshot(const SnapshotBinding& binding, std::span<const uint8_t> bytes)
      : binding_(binding), bytes_(bytes) {}
  Status ReadHeader();
  // Takes what lies behind the KV, with its size, off the bytes.
  Status TakeOff(const char* what, std::span<const uint8_t>* part);
  Status CheckInputs() const;
  Status CheckBinding() const;
  Status CheckPositions() const;
  Status CheckPrefix() const;
  Status CheckGroups() const;
  Status CheckLastRow() const;
  Status CheckTokens() const;
  Status CheckKv() const;

  size_t n_inputs() const {
    return inputs_.empty() ? 0 : (inputs_.size() - sizeof(int64_t)) / sizeof(SnapshotInput);
  }
  SnapshotInput input(size_t i) const;
  int64_t first_shift() const;
  uint64_t prefix() const;
  void ReleaseInputs(size_t n) const;
  uint64_t first_block(size_t group) const;
  size_t header_bytes() const { return SnapshotHeaderBytes(header_.version); }
  const uint8_t* tokens() const { return bytes_.data() + header_bytes(); }
  const uint8_t* first_blocks() const {
    return tokens() + (header_.position - header_.first_token) * sizeof(int32_t);
  }
  const uint8_t* kv() const { return first_blocks() + header_.n_groups * sizeof(uint64_t); }

  SnapshotBinding binding_;
  std::span<const uint8_t> bytes_;
  std::span<const uint8_t> places_;  // taken off bytes_, with their number
  std::span<const uint8_t> prefix_;  // likewise
  std::span<const uint8_t> inputs_;  // likewise; its begin is the shift
  SnapshotHeader header_;
};

}  // namespace rondo
