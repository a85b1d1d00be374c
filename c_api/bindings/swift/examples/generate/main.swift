// Continues a text: swift run generate model.rondo "Once upon a time"
// shown from here
import Rondo

let model = try Model(path: CommandLine.arguments[1])
let engine = try model.engine()
let session = try engine.session(SessionOptions { $0.maxTokens = 64 })
for try await event in try session.stream(CommandLine.arguments[2]) {
  print(event.text, terminator: "")
}
print()
// shown to here
