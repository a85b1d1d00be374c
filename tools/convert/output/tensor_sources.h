// TensorSources: of the matrices that adapters may change, which rows of the checkpoint's matrices
// they were made of.
#pragma once

#include <vector>

#include "rondo_generated.h"
#include "tools/convert/output/decoder_spec.h"

namespace rondo::convert {

// By ascending tensor. Matrices that hold more than scaled rows of others are left out: what was
// added to these could not be added to them.
std::vector<format::TensorSourceT> TensorSources(const DecoderSpec& spec);
// Whether rows or columns of any were multiplied or turned.
bool AreChanged(const std::vector<format::TensorSourceT>& sources);

}  // namespace rondo::convert
