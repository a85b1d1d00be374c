// What sees for a model, where its checkpoint has that and its family is known.
#pragma once

#include <string>
#include <vector>

#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/source.h"
#include "tools/convert/tokenizer/source_text.h"

namespace rondo::convert {

// `spec` is that of the text's part. Throws Error.
void AddVision(const Source& source, const SourceText& text, DecoderSpec& spec,
               std::vector<std::string>& notes);

}  // namespace rondo::convert
