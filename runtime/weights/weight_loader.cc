#include "runtime/weights/weight_loader.h"

#include <algorithm>
#include <optional>

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

class WeightLoader::Loading {
 public:
  Loading(const ModelFile& file, const PackedLayout& layout, Task* task)
      : file_(file),
        layout_(layout),
        task_(task),
        stored_(*file.model().tensors()->Get(task->weight)),
        tensor_(ViewTensor(file, task->weight)),
        rows_(RowsOf(tensor_, task->bias)),
        data_(file, stored_.data(), tensor_.name),
        scales_(file, stored_.scales(), tensor_.name) {
    const size_t nr = task->shape.TileChannels(layout);
    step_ = nr * std::max<size_t>(1, kPieceBytes / row_bytes() / nr);
  }

  bool done() const { return begin_ == tensor_.rows; }
  Status Begin() const {
    if (stored_.tables() == nullptr) return Status();
    RONDO_RETURN_IF_ERROR(file_.Verify(stored_.tables(), tensor_.name));
    return CheckLevels(tensor_);
  }
  // The next piece; its bytes.
  uint64_t Next() {
    const size_t end = std::min(tensor_.rows, begin_ + step_);
    const uint64_t bytes = (end - begin_) * (row_bytes() + row_scales());
    data_.Read((end - begin_) * row_bytes());
    scales_.Read((end - begin_) * row_scales());
    if (finite_.ok()) finite_ = CheckValues(tensor_, begin_, end);
    if (task_->packed != nullptr) {
      PackLinear(layout_, task_->shape, rows_, begin_, end, task_->packed);
    }
    data_.Release();
    scales_.Release();
    begin_ = end;
    return bytes;
  }
  // An altered section says more than the value that it led to.
  Status End() const {
    RONDO_RETURN_IF_ERROR(data_.Verify());
    RONDO_RETURN_IF_ERROR(scales_.Verify());
    return finite_;
  }
  void Answer(const Status& status) { task_->status = status; }

 private:
  size_t row_bytes() const { return tensor_.data.size() / tensor_.rows; }
  size_t row_scales() const { return tensor_.scales.size() / tensor_.rows; }

  const ModelFile& file_;
  const PackedLayout& layout_;
  Task* task_;
  const format::Tensor& stored_;
  const TensorView tensor_;
  const WeightRows rows_;
  SectionReader data_;
  SectionReader scales_;
  size_t step_;
  size_t begin_ = 0;
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
      if (i >= count_) return;
      loading->emplace(*file_, layout_, &tasks_[i]);
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
  for (const Task& task : tasks) {
    if (!task.status.ok()) return task.status;
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
