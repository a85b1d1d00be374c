// Models that see or hear beside reading, of which the text's part is converted.
#include "tools/convert/architectures/architecture.h"

namespace rondo::convert {

std::vector<Architecture> MultimodalArchitectures() {
  struct Row {
    const char *name, *model_type, *text_type;
  };
  std::vector<Architecture> rows;
  for (const Row& row : {
           Row{"AyaVisionForConditionalGeneration", "aya_vision", "cohere2"},
           Row{"Cohere2VisionForConditionalGeneration", "cohere2_vision", "cohere2"},
           Row{"DeepseekVLForConditionalGeneration", "deepseek_vl", "llama"},
           Row{"Exaone4_5_ForConditionalGeneration", "exaone4_5", "exaone4"},
           Row{"Gemma3nForConditionalGeneration", "gemma3n", "gemma3n_text"},
           Row{"Gemma4ForConditionalGeneration", "gemma4", "gemma4_text"},
           Row{"Gemma4UnifiedForConditionalGeneration", "gemma4_unified", "gemma4_unified_text"},
           Row{"Glm46VForConditionalGeneration", "glm46v", "glm4v_text"},
           Row{"Glm4vForConditionalGeneration", "glm4v", "glm4v_text"},
           Row{"Glm4vMoeForConditionalGeneration", "glm4v_moe", "glm4v_moe_text"},
           Row{"GlmOcrForConditionalGeneration", "glm_ocr", "glm_ocr_text"},
           Row{"GotOcr2ForConditionalGeneration", "got_ocr2", "qwen2"},
           Row{"Idefics3ForConditionalGeneration", "idefics3", "llama"},
           Row{"InternVLForConditionalGeneration", "internvl", "qwen2"},
           Row{"Lfm2VlForConditionalGeneration", "lfm2_vl", "lfm2"},
           Row{"LightOnOcrForConditionalGeneration", "lighton_ocr", "qwen3"},
           Row{"Llama4ForConditionalGeneration", "llama4", "llama4_text"},
           Row{"LlavaForConditionalGeneration", "llava", "llama"},
           Row{"LlavaNextForConditionalGeneration", "llava_next", "llama"},
           Row{"LlavaNextVideoForConditionalGeneration", "llava_next_video", "llama"},
           Row{"LlavaOnevisionForConditionalGeneration", "llava_onevision", "qwen2"},
           Row{"MiniCPMV4_6ForConditionalGeneration", "minicpmv4_6", "qwen3_5_text"},
           Row{"Mistral3ForConditionalGeneration", "mistral3", "mistral"},
           Row{"Ovis2ForConditionalGeneration", "ovis2", "qwen2"},
           Row{"Qwen2VLForConditionalGeneration", "qwen2_vl", "qwen2_vl_text"},
           Row{"Qwen2_5_VLForConditionalGeneration", "qwen2_5_vl", "qwen2_5_vl_text"},
           Row{"Qwen3VLForConditionalGeneration", "qwen3_vl", "qwen3_vl_text"},
           Row{"Qwen3VLMoeForConditionalGeneration", "qwen3_vl_moe", "qwen3_vl_moe_text"},
           Row{"Qwen3_5ForConditionalGeneration", "qwen3_5", "qwen3_5_text"},
           Row{"Qwen3_5MoeForConditionalGeneration", "qwen3_5_moe", "qwen3_5_moe_text"},
           Row{"SmolVLMForConditionalGeneration", "smolvlm", "llama"},
           Row{"VideoLlavaForConditionalGeneration", "video_llava", "llama"},
           Row{"VipLlavaForConditionalGeneration", "vipllava", "llama"},
       }) {
    rows.push_back({.name = row.name,
                    .model_type = row.model_type,
                    .read = nullptr,
                    .text_type = row.text_type});
  }
  return rows;
}

}  // namespace rondo::convert
