// The list of behaviours that all bindings have, with the tiny models. Those whose names have the argument.
import Foundation
import Rondo

let tests: [(String, @Sendable () async throws -> Void)] =
  loadingTests + optionTests + textTests + chatTests + modelTests + cancelTests + lifeTests
let only = CommandLine.arguments.dropFirst().first ?? ""
if only == "newer" {
  try await newer()
  print("newer: passed")
  exit(0)
}
var failed = 0
var passed = 0
for (name, test) in tests where only.isEmpty || name.contains(only) {
  let start = Date()
  do {
    try await test()
    passed += 1
    print("\(name): \(Int(Date().timeIntervalSince(start) * 1000)) ms")
  } catch {
    failed += 1
    print("\(name) FAILED: \(error)")
  }
}
print("\(passed) passed, \(failed) failed")
exit(failed == 0 && passed > 0 ? 0 : 1)
