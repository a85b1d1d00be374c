import Foundation
import Rondo

let textTests: [(String, @Sendable () async throws -> Void)] = [
  (
    "b19 b20 b21 generate",
    {
      let model = try open()
      let engine = try model.engine(few)
      let whole = try await text(engine)
      try isTrue(whole.count > 10)
      let session = try engine.session(limit())
      let fromIds = try await session.generate(try model.tokenize(prompt))
      try equal(whole, fromIds)
      try session.reset()
      var events: [Event] = []
      for try await event in try session.stream(prompt) { events.append(event) }
      try equal(whole, events.map(\.text).joined())
      try isTrue(events.allSatisfy { !$0.text.contains("\u{fffd}") })
      try equal(12, events.filter { $0.token != nil }.count)
      try waiting(session, whole)
      try await fails(.invalidArgument, "2048") { try session.prefill([2048]) }
      try await fails(.contextFull) { try session.prefill([Int32](repeating: 3, count: 257)) }
    }
  ),
  (
    "b22 stop strings",
    {
      let engine = try open().engine(few)
      let whole = try await text(engine)
      var options = limit()
      options.stop = ["zzz", String(whole.dropFirst(4).prefix(4))]
      let stopped = try await text(engine, options)
      try equal(String(whole.prefix(4)), stopped)
    }
  ),
  (
    "b23 reasons",
    {
      let model = try open()
      let engine = try model.engine(few)
      @Sendable func end(_ options: SessionOptions) async throws -> Reason {
        let session = try engine.session(options)
        defer { session.close() }
        var reason = Reason.none
        for try await event in try session.stream(prompt) { reason = event.reason }
        return reason
      }
      let whole = try await text(engine)
      let letters = try Grammar(model, pattern: "[ab]{2}")
      let told = try await [
        end(limit()), end(SessionOptions { $0.stop = [String(whole.dropFirst(4).prefix(4))] }),
        end(SessionOptions { $0.logitBias = [1: 1e9] }), end(SessionOptions { $0.grammar = letters }),
      ]
      try equal([.tokenLimit, .stopString, .eos], Array(told.dropLast()))
      try isTrue(told[3] == .grammar || told[3] == .eos)
      try equal("tokenLimit", "\(told[0])")
    }
  ),
  (
    "b24 left early",
    {
      let engine = try open().engine(few)
      let whole = try await text(engine)
      let session = try engine.session(limit())
      for try await _ in try session.stream(prompt) { break }
      try session.reset()
      let again = try await session.generate(prompt)
      try equal(whole, again)
    }
  ),
  (
    "b25 nothing ahead",
    {
      let session = try open().engine(few).session(limit(100))
      var walk = try session.stream(prompt).makeAsyncIterator()
      _ = try await walk.next()
      try await Task.sleep(nanoseconds: 100_000_000)
      try equal(1, session.stats().tokensGenerated)
      _ = try session.stream("more")
      try equal(1, session.stats().tokensGenerated)
    }
  ),
  (
    "b26 seeds",
    {
      let engine = try open().engine(few)
      @Sendable func of(_ seed: UInt64) async throws -> String {
        var options = limit(20)
        options.temperature = 1.5
        options.seed = seed
        return try await text(engine, options)
      }
      let told = try await [of(7), of(7), of(8), of(9)]
      try equal(told[0], told[1])
      try isTrue(told[2] != told[0] || told[3] != told[0])
    }
  ),
  (
    "b30 JSON",
    {
      let model = try open()
      let engine = try model.engine(few)
      let schema = #"""
        {"type":"object","properties":{"name":{"type":"string","maxLength":12},
        "age":{"type":"integer","minimum":0,"maximum":130}},"required":["name","age"]}
        """#
      var warm = SessionOptions()
      warm.temperature = 1
      warm.seed = 7
      warm.jsonSchema = schema
      let said = try await text(engine, warm)
      struct Person: Decodable {
        let name: String
        let age: Int
      }
      let person = try JSONDecoder().decode(Person.self, from: Data(said.utf8))
      try isTrue(person.name.unicodeScalars.count <= 12 && (0...130).contains(person.age))
      warm.jsonSchema = nil
      let own = try Grammar(model, schema: schema, GrammarOptions(oneSpace: true, namedOnly: true))
      warm.grammar = own
      let held = try engine.session(warm)
      own.close()  // the session keeps it
      let again = try await held.generate(prompt)
      try equal(said, again)
      warm.grammar = try Grammar(model, pattern: "[ab]{4}c")
      let letters = try await text(engine, warm)
      try isTrue(letters.range(of: "^[ab]{4}c$", options: .regularExpression) != nil)
      let either = #"""
        {"type":"object","properties":{"a":{"enum":[1]},"b":{"enum":[2]}},
        "required":["a","b"],"additionalProperties":false}
        """#
      for (anyOrder, wanted) in [(false, #"{"a":1,"b":2}"#), (true, #"{"b":2,"a":1}"#)] {
        let order = GrammarOptions(noSpaces: true, anyOrder: anyOrder)
        warm.grammar = try Grammar(model, schema: either, order)
        let ordered = try await text(engine, warm)
        try equal(wanted, ordered)
      }
      let refused = #"{"properties":{"a":{"uniqueItems":true}}}"#
      try await fails(.unsupported, "#/properties/a/uniqueItems") { _ = try Grammar(model, schema: refused) }
      let small = try model.planGrammar(pattern: "a", GrammarOptions(memoryBytes: 1 << 20))
      try isTrue(try small > 0 && small < model.planGrammar(pattern: "a"))
      warm.grammar = try Grammar(model, gbnf: #"root ::= "sky" | "sea""#)
      let word = try await text(engine, warm)
      try isTrue(["sky", "sea"].contains(word))
    }
  ),
  (
    "also thinking",
    {
      let model = try open()
      let engine = try model.engine(few)
      @Sendable func channels(_ change: (inout SessionOptions) -> Void) async throws -> [Channel] {
        var options = limit(32)
        options.temperature = 1
        options.seed = 3
        change(&options)
        let session = try engine.session(options)
        var told: [Channel] = []
        for try await event in try session.stream("Lily saw her mom") { told.append(event.channel) }
        return told
      }
      @Sendable func words(_ options: inout SessionOptions) {
        options.thinking = true
        options.thinkingBegin = " mom"
        options.thinkingEnd = " day.\n"
      }
      let plain = try await channels { _ in }
      try isTrue(plain.allSatisfy { $0 == .text })
      let first = try await channels(words)[0]
      try equal(.thinking, first)
      let bounded = try await channels {
        words(&$0)
        $0.thinkingTokens = 1
      }
      try isTrue((1..<8).contains(bounded.firstIndex(of: .text)!))
      try await fails(.unsupported, "chat template") { _ = try await channels { $0.thinking = true } }
    }
  ),
]

/// Where nothing is awaited this thread waits.
func waiting(_ session: Session, _ whole: String) throws {
  try session.reset()
  try equal(whole, session.generate(prompt))
}
