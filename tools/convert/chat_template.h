// From chat templates to a file's metadata.
#pragma once

#include <string>
#include <vector>

#include "rondo_generated.h"
#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/tokenizer/chat_source.h"

namespace rondo::convert {

// In the templates each `ours` becomes `theirs`.
void ChangeTemplates(const std::vector<OtherName>& texts, ChatSource& chat);

// Null without templates and tokens. A template that Rondo cannot read, or that names what it does
// not have, is kept, with a note. Throws Error for templates beyond the limits of a file.
flatbuffers::Offset<format::Chat> BuildChat(const ChatSource& source,
                                            flatbuffers::FlatBufferBuilder& builder,
                                            std::vector<std::string>& notes);

}  // namespace rondo::convert
