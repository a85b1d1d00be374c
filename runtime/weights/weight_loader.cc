#include "runtime/weights/weight_loader.h"

#include <algorithm>

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

Status WeightLoader::Load(const Task& task, bool reports, Shared* shared) const {
  const format::Tensor& stored = *file_->model().tensors()->Get(task.weight);
  const TensorView tensor = ViewTensor(*file_, task.weight);
  SectionReader data(*file_, stored.data(), tensor.name);
  SectionReader scales(*file_, stored.scales(), tensor.name);
  const WeightRows rows = RowsOf(tensor, task.bias);
  const size_t row_bytes = tensor.data.size() / tensor.rows;
  const size_t row_scales = tensor.scales.size() / tensor.rows;
  const size_t nr = task.shape.TileChannels(layout_);
  const size_t step = nr * std::max<size_t>(1, kPieceBytes / row_bytes / nr);
  if (stored.tables() != nullptr) {
    RONDO_RETURN_IF_ERROR(file_->Verify(stored.tables(), tensor.name));
    RONDO_RETURN_IF_ERROR(CheckLevels(tensor));
  }
  Status finite;
  for (size_t begin = 0; begin < tensor.rows; begin += step) {
    if (shared->stop.load(std::memory_order_relaxed)) return Status();
    const size_t end = std::min(tensor.rows, begin + step);
    data.Read((end - begin) * row_bytes);
    scales.Read((end - begin) * row_scales);
    if (finite.ok()) finite = CheckValues(tensor, begin, end);
    if (task.packed != nullptr) {
      PackLinear(layout_, task.shape, rows, begin, end, task.packed);
    }
    data.Release();
    scales.Release();
    const uint64_t bytes = (end - begin) * (row_bytes + row_scales);
    const uint64_t done = shared->done.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    // The end is told when all threads have reached it.
    if (reports && done < total_ && shared->progress.report(shared->progress.user, done, total_)) {
      shared->cancelled = shared->stop = true;
    }
  }
  // An altered section says more than the value that it led to.
  RONDO_RETURN_IF_ERROR(data.Verify());
  RONDO_RETURN_IF_ERROR(scales.Verify());
  return finite;
}

Status WeightLoader::Run(ThreadPool* pool, const LoadProgress& progress) {
  const std::span<Task> tasks = tasks_.span().first(count_);
  std::sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.weight < b.weight;
  });
  Shared shared;
  shared.progress = progress;
  pool->For(
      pool->threads(),
      [&](size_t, size_t thread) {
        const bool reports = thread == 0 && progress.report != nullptr;  // the caller's
        for (size_t i; (i = shared.next.fetch_add(1, std::memory_order_relaxed)) < tasks.size();) {
          if (shared.stop.load(std::memory_order_relaxed)) return;
          tasks[i].status = Load(tasks[i], reports, &shared);
          if (!tasks[i].status.ok()) shared.stop = true;
        }
      },
      true);
  for (const Task& task : tasks) {
    if (!task.status.ok()) return task.status;
  }
  if (!shared.cancelled && progress.report != nullptr) {
    shared.cancelled = progress.report(progress.user, total_, total_) != 0;
  }
  if (!shared.cancelled) return Status();
  return Status::Error(StatusCode::kCancelled,
                       "loading the weights was cancelled by its progress "
                       "callback");
}

}  // namespace rondo
