// Answers as text comes, for ten seconds at most: swift run talk model.rondo "How are you?"
import Foundation
import Rondo

let model = try Model(path: CommandLine.arguments[1])
let engine = try model.engine()
let session = try engine.session(SessionOptions { $0.maxTokens = 64 })
// shown from here
let messages: [ChatMessage] = [.system("You are kind."), .user(CommandLine.arguments[2])]
let answer = Task {
  for try await part in session.chatStream(messages) { print(part.text, terminator: "") }
}
let limit = Task {
  try await Task.sleep(nanoseconds: 10_000_000_000)
  answer.cancel()
}
do {
  try await answer.value
} catch is CancellationError {
  print(" (stopped)", terminator: "")
}
// shown to here
limit.cancel()
print()
