// Hub: what a model hub says about a model, by the interface that Hugging Face documents
// (huggingface.co/docs/hub/api): GET /api/models/ORG/MODEL/revision/REVISION?blobs=true lists a
// commit's files, GET /ORG/MODEL/resolve/COMMIT/FILE is one of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/common/hub_cache.h"
#include "tools/pull/digest.h"
#include "tools/pull/http.h"

namespace rondo::tools {

// A file of a commit. All of it has been checked: the path leads to nowhere outside of the model's
// folder, the id is hexadecimal digits of the kind's length.
struct HubFile {
  std::string path;  // with '/'
  uint64_t size;
  Digest::Kind kind;
  std::string id;
};

struct HubListing {
  std::string commit;
  std::vector<HubFile> files;
};

class Hub {
 public:
  // `url`: "https://huggingface.co", or of a mirror, without a '/' at the end.
  Hub(std::string url, const HttpOptions& options) : url_(std::move(url)), http_(options) {}

  // Throws Error: no such model or revision, one that asks for a token or for leave, or an answer
  // that breaks the interface's rules, said with the key that is wrong.
  HubListing List(const HubName& name, const std::string& revision);

  std::string FileUrl(const HubName& name, const std::string& commit, const HubFile& file) const;
  HttpClient& http() { return http_; }

  // Throws for every status but 200 and 206: ConnectionLost where the server may yet do it.
  void CheckStatus(const HttpReply& reply, const std::string& what) const;

 private:
  const std::string url_;
  HttpClient http_;
};

// Those that one of `patterns` (as a shell's: * ? [a-z]) stands for; without patterns what
// `rondo convert` reads of a folder. Throws Error where a pattern, or that, stands for none.
std::vector<HubFile> Choose(const HubListing& listing, const std::vector<std::string>& patterns);

}  // namespace rondo::tools
