// Where tests find what they read and run. One source knows the paths, so that the others' objects
// are the same in every build and in every checkout.
#pragma once

namespace rondo {

extern const char* const kTestData;      // tests/data
extern const char* const kSharedData;    // reference data, which may be absent
extern const char* const kSourceFolder;  // the top of the sources
extern const char* const kToolProgram;   // the program `rondo`, or what runs it

}  // namespace rondo
