import Foundation
import Rondo

let modelTests: [(String, @Sendable () async throws -> Void)] = [
  (
    "b31 embed",
    {
      let model = try open("EMBEDDER")
      let facts = try model.embedder()
      try equal([192, 100], [facts.dimensions, facts.maxTokens])
      try isTrue(!facts.scoresPairs && facts.pooling == .mean)
      try equal(2, model.prompts().count)
      try equal("Query: Grüße", model.embeddingText("Grüße"))
      try equal("Grüße", model.embeddingText("Grüße", prompt: "document"))
      let texts = ["Once upon a time", "there was", "a girl who liked to play"]
      let ids = try texts.map { try model.tokenize(model.embeddingText($0)) }
      let engine = try model.engine(
        EngineOptions {
          $0.context = 128
          $0.maxSessions = 2
        })
      model.close()  // the engine goes on
      let vectors = try await engine.embed(texts)
      try equal(3, vectors.count)
      let session = try engine.session()
      for (i, vector) in vectors.enumerated() {
        try equal(192, vector.count)
        try isTrue(abs(vector.reduce(0) { $0 + $1 * $1 } - 1) < 1e-5)
        let alone = try await engine.embed([texts[i]])[0]  // with the one place that is left
        try equal(vector, alone)
        try equal(vector, session.embed(ids[i]))
        let near = vectors.map { other in zip(vector, other).reduce(Float(0)) { $0 + $1.0 * $1.1 } }
        try equal(i, near.firstIndex(of: near.max()!)!)
      }
      try equal(8, session.embed(ids[0], dimensions: 8).count)
      let none = try await engine.embed([])
      try equal([], none)
      try await fails(.invalidArgument) { _ = try await engine.embed(texts, prompt: "none") }
      try await fails(.invalidArgument) { _ = try await engine.embed(texts, dimensions: 193) }
      try await refuses("dimensions") { _ = try await engine.embed(texts, dimensions: 0) }
      try await fails(.contextFull, "100") { _ = try session.embed([Int32](repeating: 5, count: 101)) }
      try await fails(.invalidArgument, "text 1 has no tokens") { _ = try engine.embed([session], [ids[0], []]) }
      try await fails(.invalidArgument, "twice") { _ = try engine.embed([session, session], ids) }
      try await fails(.unsupported) { try session.prefill(ids[0]) }
      let second = try engine.session()
      try await fails(.busy) { _ = try await engine.embed(texts) }  // no place is left
      second.close()
      let other = try open().engine(few)
      try await fails(.unsupported) { _ = try await other.embed(texts) }
      try await fails(.unsupported) { _ = try other.session().embed(ids[0]) }
    }
  ),
  (
    "b32 score",
    {
      let model = try open("SCORER")
      let engine = try model.engine(EngineOptions { $0.maxSessions = 2 })
      try isTrue(try model.embedder().scoresPairs)
      let documents = ["a hill", "the sea", "her mom"]
      let scores = try await engine.score("Where?", documents)
      try isTrue(scores.allSatisfy { $0 > 0 && $0 < 1 })
      try equal(3, Set(scores).count)
      let pair = try model.tokenize(model.pairText("Where?", "her mom"))
      try equal([scores[2]], engine.session().embed(pair))
      let other = try await engine.score("Where?", documents, instruction: "Find it")
      try isTrue(other != scores)
    }
  ),
  (
    "b33 sees as the program",
    {
      let pixels = try Data(contentsOf: beside("picture.rgba"))
      let model = try open("SEEING")
      let plan = try model.imagePlan(width: 40, height: 24)
      let engine = try model.engine(EngineOptions { $0.maxMediaRows = plan.rows })
      let media = try pixels.withUnsafeBytes {
        try Media(engine, Picture(.rgba8, width: 40, height: 24, $0))
      }
      let session = try engine.session(limit(64))
      let messages = [ChatMessage.user("What is in the picture?", images: 1)]
      let reply = try await session.chat(messages, ChatOptions { $0.media = [media] })
      let told = try String(contentsOf: beside("picture.txt"), encoding: .utf8)
      try equal(told.trimmingCharacters(in: .newlines), reply.text.trimmingCharacters(in: .newlines))
      try await fails(.invalidArgument) { _ = try await session.chat(messages) }  // without it
    }
  ),
  (
    "b34 adapter",
    {
      let model = try open()
      let adapter = try Adapter(model, path: pathOf("ADAPTER"))
      try equal(4, adapter.info().rank)
      var adapted = limit()
      adapted.adapter = adapter
      let narrow = try model.engine(few)
      try await fails(.invalidArgument, "adapterRank is 0") { _ = try narrow.session(adapted) }
      var roomy = few
      roomy.adapterRank = 4
      let engine = try model.engine(roomy)
      let taught = try engine.session(adapted)
      adapter.close()  // the session goes on
      try taught.prefill(model.tokenize(prompt))
      let fork = try taught.fork(limit())
      let (told, forked, plain) = (
        try await taught.generate(), try await fork.generate(), try await text(engine)
      )
      try isTrue(told != plain)
      try equal(told, forked)
      try await fails(.notAModel, "it is a model") { _ = try Adapter(model, path: pathOf("MODEL")) }
      try await fails(.invalidHandle) { _ = try engine.session(adapted) }
    }
  ),
  (
    "also inputs",
    {
      let model = try open()
      let n = try model.info().hiddenSize
      let ids = try model.tokenize(prompt)
      let session = try model.engine(
        EngineOptions {
          $0.context = 256
          $0.maxInputRows = 8
        }
      ).session()
      let text = Input(ids: ids)
      let two = Input(rows: [Float](repeating: 0, count: 2 * n))
      let three = Input(
        bfloat16: [UInt16](repeating: 0, count: 3 * n), coordinates: [0, 0, 0, 0, 0, 1, 0, 1, 0], seesWhole: true)
      try session.appendInputs([text, two, three])
      try equal(ids + [-1, -1, -1, -1, -1], session.tokens())
      try equal(2048, session.logits().count)
      for one in [
        Input(rows: [Float](repeating: 0, count: 2 * n - 1)), Input(rows: []), Input(bfloat16: [0]),
        Input(rows: [Float](repeating: 0, count: n), coordinates: [0]),
      ] {
        try await fails(.invalidArgument, "rows have") { try session.appendInputs([text, one]) }
      }
      let many = Input(rows: [Float](repeating: 0, count: 9 * n))
      try await fails(.invalidArgument, "maxInputRows is 8") { try session.appendInputs([text, many]) }
      try await fails(.invalidArgument, "0 inputs") { try session.appendInputs([]) }
      let crowd = [Input](repeating: text, count: 65)
      try await fails(.invalidArgument, "65 inputs") { try session.appendInputs(crowd) }
    }
  ),
  ("also pictures", { try await pictures() }),
]
