#include "tools/common/sight.h"

#include <algorithm>

#include "tools/common/interrupt.h"
#include "tools/common/limits.h"
#include "tools/common/progress_bar.h"
#include "tools/system/standard_files.h"

namespace rondo::tools {
PictureSize UprightSize(const Picture& picture) {
  const bool lies = picture.rotation % 180 != 0;
  return lies ? PictureSize{picture.height, picture.width}
              : PictureSize{picture.width, picture.height};
}

void RequireSight(const Model& model) {
  if (model.Info().picture_token < 0) model.ImagePlan(1, 1);
}

std::string PictureMark(const Model& model) {
  const int32_t token = model.Info().picture_token;
  return token < 0 ? "" : model.Detokenize({&token, 1});
}

rondo_image_facts PlanPicture(const Model& model, const std::string& path, const Picture& picture,
                              const ImageOptions& options) {
  try {
    const PictureSize size = UprightSize(picture);
    return Explained([&] { return model.ImagePlan(size.width, size.height, options); });
  } catch (const OptionRefused&) {
    throw;
  } catch (const Error& error) {
    Fail(path, ": ", error.what());
  }
}

Media EncodePicture(const Engine& engine, const Picture& picture, const ImageOptions& options,
                    const char* advice) {
  std::optional<ProgressBar> bar;
  if (IsTerminal(kStandardError)) bar.emplace(ProgressBar::Of::kSteps);
  Image image(picture.rgb, picture.width, picture.height);
  image.rotation = picture.rotation;
  image.mirror = picture.mirror ? 1 : 0;
  try {
    return Media(engine, image, options, [&bar](uint64_t done, uint64_t total) {
      CheckInterrupt();
      if (bar) bar->Update(done, total);
    });
  } catch (const rondo::Error& error) {
    const std::string why = error.what();
    const bool is_full =
        error.status() == RONDO_STATUS_KV_POOL_FULL || why.find("max_media_rows") != why.npos;
    if (!is_full) throw;
    throw rondo::Error(
        error.status(),
        why + " (--image-rows N has memory for N rows of all pictures together" + advice + ")");
  }
}

void PrefillMedia(Session* session, Ids ids, int32_t picture_token,
                  const std::vector<Media>& media) {
  const int32_t* begin = ids.begin();
  for (size_t next = 0; next < media.size();) {
    const size_t count = std::min(media.size() - next, kMostMedia);
    const int32_t* end = begin;
    for (size_t seen = 0; seen < count && end < ids.end(); ++end) {
      seen += *end == picture_token ? 1 : 0;
    }
    const auto first = media.begin() + static_cast<std::ptrdiff_t>(next);
    session->AppendMedia({begin, static_cast<size_t>(end - begin)},
                         {first, first + static_cast<std::ptrdiff_t>(count)});
    begin = end;
    next += count;
  }
  if (begin < ids.end()) {
    session->Prefill({begin, static_cast<size_t>(ids.end() - begin)});
  } else {
    session->Logits();  // for which what waits is evaluated
  }
}

}  // namespace rondo::tools
