import Rondo

let model = try Model(path: CommandLine.arguments[1])
let engine = try Engine(model)
var options = SessionOptions()
options.raw.max_tokens = 64
let session = try Session(engine, options)
try session.prefill(try model.tokenize(CommandLine.arguments[2]))
for try await event in session.stream() {
  print(event.text, terminator: "")
}
print()
