// From a model that predicts tokens, and what its folder says of vectors, to an embedder.
#pragma once

#include <memory>
#include <string>

#include "tools/convert/embedder_source.h"
#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

// `spec` loses its output head, and gets what is behind the pooling, whose tensors are called
// FOLDER/NAME. Throws Error where the two do not fit.
void MakeEmbedder(const EmbedderSource& source, DecoderSpec& spec);

// `checkpoint`, of the model in `folder`, with the tensors of the layers behind the pooling.
std::shared_ptr<const Checkpoint> WithDense(const EmbedderSource& source,
                                            const std::filesystem::path& folder,
                                            std::shared_ptr<const Checkpoint> checkpoint);

// For `rondo inspect`.
std::string EmbedderFact(const format::EmbedderT& embedder);

}  // namespace rondo::convert
