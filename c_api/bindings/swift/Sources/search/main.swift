// Which text is nearest to a question: swift run search embedder.rondo "question" "text"...
// shown from here
import Rondo

let (path, question) = (CommandLine.arguments[1], CommandLine.arguments[2])
let texts = Array(CommandLine.arguments.dropFirst(3))
let model = try Model(path: path)
var two = EngineOptions()
two.raw.max_sessions = 2
let engine = try Engine(model, two)
let sessions = [try Session(engine), try Session(engine)]
func read(_ text: String, _ prompt: String) throws -> [Int32] {
  try model.tokenize(model.embeddingText(text, prompt: prompt))
}
let asked = try sessions[0].embed(read(question, "query"))
let found = try engine.embed(sessions, texts.map { try read($0, "document") })
let scores = found.map { vector in zip(vector, asked).reduce(Float(0)) { $0 + $1.0 * $1.1 } }
print(texts[scores.firstIndex(of: scores.max()!)!])
// shown to here
