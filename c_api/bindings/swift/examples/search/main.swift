// Which text is nearest to a question: swift run search embedder.rondo "question" "text"...
// shown from here
import Rondo

let (path, question) = (CommandLine.arguments[1], CommandLine.arguments[2])
let texts = Array(CommandLine.arguments.dropFirst(3))
let engine = try Model(path: path).engine(EngineOptions { $0.maxSessions = 2 })
let asked = try engine.embed([question], prompt: "query")[0]
let found = try engine.embed(texts, prompt: "document")
let scores = found.map { vector in zip(vector, asked).reduce(Float(0)) { $0 + $1.0 * $1.1 } }
print(texts[scores.firstIndex(of: scores.max()!)!])
// shown to here
