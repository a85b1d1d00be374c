// Hub: what a model hub says about a model, by the interface that Hugging Face documents
// (huggingface.co/docs/hub/api): GET /api/models/ORG/MODEL/revision/REVISION?blobs=true lists a
// commit's files, GET /ORG/MODEL/resolve/COMMIT/FILE is one of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/common/hub_cache.h"
#include "tools/convert/model_name.h"
#include "tools/convert/sources/checkpoint_files.h"
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

  // Null: there is none.
  const HubFile* Find(const std::string& path) const;
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

// Those that choose throw Error where the listing holds no such files.

// Those that one of `patterns` (as a shell's: * ? [a-z]) stands for; at most one model.
std::vector<HubFile> ChooseByPattern(const HubListing& listing,
                                     const std::vector<std::string>& patterns);
// To a GGUF file of a model's text what sees for the model, where the listing has that and `chosen`
// does not. Throws Error where there are several.
void AddMmproj(const HubListing& listing, std::vector<HubFile>& chosen);
// What `rondo convert` reads of a model, or of an adapter: that is also chosen where there is no
// model beside it. `files` are those of the listing.
std::vector<HubFile> ChooseConverted(const HubListing& listing, const convert::FolderFiles& files,
                                     Named kind);

}  // namespace rondo::tools
