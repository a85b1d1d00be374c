#include "tools/dialogue/rendering.h"

namespace rondo::tools {

std::optional<std::string> TryRendering(const Model& model, const Chat& chat) {
  try {
    return model.RenderChat(chat);
  } catch (const rondo::Error& error) {
    if (error.status() == RONDO_STATUS_OUT_OF_MEMORY) throw;
    return std::nullopt;
  }
}

}  // namespace rondo::tools
