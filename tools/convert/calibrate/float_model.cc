#include "tools/convert/calibrate/float_model.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platforms/memory.h"
#include "runtime/base/checksum.h"
#include "runtime/engine/blueprint.h"
#include "runtime/model/model_check.h"
#include "runtime/model/tensor_view.h"
#include "tools/convert/fail.h"

namespace rondo::convert {
namespace {

void Require(const Status& status) {
  if (!status.ok()) Fail("calibration failed: ", status.message());
}

}  // namespace

// What of an engine is needed to run layers apart: no session, no sampler.
struct FloatModel::Machine {
  Blueprint blueprint;
  uint8_t* arena = nullptr;
  size_t arena_bytes = 0;
  ThreadPool* pool = nullptr;
  std::optional<KvRing> ring;

  Machine(const ModelFile& file, size_t rows, size_t threads) {
    EngineOptions options;
    options.context = options.max_rows = static_cast<uint32_t>(rows);
    options.threads = static_cast<uint32_t>(threads);
    options.kv_format = KvFormat::kFloat32;
    Result<Blueprint> drawn = Blueprint::Draw(file, nullptr, options);
    Require(drawn.status());
    blueprint = std::move(*drawn);
    const MemoryPlan& plan = blueprint.plan.memory;
    arena = static_cast<uint8_t*>(MapMemory(plan.arena_bytes()));
    if (arena == nullptr) Fail("calibration needs ", plan.arena_bytes(), " bytes of memory");
    arena_bytes = plan.arena_bytes();
    pool = ThreadPool::Create(threads);
    if (pool == nullptr) Fail("the system refused ", threads, " threads");
    Require(blueprint.decoder.Bind(file, plan, arena, pool, {}));
    ring.emplace(blueprint.kv, blueprint.window,
                 arena + plan.block(blueprint.sessions[0].kv).offset);
  }
  ~Machine() {
    ThreadPool::Destroy(pool);
    if (arena != nullptr) UnmapMemory(arena, arena_bytes);
  }

  void Forward(const TokenChunk& chunk, const LayerRange& layers, const LogitsSink& sink) {
    const std::atomic<bool> never{false};
    ring->Reset();
    Require(blueprint.decoder.Forward({.ring = &*ring,
                                       .position = 0,
                                       .tokens = chunk,
                                       .first_logits_row = 0,
                                       .long_sequence = false,
                                       .cancel = &never,
                                       .layers = layers},
                                      sink));
  }
};

FloatModel::FloatModel(const std::filesystem::path& path, size_t threads) : threads_(threads) {
  Map(path);
  Result<ModelFile> file = ModelFile::Open({bytes_, size_});
  Require(file.status());
  file_ = *file;
  if (file_.model().tokenizer() == nullptr) {
    Fail("a calibration text needs a tokenizer, and the model folder has none");
  }
  auto tokenizer = Tokenizer::Create(file_);
  Require(tokenizer.status());
  tokenizer_ = std::move(*tokenizer);
}

FloatModel::~FloatModel() {
  if (bytes_ != nullptr) munmap(bytes_, size_);
}

void FloatModel::Map(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) Fail(path.string(), " cannot be opened: ", std::strerror(errno));
  struct stat status = {};
  void* address = MAP_FAILED;
  if (fstat(descriptor, &status) == 0) {
    size_ = static_cast<size_t>(status.st_size);
    address = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
  }
  const int error = errno;
  close(descriptor);
  if (address == MAP_FAILED) Fail(path.string(), " cannot be mapped: ", std::strerror(error));
  bytes_ = static_cast<uint8_t*>(address);
}

std::span<const float> FloatModel::values(uint32_t tensor) const {
  return ViewTensor(file_, tensor).f32();
}

void FloatModel::Exchange(uint32_t tensor, std::span<const float> values) {
  machine_.reset();
  const format::Tensor& entry = *file_.model().tensors()->Get(tensor);
  const format::Section old = *entry.data();
  std::memcpy(bytes_ + old.offset(), values.data(), values.size_bytes());
  // Engines compare the checksum when they load. The metadata, too, lies in the mapping, which is
  // ours to write.
  const format::Section changed(old.offset(), old.bytes(),
                                Checksum({bytes_ + old.offset(), old.bytes()}));
  const auto write = [&](const format::Section* section) {
    const auto place = reinterpret_cast<const uint8_t*>(section) - bytes_;
    std::memcpy(bytes_ + place, &changed, sizeof changed);
  };
  const format::Section* const section = FindSection(file_.model(), old);
  write(entry.data());
  write(section);
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
  if (machine_ == nullptr) machine_ = std::make_unique<Machine>(file_, chunk_length, threads_);
  return *machine_;
}

void FloatModel::RunLayer(uint32_t layer, const std::vector<TokenChunk>& chunks,
                          std::vector<float>& hidden, std::span<const uint32_t> tensors,
                          const std::function<void(size_t, const ChunkInputs&)>& see) {
  const size_t length = chunks.front().size();
  Machine& machine = Ready(length);
  // The runtime knows no exceptions, so the observer allocates nothing.
  ChunkInputs inputs;
  for (const uint32_t tensor : tensors) {
    inputs[tensor].reserve(ViewTensor(file_, tensor).cols * length);
  }
  const auto observe = [](void* user, uint32_t tensor, const float* in, size_t rows, size_t cols,
                          size_t stride) {
    auto& all = *static_cast<ChunkInputs*>(user);
    const auto found = all.find(tensor);
    if (found == all.end()) return;
    std::vector<float>& to = found->second;
    for (size_t r = 0; r < rows && to.size() + cols <= to.capacity(); ++r) {
      to.insert(to.end(), in + r * stride, in + r * stride + cols);
    }
  };
  machine.blueprint.decoder.Observe({observe, &inputs});
  const size_t hidden_size = file_.model().hidden_size();
  hidden.resize(chunks.size() * length * hidden_size);
  for (size_t i = 0; i < chunks.size(); ++i) {
    for (auto& [tensor, rows] : inputs) rows.clear();
    machine.Forward(chunks[i], {layer, layer + 1, &hidden[i * length * hidden_size]}, {});
    see(i, inputs);
  }
  machine.blueprint.decoder.Observe({});
}

void FloatModel::Predict(const std::vector<TokenChunk>& chunks,
                         const std::function<void(size_t, size_t, std::span<const float>)>& see) {
  Machine& machine = Ready(chunks.front().size());
  for (size_t i = 0; i < chunks.size(); ++i) {
    const auto take = [&](size_t position, std::span<const float> logits) {
      see(i, position, logits);
    };
    const auto row = [](void* user, size_t position, std::span<const float> logits) {
      (*static_cast<decltype(take)*>(user))(position, logits);
    };
    machine.Forward(chunks[i], {}, {row, const_cast<void*>(static_cast<const void*>(&take))});
  }
}

}  // namespace rondo::convert
