import Foundation
import Rondo

let cancelTests: [(String, @Sendable () async throws -> Void)] = [
  (
    "b35 cancel",
    {
      let model = try open()
      let engine = try model.engine(slow)
      let whole = try await text(engine)
      let session = try engine.session(limit())
      let ids = try longPrompt(model)
      let call = Task.detached { try session.prefill(ids) }
      try await begun(session)
      session.cancel()
      try await fails(.cancelled) { try await call.value }
      let again = try await session.generate(prompt)
      try equal(whole, again)
    }
  ),
  (
    "b36 a cancel names its call",
    {
      let model = try open()
      let engine = try model.engine(few)
      let (session, other) = (try engine.session(limit()), try engine.session(limit()))
      let ids = try model.tokenize(prompt)
      let number = try session.callNumber()
      try session.prefill(ids)
      session.cancelCall(number)  // it is over: nothing happens
      try equal(number + 1, session.callNumber())
      session.cancelCall(number + 1)  // it waits
      try other.prefill(ids)
      try await fails(.cancelled) { _ = try session.next() }
      try isTrue(try session.next().token != nil)
    }
  ),
  (
    "b37 a task that is cancelled",
    {
      let model = try open()
      let engine = try model.engine(slow)
      let whole = try await text(engine)
      let session = try engine.session(limit())
      let ids = try longPrompt(model)
      let calls: [@Sendable () async throws -> Void] = [
        { _ = try await session.generate(ids) }, { for try await _ in session.stream(ids) {} },
        {
          let options = ChatOptions { $0.template = "{{ messages[0].content }}" }
          _ = try await session.chat([.user(try model.detokenize(ids, skipSpecial: true))], options)
        },
      ]
      for call in calls {
        try session.reset()
        let task = Task { try await call() }
        try await begun(session)
        let start = Date()
        task.cancel()
        do {
          try await task.value
          throw Failure(description: "it was not cancelled")
        } catch is CancellationError {}
        try isTrue(Date().timeIntervalSince(start) < 1)
      }
      try session.reset()
      let before = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await session.generate(prompt)
      }
      do {
        _ = try await before.value
        throw Failure(description: "it was not cancelled")
      } catch is CancellationError {}
      try session.reset()
      let again = try await session.generate(prompt)
      try equal(whole, again)
    }
  ),
  (
    "b38 two calls at once",
    {
      let model = try open()
      let session = try model.engine(slow).session(limit())
      let ids = try longPrompt(model)
      let call = Task.detached { try session.prefill(ids) }
      try await begun(session)
      try await fails(.busy) { try session.prefill([3]) }
      session.cancel()
      try await fails(.cancelled) { try await call.value }
    }
  ),
  (
    "b39 together",
    {
      let engine = try open().engine(
        EngineOptions {
          $0.context = 256
          $0.maxSessions = 8
          $0.noPrefixCache = true
        })
      let whole = try await text(engine, limit(60))
      let before = try engine.stats().passes
      // More than there are threads for tasks, of which none waits in a call: this one goes on, too.
      let ticks = Task {
        var n = 0
        while !Task.isCancelled {
          n += 1
          try? await Task.sleep(nanoseconds: 1_000_000)
        }
        return n
      }
      let texts = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<8 { group.addTask { try await text(engine, limit(60)) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      ticks.cancel()
      let n = await ticks.value
      try equal([String](repeating: whole, count: 8), texts)
      let passes = try engine.stats().passes - before
      try isTrue(passes < 400, "\(passes) passes for eight sessions of 60 tokens")
      try isTrue(n > 5, "\(n) ticks")
    }
  ),
  (
    "b40 a callback throws",
    {
      struct Thrown: Error {}
      let model = try open()
      let engine = try model.engine(few)
      let session = try engine.session(limit())
      do {
        try session.prefillLogits([3, 4]) { _, _ in throw Thrown() }
        throw Failure(description: "what a row throws should come through")
      } catch is Thrown {}
      try session.reset()
      var rows: [[Float]] = []
      let ids = try model.tokenize(prompt)
      try session.prefillLogits(ids) { _, row in rows.append(row) }
      try equal(ids.count, rows.count)
      try equal(rows.last!, session.logits())
      let after = try await session.generate()
      try isTrue(!after.isEmpty)
    }
  ),
  (
    "also closed under a call",
    {
      let model = try open()
      let session = try model.engine(slow).session(limit())
      let ids = try longPrompt(model)
      let call = Task.detached { try session.prefill(ids) }
      try await begun(session)
      session.close()
      try await fails(.cancelled) { try await call.value }
      try await fails(.invalidHandle) { _ = try session.next() }
    }
  ),
]
