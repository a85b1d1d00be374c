// Operator: what a type of sublayer is to the decoder. Each has a file of its own, which says what
// it keeps, which buffers it needs and how it runs; nothing else knows one by its type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>

#include "rondo_generated.h"
#include "runtime/base/checked.h"
#include "runtime/kv/kv_layout.h"
#include "runtime/model/operators/attention.h"
#include "runtime/model/vector_reader.h"

namespace rondo {

class Activations;
class Pass;
struct DecoderSpec;
struct Sublayer;

// What a sublayer is made of.
struct OperatorSite {
  const format::Model& file;
  const format::Sublayer& sublayer;  // has passed the checks
  const DecoderSpec& model;          // what is read before the layers
  size_t layer;

  bool in_draft_head() const { return layer == file.layers()->size(); }
};

// Bytes of scratch for one row of n floats.
inline CheckedSize RowScratch(size_t n) { return CheckedSize(n) * sizeof(float) + kOverRead; }

class Operator {
 public:
  virtual ~Operator() = default;

  // What it keeps of a sequence, of each position or as a state; by default nothing.
  virtual KvLayout::Entry kv() const { return {}; }
  // The layer whose operator of the same type keeps that for it; or kOwnKeys, kKeysOfOther.
  virtual int32_t kv_layer() const { return kOwnKeys; }
  // Rows read what rows behind them make: a sequence's are all of one pass.
  virtual bool sees_ahead() const { return false; }
  // Takes its norms and small vectors from the file.
  virtual Status ReadVectors(const format::Sublayer& /*sublayer*/, VectorReader& /*vectors*/) {
    return Status();
  }
  // Asks for the buffers of a pass. `sublayer` is its own, whose matrices have their shapes.
  virtual void Widen(const Sublayer& sublayer, const ContextWindow& window,
                     Activations* act) const = 0;
  // Bytes of a thread's scratch.
  virtual CheckedSize ScratchBytes() const { return 0; }

  // Of a pass: makes the input of the first product from the residual stream, then runs. Where the
  // next sublayer reads the same, both inputs are made before either runs.
  virtual void MakeInput(const Pass& pass, const Sublayer& sublayer) const = 0;
  virtual void Run(const Pass& pass, const Sublayer& sublayer) const = 0;
  // Where rows of other passes see those of this one, before any runs: keeps what they need. Behind
  // MakeInput; of attention alone.
  virtual void Store(const Pass& /*pass*/, const Sublayer& /*sublayer*/) const {}
};

// Whose input lies in a buffer of its own.
enum class InputKind : uint8_t { kMixer, kState, kLaurel, kMlp };

struct OperatorType {
  const char* name;  // in profiles
  InputKind input;
  std::unique_ptr<Operator> (*create)(const OperatorSite& site);  // null: there is no memory
};

template <typename Type>
std::unique_ptr<Operator> CreateOperator(const OperatorSite& site) {
  return std::unique_ptr<Operator>(new (std::nothrow) Type(site));
}

extern const OperatorType kAttentionType;
extern const OperatorType kShortConvType;
extern const OperatorType kMlpType;
extern const OperatorType kExpertsType;
extern const OperatorType kLatentAttentionType;
extern const OperatorType kLayerEmbeddingType;
extern const OperatorType kGatedDeltaNetType;
extern const OperatorType kMamba2Type;
extern const OperatorType kLaurelType;

// Of one that the schema has.
inline const OperatorType& TypeOf(format::Operator type) {
  static constexpr const OperatorType* kTypes[] = {
      &kAttentionType,      &kShortConvType,     &kMlpType,    &kExpertsType, &kLatentAttentionType,
      &kLayerEmbeddingType, &kGatedDeltaNetType, &kMamba2Type, &kLaurelType,
  };
  static_assert(std::size(kTypes) == static_cast<size_t>(format::Operator::MAX));
  return *kTypes[static_cast<size_t>(type) - 1];
}

}  // namespace rondo
