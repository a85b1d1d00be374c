import Foundation
import Rondo

/// What went wrong, and where.
struct Failure: Error, CustomStringConvertible {
  let description: String
}

func equal<T: Equatable>(_ expected: T, _ actual: T, line: Int = #line) throws {
  if expected != actual {
    throw Failure(description: "line \(line): expected \(expected), got \(actual)")
  }
}

func isTrue(_ condition: Bool, _ what: String = "it should be true", line: Int = #line) throws {
  if !condition { throw Failure(description: "line \(line): \(what)") }
}

func fails(
  _ status: Status, _ words: String = "", line: Int = #line, _ call: () async throws -> Void
) async throws {
  do {
    try await call()
  } catch let error as RondoError {
    try equal(status, error.status, line: line)
    try isTrue(
      words.isEmpty || error.description.contains(words), error.description, line: line)
    return
  }
  throw Failure(description: "line \(line): it should fail with \(status)")
}

/// Refused by the binding: its name for the option, in its own case.
func refuses(
  _ option: String, line: Int = #line, _ call: () async throws -> Void
) async throws {
  do {
    try await call()
  } catch RondoError.outOfRange(option, let sentence) {
    return try isTrue(sentence.contains(option), sentence, line: line)
  }
  throw Failure(description: "line \(line): \(option) should be refused")
}

func pathOf(_ name: String) -> String { ProcessInfo.processInfo.environment["RONDO_TEST_\(name)"]! }

func open(_ name: String = "MODEL") throws -> Model { try Model(path: pathOf(name)) }

func beside(_ file: String) -> URL {
  URL(fileURLWithPath: pathOf("MODEL")).deletingLastPathComponent().appendingPathComponent(file)
}

let prompt = "Today's weather is so"
let few = EngineOptions {
  $0.context = 256
  $0.maxSessions = 4
}
/// A long prompt takes a while with it.
let slow = EngineOptions {
  $0.context = 2000
  $0.maxRows = 1
  $0.maxSessions = 2
}

func limit(_ tokens: Int = 12) -> SessionOptions { SessionOptions { $0.maxTokens = tokens } }

/// A generation by itself.
func text(
  _ engine: Engine, _ options: SessionOptions = limit(), _ prompt: String = prompt
) async throws -> String {
  let session = try engine.session(options)
  defer { session.close() }
  return try await session.generate(prompt)
}

func longPrompt(_ model: Model) throws -> [Int32] {
  let ids = try model.tokenize(prompt)
  return Array((0..<200).flatMap { _ in ids }.prefix(1900))
}

/// Until the session computes.
func begun(_ session: Session) async throws {
  while try session.progress().done == 0 { try await Task.sleep(nanoseconds: 1_000_000) }
}
