// The 50 behaviours, as ../../behaviours.md numbers them.
#include "support.h"

// b01: test.sh holds the package's own version to VERSION, too.
void TestVersion() { CHECK(Path("RONDO_TEST_VERSION") == rondo_version_string()); }

int main() {
  TestVersion();
  TestModels();
  TestOptions();
  TestTexts();
  TestMore();
  TestCancels();
  TestLife();
  TestState();
  std::puts("the behaviours are there");
  return 0;
}
