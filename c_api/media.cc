// Pictures: pixels in, rows that sessions have among their tokens.
#include <array>
#include <memory>
#include <new>

#include "c_api/turn.h"
#include "runtime/engine/media.h"
#include "runtime/media/pixel_formats.h"

namespace rondo::c_api {
namespace {

// Pictures of one call.
constexpr size_t kMostMedia = 64;

// What is wrong with it is found when it is encoded.
Result<Image> ReadImage(const rondo_image* theirs) {
  rondo_image in;
  if (theirs == nullptr) return NullArgument("image");
  RONDO_RETURN_IF_ERROR(ReadOptions(theirs, "rondo_image", &in));
  Image image;
  ReadEnum(in.format, &image.format);
  image.width = in.width;
  image.height = in.height;
  image.rotation = in.rotation;
  RONDO_RETURN_IF_ERROR(ReadFlag("image's mirror", in.mirror, &image.mirror));
  ReadEnum(in.yuv_range, &image.range);
  ReadEnum(in.yuv_matrix, &image.matrix);
  const void* const planes[] = {in.plane0, in.plane1, in.plane2};
  const size_t strides[] = {in.stride0, in.stride1, in.stride2};
  for (size_t i = 0; i < Image::kMaxPlanes; ++i) {
    image.planes[i] = {static_cast<const uint8_t*>(planes[i]), strides[i]};
    const bool known = i < PlaneCount(image.format) && in.width <= kMaxImageSide;
    if (strides[i] != 0 || !known) continue;
    image.planes[i].stride = ShapeOf(image.format, i, in.width, in.height).row_bytes;
  }
  return image;
}

Status ReadImageOptions(const rondo_image_options* theirs, ImageOptions* ours,
                        LoadProgress* progress) {
  rondo_image_options o;
  RONDO_RETURN_IF_ERROR(ReadOptions(theirs, "rondo_image_options", &o));
  ours->min_tokens = o.min_tokens;
  ours->max_tokens = o.max_tokens;
  RONDO_RETURN_IF_ERROR(ReadFlag("image option one_tile", o.one_tile, &ours->one_tile));
  *progress = {o.progress, o.progress_user};
  return Status();
}

void FillFacts(const ImageFacts& facts, uint32_t tile_pixels, rondo_image_facts* out) {
  const ImageLayout& layout = facts.layout;
  rondo_image_facts f = {};
  f.rows = static_cast<uint32_t>(layout.rows);
  f.positions = static_cast<uint32_t>(facts.positions);
  f.tile_columns = layout.tile_columns;
  f.tile_rows = layout.tile_rows;
  f.tile_pixels = layout.tiles() > 0 ? tile_pixels : 0;
  f.whole_width = layout.whole.width;
  f.whole_height = layout.whole.height;
  f.patches = layout.patches();
  Fill(out, f);
}

uint32_t TilePixels(const ModelFile& model) {
  return model.model().vision()->tower()->processor()->tile();
}

Status Plan(const rondo_model* handle, ImageSize size, const rondo_image_options* options,
            rondo_image_facts* out) {
  const Held model(handle);
  if (!model) return model.Why("model");
  RONDO_RETURN_IF_ERROR(CheckOutput(out, "facts"));
  ImageOptions o;
  LoadProgress progress;
  RONDO_RETURN_IF_ERROR(ReadImageOptions(options, &o, &progress));
  RONDO_ASSIGN(const ImageProcessor processor, ProcessorOf(model->file, o));
  RONDO_ASSIGN(const ImageFacts facts, FactsOfImage(model->file, processor, size));
  FillFacts(facts, TilePixels(model->file), out);
  return Status();
}

struct Releaser {
  void operator()(OpenMedia* media) const { c_api::Release(media); }
};

Result<rondo_media*> Create(rondo_engine* handle, const rondo_image* theirs,
                            const rondo_image_options* options) {
  const Held engine(handle);
  if (!engine) return engine.Why("engine");
  if (engine->InCallback() || engine->Inherited()) {
    return Status::Error(StatusCode::kBusy,
                         "this thread is inside of parallel_for, or in a child of fork()");
  }
  RONDO_ASSIGN(const Image image, ReadImage(theirs));
  ImageOptions o;
  LoadProgress progress;
  RONDO_RETURN_IF_ERROR(ReadImageOptions(options, &o, &progress));
  if (!engine->engine->has_media()) {
    return Status::Error(StatusCode::kUnsupported,
                         "engine option max_media_rows is 0: the engine takes no pictures");
  }
  NewHandle made;
  RONDO_RETURN_IF_ERROR(made.Check());
  std::unique_ptr<OpenMedia, Releaser> media(new (std::nothrow) OpenMedia);
  if (media == nullptr) {
    return Status::Error(StatusCode::kOutOfMemory, "the system refused %zu bytes",
                         sizeof(OpenMedia));
  }
  media->engine = engine.get();
  Retain(media->engine);
  RONDO_RETURN_IF_ERROR(
      engine->engine->media().Encode(engine->engine.get(), image, o, progress, &media->media));
  return made.Open<rondo_media>(media.release());
}

Status Append(Turn& turn, const int32_t* ids, size_t count, rondo_media* const* media,
              size_t n_media) {
  if (ids == nullptr) return NullArgument("ids");
  if (media == nullptr && n_media > 0) return NullArgument("media");
  if (n_media > kMostMedia) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%zu pictures were given, but must be 0 to %zu", n_media, kMostMedia);
  }
  std::array<std::optional<Held<rondo_media>>, kMostMedia> held;
  std::array<const Media*, kMostMedia> views;
  for (size_t i = 0; i < n_media; ++i) {
    const Held<rondo_media>& one = held[i].emplace(media[i]);
    if (!one) {
      const Status why = one.Why("media");
      return Status::Error(why.code(), "picture %zu: %s", i, why.message());
    }
    if (one->engine != &turn.engine()) {
      return Status::Error(StatusCode::kInvalidArgument, "picture %zu is of another engine", i);
    }
    views[i] = &one->media;
  }
  const uint64_t before = turn->position();
  RONDO_RETURN_IF_ERROR(turn->QueueMedia({ids, count}, {views.data(), n_media}));
  turn.CountPrefilled(turn->position() - before);
  return Status();
}

}  // namespace
}  // namespace rondo::c_api

using rondo::c_api::CheckOutput;
using rondo::c_api::Code;
using rondo::c_api::Held;
using rondo::c_api::NullArgument;
using rondo::c_api::Report;

extern "C" {

int32_t rondo_image_options_init(rondo_image_options* options, size_t struct_size) {
  return rondo::c_api::ClearOptions(options, struct_size);
}

int32_t rondo_image_plan(const rondo_model* model, uint32_t width, uint32_t height,
                         const rondo_image_options* options, rondo_image_facts* facts,
                         char* message, size_t message_bytes) {
  rondo::c_api::Clear(facts);
  return rondo::c_api::Report(rondo::c_api::Plan(model, {width, height}, options, facts), message,
                              message_bytes);
}

int32_t rondo_media_create(rondo_engine* engine, const rondo_image* image,
                           const rondo_image_options* options, rondo_media** media, char* message,
                           size_t message_bytes) {
  if (media == nullptr) return Report(NullArgument("media"), message, message_bytes);
  *media = nullptr;
  const rondo::Result<rondo_media*> made = rondo::c_api::Create(engine, image, options);
  if (made.ok()) *media = *made;
  return Report(made.status(), message, message_bytes);
}

int32_t rondo_media_info(const rondo_media* handle, rondo_image_facts* facts) {
  rondo::c_api::Clear(facts);
  const Held media(handle);
  if (!media) return media.code();
  if (const rondo::Status status = CheckOutput(facts, "facts"); !status.ok()) return Code(status);
  rondo::c_api::FillFacts(media->media.facts(),
                          rondo::c_api::TilePixels(media->engine->model->file), facts);
  return RONDO_STATUS_OK;
}

void rondo_media_close(rondo_media* media) { rondo::c_api::Close(media); }

int32_t rondo_session_append_media(rondo_session* session, const int32_t* ids, size_t count,
                                   rondo_media* const* media, size_t n_media) {
  rondo::c_api::Turn turn(session);
  if (!turn.taken()) return rondo::c_api::Code(turn.Why());
  const rondo::Status status = rondo::c_api::Append(turn, ids, count, media, n_media);
  if (!status.ok()) turn->EndPrompt();
  return turn.Finish(status);
}

}  // extern "C"
