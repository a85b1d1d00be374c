// ChatPicture: a picture of a conversation, encoded as long as that has it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/common/library.h"
#include "tools/common/sight.h"

namespace rondo::tools {

struct ChatPicture {  // NOLINT(bugprone-exception-escape): as FolderTokenizer
  std::optional<Media> media;
  rondo_image_facts facts = {};
  nlohmann::ordered_json part;  // of a message: {"type": "image", "path": ..., "pixels": ...}

  rondo_media* handle() const { return media ? media->get() : nullptr; }
};

// Throws Error or Interrupted.
ChatPicture ReadChatPicture(const std::string& path, const Model& model, const Engine& engine,
                            const ImageOptions& options);

// A message's content is a text, or a list of texts and pictures in files.
bool IsContent(const nlohmann::ordered_json& content);

// How many pictures they have.
size_t CountPictures(const nlohmann::ordered_json& messages);

// Those of messages that were kept. Throws Error: a file is no longer there, or has another
// picture.
std::vector<ChatPicture> ReadPicturesOf(const nlohmann::ordered_json& messages, const Model& model,
                                        const Engine& engine, const ImageOptions& options);

}  // namespace rondo::tools
