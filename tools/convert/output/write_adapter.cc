#include "tools/convert/output/write_adapter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>

#include "platforms/file_map.h"
#include "runtime/base/checked.h"
#include "runtime/model/adapter_file.h"
#include "tools/common/interrupt.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/output/file_writer.h"
#include "tools/convert/output/turn.h"
#include "tools/convert/sources/float_formats.h"
#include "tools/convert/sources/peft/peft_adapter.h"

namespace rondo::convert {
namespace {

using Module = PeftAdapter::Module;

constexpr const char* kMergeAdvice =
    ": `rondo convert CHECKPOINT --merge` can add it to the weights";

// The module whose matrix it is, where PEFT may have wrapped that as a parameter.
std::string_view LinearOf(std::string_view name, const Module& module) {
  constexpr std::string_view kWeight = ".weight";
  if (module.parameter == "weight" && module.experts == 1) name.remove_suffix(kWeight.size());
  return name;
}

// Why a module has no place in an adapter's file: one that rows of a pass go through by a way of
// their own.
std::string ReasonOf(const std::string& name, const Module& module, const std::string& model) {
  const std::string bare(LinearOf(name, module));
  const auto ends = [&](std::initializer_list<const char*> parts) {
    return std::ranges::any_of(parts, [&](const char* part) { return bare.ends_with(part); });
  };
  const auto has = [&](const char* part) { return bare.find(part) != std::string::npos; };
  if (module.is_embedding || ends({"lm_head", "embed_tokens", "embed_out"})) {
    return " is the embedding or the output head, which stay as they are under an adapter";
  }
  if (has(".experts") || has("switch_mlp")) {
    return " is of a mixture's experts, which stay as they are under an adapter";
  }
  if (ends({".gate", ".router", ".router.layer", ".shared_expert_gate"})) {
    return " chooses a mixture's experts, and stays as it is under an adapter";
  }
  if (ends({"q_a_proj", "q_b_proj", "kv_a_proj_with_mqa", "kv_b_proj"})) {
    return " is of latent attention, of which only the output may have an adapter";
  }
  return " is none of the matrices of " + model + " that adapters may change";
}

// Tiles of 16 channels, as the file has them.
class Tiles {
 public:
  explicit Tiles(format::AdapterFormat format) : format_(format) {}

  // value(input, channel)
  template <typename Value>
  void Add(uint64_t inputs, const Value& value) {
    const size_t begin = bytes_.size();
    bytes_.resize(begin + AdapterTileBytes(format_, static_cast<size_t>(inputs)));
    uint8_t* const tile = bytes_.data() + begin;
    for (uint64_t input = 0; input < inputs; ++input) {
      for (size_t channel = 0; channel < kAdapterTile; ++channel) {
        const float x = value(input, channel);
        if (format_ == format::AdapterFormat::F32) {
          std::memcpy(tile + (input * kAdapterTile + channel) * sizeof x, &x, sizeof x);
        } else {
          const uint16_t half = ToBfloat16(x);
          const uint64_t at = (input / 2 * kAdapterTile + channel) * 2 + input % 2;
          std::memcpy(tile + at * sizeof half, &half, sizeof half);
        }
      }
    }
  }
  std::span<const uint8_t> bytes() const { return bytes_; }

 private:
  const format::AdapterFormat format_;
  std::vector<uint8_t> bytes_;
};

// One matrix of the model's file that the adapter changes: the modules that its rows are of, one
// behind another in `down`.
class Stack {
 public:
  // `source` fits the matrix's shape.
  Stack(const PeftAdapter& adapter, uint64_t rows, uint64_t cols,
        const format::TensorSource& source)
      : adapter_(adapter), cols_(cols), source_(source), rows_(static_cast<size_t>(rows)) {}

  uint64_t rank() const { return rank_; }

  // Rows from `row` on are those that `part` says, of this module.
  void Add(size_t row, const format::SourceRows& part, const Module& module) {
    const auto [found, is_new] = placed_.try_emplace(&module, places_.size());
    if (is_new) {
      places_.push_back({&module, rank_, adapter_.Up(module)});
      rank_ += module.rank;
    }
    for (uint64_t i = 0; i < part.rows(); ++i) {
      rows_[row + i] = {found->second, part.first_row() + i * part.row_step(),
                        part.scale() * Factor(source_.row_powers(), row + i)};
    }
  }

  // Puts the tiles of `down` behind `tiles`.
  void AddDown(Tiles& tiles) const {
    std::vector<float> down(static_cast<size_t>(rank_ * cols_));
    for (const Place& place : places_) {
      std::ranges::copy(adapter_.Down(*place.module), &down[place.first * cols_]);
    }
    ChangeAsTheMatrix(down);
    for (uint64_t first = 0; first < rank_; first += kAdapterTile) {
      tiles.Add(cols_, [&](uint64_t input, size_t channel) {
        return first + channel < rank_ ? down[(first + channel) * cols_ + input] : 0;
      });
    }
  }

  // Puts the tiles of `up` behind `tiles`, each with the rows of `down` that it needs.
  void AddUp(Tiles& tiles, std::vector<format::AdapterRun>* runs) const {
    if (source_.columns_turned()) return AddTurnedUp(tiles, runs);
    for (size_t begin = 0; begin < rows_.size(); begin += kAdapterTile) {
      const size_t end = std::min(rows_.size(), begin + kAdapterTile);
      const auto [first, last] = RanksOf(begin, end);
      AddRun(first, last - first, runs);
      const uint64_t from = first;
      tiles.Add(last - first, [&](uint64_t input, size_t channel) {
        return begin + channel < end ? ValueOf(rows_[begin + channel], from + input) : 0;
      });
    }
  }

 private:
  struct Place {
    const Module* module;
    uint64_t first;         // its first row of `down`
    std::vector<float> up;  // as the adapter has it
  };
  struct Row {
    std::optional<size_t> place = {};
    uint64_t source = 0;
    float scale = 0;
  };

  static float Factor(const flatbuffers::Vector<int8_t>* powers, uint64_t i) {
    return powers == nullptr ? 1 : std::ldexp(1.0f, powers->Get(static_cast<uint32_t>(i)));
  }

  void ChangeAsTheMatrix(std::span<float> down) const {
    for (uint64_t i = 0; i < down.size(); ++i) {
      const auto col = static_cast<uint32_t>(i % cols_);
      down[i] *= Factor(source_.col_powers(), col);
      if (source_.gains() != nullptr) down[i] *= source_.gains()->Get(col);
    }
    if (!source_.rows_turned()) return;
    for (uint64_t row = 0; row < rank_; ++row) Turn(down.subspan(row * cols_, cols_));
  }

  // Each row depends on all that there were.
  void AddTurnedUp(Tiles& tiles, std::vector<format::AdapterRun>* runs) const {
    std::vector<float> up(rows_.size() * rank_);
    for (size_t i = 0; i < up.size(); ++i) up[i] = ValueOf(rows_[i / rank_], i % rank_);
    TurnColumns(up, rank_);
    for (size_t begin = 0; begin < rows_.size(); begin += kAdapterTile) {
      AddRun(0, rank_, runs);
      tiles.Add(rank_, [&](uint64_t input, size_t channel) {
        return begin + channel < rows_.size() ? up[(begin + channel) * rank_ + input] : 0;
      });
    }
  }

  std::pair<uint64_t, uint64_t> RanksOf(size_t begin, size_t end) const {
    uint64_t first = rank_, last = 0;
    for (size_t row = begin; row < end; ++row) {
      if (!rows_[row].place) continue;
      const Place& place = places_[*rows_[row].place];
      first = std::min(first, place.first);
      last = std::max(last, place.first + place.module->rank);
    }
    return first < last ? std::pair(first, last) : std::pair<uint64_t, uint64_t>(0, 0);
  }

  static void AddRun(uint64_t first, uint64_t rank, std::vector<format::AdapterRun>* runs) {
    if (!runs->empty() && runs->back().first() == first && runs->back().rank() == rank) {
      const format::AdapterRun& last = runs->back();
      runs->back() = format::AdapterRun(last.tiles() + 1, last.first(), last.rank());
      return;
    }
    runs->emplace_back(1, static_cast<uint32_t>(first), static_cast<uint32_t>(rank));
  }

  float ValueOf(const Row& row, uint64_t j) const {
    if (!row.place) return 0;
    const Place& place = places_[*row.place];
    if (j < place.first || j >= place.first + place.module->rank) return 0;
    const float value = place.up[row.source * place.module->rank + (j - place.first)];
    return static_cast<float>(place.module->scale * row.scale * value);
  }

  const PeftAdapter& adapter_;
  const uint64_t cols_;
  const format::TensorSource& source_;
  std::vector<Row> rows_;
  std::vector<Place> places_;
  std::map<const Module*, size_t> placed_;
  uint64_t rank_ = 0;
};

class AdapterWriter {
 public:
  AdapterWriter(const AdapterOptions& options, const ModelFile& model)
      : options_(options),
        model_(model),
        adapter_(options.directory),
        writer_(options.output, options.replace, kAdapterContainer) {}

  AdapterReport Run() {
    const auto* const changed = model_.model().changed_sources();
    const auto* const sources = changed != nullptr ? changed : model_.model().sources();
    if (sources == nullptr) {
      Fail(options_.model.string(),
           " does not say what its matrices were made of, as files of older versions do not: "
           "convert the model again");
    }
    const uint64_t rank = adapter_.largest_rank();
    if (rank > kMaxAdapterRank) {
      Fail(options_.directory.string(), " has rank ", rank, ", expected at most ", kMaxAdapterRank);
    }
    if (!adapter_.whole().empty()) {
      Fail(adapter_.path(), ": tensor ", adapter_.whole().begin()->second.tensor,
           " was trained whole, but an adapter's file holds low-rank products alone", kMergeAdvice);
    }
    for (const auto& [name, module] : adapter_.modules()) {
      if (!modules_.emplace(BareModuleName(LinearOf(name, module)), &module).second) {
        Fail(adapter_.Called(name), " is there by two names");
      }
    }
    for (const format::TensorSource* source : *sources) {
      tools::CheckInterrupt();
      AddMatrix(*source);
    }
    RefuseUnused();
    format::AdapterT metadata;
    metadata.name = options_.directory.filename().string();
    metadata.model = model_.model().identity();
    metadata.format = options_.format;
    metadata.rank = static_cast<uint32_t>(rank);
    metadata.matrices = std::move(matrices_);
    metadata.sections = writer_.sections();
    flatbuffers::FlatBufferBuilder builder;
    format::FinishAdapterBuffer(builder, format::Adapter::Pack(builder, &metadata));
    writer_.Finish({builder.GetBufferPointer(), builder.GetSize()});
    CheckWritten();
    AdapterReport report = {rank, reached_.size(), 0, writer_.bytes(), adapter_.notes()};
    for (const auto& [name, module] : adapter_.modules()) {
      report.parameters += module.rank * (module.inputs + module.outputs);
    }
    writer_.Commit();
    return report;
  }

 private:
  static bool ArePowersOf(uint64_t channels, const flatbuffers::Vector<int8_t>* powers) {
    constexpr int kMost = 64;
    return powers == nullptr ||
           (powers->size() == channels && std::ranges::all_of(*powers, [](int power) {
              return -kMost <= power && power <= kMost;
            }));
  }

  [[noreturn]] void RefuseSource(const format::TensorSource& source) const {
    Fail(options_.model.string(), ": what tensor ", source.tensor(),
         " was made of contradicts its shape");
  }

  void AddMatrix(const format::TensorSource& source) {
    const auto* const tensors = model_.model().tensors();
    if (source.tensor() >= tensors->size() || source.parts() == nullptr) RefuseSource(source);
    const format::Tensor& tensor = *tensors->Get(source.tensor());
    const auto* const gains = source.gains();
    if (!ArePowersOf(tensor.rows(), source.row_powers()) ||
        !ArePowersOf(tensor.cols(), source.col_powers()) ||
        (gains != nullptr &&
         (gains->size() != tensor.cols() ||
          !std::ranges::all_of(*gains, [](float gain) { return std::isfinite(gain); })))) {
      RefuseSource(source);
    }
    Stack stack(adapter_, tensor.rows(), tensor.cols(), source);
    uint64_t row = 0;
    for (const format::SourceRows* part : *source.parts()) {
      const uint64_t end =
          part->rows() == 0 ? 0 : part->first_row() + uint64_t{part->rows() - 1} * part->row_step();
      if (part->name() == nullptr || part->rows() > tensor.rows() - row ||
          (part->rows() > 0 && end >= part->outputs())) {
        RefuseSource(source);
      }
      const auto found = modules_.find(BareModuleName(part->name()->string_view()));
      if (found != modules_.end() && !found->second->is_embedding) {
        const Module& module = *found->second;
        if (module.outputs != part->outputs() || module.inputs != tensor.cols()) {
          Fail(adapter_.Called(part->name()->str()), " is [", module.outputs, ", ", module.inputs,
               "], expected [", part->outputs(), ", ", tensor.cols(), "] for ",
               options_.model.string());
        }
        stack.Add(static_cast<size_t>(row), *part, module);
        std::vector<bool>& reached = reached_[&module];
        reached.resize(static_cast<size_t>(module.outputs));
        for (uint64_t i = 0; i < part->rows(); ++i) {
          reached[part->first_row() + i * part->row_step()] = true;
        }
      }
      row += part->rows();
    }
    if (row != tensor.rows()) RefuseSource(source);
    if (stack.rank() == 0) return;
    if (stack.rank() > kAdapterParts * adapter_.largest_rank()) {
      Fail(options_.model.string(), ": tensor ", tensor.name()->str(), " is made of more than ",
           kAdapterParts, " matrices that the adapter changes");
    }
    auto matrix = std::make_unique<format::AdapterMatrixT>();
    matrix->tensor = source.tensor();
    matrix->rank = static_cast<uint32_t>(stack.rank());
    Tiles down(options_.format), up(options_.format);
    stack.AddDown(down);
    stack.AddUp(up, &matrix->runs);
    matrix->down = std::make_unique<format::Section>(writer_.Add(down.bytes()));
    matrix->up = std::make_unique<format::Section>(writer_.Add(up.bytes()));
    matrices_.push_back(std::move(matrix));
  }

  void RefuseUnused() const {
    for (const auto& [name, module] : adapter_.modules()) {
      const auto reached = reached_.find(&module);
      if (reached != reached_.end()) {
        if (std::ranges::all_of(reached->second, std::identity())) continue;
        Fail(adapter_.Called(name), " is only in part of the matrices of ", options_.model.string(),
             " that adapters may change", kMergeAdvice);
      }
      Fail(adapter_.Called(name), ReasonOf(name, module, options_.model.string()), kMergeAdvice);
    }
  }

  void CheckWritten() const {
    FileMap map;
    if (const FileError error =
            FileMap::OpenPath(writer_.unfinished_path().string().c_str(), &map)) {
      Fail(writer_.unfinished_path().string(), " cannot be read: ", error.reason());
    }
    const Result<AdapterFile> written = AdapterFile::Open(map.bytes(), model_);
    if (!written.ok()) Fail(options_.output.string(), ": ", written.status().message());
  }

  const AdapterOptions& options_;
  const ModelFile& model_;
  const PeftAdapter adapter_;
  FileWriter writer_;
  std::map<std::string_view, const Module*> modules_;   // by their bare names
  std::map<const Module*, std::vector<bool>> reached_;  // by output
  std::vector<std::unique_ptr<format::AdapterMatrixT>> matrices_;
};

}  // namespace

AdapterReport WriteAdapter(const AdapterOptions& options) {
  FileMap map;
  if (const FileError error = FileMap::OpenPath(options.model.string().c_str(), &map)) {
    Fail(options.model.string(), " cannot be read: ", error.reason());
  }
  const Result<ModelFile> model = ModelFile::Open(map.bytes(), &map);
  if (!model.ok()) Fail(options.model.string(), ": ", model.status().message());
  return AdapterWriter(options, *model).Run();
}

}  // namespace rondo::convert
