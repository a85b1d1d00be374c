// MediaSource: where pictures that a request names may come from. Nothing is fetched from the net.
#pragma once

#include <string>

#include "tools/serve/api_error.h"

namespace rondo::tools::serve {

class MediaSource {
 public:
  // `folder`: whose files requests may name, "file:///a/b.png" or "b.png"; empty: none.
  explicit MediaSource(const std::string& folder);

  // The bytes behind "data:image/png;base64,..." or of a file in the folder. Throws ApiError.
  std::string Read(const std::string& url, const std::string& pointer) const;
  // The bytes that base64 stands for. Throws ApiError.
  static std::string Decode(std::string_view base64, const std::string& pointer);

 private:
  const std::string folder_;  // without links
};

}  // namespace rondo::tools::serve
