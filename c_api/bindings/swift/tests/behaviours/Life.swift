import Foundation
import Rondo

let lifeTests: [(String, @Sendable () async throws -> Void)] = [
  (
    "b41 b42 closed",
    {
      let model = try open()
      let engine = try model.engine(few)
      let session = try engine.session()
      let adapter = try Adapter(model, path: pathOf("ADAPTER"))
      let grammar = try Grammar(model, pattern: "a")
      for _ in 0..<2 {
        session.close()
        engine.close()
        adapter.close()
        grammar.close()
        model.close()
      }
      let calls: [@Sendable () async throws -> Void] = [
        { _ = try model.info() }, { _ = try model.tokenize("a") }, { let _: Engine = try model.engine() },
        { _ = try model.plan() }, { _ = try Adapter(model, path: "a") }, { _ = try Grammar(model, schema: "{}") },
        { _ = try model.facts() }, { _ = try model.renderChat([.user("a")]) }, { _ = try engine.memory() },
        { _ = try engine.session() }, { try engine.step([session]) }, { _ = try await engine.embed(["a"]) },
        { _ = try session.position() }, { _ = try session.next() }, { _ = try await session.generate("a") },
        { try session.prefill([3]) }, { _ = try session.logits() }, { _ = try session.fork() },
        { _ = try session.save() }, { try session.reset() }, { _ = try await session.chat("a") },
        { _ = try adapter.info() }, { _ = try session.tokens() }, { _ = try session.progress() },
      ]
      for (i, call) in calls.enumerated() {
        do {
          try await call()
          throw Failure(description: "call \(i) should be refused")
        } catch RondoError.closed {}
      }
      let other = try open().engine(few)
      var options = SessionOptions()
      options.grammar = grammar
      try await fails(.invalidHandle) { _ = try other.session(options) }
    }
  ),
  (
    "b43 any order",
    {
      let model = try open()
      let engine = try model.engine(few)
      let whole = try await text(engine)
      let session = try engine.session(limit())
      model.close()
      let still = try await text(engine)
      try equal(whole, still)
      engine.close()
      let last = try await session.generate(prompt)
      try equal(whole, last)
      session.close()
    }
  ),
  (
    "b44 logits",
    {
      let model = try open()
      let session = try model.engine(few).session()
      try session.prefill(model.tokenize(prompt))
      let logits = try session.logits()
      let sum = logits.reduce(0, +)
      try equal(Int32(logits.firstIndex(of: logits.max()!)!), session.next().token)
      _ = try session.logits()
      session.close()
      try equal(sum, logits.reduce(0, +))
    }
  ),
  (
    "b45 given back",
    {
      func resident() throws -> Int {
        // Elsewhere than on Linux nothing tells.
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        return Int(status.components(separatedBy: "VmRSS:")[1].split(whereSeparator: \.isWhitespace)[0])!
      }
      let model = try open()
      func drop() throws {
        let session = try Engine(model, EngineOptions { $0.context = 512 }).session()
        try session.append([3])
      }
      for _ in 0..<10 { try drop() }
      let before = try resident()
      for _ in 0..<100 { try drop() }
      let grown = try resident() - before
      try isTrue(grown < 20 << 10, "\(grown) KB more")
    }
  ),
  (
    "b46 copies",
    {
      let model = try open()
      let same = model
      let options = few
      var other = options  // a value of its own
      other.context = 64
      try equal(256, options.context)
      same.close()
      model.close()
      try await fails(.invalidHandle) { _ = try same.tokenize("a") }
    }
  ),
  (
    "b47 defer",
    {
      let engine = try open().engine(few)
      do {
        let session = try engine.session()
        defer { session.close() }
        try equal(1, engine.stats().sessionsOpen)
      }
      try equal(0, engine.stats().sessionsOpen)
      do { _ = try engine.session() }  // or by its scope alone
      try equal(0, engine.stats().sessionsOpen)
    }
  ),
  (
    "b48 saved",
    {
      let model = try open()
      let engine = try model.engine(few)
      let (session, other) = (try engine.session(limit()), try engine.session(limit()))
      try session.prefill(model.tokenize(prompt))
      let saved = try session.save()
      let whole = try await session.generate()
      try other.restore(saved)
      let again = try await other.generate()
      try equal(whole, again)
      try await fails(.corrupt) { try other.restore(saved.dropLast() + [saved.last! ^ 1]) }
      try await fails(.invalidArgument) { try other.restore([1, 2, 3]) }
      try await fails(.invalidArgument) { try other.restore([]) }
    }
  ),
  (
    "b49 fork, undo, reset",
    {
      let model = try open()
      let ids = try model.tokenize(prompt)
      let session = try model.engine(few).session(limit())
      try session.prefill(ids)
      try equal(ids, session.tokens())
      try equal(ids.count, session.progress().total)
      try equal(0..<0, session.evicted())
      let fork = try session.fork(limit())
      var events: [Event] = []
      for try await event in session.stream() { events.append(event) }
      let whole = events.map(\.text).joined()
      try equal(256, session.position() + session.remaining()!)
      let forked = try await fork.generate()
      try equal(whole, forked)
      try session.undo(12)
      try equal(ids, session.tokens())
      try session.propose(events[0...3].map { $0.token! })
      let undone = try await session.generate()
      try equal(whole, undone)
      try session.undo(12)
      try session.accept(events[0].token!)
      try equal(events[0].bytes, session.event().bytes)
      try session.reset()
      try equal(0, session.position())
      let again = try await session.generate(prompt)
      try equal(whole, again)
      try await fails(.invalidArgument) { try session.undo(1000) }
      try await refuses("n") { try session.undo(-1) }
    }
  ),
  (
    "b50 step",
    {
      let model = try open()
      let engine = try model.engine(
        EngineOptions {
          $0.context = 256
          $0.maxSessions = 2
          $0.profileEvents = 1000
        })
      let prompts = [prompt, "Once upon a time"]
      var alone: [String] = []
      for one in prompts { alone.append(try await text(engine, limit(), one)) }
      let both = [try engine.session(limit()), try engine.session(limit())]
      for (session, one) in zip(both, prompts) { try session.append(model.tokenize(one)) }
      var texts = ["", ""]
      var running: Set<Int> = [0, 1]
      while !running.isEmpty {
        try engine.step(running.sorted().map { both[$0] })
        for i in running {
          let event = try both[i].event()
          texts[i] += event.text
          if event.reason != .none { running.remove(i) }
        }
      }
      try equal(alone, texts)
      try equal(2, engine.stats().sessionsOpen)
      try await fails(.invalidArgument) { try engine.step([both[0], both[0]]) }
      var cursor: UInt64 = 0
      var parts: Set<String> = []
      while let event = try engine.profile(&cursor) { parts.insert(event.name) }
      try isTrue(parts.contains("pass"))
    }
  ),
]
