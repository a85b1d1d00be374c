#include "runtime/decoder/decoder_spec.h"

#include <algorithm>
#include <span>

#include "runtime/model/layers.h"
#include "runtime/model/linears.h"

namespace rondo {

namespace {

Result<SublayerSpec> ReadSublayer(const OperatorSite& site) {
  const format::Sublayer& sublayer = site.sublayer;
  SublayerSpec spec;
  spec.type = &TypeOf(sublayer.op_type());
  spec.op = spec.type->create(site);
  if (spec.op == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "there is no memory for a sublayer");
  }
  spec.reads_previous_input = sublayer.reads_previous_input();
  spec.has_post_norm = sublayer.post_norm() != nullptr;
  spec.factor = sublayer.factor();
  spec.residual_factor = sublayer.residual_factor();
  spec.kv = spec.op->kv();
  spec.shares_kv = spec.op->kv_layer() != kOwnKeys;
  return spec;
}

// The KV entry of the one of this type among `sublayers`; they passed the checks, so that there is
// one.
size_t EntryOf(const OperatorType* type, std::span<const SublayerSpec> sublayers) {
  size_t i = 0;
  while (sublayers[i].type != type) ++i;
  return sublayers[i].kv_entry;
}

// Where sublayers read what the one before them read, their inputs are made before any of them
// runs: so each needs a buffer of its own, and one that does not use the others' buffers. MLPs and
// experts come last.
Status CheckNeighbours(std::span<const SublayerSpec> sublayers, size_t layer) {
  for (size_t i = 0; i < sublayers.size(); ++i) {
    if (!sublayers[i].reads_previous_input) continue;
    bool apart = i > 0;
    for (size_t other = i; apart && other-- > 0;) {
      const InputKind kind = sublayers[other].type->input;
      apart = kind != sublayers[i].type->input && kind != InputKind::kMlp;
      if (!sublayers[other].reads_previous_input) break;
    }
    if (apart) continue;
    return Status::Error(
        StatusCode::kUnsupported,
        "sublayer %zu of layer %zu reads what the one before it read, which only "
        "attention or a convolution, a recurrence, a laurel, and an MLP or experts "
        "behind these can, one of each",
        i, layer);
  }
  return Status();
}

// Where texts are evaluated whole, keys and values serve the layer that made them and no pass
// behind: layers alike keep theirs in one place, one after another. Not where a layer reads
// another's.
void ShareEntries(DecoderSpec* spec) {
  const std::span<SublayerSpec> all = spec->sublayers.span();
  if (std::any_of(all.begin(), all.end(), [](const SublayerSpec& s) { return s.shares_kv; }))
    return;
  spec->n_kv_entries = 0;
  for (SublayerSpec& own : all) {
    if (!own.keeps()) continue;
    const auto like = std::find_if(all.begin(), all.end(), [&](const SublayerSpec& other) {
      return &other == &own || (other.type == own.type && other.kv == own.kv);
    });
    const bool first = &*like == &own || own.keeps_state();
    own.kv_entry = first ? spec->n_kv_entries++ : like->kv_entry;
  }
}

// Of sublayers [begin, end), the first behind all that keep something, which reads the residual
// stream. Several streams are moved between layers alone.
size_t KeptEnd(const DecoderSpec& spec, size_t begin, size_t end) {
  size_t at = end;
  while (at > begin && !spec.sublayers[at - 1].keeps()) --at;
  while (at < end && spec.sublayers[at].reads_previous_input) ++at;
  if (spec.alt_up.n_streams == 0 || at == begin) return at;
  return *std::lower_bound(spec.layer_ends.span().begin(), spec.layer_ends.span().end(), at);
}

// Of what has `size` channels before the layers; `size` becomes the last one's, `widest` the most.
Status ReadDense(const ModelFile& file, DecoderSpec* spec, size_t* size, size_t* widest) {
  *widest = *size;
  const size_t n = CountDense(file.model());
  RONDO_ASSIGN(spec->dense, HeapArray<DenseSpec>::Create(n));
  ForEachDense(file.model(), [&](size_t i, const format::Dense& dense) {
    spec->dense[i] = {dense.activation(), dense.norm_first()};
    *size =
        DenseSize(dense, static_cast<size_t>(file.tensors().Get(dense.linear()->weight())->rows()));
    *widest = std::max(*widest, *size);
  });
  return Status();
}

Status ReadMergers(const format::Model& model, HeapArray<MergerSpec>* all) {
  const auto count = [](const auto* dense) { return dense == nullptr ? 0 : dense->size(); };
  const auto* further = model.tower()->mergers();
  RONDO_ASSIGN(*all, HeapArray<MergerSpec>::Create(size_t{1} + count(further)));
  size_t end = count(model.tower()->dense());
  (*all)[0] = {model.layers()->size() - size_t{1}, 0, end};
  for (uint32_t i = 0; i < count(further); ++i) {
    const format::TowerMerger& merger = *further->Get(i);
    const size_t begin = end;
    end += count(merger.dense());
    (*all)[1 + i] = {merger.layer(), begin, end};
  }
  return Status();
}

Status ReadEmbedder(const ModelFile& file, DecoderSpec* spec) {
  const format::Embedder* embedder = file.model().embedder();
  if (embedder == nullptr) return Status();
  EmbedderSpec& own = spec->embedder;
  own.pooling = embedder->pooling();
  own.normalize = embedder->normalize();
  own.separator = embedder->separator();
  own.dimensions = spec->hidden_size;
  RONDO_RETURN_IF_ERROR(ReadDense(file, spec, &own.dimensions, &own.widest));
  own.has_logit = embedder->pair() != nullptr && own.dimensions == 1 && own.widest > 1;
  return Status();
}

Status ReadTower(const ModelFile& file, DecoderSpec* spec) {
  const format::Tower* tower = file.model().tower();
  if (tower == nullptr) return Status();
  const format::ImageProcessor& processor = *tower->processor();
  TowerSpec& own = spec->tower;
  own.patch_values = size_t{3} * processor.patch() * processor.patch();
  own.merge = processor.merge();
  own.source_order.merge = processor.merged_in_turn() ? processor.merge() : 1;
  own.order = {own.source_order.merge, tower->window()};
  own.class_rows = tower->class_row() >= 0 ? 1 : 0;
  own.averages = tower->averages();
  own.scale = tower->scale();
  own.positions = tower->positions();
  own.side = tower->side();
  own.norm_before_positions = tower->norm_before_positions();
  own.merged = static_cast<size_t>(MergedSize(file.model()));
  size_t last = own.merged;
  RONDO_RETURN_IF_ERROR(ReadDense(file, spec, &last, &own.widest));
  return ReadMergers(file.model(), &spec->mergers);
}

}  // namespace

Result<DecoderSpec> DecoderSpec::Read(const ModelFile& file, bool draft_head) {
  const format::Model& model = file.model();
  DecoderSpec spec;
  spec.vocab_size = model.vocab_size();
  spec.hidden_size = model.hidden_size();
  spec.embedding_scale = model.embedding_scale();
  spec.logit_soft_cap = model.logit_soft_cap();
  spec.prefix_sees_whole = model.prefix_sees_whole();
  if (model.positions() >= 0) spec.max_positions = model.context_length();
  if (const format::LayerEmbeddings* embeddings = model.layer_embeddings()) {
    spec.layer_embedding_size = embeddings->size();
    spec.layer_table_scale = embeddings->table_scale();
    spec.layer_embedding_scale = embeddings->scale();
  }
  if (const format::AltUp* alt_up = model.alt_up()) {
    spec.alt_up = {alt_up->n_streams(), alt_up->active()};
  }

  const size_t n_ropes = model.ropes() == nullptr ? 0 : model.ropes()->size();
  RONDO_ASSIGN(spec.ropes, HeapArray<RopeSpec>::Create(n_ropes));
  for (size_t i = 0; i < n_ropes; ++i) {
    const format::Rope* rope = model.ropes()->Get(static_cast<uint32_t>(i));
    const auto* longer = rope->long_frequencies();
    spec.ropes[i] = {rope->frequencies()->data(),
                     rope->axes() ? rope->axes()->data() : nullptr,
                     longer != nullptr ? longer->data() : nullptr,
                     2 * size_t{rope->frequencies()->size()},
                     rope->scale(),
                     rope->long_scale() > 0 ? rope->long_scale() : rope->scale()};
    if (longer != nullptr) {
      spec.short_context = rope->short_context();
    } else if (rope->short_context() > 0) {
      spec.max_context = rope->short_context();
    }
  }

  RONDO_RETURN_IF_ERROR(ReadEmbedder(file, &spec));
  RONDO_RETURN_IF_ERROR(ReadTower(file, &spec));
  if (model.assistant() != nullptr) spec.other_hidden_size = model.assistant()->other_hidden_size();
  const Layers layers(model, draft_head);
  if (layers.has_draft_head()) {
    spec.has_draft_head = true;
    spec.draft_chains_normed = model.draft_head()->chains_normed();
  }
  RONDO_ASSIGN(spec.layer_ends, HeapArray<size_t>::Create(layers.size()));
  RONDO_ASSIGN(spec.sublayers, HeapArray<SublayerSpec>::Create(layers.CountSublayers()));
  size_t n = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    const size_t begin = n;
    for (const format::Sublayer* sublayer : *layers[i].sublayers()) {
      SublayerSpec& read = spec.sublayers[n++];
      RONDO_ASSIGN(read, ReadSublayer({model, *sublayer, spec, i}));
      spec.sees_ahead = spec.sees_ahead || read.op->sees_ahead();
      if (read.op->kv_layer() >= 0) {
        const auto owner = static_cast<size_t>(read.op->kv_layer());
        read.kv_entry = EntryOf(read.type, spec.sublayers.span().subspan(spec.layer_begin(owner)));
      } else if (read.keeps()) {
        read.kv_entry = spec.n_kv_entries++;
      }
    }
    spec.layer_ends[i] = n;
    RONDO_RETURN_IF_ERROR(CheckNeighbours(spec.sublayers.span().subspan(begin, n - begin), i));
  }
  if (spec.sees_ahead || spec.is_tower()) ShareEntries(&spec);
  const size_t text_end = spec.layer_begin(spec.n_layers());
  spec.kept_end = KeptEnd(spec, 0, text_end);
  spec.draft_kept_end = KeptEnd(spec, text_end, n);
  return spec;
}

Status DecoderSpec::ReadKeysOf(const DecoderSpec& model) {
  for (SublayerSpec& own : sublayers) {
    if (!own.shares_kv) continue;
    const SublayerSpec* found = nullptr;
    for (size_t i = 0; i < model.layer_begin(model.n_layers()); ++i) {
      const SublayerSpec& other = model.sublayers[i];
      if (other.type == own.type && !other.shares_kv && other.kv == own.kv) found = &other;
    }
    if (found == nullptr) {
      return Status::Error(
          StatusCode::kInvalidArgument,
          "the assistant reads keys of %zu heads of %zu channels and a window of %llu (0: none), "
          "which no layer of the model keeps",
          own.kv.n_kv_heads, own.kv.head_dim, static_cast<unsigned long long>(own.kv.window));
    }
    own.kv_entry = found->kv_entry;
  }
  return Status();
}

}  // namespace rondo
