#include "tools/common/sight.h"

#include <algorithm>

#include "tools/common/interrupt.h"
#include "tools/common/limits.h"
#include "tools/common/progress_bar.h"
#include "tools/system/standard_files.h"

namespace rondo::tools {
namespace {

constexpr size_t kWhyBytes = 256;

}  // namespace

PictureSize UprightSize(const Picture& picture) {
  const bool lies = picture.rotation % 180 != 0;
  return lies ? PictureSize{picture.height, picture.width}
              : PictureSize{picture.width, picture.height};
}

rondo_image_options ImageDefaults() {
  rondo_image_options options;
  Require(rondo_image_options_init(&options, sizeof options), "");
  return options;
}

void RequireSight(const rondo_model* model) {
  if (Facts(model).picture_token < 0) PlanPicture(model, {1, 1}, ImageDefaults());
}

std::string PictureMark(const rondo_model* model) {
  const int32_t token = Facts(model).picture_token;
  return TextOutput([&](char* buffer, size_t capacity, size_t* length) {
    return rondo_detokenize(model, &token, 1, 0, buffer, capacity, length);
  });
}

rondo_image_facts PlanPicture(const rondo_model* model, PictureSize size,
                              const rondo_image_options& options) {
  rondo_image_facts facts = {};
  facts.struct_size = sizeof facts;
  char message[kWhyBytes];
  Require(
      rondo_image_plan(model, size.width, size.height, &options, &facts, message, sizeof message),
      message);
  return facts;
}

rondo_image_facts PlanPicture(const rondo_model* model, const std::string& path,
                              const Picture& picture, const rondo_image_options& options) {
  try {
    return PlanPicture(model, UprightSize(picture), options);
  } catch (const OptionRefused&) {
    throw;
  } catch (const Error& error) {
    Fail(path, ": ", error.what());
  }
}

Media EncodePicture(rondo_engine* engine, const Picture& picture, rondo_image_options options,
                    const char* advice) {
  ProgressBar bar(ProgressBar::Of::kSteps);
  options.progress = [](void* bar, uint64_t done, uint64_t total) -> int32_t {
    if (bar != nullptr) static_cast<ProgressBar*>(bar)->Update(done, total);
    return InterruptFlag() ? 1 : 0;
  };
  options.progress_user = IsTerminal(kStandardError) ? &bar : nullptr;
  rondo_image image = {};
  image.struct_size = sizeof image;
  image.format = RONDO_PIXELS_RGB8;
  image.width = picture.width;
  image.height = picture.height;
  image.plane0 = picture.rgb.data();
  image.rotation = picture.rotation;
  image.mirror = picture.mirror ? 1 : 0;
  rondo_media* media = nullptr;
  char message[kWhyBytes];
  const int32_t status =
      rondo_media_create(engine, &image, &options, &media, message, sizeof message);
  std::string sentence = message;
  if (status == RONDO_STATUS_KV_POOL_FULL || sentence.find("max_media_rows") != sentence.npos) {
    sentence += " (--image-rows N has memory for N rows of all pictures together";
    sentence.append(advice).append(")");
  }
  Require(status, sentence.c_str());
  return Media(media);
}

rondo_image_facts Facts(const rondo_media* media) {
  rondo_image_facts facts = {};
  facts.struct_size = sizeof facts;
  Require(rondo_media_info(media, &facts), "");
  return facts;
}

int32_t PrefillMedia(rondo_session* session, std::span<const int32_t> ids, int32_t picture_token,
                     std::span<rondo_media* const> media) {
  size_t begin = 0, next = 0;
  while (next < media.size()) {
    const size_t count = std::min(media.size() - next, kMostMedia);
    size_t end = begin;
    for (size_t seen = 0; seen < count && end < ids.size(); ++end) {
      seen += ids[end] == picture_token ? 1 : 0;
    }
    const int32_t status = rondo_session_append_media(session, ids.data() + begin, end - begin,
                                                      media.data() + next, count);
    if (status != RONDO_STATUS_OK) return status;
    begin = end;
    next += count;
  }
  if (begin < ids.size()) {
    return rondo_session_prefill(session, ids.data() + begin, ids.size() - begin);
  }
  const float* logits = nullptr;  // for which what waits is evaluated
  size_t n_logits = 0;
  return rondo_session_logits(session, &logits, &n_logits);
}

}  // namespace rondo::tools
