// A draft model must say the same by each token id as the model that it drafts for.
#pragma once

#include "runtime/base/status.h"
#include "runtime/engine/options.h"

namespace rondo {

// `tokenizer`: null for token ids only. Error: kInvalidArgument (the first token that differs).
Status CheckDraftModel(const ModelFile& model, const Tokenizer* tokenizer, const DraftModel& draft);

}  // namespace rondo
