#include "tools/convert/architectures/mmproj/mmproj_rules_of.h"

#include <string>

#include "tools/convert/architectures/mmproj/projectors.h"

namespace rondo::convert {

MmprojRules MmprojRulesOf(const GgufKeys& keys) {
  // Of files that also hear the second one says it.
  const Config& all = keys.all();
  const char* const kKey =
      all.Has("clip.projector_type") ? "clip.projector_type" : "clip.vision.projector_type";
  const std::string type = all.Text(kKey, "");
  struct Row {
    const char* type;
    MmprojRules (*rules)();
  };
  std::string known;
  for (const Row& row : {
           Row{"gemma3", Gemma3Mmproj},
           Row{"gemma4v", Gemma4Mmproj},
           Row{"idefics3", Idefics3Mmproj},
           Row{"internvl", InternVlMmproj},
           Row{"lfm2", Lfm2Mmproj},
           Row{"pixtral", PixtralMmproj},
           Row{"qwen2.5vl_merger", Qwen25Mmproj},
           Row{"qwen2vl_merger", Qwen2Mmproj},
           Row{"qwen3vl_merger", Qwen3Mmproj},
       }) {
    if (type == row.type) return row.rules();
    known += (known.empty() ? "" : ", ") + std::string(row.type);
  }
  if (type.empty()) all.Refuse(kKey, "is missing");
  all.Refuse(kKey,
             "is " + type + "; known: " + known + "; --text-only converts the text's model alone");
}

}  // namespace rondo::convert
