// A learned augmented residual layer as a sublayer: x + norm(right(left(x))).
#include <algorithm>

#include "runtime/decoder/pass.h"
#include "runtime/model/operators/laurel.h"
#include "runtime/weights/vectors.h"

namespace rondo {

namespace {

class Laurel final : public Operator {
 public:
  explicit Laurel(const OperatorSite& site) : hidden_(site.model.hidden_size) {}

  Status ReadVectors(const format::Sublayer& sublayer, VectorReader& vectors) override {
    RONDO_ASSIGN(norm_, ReadNorm(vectors, sublayer.op_as_Laurel()->norm(), hidden_));
    return Status();
  }

  void Widen(const Sublayer& sublayer, const ContextWindow& /*window*/,
             Activations* act) const override {
    act->laurel_input.Widen(sublayer.matrix(LaurelMatrix::kLeft));
    act->low_laurel.Widen(sublayer.matrix(LaurelMatrix::kRight).inputs);
    act->low_laurel_input.Widen(sublayer.matrix(LaurelMatrix::kRight));
    act->sublayer_out.Widen(hidden_);
  }

  void MakeInput(const Pass& pass, const Sublayer& sublayer) const override {
    Activations& act = pass.act();
    pass.pool().For(pass.rows(), [&](size_t r, size_t) {
      float* row = act.laurel + r * hidden_;
      std::copy_n(act.hidden + r * hidden_, hidden_, row);
      Normalize(pass.set(), sublayer.weights.norm, row, hidden_, row);
      pass.RowInput(sublayer.matrix(LaurelMatrix::kLeft), row, r, act.laurel_input);
    });
  }

  void Run(const Pass& pass, const Sublayer& sublayer) const override {
    const PackedLinear& right = sublayer.matrix(LaurelMatrix::kRight);
    const size_t rank = right.inputs;
    Activations& act = pass.act();
    pass.Linear(sublayer.matrix(LaurelMatrix::kLeft), act.laurel_input, pass.rows(),
                Pass::Into::kReplace, act.low_laurel, rank);
    pass.pool().For(pass.rows(), [&](size_t r, size_t) {
      pass.RowInput(right, act.low_laurel + r * rank, r, act.low_laurel_input);
    });
    pass.Linear(right, act.low_laurel_input, pass.rows(), Pass::Into::kReplace, act.sublayer_out,
                hidden_);
    pass.pool().For(pass.rows(), [&](size_t r, size_t) {
      float* out = act.sublayer_out + r * hidden_;
      Normalize(pass.set(), norm_, out, hidden_, out);
      pass.set().loops->add(out, act.laurel + r * hidden_, hidden_);
    });
    pass.AddSublayerOut(sublayer);
  }

 private:
  const size_t hidden_;
  RowNorm norm_;  // of what the right matrix makes
};

}  // namespace

const OperatorType kLaurelType = {"laurel", InputKind::kLaurel, CreateOperator<Laurel>};

}  // namespace rondo
