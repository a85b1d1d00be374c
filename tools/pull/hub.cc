#include "tools/pull/hub.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/common/error.h"
#include "tools/convert/model_name.h"
#include "tools/convert/sources/mmproj_name.h"
#include "tools/pull/glob.h"

namespace rondo::tools {
namespace {

using nlohmann::json;

constexpr uint64_t kMaxListingBytes = 32u << 20;
constexpr uint64_t kMaxFileBytes = uint64_t{1} << 42;

bool IsHex(const std::string& text, size_t size) {
  return text.size() == size && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

class ListingReader {
 public:
  explicit ListingReader(std::string what) : what_(std::move(what)) {}

  HubListing Read(const std::string& text) {
    const json document = json::parse(text, nullptr, false);
    if (!document.is_object()) Wrong("is no JSON object");
    HubListing listing;
    listing.commit = Text(document, "sha");
    if (!IsHex(listing.commit, 40)) Wrong("has a sha that is not 40 hexadecimal digits");
    const auto siblings = document.find("siblings");
    if (siblings == document.end() || !siblings->is_array()) Wrong("has no list siblings");
    std::set<std::string> paths;
    for (const json& sibling : *siblings) {
      listing.files.push_back(File(sibling));
      if (!paths.insert(listing.files.back().path).second) {
        Wrong("names " + listing.files.back().path + " twice");
      }
    }
    return listing;
  }

 private:
  HubFile File(const json& sibling) {
    if (!sibling.is_object()) Wrong("has a sibling that is no object");
    HubFile file;
    file.path = Text(sibling, "rfilename");
    if (!IsPlainPath(file.path)) {
      Wrong("names a file that cannot lie in a folder of its own: " + json(file.path).dump());
    }
    const auto lfs = sibling.find("lfs");
    const bool is_large = lfs != sibling.end() && lfs->is_object();
    file.kind = is_large ? Digest::Kind::kSha256 : Digest::Kind::kGit;
    file.id = is_large ? Text(*lfs, "sha256") : Text(sibling, "blobId");
    if (!IsHex(file.id, is_large ? 64 : 40)) {
      Wrong("has no usable checksum of " + file.path);
    }
    const json& holder = is_large ? *lfs : sibling;
    const auto size = holder.find("size");
    if (size == holder.end() || !size->is_number_unsigned() ||
        size->get<uint64_t>() > kMaxFileBytes) {
      Wrong("has no usable size of " + file.path);
    }
    file.size = size->get<uint64_t>();
    return file;
  }

  std::string Text(const json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) Wrong(std::string("has no text ") + key);
    return found->get<std::string>();
  }

  [[noreturn]] void Wrong(const std::string& problem) { Fail("the list of ", what_, " ", problem); }

  const std::string what_;
};

// As a URL's path, or with its '/' as one part of that: all but letters, digits and what is safe
// there by RFC 3986, 2.3.
enum class Slashes { kEscaped, kKept };
std::string Escape(const std::string& path, Slashes slashes) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.' || c == '~' ||
        (c == '/' && slashes == Slashes::kKept)) {
      escaped += c;
    } else {
      escaped += '%';
      escaped += kDigits[byte >> 4];
      escaped += kDigits[byte & 15];
    }
  }
  return escaped;
}

std::string List(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::vector<std::string> Paths(const std::vector<HubFile>& files) {
  std::vector<std::string> paths;
  for (const HubFile& file : files) paths.push_back(file.path);
  return paths;
}

}  // namespace

void Hub::CheckStatus(const HttpReply& reply, const std::string& what) const {
  switch (reply.status) {
    case 200:
    case 206:
      return;
    case 401:
    case 403:
      Fail(what, ": ", url_, " refuses it (status ", reply.status,
           "): there is no such model, or it is private or asks for consent on its page; a token "
           "of somebody who may read it goes into HF_TOKEN, or is that of a login of the hub's own "
           "client");
    case 404:
      Fail(what, ": ", url_, " has none (status 404)");
    default:
      if (reply.status == 408 || reply.status == 429 || reply.status >= 500) {
        throw ConnectionLost(
            what + ": " + url_ + " answers with status " + std::to_string(reply.status),
            {.retry_after = reply.retry_after});
      }
      Fail(what, ": ", url_, " answers with status ", reply.status, ", expected 200");
  }
}

HubListing Hub::List(const HubName& name, const std::string& revision) {
  const std::string what = name.text() + " at " + revision;
  const HttpReply reply = http_.Get(url_ + "/api/models/" + name.text() + "/revision/" +
                                        Escape(revision, Slashes::kEscaped) + "?blobs=true",
                                    kMaxListingBytes);
  CheckStatus(reply, what);
  return ListingReader(what).Read(reply.body);
}

const HubFile* HubListing::Find(const std::string& path) const {
  const auto found = std::ranges::find(files, path, &HubFile::path);
  return found == files.end() ? nullptr : &*found;
}

std::string Hub::FileUrl(const HubName& name, const std::string& commit,
                         const HubFile& file) const {
  return url_ + "/" + name.text() + "/resolve/" + commit + "/" + Escape(file.path, Slashes::kKept);
}

std::vector<HubFile> ChooseByPattern(const HubListing& listing,
                                     const std::vector<std::string>& patterns) {
  std::vector<HubFile> chosen;
  std::set<std::string> used;
  for (const HubFile& file : listing.files) {
    bool wanted = false;
    for (const std::string& pattern : patterns) {
      if (!GlobMatches(pattern, file.path)) continue;
      used.insert(pattern);
      wanted = true;
    }
    if (wanted) chosen.push_back(file);
  }
  for (const std::string& pattern : patterns) {
    if (!used.contains(pattern)) Fail("the model has no file that --file ", pattern, " stands for");
  }
  const std::vector<std::string> gguf = GgufModels(Paths(chosen));
  if (gguf.size() > 1) {
    Fail("--file stands for ", gguf.size(), " models, expected one: ", List(gguf));
  }
  const auto other = std::ranges::find_if(
      chosen, [](const HubFile& file) { return file.path.ends_with(".safetensors"); });
  if (!gguf.empty() && other != chosen.end()) {
    Fail("--file stands for two models, expected one: ", gguf[0], " and ", other->path);
  }
  return chosen;
}

void AddMmproj(const HubListing& listing, std::vector<HubFile>& chosen) {
  const std::vector<std::string> models = GgufModels(Paths(chosen));
  const auto is_mmproj = [](const HubFile& file) {
    return convert::IsMmprojName(NameOf(file.path));
  };
  if (models.empty() || std::ranges::any_of(chosen, is_mmproj)) return;
  std::vector<HubFile> found;
  std::ranges::copy_if(listing.files, std::back_inserter(found), is_mmproj);
  if (found.size() > 1) {
    Fail("the model has ", found.size(), " files of what sees for it, ", List(Paths(found)),
         ": choose one with a further --file, or none with --text-only");
  }
  chosen.insert(chosen.end(), found.begin(), found.end());
}

std::vector<HubFile> ChooseConverted(const HubListing& listing, const convert::FolderFiles& files,
                                     Named kind) {
  const bool has_weights = !convert::FindWeights(files).files.empty();
  const bool is_adapter = files.Has(convert::kAdapterConfigFile);
  if (kind == Named::kAdapter && !is_adapter) {
    Fail("it is no LoRA adapter as PEFT saves one: it has no ", convert::kAdapterConfigFile);
  }
  if (!has_weights && !is_adapter) {
    const std::vector<std::string> gguf = GgufModels(Paths(listing.files));
    const std::string missing = std::string("the model has neither ") + convert::kWeightsFile +
                                " nor " + convert::kWeightsIndexFile;
    if (gguf.empty()) Fail(missing, " nor GGUF files");
    Fail(missing, "; choose among its GGUF files with --file: ", List(gguf));
  }
  const bool wants_adapter = kind == Named::kAdapter || !has_weights;
  if (wants_adapter && !files.Has(convert::kAdapterWeightsFile)) {
    Fail("the adapter has no ", convert::kAdapterWeightsFile);
  }
  const std::vector<std::string> paths =
      wants_adapter ? convert::FilesOfAdapter(files) : convert::FilesOfCheckpoint(files);
  std::vector<HubFile> chosen;
  for (const std::string& path : paths) {
    const HubFile* const file = listing.Find(path);
    if (file == nullptr) {
      Fail("the model has no ", path, ", which its ", convert::kWeightsIndexFile, " lists");
    }
    chosen.push_back(*file);
  }
  return chosen;
}

}  // namespace rondo::tools
