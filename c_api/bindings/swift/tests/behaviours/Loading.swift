import Foundation
import Rondo

let loadingTests: [(String, @Sendable () async throws -> Void)] = [
  (
    "b01 versions",
    {
      try equal(Library.packageVersion, Library.version)
      try equal(Int64(Library.abiVersion), Library.query("abi.version"))
      try await fails(.unsupported) { _ = try Library.query("absent") }
    }
  ),
  (
    "b04 facts",
    {
      let model = try open()
      let info = try model.info()
      try equal([2048, 512, 4], [info.vocabSize, info.contextLength, info.nLayers])
      try equal("LlamaForCausalLM", model.facts()["architecture"])
      try equal([1], model.eosTokens())
      try equal([:], model.chatTemplates())
    }
  ),
  ("b05 absent file", { try await fails(.ioError, "absent.rondo") { _ = try Model(path: "absent.rondo") } }),
  (
    "b06 no model",
    {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).rondo")
      try Data(repeating: 120, count: 1000).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      try await fails(.notAModel) { _ = try Model(path: file.path) }
    }
  ),
  // b07: what is no text is the compiler's: refused.swift.
  ("b07 path with a zero", { try await refuses("path") { _ = try Model(path: "a\0b") } }),
  (
    "b08 texts and tokens",
    {
      let model = try open()
      for text in ["Grüße 🙂 日本\0x", "", String(repeating: "x", count: 3000)] {
        try equal(text, model.detokenize(model.tokenize(text, addSpecial: false)))
      }
      try equal(prompt, model.detokenize(model.tokenize(prompt), skipSpecial: true))
      try await fails(.invalidArgument) { _ = try model.detokenize([-1]) }
    }
  ),
  (
    "b09 plan",
    {
      let model = try open()
      let engine = try model.engine(few)
      try equal(model.plan(few).arenaBytes, engine.memory().arenaBytes)
      try equal(model.planRegions(few), engine.memoryRegions())
      try equal(Segment.weights, engine.memoryRegions()[0].segment)
    }
  ),
  (
    "b10 plan to fit",
    {
      let model = try open()
      let room = try model.plan(few).arenaBytes
      let context = try model.planFit(room, few)
      try isTrue(context >= 256)
      var answer = few
      answer.context = context
      try isTrue(try model.plan(answer).arenaBytes <= room)
      try await fails(.arenaTooSmall) { _ = try model.planFit(1000) }
      try await refuses("bytes") { _ = try model.planFit(-1) }
    }
  ),
]

/// With a library of tomorrow, which tells constants that this version does not know.
func newer() async throws {
  try await fails(Status(rawValue: 1000)) { _ = try Library.query("of tomorrow") }
  let session = try open().engine(few).session(limit(4))
  var told: [String] = []
  for try await event in try session.stream("Once") {
    told.append("\(event.reason.rawValue):\(event.channel)")
  }
  try equal("0:text 0:text 0:text 1000:1000", told.joined(separator: " "))
  let parser = try ChatParser(open("CALLING"), [])
  try parser.push(Array("hi".utf8), last: true)
  try equal([.other(ChatPartKind(rawValue: 1000), text: "hi")], parser.parts())
}
