#include "tools/convert/identities/operator_identities.h"

namespace rondo::convert {
namespace {

using format::Activation;

// By which power of s the activation's outcome grows with what enters it; 0: by none.
int DegreeOf(Activation activation) {
  switch (activation) {
    case Activation::kNone:
    case Activation::kRelu:
      return 1;
    case Activation::kReluSquared:
      return 2;
    default:
      return 0;
  }
}

struct TwoLayers {
  const format::LinearT& gate_up;
  const format::LinearT& down;
  uint64_t size;
  Activation activation;
  bool plain;
  bool limited;  // up is held to a limit, or a number is added to it
};

void AddTwoLayers(const TwoLayers& m, const std::string& name, const LayerIdentities& to) {
  Identity& identity = to.Add(name, "MLP channels", m.size);
  AddRows(m.gate_up, m.plain ? 0 : m.size, m.size, identity.grows);
  AddColumns(m.down, m.size, identity.shrinks);
  if (!m.plain) {
    identity.made_with.emplace_back();
    AddRows(m.gate_up, 0, m.size, identity.made_with.back());
    if (m.limited) identity.restriction = "up is held to a limit";
    return;
  }
  identity.degree = DegreeOf(m.activation);
  if (identity.degree > 0) return;
  identity.degree = 1;
  identity.restriction = "its activation lets no factor through";
}

}  // namespace

void AddMlpIdentities(const format::MlpT& m, const LayerIdentities& to) {
  if (m.inner_norm != nullptr) {
    Identity& identity = to.Add("mlp.inner_norm", "norm channels", m.intermediate_size);
    AddGains(*m.inner_norm, m.intermediate_size, identity.grows);
    AddColumns(*m.down, m.intermediate_size, identity.shrinks);
    return;
  }
  AddTwoLayers({*m.gate_up, *m.down, m.intermediate_size, m.activation, m.plain,
                m.limit != 0 || m.up_offset != 0},
               "mlp", to);
}

void AddExpertsIdentities(const format::ExpertsT& e, const LayerIdentities& to) {
  const auto add = [&](const format::ExpertT& expert, uint64_t size, const std::string& name) {
    AddTwoLayers({*expert.gate_up, *expert.down, size, e.activation, e.plain,
                  e.limit != 0 || e.up_offset != 0},
                 name, to);
  };
  for (size_t i = 0; i < e.experts.size(); ++i) {
    add(*e.experts[i], e.intermediate_size, "mlp.experts." + std::to_string(i));
  }
  if (e.shared != nullptr) add(*e.shared, e.shared_size, "mlp.shared");
}

}  // namespace rondo::convert
