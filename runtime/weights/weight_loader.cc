#include "runtime/weights/weight_loader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/base/checked.h"
#include "runtime/base/checksum.h"
#include "runtime/model/tensor_view.h"

namespace rondo {

namespace {

// What one thread reads and packs at a time: it should stay in the second-level cache.
constexpr size_t kPieceBytes = 128u << 10;
// Pages are given back in larger steps, which the system charges by the call. The steps overlap by
// the largest page there is, for only whole pages go.
constexpr size_t kReleaseBytes = 2u << 20;
constexpr size_t kPageBytes = 64u << 10;
// What a thread of the host's pool reads between two reports.
constexpr uint64_t kRoundBytes = 1u << 20;

// Goes through one section in order.
class SectionReader {
 public:
  SectionReader(const ModelFile& file, const format::Section* section, const char* tensor)
      : file_(file), section_(section), tensor_(tensor), bytes_(file.bytes(section)) {}

  // The next part of it, added to the checksum.
  void Read(size_t bytes) {
    checksum_.Update(bytes_.subspan(read_, bytes));
    read_ += bytes;
  }
  // Gives back what was read, when it is worth the call or the end.
  void Release() {
    if (read_ - released_ < kReleaseBytes && read_ < bytes_.size()) return;
    const size_t from = released_ - std::min(released_, kPageBytes);
    file_.Release(bytes_.subspan(from, read_ - from));
    released_ = read_;
  }
  // After the whole was read.
  Status Verify() const {
    return section_ == nullptr ? Status()
                               : file_.CompareChecksum(*section_, checksum_.Digest(), tensor_);
  }

 private:
  const ModelFile& file_;
  const format::Section* section_;
  const char* tensor_;
  std::span<const uint8_t> bytes_;
  ChecksumStream checksum_;
  size_t read_ = 0;
  size_t released_ = 0;
};

}  // namespace

// Those of a matrix that nobody has taken yet: its own thread takes the first, others the last.
class WeightLoader::Pieces {
 public:
  // Before its thread begins there are none.
  void Begin(uint32_t n) { left_.store(Pair(0, n), std::memory_order_relaxed); }
  bool TakeFirst() {
    uint64_t left = left_.load(std::memory_order_relaxed);
    while (First(left) < End(left)) {
      const uint64_t others = Pair(First(left) + 1, End(left));
      if (left_.compare_exchange_weak(left, others, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  // Up to so many: [first, second).
  std::pair<uint32_t, uint32_t> TakeLast(uint32_t most) {
    uint64_t left = left_.load(std::memory_order_relaxed);
    while (First(left) < End(left)) {
      const uint32_t begin = End(left) - std::min(most, End(left) - First(left));
      const uint64_t others = Pair(First(left), begin);
      if (left_.compare_exchange_weak(left, others, std::memory_order_relaxed)) {
        return {begin, End(left)};
      }
    }
    return {0, 0};
  }
  // Of those that others took, the first that holds a value which is not finite.
  void Refuse(uint32_t piece) {
    uint32_t first = refused_.load(std::memory_order_relaxed);
    while (piece < first &&
           !refused_.compare_exchange_weak(first, piece, std::memory_order_relaxed)) {
    }
  }
  std::optional<uint32_t> refused() const {
    const uint32_t piece = refused_.load(std::memory_order_relaxed);
    return piece == UINT32_MAX ? std::nullopt : std::optional(piece);
  }

 private:
  static uint64_t Pair(uint32_t first, uint32_t end) { return uint64_t{end} << 32 | first; }
  static uint32_t First(uint64_t left) { return static_cast<uint32_t>(left); }
  static uint32_t End(uint64_t left) { return static_cast<uint32_t>(left >> 32); }

  std::atomic<uint64_t> left_{0};
  std::atomic<uint32_t> refused_{UINT32_MAX};
};

namespace {

// A tensor's rows by pieces, each of whole tiles.
struct PieceRows {
  TensorView tensor;
  size_t step;

  PieceRows(const ModelFile& file, const PackedLayout& layout, uint32_t weight,
            const LinearShape& shape)
      : tensor(ViewTensor(file, weight)) {
    const size_t nr = shape.TileChannels(layout);
    step = nr * std::max<size_t>(1, kPieceBytes / row_bytes() / nr);
  }
  uint32_t pieces() const { return static_cast<uint32_t>(CeilDiv(tensor.rows, step)); }
  size_t begin(uint32_t piece) const { return std::min<size_t>(tensor.rows, piece * step); }
  size_t row_bytes() const { return tensor.data.size() / tensor.rows; }
  size_t row_scales() const { return tensor.scales.size() / tensor.rows; }
  uint64_t Bytes(size_t n_rows) const { return n_rows * (row_bytes() + row_scales()); }
};

}  // namespace

class WeightLoader::Loading {
 public:
  Loading(const ModelFile& file, const PackedLayout& layout, Task* task, Pieces* pieces)
      : file_(file),
        layout_(layout),
        task_(task),
        pieces_(pieces),
        stored_(*file.tensors().Get(task->weight)),
        rows_(file, layout, task->weight, task->shape),
        data_(file, stored_.data(), rows_.tensor.name),
        scales_(file, stored_.scales(), rows_.tensor.name) {
    pieces->Begin(rows_.pieces());
  }

  bool done() const { return read_ == rows_.pieces(); }
  Status Begin() const {
    if (stored_.tables() == nullptr) return Status();
    RONDO_RETURN_IF_ERROR(file_.Verify(stored_.tables(), rows_.tensor.name));
    return CheckLevels(rows_.tensor);
  }
  // The next piece; its bytes.
  uint64_t Next() {
    const size_t begin = rows_.begin(read_), end = rows_.begin(read_ + 1);
    data_.Read((end - begin) * rows_.row_bytes());
    scales_.Read((end - begin) * rows_.row_scales());
    if (pieces_->TakeFirst()) {
      if (finite_.ok()) finite_ = CheckValues(rows_.tensor, begin, end);
      if (task_->packed != nullptr) {
        PackLinear(layout_, task_->shape, RowsOf(rows_.tensor, task_->bias), begin, end,
                   task_->packed);
      }
    }
    data_.Release();
    scales_.Release();
    ++read_;
    return rows_.Bytes(end - begin);
  }
  // An altered section says more than the value that it led to.
  Status End() const {
    RONDO_RETURN_IF_ERROR(data_.Verify());
    RONDO_RETURN_IF_ERROR(scales_.Verify());
    return finite_;
  }
  void Answer(const Status& status) { task_->status = status; }

 private:
  const ModelFile& file_;
  const PackedLayout& layout_;
  Task* task_;
  Pieces* pieces_;
  const format::Tensor& stored_;
  const PieceRows rows_;
  SectionReader data_;
  SectionReader scales_;
  uint32_t read_ = 0;  // pieces
  Status finite_;
};

Result<WeightLoader> WeightLoader::Create(const ModelFile& file, const PackedLayout& layout,
                                          size_t max_tensors) {
  WeightLoader loader;
  loader.file_ = &file;
  loader.layout_ = layout;
  RONDO_ASSIGN(loader.tasks_, HeapArray<Task>::Create(max_tensors));
  return loader;
}

void WeightLoader::Add(uint32_t weight, const LinearShape& shape, const float* bias,
                       uint8_t* packed) {
  const TensorView tensor = ViewTensor(*file_, weight);
  const uint64_t bytes = tensor.data.size() + tensor.scales.size();
  tasks_[count_++] = {weight, shape, bias, packed, bytes, Status()};
  total_ += bytes;
}

void WeightLoader::Load(std::optional<Loading>* loading, uint64_t bytes, bool reports,
                        Shared* shared) {
  for (uint64_t read = 0; read < bytes && !shared->stop.load(std::memory_order_relaxed);) {
    Status status;
    if (!loading->has_value()) {
      const size_t i = shared->next.fetch_add(1, std::memory_order_relaxed);
      if (i >= count_) {
        const uint64_t helped = Help(shared);
        if (helped == 0) return;
        read += helped;
        if (reports) Report(shared);
        continue;
      }
      loading->emplace(*file_, layout_, &tasks_[i], &shared->pieces[i]);
      status = (*loading)->Begin();
    }
    if (status.ok() && !(*loading)->done()) {
      const uint64_t piece = (*loading)->Next();
      read += piece;
      shared->done.fetch_add(piece, std::memory_order_relaxed);
      if (reports) Report(shared);
    }
    if (status.ok() && !(*loading)->done()) continue;
    if (status.ok()) status = (*loading)->End();
    if (!status.ok()) shared->stop = true;
    (*loading)->Answer(status);
    loading->reset();
  }
}

uint64_t WeightLoader::Help(Shared* shared) {
  for (size_t i = 0; i < count_; ++i) {
    const Task& task = tasks_[i];
    const PieceRows rows(*file_, layout_, task.weight, task.shape);
    const auto [first, last] =
        shared->pieces[i].TakeLast(static_cast<uint32_t>(kReleaseBytes / kPieceBytes));
    if (first == last) continue;
    const std::span<const uint8_t> data = rows.tensor.data;
    for (uint32_t piece = first; piece < last; ++piece) {
      const size_t begin = rows.begin(piece), end = rows.begin(piece + 1);
      if (!CheckValues(rows.tensor, begin, end).ok()) shared->pieces[i].Refuse(piece);
      if (task.packed == nullptr) continue;
      PackLinear(layout_, task.shape, RowsOf(rows.tensor, task.bias), begin, end, task.packed);
    }
    const size_t begin = rows.begin(first), n = rows.begin(last) - begin;
    file_->Release(data.subspan(begin * rows.row_bytes(), n * rows.row_bytes()));
    return rows.Bytes(n);
  }
  return 0;
}

// The end is told when all threads have reached it.
void WeightLoader::Report(Shared* shared) const {
  const uint64_t done = shared->done.load(std::memory_order_relaxed);
  if (done < total_ && shared->progress.report(shared->progress.user, done, total_) != 0) {
    shared->cancelled = shared->stop = true;
  }
}

Status WeightLoader::Run(ThreadPool* pool, const LoadProgress& progress) {
  const std::span<Task> tasks = tasks_.span().first(count_);
  std::sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.weight < b.weight;
  });
  Shared shared;
  shared.progress = progress;
  RONDO_ASSIGN(auto loading, HeapArray<std::optional<Loading>>::Create(pool->threads()));
  RONDO_ASSIGN(auto pieces, HeapArray<Pieces>::Create(count_));
  shared.pieces = pieces.data();
  const bool tells = progress.report != nullptr;
  const bool rounds = tells && pool->is_host();
  bool more = true;
  while (more) {
    pool->For(
        loading.size(),
        [&](size_t i, size_t thread) {
          // The first of our own threads is the caller's.
          const bool reports = tells && !rounds && thread == 0;
          Load(&loading[i], rounds ? kRoundBytes : UINT64_MAX, reports, &shared);
        },
        true);
    if (rounds) Report(&shared);
    more = !shared.stop &&
           (shared.next < count_ || std::any_of(loading.begin(), loading.end(),
                                                [](const auto& one) { return one.has_value(); }));
  }
  for (size_t i = 0; i < count_; ++i) {
    const Task& task = tasks[i];
    if (!task.status.ok()) return task.status;
    if (const std::optional<uint32_t> piece = pieces[i].refused()) {
      const PieceRows rows(*file_, layout_, task.weight, task.shape);
      return CheckValues(rows.tensor, rows.begin(*piece), rows.begin(*piece + 1));
    }
  }
  if (!shared.cancelled && tells) {
    shared.cancelled = progress.report(progress.user, total_, total_) != 0;
  }
  if (!shared.cancelled) return Status();
  return Status::Error(StatusCode::kCancelled,
                       "loading the weights was cancelled by its progress "
                       "callback");
}

}  // namespace rondo
