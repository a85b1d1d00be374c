#include "tests/support/places.h"

namespace rondo {

const char* const kTestData = RONDO_TEST_DATA;
const char* const kSharedData = RONDO_SHARED_DATA;
const char* const kSourceFolder = RONDO_SOURCE_DIR;
const char* const kToolProgram = RONDO_TOOL;

}  // namespace rondo
