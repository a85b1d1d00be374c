#include "tools/convert/architectures/vision/vision.h"

namespace rondo::convert {

ReadVision FindVision(const std::string& model_type, const std::string& vision_type) {
  struct Row {
    const char* model_type;
    ReadVision read;
    const char* vision_type = nullptr;  // null: any
  };
  for (const Row& row : {
           Row{"gemma3", ReadGemma3Vision},
           Row{"gemma4", ReadGemma4Vision},
           Row{"glm46v", ReadGlm4vVision},
           Row{"glm4v", ReadGlm4vVision},
           Row{"glm4v_moe", ReadGlm4vVision},
           Row{"glm_ocr", ReadGlmOcrVision},
           Row{"idefics3", ReadSmolVlmVision},
           Row{"internvl", ReadInternVlVision},
           Row{"lfm2_vl", ReadLfm2Vision},
           Row{"llava", ReadPixtralVision, "pixtral"},
           Row{"mistral3", ReadPixtralVision},
           Row{"paligemma", ReadPaliGemmaVision},
           Row{"qwen2_5_vl", ReadQwen25Vision},
           Row{"qwen2_vl", ReadQwen2Vision},
           Row{"qwen3_5", ReadQwen3Vision},
           Row{"qwen3_vl", ReadQwen3Vision},
           Row{"smolvlm", ReadSmolVlmVision},
       }) {
    if (model_type == row.model_type &&
        (row.vision_type == nullptr || vision_type == row.vision_type)) {
      return row.read;
    }
  }
  return nullptr;
}

}  // namespace rondo::convert
