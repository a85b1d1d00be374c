#include "tools/chat/chat_picture.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "tools/common/picture_file.h"

namespace rondo::tools {
namespace {

using Json = nlohmann::ordered_json;

bool HasText(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_string();
}

bool IsPicture(const Json& part) { return HasText(part, "type") && part["type"] == "image"; }

bool IsPart(const Json& part) {
  if (!part.is_object() || !HasText(part, "type")) return false;
  return IsPicture(part) ? HasText(part, "path") : part["type"] == "text" && HasText(part, "text");
}

// By which a picture is known again: its size, and FNV-1a of its pixels.
std::string PixelsOf(const Picture& picture) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const uint8_t byte : picture.rgb) hash = (hash ^ byte) * 0x100000001b3;
  const PictureSize size = UprightSize(picture);
  char text[64];
  std::snprintf(text, sizeof text, "%ux%u %016llx", size.width, size.height,
                static_cast<unsigned long long>(hash));
  return text;
}

template <typename Visit>
void ForEachPicture(const Json& messages, const Visit& visit) {
  for (const Json& message : messages) {
    if (!message["content"].is_array()) continue;
    for (const Json& part : message["content"]) {
      if (IsPicture(part)) visit(part);
    }
  }
}

}  // namespace

ChatPicture ReadChatPicture(const std::string& path, const Model& model, const Engine& engine,
                            const ImageOptions& options) {
  const Picture pixels = ReadPicture(path);
  PlanPicture(model, path, pixels, options);  // says of which file what is wrong
  const Media media =
      EncodePicture(engine, pixels, options, "; /reset gives back those that the conversation has");
  return {media,
          media.Info(),
          {{"type", "image"},
           {"path", std::filesystem::absolute(path).string()},
           {"pixels", PixelsOf(pixels)}}};
}

bool IsContent(const Json& content) {
  return content.is_string() ||
         (content.is_array() && std::all_of(content.begin(), content.end(), IsPart));
}

size_t CountPictures(const Json& messages) {
  size_t count = 0;
  ForEachPicture(messages, [&count](const Json&) { ++count; });
  return count;
}

std::vector<ChatPicture> ReadPicturesOf(const Json& messages, const Model& model,
                                        const Engine& engine, const ImageOptions& options) {
  std::vector<ChatPicture> pictures;
  ForEachPicture(messages, [&](const Json& part) {
    const std::string path = part["path"];
    pictures.push_back(ReadChatPicture(path, model, engine, options));
    if (part.contains("pixels") && part["pixels"] != pictures.back().part["pixels"]) {
      Fail(path, " has another picture than the conversation was about");
    }
  });
  return pictures;
}

}  // namespace rondo::tools
