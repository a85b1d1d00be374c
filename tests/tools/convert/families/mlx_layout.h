// A checkpoint as mlx-lm lays it out, as the sanitize() of its models writes it (mlx_lm/models).
#pragma once

#include <string>

#include "tests/tools/convert/checkpoint_tensors.h"

namespace rondo::convert {

// `model_type` is that of config.json.
CheckpointTensors AsMlx(const CheckpointTensors& tensors, const std::string& model_type);

}  // namespace rondo::convert
