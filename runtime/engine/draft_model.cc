#include "runtime/engine/draft_model.h"

#include <algorithm>
#include <string_view>

#include "runtime/base/message.h"
#include "runtime/model/model_file.h"
#include "runtime/text/tokenizer.h"

namespace rondo {

namespace {

std::string_view TextOf(const Tokenizer& tokenizer, int32_t id) {
  const std::span<const uint8_t> bytes = tokenizer.TokenBytes(id);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Status CheckAssistant(const format::Model& model, const format::Assistant& assistant,
                      bool draft_head) {
  if (draft_head) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the draft model is an assistant, which has the place of the draft head: "
                         "set engine option draft_head to 0");
  }
  if (model.alt_up() == nullptr && model.hidden_size() == assistant.other_hidden_size()) {
    return Status();
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "the draft model is an assistant of models with a hidden_size of %u, the "
                       "model has %u%s",
                       assistant.other_hidden_size(), model.hidden_size(),
                       model.alt_up() == nullptr ? "" : ", and several residual streams");
}

}  // namespace

Status CheckDraftModel(const ModelFile& model, const Tokenizer* tokenizer, const DraftModel& draft,
                       bool draft_head) {
  const format::Assistant* const assistant = draft.file->model().assistant();
  if (assistant != nullptr) {
    RONDO_RETURN_IF_ERROR(CheckAssistant(model.model(), *assistant, draft_head));
  }
  if (tokenizer == nullptr || draft.tokenizer == nullptr) {
    const uint32_t ours = model.model().vocab_size(), theirs = draft.file->model().vocab_size();
    const bool same = tokenizer == draft.tokenizer || assistant != nullptr;
    if (same && ours == theirs) return Status();
    return Status::Error(StatusCode::kInvalidArgument,
                         "the draft model has a vocabulary of %u tokens and %s tokenizer, the "
                         "model one of %u and %s: they must have the same tokens",
                         theirs, draft.tokenizer == nullptr ? "no" : "a", ours,
                         tokenizer == nullptr ? "none" : "a tokenizer");
  }
  const auto n =
      static_cast<int32_t>(std::max(tokenizer->vocab_size(), draft.tokenizer->vocab_size()));
  for (int32_t id = 0; id < n; ++id) {
    const std::string_view ours = TextOf(*tokenizer, id), theirs = TextOf(*draft.tokenizer, id);
    if (ours == theirs && tokenizer->IsSpecial(id) == draft.tokenizer->IsSpecial(id)) continue;
    constexpr size_t kMostShown = 32;
    return Status::Error(StatusCode::kInvalidArgument,
                         "the draft model's token %d is \"%.*s\", the model's \"%.*s\": they must "
                         "have the same tokens",
                         id, CutForMessage(theirs, kMostShown), theirs.data(),
                         CutForMessage(ours, kMostShown), ours.data());
  }
  return Status();
}

}  // namespace rondo
