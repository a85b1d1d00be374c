// Rerankers that are classes of transformers which make a number of a text: by the head that their
// model type has.
#pragma once

#include "tools/convert/embedder_source.h"
#include "tools/convert/sources/source.h"
#include "tools/convert/tokenizer/source_text.h"

namespace rondo::convert {

// Of a source whose config names such a class. Throws Error for other types, and where it makes
// several numbers.
EmbedderSource ReadClassifierSource(const Source& source, const SourceText& text);

// The text of a pair of Qwen3-Reranker, and what makes a document fit where nobody says it.
void ReadsYesOrNo(EmbedderSource& source);

}  // namespace rondo::convert
