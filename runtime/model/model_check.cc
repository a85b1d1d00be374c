#include "runtime/model/model_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "runtime/base/checked.h"
#include "runtime/base/heap_array.h"
#include "runtime/base/utf8.h"
#include "runtime/model/check_messages.h"
#include "runtime/model/layer_check.h"
#include "runtime/model/limits.h"
#include "runtime/model/sampler_options.h"
#include "runtime/model/sections.h"
#include "runtime/model/tensor_format.h"

namespace rondo {
namespace {

class Checker {
 public:
  Checker(const format::Model& model, const PackedLayout* layout)
      : model_(model), layout_(layout), hidden_(model.hidden_size()) {}

  Status Run() {
    RONDO_RETURN_IF_ERROR(CheckGlobals());
    RONDO_RETURN_IF_ERROR(CheckTensors());
    RONDO_RETURN_IF_ERROR(CheckNames());
    RONDO_RETURN_IF_ERROR(CheckChat());
    RONDO_RETURN_IF_ERROR(CheckSampling());
    RONDO_RETURN_IF_ERROR(CheckLayers(model_, layout_ != nullptr));
    if (model_.tower() != nullptr) return Corrupt("the model has a tower, but is not what sees");
    return model_.vision() == nullptr ? Status() : CheckSeeing(*model_.vision());
  }

 private:
  Status CheckGlobals() {
    if (model_.name() == nullptr || model_.architecture() == nullptr ||
        model_.producer() == nullptr || model_.tensors() == nullptr || model_.layers() == nullptr) {
      return Corrupt("the metadata lacks name, architecture, producer, tensors or layers");
    }
    RONDO_RETURN_IF_ERROR(CheckRange("vocab_size", model_.vocab_size(), 1, kMaxVocab));
    RONDO_RETURN_IF_ERROR(CheckRange("hidden_size", hidden_, 1, kMaxHidden));
    RONDO_RETURN_IF_ERROR(CheckRange("context_length", model_.context_length(), 1, kMaxContext));
    RONDO_RETURN_IF_ERROR(
        CheckRange("the number of layers", model_.layers()->size(), 1, kMaxLayers));
    RONDO_RETURN_IF_ERROR(
        CheckRange("the number of tensors", model_.tensors()->size(), 1, kMaxTensors));
    if (model_.ropes() != nullptr) {  // else there are none
      RONDO_RETURN_IF_ERROR(
          CheckRange("the number of ropes", model_.ropes()->size(), 0, kMaxLayers));
    }
    if (model_.identity() == 0) return Corrupt("the metadata lacks the model's identity");
    const int64_t vocab = model_.vocab_size();
    if (model_.bos_token() < -1 || model_.bos_token() >= vocab) {
      return Corrupt("bos_token is %d, expected a token below %lld or -1", model_.bos_token(),
                     static_cast<long long>(vocab));
    }
    if (model_.eos_tokens() != nullptr) {
      RONDO_RETURN_IF_ERROR(
          CheckRange("the number of eos_tokens", model_.eos_tokens()->size(), 0, kMaxEosTokens));
      for (uint32_t token : *model_.eos_tokens()) {
        RONDO_RETURN_IF_ERROR(CheckRange("an eos token", token, 0, model_.vocab_size() - 1));
      }
    }
    if (model_.facts() != nullptr) {
      for (const format::Fact* fact : *model_.facts()) {
        if (fact->key() == nullptr || fact->value() == nullptr) {
          return Corrupt("a fact in the metadata lacks its key or value");
        }
      }
    }
    return Status();
  }

  // What it does not need it has not.
  Status CheckSeeing(const format::Model& vision) {
    if (vision.tower() == nullptr || vision.layers() == nullptr) {
      return Corrupt("what sees for the model lacks its tower or layers");
    }
    if (vision.vision() != nullptr || vision.embedder() != nullptr ||
        vision.assistant() != nullptr || vision.draft_head() != nullptr ||
        vision.alt_up() != nullptr || vision.layer_embeddings() != nullptr ||
        vision.head() != nullptr || vision.positions() != -1 || vision.embedding_offset() != -1) {
      return Corrupt("what sees for the model has parts of a text's model");
    }
    RONDO_RETURN_IF_ERROR(
        CheckRange("the tower's hidden_size", vision.hidden_size(), 1, kMaxHidden));
    RONDO_RETURN_IF_ERROR(
        CheckRange("the tower's context_length", vision.context_length(), 1, kMaxContext));
    RONDO_RETURN_IF_ERROR(
        CheckRange("the tower's number of layers", vision.layers()->size(), 1, kMaxLayers));
    if (vision.ropes() != nullptr) {
      RONDO_RETURN_IF_ERROR(
          CheckRange("the tower's number of ropes", vision.ropes()->size(), 0, kMaxLayers));
    }
    return CheckVision(model_, layout_ != nullptr);
  }

  Status CheckTensors() {
    for (const format::Tensor* tensor : *model_.tensors()) {
      const flatbuffers::String* name = tensor->name();
      if (name == nullptr || name->size() == 0 || name->size() > kMaxNameBytes ||
          !std::all_of(name->begin(), name->end(), [](char c) { return c > ' ' && c <= '~'; })) {
        return Corrupt("a tensor's name is absent or not 1 to %zu printable ASCII characters",
                       kMaxNameBytes);
      }
      RONDO_RETURN_IF_ERROR(CheckStorage(*tensor));
    }
    return Status();
  }

  // Format, block and the lengths of the sections agree with the shape.
  Status CheckStorage(const format::Tensor& tensor) {
    const char* name = tensor.name()->c_str();
    const uint64_t rows = tensor.rows(), cols = tensor.cols(), block = tensor.block();
    const FormatRule* rule = FindFormat(tensor.format());
    if (rule == nullptr) {
      return Status::Error(StatusCode::kUnsupported,
                           "tensor %s has format %u, which this version of Rondo does not have",
                           name, static_cast<unsigned>(tensor.format()));
    }
    if (!rule->TakesBlock(block)) {
      return Corrupt("tensor %s is %s with block %llu, expected %s", name, rule->name, ull{block},
                     rule->has_blocks ? "32, 64 or 128" : "0");
    }
    const CheckedSize padded = rule->Padded(cols, block);
    if (!padded.valid()) return Corrupt("tensor %s has too many columns", name);
    const uint64_t k = padded.value();
    const CheckedSize data = CheckedSize(rows) * rule->row_bytes(k);
    const CheckedSize scales = CheckedSize(rows) * rule->RowScaleBytes(k, block);
    if (rows == 0 || cols == 0 || !data.valid() || !scales.valid()) {
      return Corrupt("tensor %s is %llu x %llu, which no memory holds", name, ull{rows}, ull{cols});
    }
    if (rule->is_codes()) {
      RONDO_RETURN_IF_ERROR(CheckSection(name, "tables", tensor.tables(), rule->tables_bytes));
    } else if (tensor.tables() != nullptr) {
      return Corrupt("tensor %s is %s but has tables", name, rule->name);
    }
    if (tensor.packed()) return CheckPackedStorage(tensor, *rule, k);
    RONDO_RETURN_IF_ERROR(CheckSection(name, "data", tensor.data(), data.value()));
    if (rule->is_float()) {
      return tensor.scales() == nullptr
                 ? Status()
                 : Corrupt("tensor %s is %s but has scales", name, rule->name);
    }
    return CheckSection(name, "scales", tensor.scales(), scales.value());
  }

  // The same of a packed tensor of `k` padded inputs, whose shape is one that memory holds.
  Status CheckPackedStorage(const format::Tensor& tensor, const FormatRule& rule, uint64_t k) {
    const char* name = tensor.name()->c_str();
    if (layout_ == nullptr) return Corrupt("tensor %s is packed, but the file has no layout", name);
    const CheckedSize bytes = rule.PackedBytes(*layout_, tensor.rows(), k, tensor.block());
    if (!bytes.valid()) {
      return Corrupt("tensor %s is %llu x %llu, which no memory holds", name, ull{tensor.rows()},
                     ull{tensor.cols()});
    }
    if (tensor.scales() != nullptr) {
      return Corrupt("tensor %s is packed but has scales apart", name);
    }
    return CheckSection(name, "data", tensor.data(), bytes.value());
  }

  Status CheckSection(const char* name, const char* part, const format::Section* section,
                      uint64_t expected) {
    if (section == nullptr) return Corrupt("tensor %s has no %s", name, part);
    if (FindSection(model_, *section) == nullptr) {
      return Corrupt("tensor %s's %s at byte %llu are not a section of this file", name, part,
                     ull{section->offset()});
    }
    if (section->bytes() == expected) return Status();
    return Corrupt("tensor %s's %s have %llu bytes, its shape and format ask for %llu", name, part,
                   ull{section->bytes()}, ull{expected});
  }

  Status CheckNames() {
    RONDO_ASSIGN(auto names, HeapArray<const char*>::Create(model_.tensors()->size()));
    for (uint32_t i = 0; i < model_.tensors()->size(); ++i) {
      names[i] = model_.tensors()->Get(i)->name()->c_str();
    }
    std::sort(names.begin(), names.end(),
              [](const char* a, const char* b) { return std::strcmp(a, b) < 0; });
    for (size_t i = 1; i < names.size(); ++i) {
      if (std::strcmp(names[i - 1], names[i]) == 0) {
        return Corrupt("two tensors are named %s", names[i]);
      }
    }
    return Status();
  }

  using Templates = flatbuffers::Vector<flatbuffers::Offset<format::ChatTemplate>>;
  Status CheckTemplates(const Templates& templates) {
    RONDO_RETURN_IF_ERROR(
        CheckRange("the number of chat templates", templates.size(), 0, kMaxTemplates));
    for (const format::ChatTemplate* entry : templates) {
      if (entry->name() == nullptr || entry->text() == nullptr) {
        return Corrupt("a chat template has no name or no text");
      }
      RONDO_RETURN_IF_ERROR(CheckRange("the length of a chat template's name",
                                       entry->name()->size(), 1, kMaxNameBytes));
      RONDO_RETURN_IF_ERROR(
          CheckRange("the length of a chat template", entry->text()->size(), 0, kMaxTemplateBytes));
    }
    return Status();
  }

  Status CheckChat() {
    const format::Chat* chat = model_.chat();
    if (chat == nullptr) return Status();
    // None: its tokens serve a template of the caller's own.
    if (chat->templates() != nullptr) RONDO_RETURN_IF_ERROR(CheckTemplates(*chat->templates()));
    if (chat->tokens() == nullptr) return Status();
    RONDO_RETURN_IF_ERROR(
        CheckRange("the number of chat tokens", chat->tokens()->size(), 0, kMaxTemplates));
    for (const format::ChatToken* token : *chat->tokens()) {
      if (token->name() == nullptr || token->text() == nullptr) {
        return Corrupt("a chat token has no name or no text");
      }
    }
    return Status();
  }

  // What is recommended is what a session takes.
  Status CheckSampling() {
    const format::Sampling* sampling = model_.sampling();
    if (sampling == nullptr) return Status();
    double wrong = 0;
    if (const SamplingRange* const range = FindWrongNumber(Recommended(*sampling), &wrong)) {
      return Corrupt("the recommended %s is %g, expected %s", range->name, wrong, range->expected);
    }
    return CheckSamplingLists(*sampling);
  }

  Status CheckSamplingLists(const format::Sampling& sampling) {
    if (const auto* biases = sampling.logit_bias()) {
      RONDO_RETURN_IF_ERROR(
          CheckRange("the number of recommended logit biases", biases->size(), 0, kMaxLogitBias));
      for (const format::LogitBias* bias : *biases) {
        if (bias->token() >= 0 && static_cast<uint32_t>(bias->token()) < model_.vocab_size() &&
            bias->bias() < INFINITY) {
          continue;
        }
        return Corrupt("the recommended logit bias of token %d is %g", bias->token(),
                       static_cast<double>(bias->bias()));
      }
    }
    const auto* strings = sampling.stop_strings();
    if (strings == nullptr) return Status();
    RONDO_RETURN_IF_ERROR(
        CheckRange("the number of recommended stop strings", strings->size(), 0, kMaxStopStrings));
    for (const flatbuffers::String* string : *strings) {
      RONDO_RETURN_IF_ERROR(CheckRange("the length of a recommended stop string", string->size(), 1,
                                       kMaxStopStringBytes));
      const std::span<const uint8_t> bytes(string->Data(), string->size());
      if (Utf8Prefix(bytes) < bytes.size() || std::ranges::find(bytes, 0) != bytes.end()) {
        return Corrupt("a recommended stop string is no UTF-8 text");
      }
    }
    return Status();
  }

  static constexpr size_t kMaxNameBytes = 160;

  const format::Model& model_;
  const PackedLayout* const layout_;
  const uint64_t hidden_;
};

}  // namespace

Status CheckModel(const format::Model& model, const PackedLayout* layout) {
  return Checker(model, layout).Run();
}

const format::Section* FindSection(const format::Model& model, const format::Section& section) {
  const auto* sections = model.sections();
  const auto at = [sections](uint32_t i) -> const format::Section& { return *sections->Get(i); };
  const uint32_t found = IndexOfSection(sections->size(), at, section);
  return found == sections->size() ? nullptr : sections->Get(found);
}

}  // namespace rondo
