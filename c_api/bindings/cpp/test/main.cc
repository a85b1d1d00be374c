// The 50 behaviours, as ../../behaviours.md numbers them.
#include "support.h"

int main() {
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
