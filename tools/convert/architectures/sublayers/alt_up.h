// Several residual streams: how they begin and end, and what each layer does with them.
#pragma once

#include <string>

#include "tools/convert/architectures/sublayers/frame.h"

namespace rondo::convert {

struct AltUp : format::AltUpT {
  bool scaled = false;  // what layer embeddings read
  struct Names {
    // Below the model's prefix.
    std::string embed = "altup_projections.", unembed = "altup_unembed_projections.";
    // Below the layer; whole names but for the norm.
    std::string router_norm = "altup.router_norm", router = "altup.modality_router.weight";
    std::string predict = "altup.prediction_coefs.weight";
    std::string correct = "altup.correction_coefs.weight", scale = "altup.correct_output_scale";
  } names;
};

format::AltUpT Build(const AltUp& alt_up, SublayerBuilder& b);
// Of the layer that was begun.
format::LayerAltUpT BuildLayer(const AltUp& alt_up, SublayerBuilder& b);

}  // namespace rondo::convert
