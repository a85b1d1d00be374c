// What models that see make of pictures: how many rows, the rows themselves, and texts that have
// them among their tokens.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/common/library.h"
#include "tools/common/pictures/picture.h"

namespace rondo::tools {

struct PictureSize {
  uint32_t width = 0;
  uint32_t height = 0;
};

// Of the picture as it is seen, turned as its file says.
PictureSize UprightSize(const Picture& picture);

rondo_image_options ImageDefaults();

// Throws Error where the model does not see: before a large file is read for nothing.
void RequireSight(const rondo_model* model);

// The text of the token that stands for a picture, of a model that sees; empty where it has none.
std::string PictureMark(const rondo_model* model);

// What becomes of a picture of this size. Throws Error: the model does not see, or takes no such
// picture.
rondo_image_facts PlanPicture(const rondo_model* model, PictureSize size,
                              const rondo_image_options& options);

// The same of a picture's file, which the Error names.
rondo_image_facts PlanPicture(const rondo_model* model, const std::string& path,
                              const Picture& picture, const rondo_image_options& options);

// Makes the picture's rows, with a bar where standard error is a terminal. Throws Error, with
// `advice` where rows are full, or Interrupted.
Media EncodePicture(rondo_engine* engine, const Picture& picture, rondo_image_options options,
                    const char* advice = "");

rondo_image_facts Facts(const rondo_media* media);

// As rondo_session_prefill of ids of which each that is `picture_token` stands for the next of
// `media`. What was read before a failure stays in the session.
int32_t PrefillMedia(rondo_session* session, std::span<const int32_t> ids, int32_t picture_token,
                     std::span<rondo_media* const> media);

}  // namespace rondo::tools
