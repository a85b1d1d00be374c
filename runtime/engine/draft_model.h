// A draft model must say the same by each token id as the model that it drafts for.
#pragma once

#include "runtime/base/status.h"
#include "runtime/engine/options.h"

namespace rondo {

// `tokenizer`: null for token ids only; an assistant's may be null in any case. `draft_head`: that
// of the model is used. Error: kInvalidArgument (the first token that differs; an assistant of
// another size, or beside a draft head).
Status CheckDraftModel(const ModelFile& model, const Tokenizer* tokenizer, const DraftModel& draft,
                       bool draft_head);

}  // namespace rondo
