// A whole life with the tiny model, whose file RONDO_TEST_MODEL names.
import Foundation
import Rondo

func equal<T: Equatable>(_ expected: T, _ actual: T, line: Int = #line) {
  if expected == actual { return }
  print("line \(line): expected \(expected), got \(actual)")
  exit(1)
}

func fails(_ status: Status, _ words: String, line: Int = #line, _ call: () throws -> Void) {
  do {
    try call()
  } catch let error as RondoError {
    equal(status, error.status, line: line)
    equal(true, words.isEmpty || error.description.contains(words), line: line)
    return
  } catch {}
  print("line \(line): it should fail with \(status)")
  exit(1)
}

let path = ProcessInfo.processInfo.environment["RONDO_TEST_MODEL"]!
let model = try Model(path: path)
var few = EngineOptions()
few.raw.context = 256
few.raw.max_sessions = 4
let engine = try Engine(model, few)
var limit = SessionOptions()
limit.raw.max_tokens = 12

equal(2048, try model.info().vocabSize)
equal([1], try model.eosTokens())
equal("LlamaForCausalLM", try model.facts()["architecture"])
equal([:], try model.chatTemplates())
equal(Int64(Library.abiVersion), try Library.query("abi.version"))
equal(true, Library.version.contains("."))
equal(try engine.memory().arenaBytes, try model.plan(few).arenaBytes)
equal(try engine.memoryRegions(), try model.planRegions(few))
equal(true, try model.planFit(engine.memory().arenaBytes, few) >= 256)
let ids = try model.tokenize("Today's weather is so")
equal("Today's weather is so", try model.detokenize(ids, skipSpecial: true))
let long = String(repeating: "x", count: 3000)
equal(long, try model.detokenize(model.tokenize(long, addSpecial: false)))

let session = try Session(engine, limit)
var rows: [[Float]] = []
try session.prefillLogits(ids) { index, logits in
  equal(rows.count, index)
  rows.append(logits)
}
equal(ids.count, rows.count)
struct Thrown: Error {}
do {
  try session.prefillLogits([3]) { _, _ in throw Thrown() }
  equal("what a row throws", "comes through")
} catch is Thrown {}
try session.reset()
equal(0..<0, try session.evicted())
try session.prefill(ids)
equal(ids, try session.tokens())
equal(UInt64(ids.count), try session.progress().done)
equal(UInt64(2 * ids.count + 1), try session.stats().tokensPrefilled)
let logits = try session.logits()
equal(rows.last!, logits)
let fork = try session.fork(limit)
let saved = try session.save()
var events: [Event] = []
for try await event in session.stream() { events.append(event) }
let text = events.map(\.text).joined()
equal(Reason.tokenLimit, events.last!.reason)
equal(Int32(logits.firstIndex(of: logits.max()!)!), events[0].token)
equal(256, try session.position() + session.remaining())
equal(text, try fork.generate())
try session.restore(saved)
equal(text, try session.generate())
fails(.corrupt, "") { try session.restore(saved.dropLast() + [saved.last! ^ 1]) }

// What was generated before is right where it is proposed, and generated all the same.
try session.reset()
try session.prefill(ids)
try session.propose(events[1...4].map { $0.token! })
equal(text, try session.generate())
try session.undo(12)
try session.accept(events[0].token!)
equal(events[0].bytes, try session.event().bytes)

try session.reset()
session.cancel()
fails(.cancelled, "") { try session.prefill(ids) }
let number = try session.callNumber()
try session.prefill(ids)
session.cancelCall(number)  // it is over: nothing happens
equal(number + 1, try session.callNumber())
session.cancelCall(number + 1)
fails(.cancelled, "") { _ = try session.next() }
try session.reset()
try fork.reset()
try session.append(ids)
try fork.append(ids)
var texts = ["", ""]
for _ in 0..<12 {
  try engine.step([session, fork])
  texts[0] += try session.event().text
  texts[1] += try fork.event().text
}
equal([text, text], texts)
equal(2, try engine.stats().sessionsOpen)

var other = try engine.options()
other.raw.max_tokens = 12
other.stop = [String(text.dropFirst(4).prefix(4))]
other.raw.temperature = 0
let stopped = try Session(engine, other)
try stopped.prefill(ids)
equal(String(text.prefix(4)), try stopped.generate())
other.stop = []
other.logitBias = [events[0].token!: -.infinity]
let biased = try Session(engine, other)
try biased.prefill(ids)
equal(false, try biased.next().token == events[0].token)

var recording = EngineOptions()
recording.raw.profile_events = 1000
recording.kernels = "scalar"
let recorded = try Engine(model, recording)
try Session(recorded).prefill(ids)
var cursor: UInt64 = 0
var parts: Set<String> = []
while let event = try recorded.profile(&cursor) { parts.insert(event.name) }
equal(true, parts.contains("pass"))
equal("scalar", try recorded.memory().kernels)

let person = #"""
  {"type":"object","properties":{"name":{"type":"string","maxLength":12},
  "age":{"type":"integer","minimum":0,"maximum":130}},"required":["name","age"]}
  """#
let speaking = try Engine(model, few)
func said(_ session: Session) throws -> String {
  try session.prefill(ids)
  var text = ""
  var event: Event
  repeat {
    event = try session.next()
    text += event.text
  } while event.reason == .none
  equal(true, event.reason == .grammar || event.reason == .eos)
  return text
}
var warm = SessionOptions()
warm.raw.temperature = 1
warm.raw.seed = 7
warm.jsonSchema = person
let inside = try said(Session(speaking, warm))
struct Person: Decodable {
  let name: String
  let age: Int
}
let read = try JSONDecoder().decode(Person.self, from: Data(inside.utf8))
equal(true, read.name.unicodeScalars.count <= 12 && (0...130).contains(read.age))
let dense = GrammarOptions(noSpaces: true)
warm.grammar = try Grammar(
  model, schema: person, GrammarOptions(oneSpace: true, namedOnly: true))
fails(.invalidArgument, "one") { _ = try Session(speaking, warm) }
warm.jsonSchema = nil
let held = try Session(speaking, warm)
warm.grammar = try Grammar(model, pattern: "[ab]{4}c")
let letters = try said(held.fork(warm))
equal(true, letters.range(of: "^[ab]{4}c$", options: .regularExpression) != nil)
warm.grammar = nil
equal(inside, try said(held))  // keeps its grammar
let ones = #"{"type": "array", "items": {"enum": [1]}, "minItems": 2, "maxItems": 2}"#
warm.grammar = try Grammar(model, schema: ones, dense)
equal("[1,1]", try said(Session(speaking, warm)))
let either = #"""
  {"type":"object","properties":{"a":{"enum":[1]},"b":{"enum":[2]}},
  "required":["a","b"],"additionalProperties":false}
  """#
for (anyOrder, wanted) in [(false, #"{"a":1,"b":2}"#), (true, #"{"b":2,"a":1}"#)] {
  let order = GrammarOptions(noSpaces: true, anyOrder: anyOrder)
  warm.grammar = try Grammar(model, schema: either, order)
  equal(wanted, try said(Session(speaking, warm)))
}
let refused = #"{"properties":{"a":{"uniqueItems":true}}}"#
fails(.unsupported, "#/properties/a/uniqueItems") { _ = try Grammar(model, schema: refused) }
let smaller = GrammarOptions(memoryBytes: 1 << 20)
let small = try model.planGrammar(schema: person, smaller)
equal(true, try small > 0 && small < model.planGrammar(schema: person))
equal(small, try model.planGrammar(pattern: "a", smaller))

let sky = #"root ::= "sky" | "sea""#
var free = SessionOptions()
free.grammar = try Grammar(model, gbnf: sky)
equal(true, try ["sky", "sea"].contains(said(Session(speaking, free))))
equal(true, try model.planGrammar(gbnf: sky) > 0)
free = limit
let one = try Session(speaking, free)
try one.prefill(ids)
let opening = try one.next()
free.grammar = try Grammar(model, pattern: "[ab]{3}")
free.raw.grammar_begin = GrammarBegin.afterToken.rawValue
free.raw.grammar_token = opening.token!
let begun = try said(Session(speaking, free))
equal(opening.text, String(begun.dropLast(3)))
equal(true, begun.suffix(3).allSatisfy { "ab".contains($0) })
free.raw.grammar_goes_on = 1
let goingOn = try Session(speaking, free)
try goingOn.prefill(ids)
equal(true, try goingOn.generate().hasPrefix(begun))

func channels(_ say: (inout SessionOptions) -> Void) throws -> [Channel] {
  var options = SessionOptions()
  options.raw.max_tokens = 32
  options.raw.temperature = 1
  options.raw.seed = 3
  say(&options)
  let session = try Session(speaking, options)
  try session.prefill(model.tokenize("Lily saw her mom"))
  return try (0..<32).map { _ in try session.next().channel }
}
func words(_ options: inout SessionOptions) {
  options.raw.thinking = 1
  options.thinkingBegin = " mom"
  options.thinkingEnd = " day.\n"
}
equal([Channel](repeating: .text, count: 32), try channels { _ in })
equal(.thinking, try channels(words)[0])
let bounded = try channels {
  words(&$0)
  $0.raw.thinking_tokens = 1
}
equal(true, (1..<8).contains(bounded.firstIndex(of: .text)!))
fails(.unsupported, "chat template") { _ = try channels { $0.raw.thinking = 1 } }

let calling = try Model(path: ProcessInfo.processInfo.environment["RONDO_TEST_CALLING"]!)
var asked = Chat(messages: #"[{"role": "user", "content": "How is the weather?"}]"#)
asked.tools = #"""
  [{"type": "function", "function": {"name": "weather", "parameters": {
  "type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}}, "required": ["city"],
  "additionalProperties": false}}}]
  """#
let whole =
  "<think>\nso\n</think>\n\nGrüße<tool_call>\n"
  + #"{"name": "weather", "arguments": {"city": "Rome"}}"# + "\n</tool_call>"
let parser = try ChatParser(calling, asked)
for _ in 0..<2 {
  var taken: [ChatPart] = []
  for byte in whole.utf8 {
    try parser.push([byte])
    taken += try parser.parts()
  }
  try parser.push([], last: true)
  taken += try parser.parts()
  var (thought, content, pieces) = ("", "", "")
  for part in taken {
    switch part {
    case .thinking(let text): thought += text
    case .content(let text): content += text
    case .arguments(0, let text): pieces += text
    default: break
    }
  }
  equal("so", thought)
  equal("Grüße", content)
  equal(true, taken.contains(.call(0, name: "weather", id: "")))
  equal(#"{"city": "Rome"}"#, pieces)
  equal(.callEnd(0, name: "weather", id: "", arguments: pieces), taken.last!)
  fails(.invalidArgument, "") { try parser.push([65]) }
  try parser.reset()
}
var formless = asked
formless.template = "{{ messages[0].content }}"
fails(.unsupported, "") { _ = try ChatParser(model, formless) }
var ruled = SessionOptions()
ruled.grammar = try Grammar(calling, gbnf: calling.chatGrammar(asked, .one, function: "weather"))
fails(.invalidArgument, "absent") { _ = try calling.chatGrammar(asked, function: "absent") }
var told: [ChatPart] = []
for try await part in try Session(Engine(calling, few), ruled).chatParts(asked) { told.append(part) }
guard case .callEnd(0, "weather", "", let city) = told.last! else {
  print("no call: \(told)")
  exit(1)
}
let cities = try JSONDecoder().decode([String: String].self, from: Data(city.utf8))
equal(true, ["Rome", "Oslo"].contains(cities["city"]!))
let answering = try Engine(calling, few)
@MainActor func content(_ options: SessionOptions) async throws -> String {
  var text = ""
  for try await part in try Session(answering, options).chatParts(asked) {
    guard case .content(let piece) = part else { return "\(part)" }
    text += piece
  }
  return text
}
var undecided = SessionOptions()  // looks like a call to its end
undecided.grammar = try Grammar(calling, pattern: "<tool_ca")
let notCalled = try await content(undecided)
equal("<tool_ca", notCalled)
var silent = SessionOptions()
silent.logitBias = [1: 1e9]
let nothing = try await content(silent)
equal("", nothing)  // the end is no content
let around = try calling.chatThinking(asked)
equal("<think>", around.begin.trimmingCharacters(in: .whitespacesAndNewlines))
equal("</think>", around.end.trimmingCharacters(in: .whitespacesAndNewlines))
var special = Chat(messages: #"[{"role": "user", "content": "<|pad|>"}]"#)
equal([0, 1], try [2, 1].map { token in try calling.chatIds(special).filter { $0 == token }.count })
special.plainContent = false
equal(1, try calling.chatIds(special).filter { $0 == 2 }.count)

#if os(Linux)
  let state = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let allowed = state.components(separatedBy: "Cpus_allowed_list:\t")[1].prefix { $0.isNumber }
  var pinned = EngineOptions()
  pinned.raw.context = 64
  pinned.cpus = [UInt32(allowed)!]
  equal(1, try model.plan(pinned).threads)
  pinned.raw.threads = 2
  equal(2, try Engine(model, pinned).memory().threads)
  pinned.cpus = [1023]
  fails(.invalidArgument, "1023") { _ = try Engine(model, pinned) }
#endif

let files = ProcessInfo.processInfo.environment
do {
  var adapted = limit
  adapted.adapter = try Adapter(model, path: files["RONDO_TEST_ADAPTER"]!)
  equal(4, try adapted.adapter!.info().rank)
  fails(.invalidArgument, "adapter_rank is 0") { _ = try Session(engine, adapted) }
  var roomy = few
  roomy.raw.adapter_rank = 4
  let wide = try Engine(model, roomy)
  let plain = try Session(wide, limit)
  let taught = try Session(wide, adapted)
  adapted.adapter = nil  // the session goes on
  try plain.prefill(ids)
  try taught.prefill(ids)
  let fork = try taught.fork(limit)
  let text = try taught.generate()
  equal(false, try plain.generate() == text)
  equal(text, try fork.generate())
  fails(.notAModel, "it is a model") { _ = try Adapter(model, path: path) }
}

do {
  let n = try Int(model.info().hiddenSize)
  let text = Input(ids: ids)
  let two = Input(rows: [Float](repeating: 0, count: 2 * n))
  let three = Input(
    bfloat16: [UInt16](repeating: 0, count: 3 * n), coordinates: [0, 0, 0, 0, 0, 1, 0, 1, 0],
    seesWhole: true)
  let none = try Session(Engine(model, few), limit)
  fails(.invalidArgument, "max_input_rows is 0") { try none.appendInputs([two]) }
  var options = few
  options.raw.max_input_rows = 8
  let takes = try Session(Engine(model, options), limit)
  try takes.appendInputs([text, two, three])
  equal(ids + [-1, -1, -1, -1, -1], try takes.tokens())
  equal(2048, try takes.logits().count)
  try takes.appendInputs([Input(ids: [3])])
  equal(true, try takes.next().token != nil)
  let wrong = [
    Input(rows: [Float](repeating: 0, count: 2 * n - 1)), Input(rows: []), Input(bfloat16: [0]),
    Input(rows: [Float](repeating: 0, count: n), coordinates: [0]),
  ]
  for one in wrong {
    fails(.invalidArgument, "rows have") { try takes.appendInputs([text, one]) }
  }
  let many = Input(rows: [Float](repeating: 0, count: 9 * n))
  fails(.invalidArgument, "max_input_rows is 8") { try takes.appendInputs([text, many]) }
  fails(.invalidArgument, "") { try takes.appendInputs([Input(ids: [])]) }
  fails(.invalidArgument, "0 inputs") { try takes.appendInputs([]) }
  let crowd = [Input](repeating: text, count: 65)
  fails(.invalidArgument, "65 inputs") { try takes.appendInputs(crowd) }
  equal(UInt64(ids.count) + 7, try takes.position())
}

func bytes(_ count: Int, _ value: (Int) -> UInt8) -> [UInt8] { (0..<count).map(value) }
func pixels(_ count: Int) -> [UInt8] { bytes(count) { UInt8($0 * 37 % 251) } }

/// With an image of one plane.
func withPicture<T>(
  _ format: Pixels, _ bytes: [UInt8], _ width: Int, _ height: Int, stride: Int = 0,
  _ use: (Picture) throws -> T
) rethrows -> T {
  try bytes.withUnsafeBytes {
    try use(Picture(format, width: width, height: height, $0, strides: [stride]))
  }
}

do {  // a model that does not see
  equal(-1, try model.info().pictureToken)
  fails(.unsupported, "reads texts alone") { _ = try model.imagePlan(width: 640, height: 480) }
  withPicture(.rgb8, pixels(12), 2, 2) { image in
    fails(.unsupported, "max_media_rows is 0") { _ = try Media(engine, image) }
  }
  withPicture(.rgb8, pixels(12), 2, 2, stride: 7) { image in
    fails(.invalidArgument, "plane 0 of the image has 12 bytes") { _ = try Media(engine, image) }
  }
  let none = try Session(Engine(model, few), limit)
  fails(.unsupported, "max_media_rows is 0") { try none.appendMedia(ids, []) }
}

do {
  let model = try Model(path: files["RONDO_TEST_SEEING"]!)
  let ids = try model.tokenize("See <image> here", addSpecial: false)
  equal([try model.info().pictureToken], try model.tokenize("<image>", addSpecial: false))
  let plan = try model.imagePlan(width: 5, height: 7)
  equal(true, plan.tileColumns > 1 && plan.positions > plan.rows)
  let whole = try model.imagePlan(width: 5, height: 7, ImageOptions(oneTile: true))
  equal(true, whole.rows > 0 && whole.rows < plan.rows)
  fails(.unsupported, "min_tokens") {
    _ = try model.imagePlan(width: 5, height: 7, ImageOptions(minTokens: 3))
  }
  fails(.invalidArgument, "") { _ = try model.imagePlan(width: -1, height: 7) }
  var options = few
  options.raw.max_media_rows = 100
  let engine = try Engine(model, options)
  let session = try Session(engine, limit)
  try withPicture(.rgb8, pixels(105), 5, 7) { image in
    var media: Media? = try Media(engine, image)
    equal(plan, try media!.info())
    try session.appendMedia(ids, [media!])
    equal(UInt64(ids.count) - 1 + UInt64(plan.positions), try session.position())
    fails(.invalidArgument, "") { try session.appendMedia(ids, []) }
    try session.reset()
    try session.appendMedia(ids + ids, [media!, media!])
    media = nil  // the session goes on
    _ = try session.generate()
    let foreign = try Media(Engine(model, options), image)
    fails(.invalidArgument, "another engine") { try session.appendMedia(ids, [foreign]) }
  }

  try withPicture(.gray8, pixels(64 * 64), 64, 64) { image in
    fails(.cancelled, "") { _ = try Media(engine, image) { _, _ in false } }
    do {
      _ = try Media(engine, image) { _, _ in throw Thrown() }
      equal("what progress throws", "comes through")
    } catch is Thrown {}
  }
  let cancelled = Task { () -> Bool in
    withUnsafeCurrentTask { $0?.cancel() }
    do {
      _ = try withPicture(.gray8, pixels(32 * 32), 32, 32) { try Media(engine, $0) }
      return false
    } catch { return error is CancellationError }
  }
  equal(true, await cancelled.value)

  func see(_ image: Picture) throws -> [Float] {
    try session.reset()
    try session.appendMedia(ids, [Media(engine, image)])
    return try session.logits()
  }
  let rgb = pixels(9 * 7 * 3)
  let plain = try withPicture(.rgb8, rgb, 9, 7, see)
  let bgra = bytes(9 * 7 * 4) { at in
    let (pixel, channel) = (at / 4, at % 4)
    return channel == 3 ? 99 : rgb[pixel * 3 + 2 - channel]
  }
  equal(plain, try withPicture(.bgra8, bgra, 9, 7, see))
  // In rows that lie apart, of which the last ends with its pixels.
  let apart = bytes(6 * 32 + 27) { at in
    let (row, column) = (at / 32, at % 32)
    return column < 27 ? rgb[row * 27 + column] : 0
  }
  equal(plain, try withPicture(.rgb8, apart, 9, 7, stride: 32, see))
  let back = bytes(rgb.count) { at in
    let (pixel, channel) = (at / 3, at % 3)
    return rgb[rgb.count - 3 - pixel * 3 + channel]
  }
  try withPicture(.rgb8, back, 9, 7) { image in
    var image = image
    equal(false, try plain == see(image))
    image.rotation = 180
    equal(plain, try see(image))
    image.mirror = true
    equal(false, try plain == see(image))
    image.rotation = 45
    fails(.invalidArgument, "45") { _ = try see(image) }
    image.rotation = -90
    fails(.invalidArgument, "-90") { _ = try see(image) }
  }

  let (y, u) = (pixels(63), pixels(20))
  let v = bytes(20) { 200 &- u[$0] }
  let uv = bytes(40) { $0 % 2 == 0 ? u[$0 / 2] : v[$0 / 2] }
  try y.withUnsafeBytes { y in
    let planar = try u.withUnsafeBytes { u in
      fails(.invalidArgument, "plane 2") { _ = try see(Picture(.i420, width: 9, height: 7, y, u)) }
      return try v.withUnsafeBytes { try see(Picture(.i420, width: 9, height: 7, y, u, $0)) }
    }
    try uv.withUnsafeBytes { uv in
      var image = Picture(.nv12, width: 9, height: 7, y, uv)
      equal(planar, try see(image))
      image.yuvRange = .full
      equal(false, try planar == see(image))
      image.planes[1] = UnsafeRawBufferPointer(rebasing: uv.dropLast())
      fails(.invalidArgument, "plane 1") { _ = try see(image) }
    }
  }
  func refused(
    _ words: String, _ format: Pixels, _ width: Int, _ height: Int, stride: Int = 0,
    line: Int = #line
  ) {
    withPicture(format, rgb, width, height, stride: stride) { image in
      fails(.invalidArgument, words, line: line) { _ = try see(image) }
    }
  }
  refused("plane 0", .rgb8, 9, 8)
  refused("plane 0", .rgb8, 9, 7, stride: 28)
  refused("stride of -27", .rgb8, 9, 7, stride: -27)
  refused("stride of 26", .rgb8, 9, 7, stride: 26)
  refused("no format", Pixels(rawValue: 7), 9, 7)
  refused("0 x 0", .rgb8, 0, 0)
  refused("-9 x 7", .rgb8, -9, 7)
}

do {
  let makes = try Model(path: files["RONDO_TEST_EMBEDDER"]!)
  let facts = try makes.embedder()
  equal([192, 100, 0], [facts.dimensions, facts.maxTokens, facts.scoresPairs])
  equal(.mean, Pooling(rawValue: facts.pooling))
  equal(2, try makes.prompts().count)
  equal("Query: Grüße", try makes.embeddingText("Grüße"))
  equal("Grüße", try makes.embeddingText("Grüße", prompt: "document"))
  equal("", try makes.embeddingText("", prompt: ""))
  fails(.invalidArgument, "") { _ = try makes.embeddingText("a", prompt: "none") }
  fails(.unsupported, "") { _ = try makes.pairText("a", "b") }
  let texts = try ["Once upon a time", "there was", "a girl who liked to play"].map {
    try makes.tokenize(makes.embeddingText($0))
  }
  var two = EngineOptions()
  two.raw.max_sessions = 2
  let maker = try Engine(makes, two)
  let both = [try Session(maker), try Session(maker)]
  let vectors = try maker.embed(both, texts)
  equal(3, vectors.count)
  for (text, vector) in zip(texts, vectors) {
    equal(192, vector.count)
    equal(true, abs(vector.reduce(0) { $0 + $1 * $1 } - 1) < 1e-5)
    equal(vector, try both[0].embed(text))
  }
  equal(0, try both[0].position())
  let short = try both[1].embed(texts[0], dimensions: 8)
  equal(8, short.count)
  equal([short], try maker.embed([both[0]], [texts[0]], dimensions: 8))
  equal([], try maker.embed(both, []))
  fails(.invalidArgument, "text 1 has no tokens") { _ = try maker.embed(both, [texts[0], []]) }
  fails(.invalidArgument, "twice") { _ = try maker.embed([both[0], both[0]], texts) }
  fails(.invalidArgument, "0 sessions") { _ = try maker.embed([], texts) }
  fails(.invalidArgument, "") { _ = try both[0].embed(texts[0], dimensions: 193) }
  fails(.contextFull, "100") { _ = try both[0].embed([Int32](repeating: 5, count: 101)) }
  fails(.unsupported, "") { try both[0].prefill(texts[0]) }
  equal(0, try model.embedder().dimensions)
  fails(.unsupported, "") { _ = try model.embeddingText("a") }
  try session.reset()
  fails(.unsupported, "predicts tokens") { _ = try session.embed(ids) }
  fails(.unsupported, "predicts tokens") { _ = try engine.embed([session], [ids]) }

  let judge = try Model(path: files["RONDO_TEST_SCORER"]!)
  equal(1, try judge.embedder().scoresPairs)
  let pair = try judge.pairText("Grüße?", "a hill", instruction: "Find it")
  equal(true, ["Find it", "Grüße?", "a hill"].allSatisfy { pair.contains($0) })
  equal(false, try judge.pairText("Grüße?", "a hill").contains("Find it"))
  fails(.unsupported, "") { _ = try judge.embeddingText("a") }
  let pairs = try ["a hill", "the sea", "her mom"].map {
    try judge.tokenize(judge.pairText("Where?", $0))
  }
  let judging = try Engine(judge, two)
  let scores = try judging.embed([Session(judging), Session(judging)], pairs)
  equal(true, scores.allSatisfy { $0.count == 1 && $0[0] > 0 && $0[0] < 1 })
  equal(3, Set(scores).count)
}

var chat = Chat(messages: #"[{"role": "user", "content": "Grüße"}]"#)
fails(.unsupported, "") { _ = try model.renderChat(chat) }
chat.template = "{{ messages[0].content }}{{ tail }}"
chat.variables = #"{"tail": "!"}"#
equal("Grüße!", try model.renderChat(chat))
equal(try model.tokenize("Grüße!", addSpecial: false), try model.chatIds(chat))
var answer = ""
for try await event in try session.chat(chat) { answer += event.text }
try fork.reset()
try fork.prefill(model.chatIds(chat))
equal(try fork.generate(), answer)

fails(.ioError, "absent.rondo") { _ = try Model(path: "absent.rondo") }
fails(.invalidArgument, "2048") { try session.prefill([2048]) }
fails(.contextFull, "") { try session.prefill([Int32](repeating: 3, count: 257)) }
print("1 passed, 0 failed")
