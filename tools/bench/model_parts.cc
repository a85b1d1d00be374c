#include "tools/bench/model_parts.h"

#include "platforms/file_map.h"
#include "runtime/model/linears.h"
#include "runtime/model/model_file.h"
#include "tools/common/kv_formats.h"
#include "tools/common/library.h"

namespace rondo::tools {
namespace {

// Beside the integers of a position's key and value in one head: the key's sum, scale and bias, as
// of any packed channel, and the value's scale.
constexpr double kBesideKeyAndValue = 4 * sizeof(float);

class Reader {
 public:
  explicit Reader(const format::Model& model) : model_(model) {}

  ModelParts Read() {
    parts_.head = PartOf(*model_.head());
    ForEachOwnLinear(model_, false, [this](const format::Linear& linear) {
      parts_.layers.push_back(PartOf(linear));
    });
    if (const format::LayerEmbeddings* embeddings = model_.layer_embeddings()) {
      const format::Tensor& table = *model_.tensors()->Get(embeddings->table());
      const uint64_t scales = table.scales() == nullptr ? 0 : table.scales()->bytes();
      parts_.row_bytes = static_cast<double>(table.data()->bytes() + scales) /
                         static_cast<double>(table.rows()) * model_.layers()->size();
    }
    for (const format::Layer* layer : *model_.layers()) {
      for (const format::Sublayer* sublayer : *layer->sublayers()) Add(*sublayer);
    }
    if (model_.vision() != nullptr) AddSight(*model_.vision());
    return std::move(parts_);
  }

 private:
  void AddSight(const format::Model& vision) {
    parts_.of_patches.push_back(PartOf(*vision.tower()->patch()));
    for (const format::Layer* layer : *vision.layers()) {
      ForEachLinear(*layer, [this](const format::Linear& linear) {
        parts_.of_patches.push_back(PartOf(linear));
      });
    }
    ForEachDense(vision, [this](size_t, const format::Dense& dense) {
      parts_.of_picture_rows.push_back(PartOf(*dense.linear()));
    });
  }

  MatrixPart PartOf(const format::Linear& linear) const {
    const format::Tensor& tensor = *model_.tensors()->Get(linear.weight());
    return {tensor.format(), tensor.rows(), tensor.cols(), tensor.block()};
  }

  void AddExperts(const format::Experts& experts) {
    const auto add = [&](const format::Linear& linear, uint32_t used, uint32_t of) {
      MatrixPart part = PartOf(linear);
      part.used = used;
      part.experts = of;
      parts_.layers.push_back(part);
    };
    add(*experts.router(), 1, 1);
    for (const format::Expert* expert : *experts.experts()) {
      add(*expert->gate_up(), experts.n_used(), experts.experts()->size());
      add(*expert->down(), experts.n_used(), experts.experts()->size());
    }
    if (const format::Expert* shared = experts.shared()) {
      add(*shared->gate_up(), 1, 1);
      add(*shared->down(), 1, 1);
    }
  }

  void AddCache(uint64_t heads, uint64_t key_dim, uint64_t value_dim, uint64_t window,
                bool chunked) {
    const double values = static_cast<double>(key_dim + value_dim) + kBesideKeyAndValue;
    const auto n = static_cast<double>(heads);
    parts_.caches.push_back({n * values, window, chunked, n * static_cast<double>(key_dim),
                             n * static_cast<double>(value_dim)});
  }

  // `taps`, of a convolution over so many channels.
  void AddConv(uint64_t taps, uint64_t channels) {
    parts_.state_bytes += static_cast<double>((taps - 1) * channels * sizeof(float));
  }

  // A matrix of each head, and the convolution before it.
  void AddRecurrence(uint64_t heads, uint64_t head_dim, uint64_t groups, uint64_t group_dim,
                     uint64_t taps) {
    parts_.state_bytes += static_cast<double>(heads * head_dim * group_dim * sizeof(float));
    AddConv(taps, heads * head_dim + 2 * groups * group_dim);
  }

  void Add(const format::Sublayer& sublayer) {
    if (const format::Experts* experts = sublayer.op_as_Experts()) return AddExperts(*experts);
    ForEachLinear(sublayer, [this](const format::Linear& linear) {
      parts_.layers.push_back(PartOf(linear));
    });
    if (const format::Attention* a = sublayer.op_as_Attention()) {
      AddCache(a->n_kv_heads(), a->head_dim(), a->v_head_dim(),
               a->chunk() > 0 ? a->chunk() : a->window(), a->chunk() > 0);
    } else if (const format::LatentAttention* latent = sublayer.op_as_LatentAttention()) {
      AddCache(1, uint64_t{latent->rope_dim()} + latent->latent_dim(), latent->latent_dim(), 0,
               false);
    } else if (const format::ShortConv* conv = sublayer.op_as_ShortConv()) {
      AddConv(conv->taps(), model_.hidden_size());
    } else if (const format::GatedDeltaNet* net = sublayer.op_as_GatedDeltaNet()) {
      AddRecurrence(net->n_value_heads(), net->value_head_dim(), net->n_key_heads(),
                    net->key_head_dim(), net->taps());
    } else if (const format::Mamba2* mamba = sublayer.op_as_Mamba2()) {
      AddRecurrence(mamba->n_heads(), mamba->head_dim(), mamba->n_groups(), mamba->state_size(),
                    mamba->taps());
    }
  }

  const format::Model& model_;
  ModelParts parts_;
};

}  // namespace

ModelParts ReadParts(const std::string& path) {
  FileMap map;
  if (const FileError error = FileMap::OpenPath(path.c_str(), &map)) {
    throw Error("cannot open " + path + ": " + error.reason());
  }
  const Result<ModelFile> file = ModelFile::Open(map.bytes());
  if (!file.ok()) throw Error(file.status().message());
  if (file->model().embedder() != nullptr) {
    throw Error(path + " makes vectors of texts: `rondo embed --bench` measures that");
  }
  return Reader(file->model()).Read();
}

void UseKvFormat(int32_t kv_format, ModelParts* parts) {
  const KvFormatWord& format = KvFormatOf(kv_format);
  for (CachePart& cache : parts->caches) {
    cache.bytes += (format.key_bits - 8) * cache.key_channels / 8;
    cache.bytes += (format.value_bits - 8) * cache.value_channels / 8;
  }
}

}  // namespace rondo::tools
