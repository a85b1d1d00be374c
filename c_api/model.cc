// Models: opened from a path, a descriptor or memory; facts; text to ids and back.
#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "c_api/handles.h"
#include "runtime/base/checked.h"
#include "runtime/model/file_header.h"
#include "runtime/model/sampler_options.h"

namespace {

using rondo::Status;
using rondo::StatusCode;
using rondo::c_api::CheckOutput;
using rondo::c_api::Clear;
using rondo::c_api::Code;
using rondo::c_api::Fill;
using rondo::c_api::Held;
using rondo::c_api::MapError;
using rondo::c_api::NewHandle;
using rondo::c_api::NullArgument;
using rondo::c_api::OpenModel;
using rondo::c_api::PutText;
using rondo::c_api::Report;
using rondo::c_api::SharedSize;

// The first ABI whose callers know that more than numbers is recommended.
constexpr uint32_t kListsAbi = 5;
static_assert(sizeof(rondo_logit_bias) == sizeof(rondo::format::LogitBias));

Status CheckCaller(uint32_t abi_version) {
  constexpr uint32_t kMajor = RONDO_ABI_VERSION >> 16;
  constexpr uint32_t kMinor = RONDO_ABI_VERSION & 0xffff;
  if (abi_version >> 16 == kMajor && (abi_version & 0xffff) <= kMinor) return Status();
  return Status::Error(StatusCode::kVersionMismatch,
                       "the caller was compiled for ABI %u.%u; this library has %u.%u",
                       abi_version >> 16, abi_version & 0xffff, kMajor, kMinor);
}

// The stop strings that the model's makers recommend, as a session's options have them.
rondo::Result<rondo::HeapArray<const char*>> StopStrings(const rondo::format::Model& model) {
  const auto* sampling = model.sampling();
  const auto* strings = sampling == nullptr ? nullptr : sampling->stop_strings();
  rondo::HeapArray<const char*> array;
  if (strings == nullptr) return array;
  RONDO_ASSIGN(array, rondo::HeapArray<const char*>::Create(strings->size()));
  for (uint32_t i = 0; i < strings->size(); ++i) array[i] = strings->Get(i)->c_str();
  return array;
}

// Where `options` have no such list; they point into the file.
void RecommendLists(const OpenModel& model, const rondo::format::Sampling& sampling,
                    rondo_session_options* options) {
  const auto* biases = sampling.logit_bias();
  if (options->n_logit_bias == 0 && biases != nullptr && biases->size() > 0) {
    options->logit_bias = reinterpret_cast<const rondo_logit_bias*>(biases->Data());
    options->n_logit_bias = biases->size();
  }
  const auto strings = model.stop_strings.span();
  if (options->n_stop_strings == 0 && !strings.empty()) {
    options->stop_strings = strings.data();
    options->n_stop_strings = strings.size();
  }
}

rondo::Result<rondo_model*> Open(uint32_t abi_version, rondo::FileMap map,
                                 const rondo::FileParts& bytes) {
  NewHandle handle;
  RONDO_RETURN_IF_ERROR(handle.Check());
  std::unique_ptr<OpenModel> model(new (std::nothrow) OpenModel);
  if (model == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "the system refused %zu bytes",
                         sizeof(OpenModel));
  }
  model->map = std::move(map);
  RONDO_ASSIGN(model->file, rondo::ModelFile::Open(bytes, &model->map));
  if (model->file.model().vision() != nullptr) {
    RONDO_RETURN_IF_ERROR(rondo::ProcessorOf(model->file, {}).status());
  }
  if (model->file.model().tokenizer() != nullptr) {
    RONDO_ASSIGN(model->tokenizer, rondo::Tokenizer::Create(model->file));
  }
  model->abi_version = abi_version;
  RONDO_ASSIGN(model->stop_strings, StopStrings(model->file.model()));
  return handle.Open<rondo_model>(model.release());
}

rondo::Result<rondo_model*> OpenPath(uint32_t abi_version, const char* path) {
  RONDO_RETURN_IF_ERROR(CheckCaller(abi_version));
  if (path == nullptr) return NullArgument("path");
  rondo::FileMap map;
  if (const rondo::FileError error = rondo::FileMap::OpenPath(path, &map))
    return MapError(error, "model", path);
  const rondo::FileParts bytes(map.bytes());
  return Open(abi_version, std::move(map), bytes);
}

rondo::Result<rondo_model*> OpenDescriptor(uint32_t abi_version, int32_t fd, uint64_t offset,
                                           uint64_t length) {
  RONDO_RETURN_IF_ERROR(CheckCaller(abi_version));
  if (offset % rondo::kSectionAlignment != 0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "offset %llu is not a multiple of 64 (zipalign the package)",
                         static_cast<unsigned long long>(offset));
  }
  rondo::FileMap map;
  if (const rondo::FileError error = rondo::FileMap::OpenDescriptor(fd, offset, length, &map)) {
    return MapError(error, "model", nullptr);
  }
  const rondo::FileParts bytes(map.bytes());
  return Open(abi_version, std::move(map), bytes);
}

rondo::Result<rondo_model*> OpenMemory(uint32_t abi_version, const void* bytes, size_t length) {
  RONDO_RETURN_IF_ERROR(CheckCaller(abi_version));
  if (bytes == nullptr) return NullArgument("bytes");
  if (reinterpret_cast<uintptr_t>(bytes) % rondo::kSectionAlignment != 0) {
    return Status::Error(StatusCode::kInvalidArgument, "bytes does not begin at a multiple of %u",
                         static_cast<unsigned>(rondo::kSectionAlignment));
  }
  return Open(abi_version, {}, rondo::FileParts({static_cast<const uint8_t*>(bytes), length}));
}

rondo::Result<rondo_model*> OpenParts(uint32_t abi_version, const rondo_model_part* parts,
                                      uint32_t n_parts) {
  RONDO_RETURN_IF_ERROR(CheckCaller(abi_version));
  if (parts == nullptr) return NullArgument("parts");
  std::array<std::span<const uint8_t>, rondo::FileParts::kMost> pieces;
  const size_t n = std::min<size_t>(n_parts, pieces.size());
  for (size_t i = 0; i < n; ++i) {
    if (parts[i].bytes == nullptr) return NullArgument("bytes of a part");
    pieces[i] = {static_cast<const uint8_t*>(parts[i].bytes), parts[i].length};
  }
  if (n < n_parts) {
    return Status::Error(StatusCode::kInvalidArgument, "n_parts is %u, but must be 1 to %zu",
                         n_parts, pieces.size());
  }
  RONDO_ASSIGN(const rondo::FileParts file, rondo::FileParts::Of({pieces.data(), n}));
  return Open(abi_version, {}, file);
}

int32_t Answer(const rondo::Result<rondo_model*>& opened, rondo_model** model, char* message,
               size_t message_bytes) {
  if (opened.ok()) *model = *opened;
  return Report(opened.status(), message, message_bytes);
}

uint64_t CountParameters(const rondo::format::Model& model) {
  rondo::CheckedSize sum = 0;
  for (const auto* tensor : *model.tensors()) {
    sum = sum + rondo::CheckedSize(tensor->rows()) * rondo::CheckedSize(tensor->cols());
  }
  return sum.valid() ? sum.value() : UINT64_MAX;
}

}  // namespace

extern "C" {

int32_t rondo_model_open_path(uint32_t abi_version, const char* path, rondo_model** model,
                              char* message, size_t message_bytes) {
  if (model == nullptr) return Report(NullArgument("model"), message, message_bytes);
  *model = nullptr;
  return Answer(OpenPath(abi_version, path), model, message, message_bytes);
}

int32_t rondo_model_open_fd(uint32_t abi_version, int32_t fd, uint64_t offset, uint64_t length,
                            rondo_model** model, char* message, size_t message_bytes) {
  if (model == nullptr) return Report(NullArgument("model"), message, message_bytes);
  *model = nullptr;
  return Answer(OpenDescriptor(abi_version, fd, offset, length), model, message, message_bytes);
}

int32_t rondo_model_open_parts(uint32_t abi_version, const rondo_model_part* parts,
                               uint32_t n_parts, rondo_model** model, char* message,
                               size_t message_bytes) {
  if (model == nullptr) return Report(NullArgument("model"), message, message_bytes);
  *model = nullptr;
  return Answer(OpenParts(abi_version, parts, n_parts), model, message, message_bytes);
}

int32_t rondo_model_open_memory(uint32_t abi_version, const void* bytes, size_t length,
                                rondo_model** model, char* message, size_t message_bytes) {
  if (model == nullptr) return Report(NullArgument("model"), message, message_bytes);
  *model = nullptr;
  return Answer(OpenMemory(abi_version, bytes, length), model, message, message_bytes);
}

void rondo_model_close(rondo_model* model) { rondo::c_api::Close(model); }

int32_t rondo_model_info(const rondo_model* handle, rondo_model_facts* facts) {
  Clear(facts);
  const Held model(handle);
  if (!model) return model.code();
  if (const Status status = CheckOutput(facts, "facts"); !status.ok()) return Code(status);
  const rondo::format::Model& m = model->file.model();
  rondo_model_facts f = {};
  f.vocab_size = m.vocab_size();
  f.picture_token =
      m.vision() == nullptr ? -1 : static_cast<int32_t>(m.vision()->tower()->text()->placeholder());
  f.context_length = m.context_length();
  f.hidden_size = m.hidden_size();
  f.n_layers = m.layers()->size();
  for (const rondo::format::Layer* layer : *m.layers()) {
    for (const rondo::format::Sublayer* sublayer : *layer->sublayers()) {
      if (f.n_heads > 0) continue;
      if (const rondo::format::Attention* attention = sublayer->op_as_Attention()) {
        f.n_heads = attention->n_heads();
        f.n_kv_heads = attention->n_kv_heads();
        f.head_dim = attention->head_dim();
      } else if (const auto* latent = sublayer->op_as_LatentAttention()) {
        f.n_heads = latent->n_heads();
        f.n_kv_heads = 1;
        f.head_dim = latent->rope_dim() + latent->latent_dim();
      }
    }
  }
  f.bos_token = m.bos_token();
  f.n_eos_tokens = m.eos_tokens() == nullptr ? 0 : m.eos_tokens()->size();
  f.has_tokenizer = model->tokenizer != nullptr;
  f.format_version = rondo::kFormatVersion;
  f.file_bytes = model->file.file_bytes();
  f.parameters = CountParameters(m);
  if (model->tokenizer != nullptr) f.tokenizer_bytes = model->tokenizer->scratch_bytes();
  Fill(facts, f);
  return RONDO_STATUS_OK;
}

int32_t rondo_model_eos_token(const rondo_model* handle, uint32_t index, int32_t* token) {
  if (token != nullptr) *token = 0;
  const Held model(handle);
  if (!model) return model.code();
  if (token == nullptr) return RONDO_STATUS_INVALID_ARGUMENT;
  const auto* ids = model->file.model().eos_tokens();
  if (ids == nullptr || index >= ids->size()) return RONDO_STATUS_INVALID_ARGUMENT;
  *token = static_cast<int32_t>(ids->Get(index));
  return RONDO_STATUS_OK;
}

int32_t rondo_model_fact(const rondo_model* handle, const char* key, char* buffer, size_t capacity,
                         size_t* length) {
  if (length != nullptr) *length = 0;
  const Held model(handle);
  if (!model) return model.code();
  if (key == nullptr || length == nullptr) return RONDO_STATUS_INVALID_ARGUMENT;
  const rondo::format::Model& m = model->file.model();
  const std::string_view wanted = key;
  if (wanted == "name") return PutText(GetStringView(m.name()), buffer, capacity, length);
  if (wanted == "architecture")
    return PutText(GetStringView(m.architecture()), buffer, capacity, length);
  if (wanted == "producer") return PutText(GetStringView(m.producer()), buffer, capacity, length);
  if (m.facts() != nullptr) {
    for (const auto* fact : *m.facts()) {
      if (wanted == GetStringView(fact->key()))
        return PutText(GetStringView(fact->value()), buffer, capacity, length);
    }
  }
  return RONDO_STATUS_INVALID_ARGUMENT;
}

int32_t rondo_model_fact_key(const rondo_model* handle, uint32_t index, char* buffer,
                             size_t capacity, size_t* length) {
  if (length != nullptr) *length = 0;
  const Held model(handle);
  if (!model) return model.code();
  if (length == nullptr) return RONDO_STATUS_INVALID_ARGUMENT;
  const auto* facts = model->file.model().facts();
  if (facts == nullptr || index >= facts->size()) return RONDO_STATUS_INVALID_ARGUMENT;
  return PutText(GetStringView(facts->Get(index)->key()), buffer, capacity, length);
}

int32_t rondo_model_session_options(const rondo_model* handle, rondo_session_options* options) {
  const Held model(handle);
  if (!model) return model.code();
  if (const Status status = CheckOutput(options, "options"); !status.ok()) return Code(status);
  const rondo::format::Sampling* sampling = model->file.model().sampling();
  if (sampling == nullptr) return RONDO_STATUS_OK;
  const rondo::SamplerOptions recommended = rondo::Recommended(*sampling);
  rondo_session_options o = {};
  const size_t shared = SharedSize<rondo_session_options>(options->struct_size);
  std::memcpy(&o, options, shared);
  // generated from here: recommended
  o.temperature = recommended.temperature;
  o.top_k = recommended.top_k;
  o.top_p = recommended.top_p;
  o.min_p = recommended.min_p;
  o.repetition_penalty = recommended.repetition_penalty;
  o.penalty_last_n = recommended.penalty_last_n;
  o.no_repeat_ngram_size = recommended.no_repeat_ngram_size;
  // generated to here
  if (model->abi_version >= kListsAbi) {
    RecommendLists(*model.get(), *sampling, &o);
  } else {
    o.no_repeat_ngram_size = options->no_repeat_ngram_size;
  }
  std::memcpy(options, &o, shared);
  return RONDO_STATUS_OK;
}

int32_t rondo_tokenize(const rondo_model* handle, const char* text, size_t text_bytes,
                       uint32_t flags, int32_t* ids, size_t capacity, size_t* count) {
  if (count != nullptr) *count = 0;
  const Held model(handle);
  if (!model) return model.code();
  if (count == nullptr || (text == nullptr && text_bytes > 0) || (ids == nullptr && capacity > 0) ||
      (flags & ~uint32_t{RONDO_TOKENIZE_ADD_SPECIAL}) != 0) {
    return RONDO_STATUS_INVALID_ARGUMENT;
  }
  if (model->tokenizer == nullptr) return RONDO_STATUS_UNSUPPORTED;
  return Code(model->tokenizer->Encode(
      {text, text_bytes}, (flags & RONDO_TOKENIZE_ADD_SPECIAL) != 0, {ids, capacity}, count));
}

int32_t rondo_detokenize(const rondo_model* handle, const int32_t* ids, size_t count,
                         uint32_t flags, char* buffer, size_t capacity, size_t* length) {
  if (length != nullptr) *length = 0;
  if (buffer != nullptr && capacity > 0) buffer[0] = '\0';
  const Held model(handle);
  if (!model) return model.code();
  if (length == nullptr || (ids == nullptr && count > 0) || (buffer == nullptr && capacity > 0) ||
      (flags & ~uint32_t{RONDO_DETOKENIZE_SKIP_SPECIAL}) != 0) {
    return RONDO_STATUS_INVALID_ARGUMENT;
  }
  if (model->tokenizer == nullptr) return RONDO_STATUS_UNSUPPORTED;
  const size_t room = capacity > 0 ? capacity - 1 : 0;
  const Status status = model->tokenizer->Decode(
      {ids, count}, (flags & RONDO_DETOKENIZE_SKIP_SPECIAL) != 0, {buffer, room}, length);
  if (capacity > 0) buffer[status.ok() ? *length : 0] = '\0';
  if (status.ok() && capacity == 0) return RONDO_STATUS_BUFFER_TOO_SMALL;  // of an empty text
  return Code(status);
}

}  // extern "C"
