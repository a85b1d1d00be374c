#include "tools/convert/calibrate/float_model.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "platforms/memory.h"
#include "runtime/base/checksum.h"
#include "runtime/engine/plan.h"
#include "runtime/model/model_check.h"
#include "runtime/model/tensor_view.h"
#include "tools/common/interrupt.h"
#include "tools/convert/calibrate/rounded_rows_pass.h"
#include "tools/convert/calibrate/watched_pass.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

void Require(const Status& status) {
  tools::CheckInterrupt();
  if (!status.ok()) Fail("calibration failed: ", status.message());
}

// What keeps keys and values in a layer; null where nothing does.
const SublayerSpec* AttentionIn(const DecoderSpec& spec, size_t layer) {
  for (size_t i = spec.layer_begin(layer); i < spec.layer_ends[layer]; ++i) {
    if (spec.sublayers[i].kv.n_kv_heads > 0) return &spec.sublayers[i];
  }
  return nullptr;
}

bool IsReadByOthers(const DecoderSpec& spec, size_t kv_entry) {
  return std::ranges::any_of(spec.sublayers.span(), [&](const SublayerSpec& sublayer) {
    return sublayer.shares_kv && sublayer.kv_entry == kv_entry;
  });
}

}  // namespace

// What of an engine is needed to run layers apart: no session, no sampler.
struct FloatModel::Machine {
  EnginePlan plan;
  uint8_t* arena = nullptr;
  size_t arena_bytes = 0;
  ThreadPool* pool = nullptr;
  BlockTable kv;
  Cancellation cancellation;  // of none: an interrupt is looked at behind each layer

  Machine(const ModelFile& file, size_t rows, size_t threads, KvFormat kv_format) {
    EngineOptions options;
    options.context = options.max_rows = static_cast<uint32_t>(rows);
    options.threads = static_cast<uint32_t>(threads);
    options.kv_format = kv_format;
    Result<EnginePlan> planned = PlanToRun(file, nullptr, options);
    Require(planned.status());
    plan = std::move(*planned);
    arena_bytes = plan.memory.arena_bytes();
    arena = static_cast<uint8_t*>(MapMemory(arena_bytes));
    if (arena == nullptr) Fail("calibration needs ", arena_bytes, " bytes of memory");
    pool = ThreadPool::Create(threads);
    if (pool == nullptr) Fail("the system refused ", threads, " threads");
    plan.runner.pool.Bind(plan.memory, arena);
    Require(plan.runner.decoder.Bind(file, plan.memory, arena, pool, {}));
    kv = BlockTable(plan.runner.kv, &plan.runner.pool,
                    arena + plan.memory.region(plan.sessions[0].block_table).offset);
  }
  ~Machine() {
    ThreadPool::Destroy(pool);
    if (arena != nullptr) UnmapMemory(arena, arena_bytes);
  }

  std::vector<InputKey> keys;  // of the chunk that was begun last

  // A chunk's rows, all at once. Their blocks stay prepared until the next chunk begins: only then
  // does the table tell where a pass writes states.
  SequenceRows Begin(const TokenChunk& chunk) {
    kv.Commit();
    kv.Truncate(0);
    kv.Prepare(0, chunk.size());
    keys = std::vector<InputKey>(chunk.begin(), chunk.end());
    return {&kv, 0, keys, keys.size(), false, &cancellation};
  }

  // Calls visit(a page of keys and values) for all that the chunk has of an entry.
  template <typename Visit>
  void ForPages(size_t entry, size_t tokens, const Visit& visit) const {
    const KvLayout& layout = kv.layout();
    for (uint64_t block = 0; block < KvLayout::Group::Blocks(tokens); ++block) {
      for (size_t head = 0; head < layout.entry(entry).n_kv_heads; ++head) {
        visit(std::span(kv.Page(block, entry, head), layout.page(entry).bytes()));
      }
    }
  }
};

FloatModel::FloatModel(const std::filesystem::path& path, size_t threads) : threads_(threads) {
  std::error_code error;
  map_.emplace(path, error);
  if (error) Fail(path.string(), " cannot be mapped: ", error.message());
  Result<ModelFile> file = ModelFile::Open(map_->bytes());
  Require(file.status());
  file_ = *file;
  if (file_.model().tokenizer() == nullptr) {
    Fail("a calibration text needs a tokenizer, and the model folder has none");
  }
  auto tokenizer = Tokenizer::Create(file_);
  Require(tokenizer.status());
  tokenizer_ = std::move(*tokenizer);
}

FloatModel::~FloatModel() = default;

std::span<const float> FloatModel::values(uint32_t tensor) const {
  return ViewTensor(file_, tensor).f32();
}

void FloatModel::Exchange(uint32_t tensor, std::span<const float> values) {
  machine_.reset();
  const format::Tensor& entry = *file_.model().tensors()->Get(tensor);
  const format::Section old = *entry.data();
  uint8_t* const bytes = map_->bytes().data();
  std::memcpy(bytes + old.offset(), values.data(), values.size_bytes());
  // Engines compare the checksum when they load. The metadata, too, lies in the mapping, which is
  // ours to write.
  const format::Section changed(old.offset(), old.bytes(),
                                Checksum({bytes + old.offset(), old.bytes()}));
  const auto write = [&](const format::Section* section) {
    const auto place = reinterpret_cast<const uint8_t*>(section) - bytes;
    std::memcpy(bytes + place, &changed, sizeof changed);
  };
  const format::Section* const section = FindSection(file_.model(), old);
  write(entry.data());
  write(section);
}

void FloatModel::UseKv(KvFormat format) {
  machine_.reset();
  kv_format_ = format;
}

std::vector<TokenChunk> FloatModel::Tokenize(const std::string& text, size_t length,
                                             size_t max_tokens) const {
  size_t count = 0;
  TokenChunk ids(text.size() + 16);
  const Status status = tokenizer_->Encode(text, false, ids, &count);
  if (!status.ok()) Fail("the calibration text cannot be tokenised: ", status.message());
  ids.resize(count);
  const format::Model& model = file_.model();
  length = std::min<size_t>(length, model.context_length());
  const size_t prefix = model.bos_token() >= 0 ? 1 : 0;
  if (ids.size() + prefix < length) {
    Fail("the calibration text has ", ids.size(), " tokens; give at least ", length - prefix,
         ", better a hundred times as many");
  }
  std::vector<TokenChunk> chunks;
  for (size_t begin = 0;
       begin + length - prefix <= ids.size() && chunks.size() * length < max_tokens;
       begin += length - prefix) {
    TokenChunk chunk(prefix, model.bos_token());
    chunk.insert(chunk.end(), ids.begin() + static_cast<ptrdiff_t>(begin),
                 ids.begin() + static_cast<ptrdiff_t>(begin + length - prefix));
    chunks.push_back(std::move(chunk));
  }
  return chunks;
}

FloatModel::Machine& FloatModel::Ready(size_t chunk_length) {
  if (machine_ == nullptr) {
    machine_ = std::make_unique<Machine>(file_, chunk_length, threads_, kv_format_);
  }
  return *machine_;
}

void FloatModel::RunLayer(uint32_t layer, const std::vector<TokenChunk>& chunks, LayerState& state,
                          std::span<const uint32_t> tensors,
                          const std::function<void(size_t, const ChunkInputs&)>& see) {
  const size_t length = chunks.front().size();
  Machine& machine = Ready(length);
  ChunkInputs inputs;
  for (const uint32_t tensor : tensors) {
    inputs[tensor].reserve(ViewTensor(file_, tensor).cols * length);
  }
  Decoder& decoder = machine.plan.runner.decoder;
  const size_t hidden_floats = length * decoder.residual_floats();
  state.hidden.resize(chunks.size() * hidden_floats);
  const SublayerSpec* attention = AttentionIn(decoder.spec(), layer);
  const bool reads = attention != nullptr && attention->shares_kv;
  const bool lends =
      attention != nullptr && !reads && IsReadByOthers(decoder.spec(), attention->kv_entry);
  if (lends) state.kv[attention->kv_entry].resize(chunks.size());
  for (size_t i = 0; i < chunks.size(); ++i) {
    for (auto& [tensor, rows] : inputs) rows.clear();
    const SequenceRows rows = machine.Begin(chunks[i]);
    WatchedPass pass(decoder.resources(), rows, &inputs);
    decoder.Embed(pass);
    if (reads) {
      const uint8_t* from = state.kv.at(attention->kv_entry)[i].data();
      machine.ForPages(attention->kv_entry, length, [&](std::span<uint8_t> page) {
        std::copy_n(from, page.size(), page.data());
        from += page.size();
      });
    }
    float* entering = state.hidden.data() + i * hidden_floats;
    if (layer > 0) std::copy_n(entering, hidden_floats, decoder.residual());
    decoder.RunLayer(pass, layer);
    std::copy_n(decoder.residual(), hidden_floats, entering);
    if (lends) {
      std::vector<uint8_t>& to = state.kv[attention->kv_entry][i];
      to.clear();
      machine.ForPages(attention->kv_entry, length, [&](std::span<const uint8_t> page) {
        to.insert(to.end(), page.begin(), page.end());
      });
    }
    see(i, inputs);
  }
}

void FloatModel::Predict(const std::vector<TokenChunk>& chunks,
                         const std::function<void(size_t, size_t, std::span<const float>)>& see) {
  const size_t length = chunks.front().size();
  Machine& machine = Ready(length);
  Decoder& decoder = machine.plan.runner.decoder;
  const size_t vocab = decoder.spec().vocab_size;
  std::vector<float> room;  // of the rounded rows
  if (!rounded_rows_.empty()) room.resize(RoundedRowsPass::Room(file_));
  for (size_t i = 0; i < chunks.size(); ++i) {
    const SequenceRows rows = machine.Begin(chunks[i]);
    RoundedRowsPass pass(decoder.resources(), rows, rounded_rows_, room);
    decoder.Forward(pass);
    for (size_t begin = 0; begin < length; begin += decoder.logit_rows()) {
      size_t wanted[kMostLogitRows];
      const size_t n = std::min(decoder.logit_rows(), length - begin);
      for (size_t r = 0; r < n; ++r) wanted[r] = begin + r;
      const float* logits = decoder.Logits(pass, {wanted, n}, begin + n == length);
      for (size_t r = 0; r < n; ++r) see(i, begin + r, {logits + r * vocab, vocab});
    }
  }
}

}  // namespace rondo::convert
