// The converter for tests that do without it: the program `rondo` converts, which may be another
// machine's. A checkpoint in few formats, as TestModel asks for.
#include <cctype>
#include <cstdlib>
#include <stdexcept>

#include "tests/support/places.h"
#include "tools/convert/convert.h"

namespace rondo::convert {
namespace {

std::string NameOf(format::TensorFormat format) {
  std::string name = format::EnumNameTensorFormat(format);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

}  // namespace

ConvertReport Convert(const ConvertOptions& options, const ConvertProgress& /*progress*/) {
  if (options.change) throw std::logic_error("the program changes no model in between");
  std::string command = std::string("'") + kToolProgram + "' convert '" +
                        options.directory.string() + "' -o '" + options.output.string() +
                        "' --weights " + NameOf(options.weights) + " --embedding " +
                        NameOf(options.embedding);
  if (options.weights == format::TensorFormat::Q4B) {
    command += " --block " + std::to_string(options.block);
  }
  if (std::system((command + " > /dev/null").c_str()) != 0) {
    throw std::runtime_error("failed: " + command);
  }
  return {};
}

}  // namespace rondo::convert
