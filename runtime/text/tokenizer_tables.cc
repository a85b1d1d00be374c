#include "runtime/text/tokenizer_tables.h"

#include <bit>

namespace rondo {
namespace {

static_assert(std::endian::native == std::endian::little, "tables are used where they lie");

// `section` of `file` as elements of T; empty where absent.
template <typename T>
Status View(const ModelFile& file, const format::Section* section, const char* what,
            std::span<const T>* view) {
  if (section == nullptr) return {};
  RONDO_RETURN_IF_ERROR(file.Verify(section, what));
  const std::span<const uint8_t> bytes = file.bytes(section);
  if (bytes.size() % sizeof(T) != 0) {
    return Status::Error(StatusCode::kCorrupt, "tokenizer: %s has %zu bytes, not a multiple of %zu",
                         what, bytes.size(), sizeof(T));
  }
  *view = {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  return {};
}

}  // namespace

Result<TokenizerTables> TokenizerTables::Read(const ModelFile& file) {
  TokenizerTables tables;
  const format::Tokenizer* settings = file.model().tokenizer();
  if (settings == nullptr)
    return Status::Error(StatusCode::kCorrupt, "tokenizer: the file has none");
  tables.settings = settings;
  RONDO_RETURN_IF_ERROR(View(file, settings->token_bytes(), "token_bytes", &tables.token_bytes));
  RONDO_RETURN_IF_ERROR(
      View(file, settings->token_offsets(), "token_offsets", &tables.token_offsets));
  RONDO_RETURN_IF_ERROR(View(file, settings->token_flags(), "token_flags", &tables.token_flags));
  RONDO_RETURN_IF_ERROR(View(file, settings->atoms(), "atoms", &tables.atoms));
  RONDO_RETURN_IF_ERROR(View(file, settings->merges(), "merges", &tables.merges));
  RONDO_RETURN_IF_ERROR(View(file, settings->merge_slots(), "merge_slots", &tables.merge_slots));
  RONDO_RETURN_IF_ERROR(View(file, settings->joints(), "joints", &tables.joints));
  RONDO_RETURN_IF_ERROR(View(file, settings->word_slots(), "word_slots", &tables.word_slots));
  RONDO_RETURN_IF_ERROR(View(file, settings->charsmap(), "charsmap", &tables.charsmap));
  RONDO_RETURN_IF_ERROR(
      View(file, settings->charsmap_texts(), "charsmap_texts", &tables.charsmap_texts));
  RONDO_RETURN_IF_ERROR(View(file, settings->pieces(), "pieces", &tables.pieces));
  RONDO_RETURN_IF_ERROR(View(file, settings->scores(), "scores", &tables.scores));
  return tables;
}

}  // namespace rondo
