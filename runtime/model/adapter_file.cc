#include "runtime/model/adapter_file.h"

#include <algorithm>

#include "runtime/base/checked.h"
#include "runtime/base/checksum.h"
#include "runtime/base/finite.h"
#include "runtime/model/adaptable.h"
#include "runtime/model/check_messages.h"
#include "runtime/model/file_container.h"
#include "runtime/model/sections.h"

namespace rondo {

// An adapter's metadata names indices, ranks and sections: each is looked at here, and nowhere
// later.
class AdapterFile::Opener {
 public:
  Opener(const FileParts& file, const ModelFile& model) : file_(file), model_(model) {}

  Result<AdapterFile> Run() {
    RONDO_ASSIGN(const FileHeader header, ReadHeader(file_, kAdapterContainer));
    RONDO_ASSIGN(const std::span<const uint8_t> metadata, ReadMetadata(file_, header));
    flatbuffers::Verifier verifier(metadata.data(), metadata.size(), kMaxMetadataDepth,
                                   kMaxMetadataTables);
    if (!format::VerifyAdapterBuffer(verifier)) {
      return Corrupt("the metadata at byte %llu is not a well-formed FlatBuffers table",
                     ull{header.metadata_offset});
    }
    AdapterFile adapter;
    adapter.metadata_ = metadata_ = format::GetAdapter(metadata.data());
    adapter.model_ = &model_;
    adapter.file_bytes_ = file_.size();
    RONDO_RETURN_IF_ERROR(CheckSections(file_, header, metadata_->sections()));
    RONDO_RETURN_IF_ERROR(CheckGlobals());
    RONDO_RETURN_IF_ERROR(ReadMatrices(&adapter));
    adapter.digest_ = DigestOf(file_.View(0, file_.size()));
    return adapter;
  }

 private:
  Status CheckGlobals() const {
    if (metadata_->name() == nullptr || metadata_->matrices() == nullptr) {
      return Corrupt("the metadata lacks name or matrices");
    }
    const uint64_t identity = model_.model().identity();
    if (metadata_->model() != identity) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "the adapter is of another model (%016llx, this one is %016llx)",
                           ull{metadata_->model()}, ull{identity});
    }
    if (metadata_->format() != format::AdapterFormat::F32 &&
        metadata_->format() != format::AdapterFormat::Bfloat16) {
      return Status::Error(StatusCode::kUnsupported,
                           "the adapter's values have format %u, which this version of Rondo does "
                           "not have",
                           static_cast<unsigned>(metadata_->format()));
    }
    RONDO_RETURN_IF_ERROR(CheckRange("rank", metadata_->rank(), 1, kMaxAdapterRank));
    return CheckRange("the number of matrices", metadata_->matrices()->size(), 1,
                      model_.model().tensors()->size());
  }

  Status ReadMatrices(AdapterFile* adapter) {
    const format::Model& model = model_.model();
    RONDO_ASSIGN(adaptable_, HeapArray<bool>::Create(model.tensors()->size()));
    ForEachAdaptable(model,
                     [&](const format::Linear& linear) { adaptable_[linear.weight()] = true; });
    // Not one that serves in another place, too: rows there have no room for what adapters add.
    const auto serves_too = [&](const format::Linear& linear) {
      adaptable_[linear.weight()] = false;
    };
    for (const format::Layer* layer : *model.layers()) ForEachOther(*layer, serves_too);
    ForEachOwnLinear(model, /*draft_head=*/true, serves_too);
    if (model.head() != nullptr) serves_too(*model.head());
    if (model.draft_head() != nullptr) ForEachLinear(*model.draft_head()->layer(), serves_too);
    const uint32_t n = metadata_->matrices()->size();
    RONDO_ASSIGN(adapter->matrices_, HeapArray<AdapterMatrix>::Create(n));
    RONDO_ASSIGN(adapter->places_, HeapArray<uint32_t>::Create(model.tensors()->size()));
    uint64_t next = 0;
    for (uint32_t i = 0; i < n; ++i) {
      const format::AdapterMatrix& matrix = *metadata_->matrices()->Get(i);
      if (matrix.tensor() < next || matrix.tensor() >= model.tensors()->size()) {
        return Corrupt("matrix %u is of tensor %u, expected %llu to %u", i, matrix.tensor(),
                       ull{next}, model.tensors()->size() - 1);
      }
      next = uint64_t{matrix.tensor()} + 1;
      RONDO_ASSIGN(adapter->matrices_[i], Read(matrix));
      adapter->places_[matrix.tensor()] = i + 1;
    }
    return Status();
  }

  Result<AdapterMatrix> Read(const format::AdapterMatrix& matrix) const {
    const format::Tensor& tensor = *model_.model().tensors()->Get(matrix.tensor());
    const char* const name = tensor.name()->c_str();
    if (!adaptable_[matrix.tensor()]) {
      return Corrupt("tensor %.64s is none that adapters may change", name);
    }
    const uint64_t most = uint64_t{kAdapterParts} * metadata_->rank();
    if (matrix.rank() == 0 || matrix.rank() > most) {
      return Corrupt("tensor %.64s: rank %u, expected 1 to %llu", name, matrix.rank(), ull{most});
    }
    RONDO_ASSIGN(const uint64_t up_bytes, BytesOfUp(matrix, name, tensor.rows()));
    AdapterMatrix read = {.inputs = static_cast<size_t>(tensor.cols()),
                          .rank = matrix.rank(),
                          .down = {},
                          .runs = matrix.runs(),
                          .up = {}};
    RONDO_ASSIGN(read.down, Tiles(matrix.down(), name,
                                  CheckedSize(read.down_tiles()) * TileBytes(read.inputs)));
    RONDO_ASSIGN(read.up, Tiles(matrix.up(), name, up_bytes));
    return read;
  }

  // Of the runs' tiles; these cover the tensor's rows and stay inside of `down`.
  Result<uint64_t> BytesOfUp(const format::AdapterMatrix& matrix, const char* name,
                             uint64_t rows) const {
    if (matrix.runs() == nullptr ||
        reinterpret_cast<uintptr_t>(matrix.runs()->Data()) % alignof(format::AdapterRun) != 0) {
      return Corrupt("tensor %.64s: its runs are absent, or not at a multiple of %zu bytes", name,
                     alignof(format::AdapterRun));
    }
    const uint64_t wanted = CeilDiv(rows, uint64_t{kAdapterTile});
    uint64_t tiles = 0, bytes = 0;  // at most 2^18 tiles of 2^12 lines
    for (const format::AdapterRun* run : *matrix.runs()) {
      if (run->tiles() == 0 || run->tiles() > wanted - tiles || run->first() > matrix.rank() ||
          run->rank() > matrix.rank() - run->first()) {
        return Corrupt(
            "tensor %.64s: a run of %u tiles behind %llu of %llu, of rows %u to %llu of %u", name,
            run->tiles(), ull{tiles}, ull{wanted}, run->first(), ull{run->first()} + run->rank(),
            matrix.rank());
      }
      tiles += run->tiles();
      bytes += uint64_t{run->tiles()} * TileBytes(run->rank());
    }
    if (tiles == wanted) return bytes;
    return Corrupt("tensor %.64s: runs of %llu tiles, expected %llu", name, ull{tiles},
                   ull{wanted});
  }

  uint64_t TileBytes(size_t inputs) const { return AdapterTileBytes(metadata_->format(), inputs); }

  // A section of so many bytes, unaltered, all of finite values.
  Result<std::span<const uint8_t>> Tiles(const format::Section* section, const char* name,
                                         CheckedSize bytes) const {
    const auto* const all = metadata_->sections();
    const bool known =
        section != nullptr &&
        IndexOfSection(
            all->size(), [&](uint32_t i) -> const format::Section& { return *all->Get(i); },
            *section) < all->size();
    if (!known || !bytes.valid() || section->bytes() != bytes.value()) {
      return Corrupt("tensor %.64s: %llu bytes, expected a section of %llu", name,
                     ull{section == nullptr ? 0 : section->bytes()}, ull{bytes.ValueOrMost()});
    }
    const std::span<const uint8_t> tiles = file_.View(section->offset(), section->bytes());
    if (Checksum(tiles) != section->checksum()) {
      return Corrupt("tensor %.64s: bytes %llu to %llu were altered: the checksum does not match",
                     name, ull{section->offset()}, ull{section->offset() + section->bytes()});
    }
    const bool finite = metadata_->format() == format::AdapterFormat::F32
                            ? AllFinite(tiles)
                            : AllFiniteBfloat16(tiles);
    if (!finite) return Corrupt("tensor %.64s: a value of the adapter is not finite", name);
    return tiles;
  }

  const FileParts& file_;
  const ModelFile& model_;
  const format::Adapter* metadata_ = nullptr;
  HeapArray<bool> adaptable_;
};

Result<AdapterFile> AdapterFile::Open(std::span<const uint8_t> bytes, const ModelFile& model) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % kSectionAlignment != 0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the adapter's bytes must start at a multiple of %llu",
                         ull{kSectionAlignment});
  }
  const FileParts file(bytes);
  return Opener(file, model).Run();
}

}  // namespace rondo
