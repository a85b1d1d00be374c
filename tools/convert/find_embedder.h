// Whether a source is a model that makes vectors of texts, or scores of pairs.
#pragma once

#include <optional>

#include "tools/convert/embedder_source.h"
#include "tools/convert/sources/source.h"
#include "tools/convert/tokenizer/source_text.h"

namespace rondo::convert {

// By its folder's modules.json, or as an encoder, which can be nothing else; null: it predicts
// tokens. `reranker`: it is a Qwen3-Reranker though no file says so. What a GGUF file has of
// pooling is not read. Throws Error.
std::optional<EmbedderSource> FindEmbedder(const Source& source, const SourceText& text,
                                           bool reranker);

}  // namespace rondo::convert
