import Foundation
import Rondo

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

private struct Thrown: Error {}

/// As `fails`, where nothing is awaited.
private func refused(
  _ status: Status, _ words: String, line: Int = #line, _ call: () throws -> Void
) throws {
  do {
    try call()
  } catch let error as RondoError {
    try equal(status, error.status, line: line)
    return try isTrue(words.isEmpty || error.description.contains(words), error.description, line: line)
  }
  throw Failure(description: "line \(line): it should fail with \(status)")
}

func pictures() async throws {
  let blind = try open()
  try equal(-1, blind.info().pictureToken)
  try refused(.unsupported, "reads texts alone") { _ = try blind.imagePlan(width: 640, height: 480) }
  let none = try blind.engine(few)
  try withPicture(.rgb8, pixels(12), 2, 2) { image in
    try refused(.unsupported, "maxMediaRows is 0") { _ = try Media(none, image) }
  }
  try withPicture(.rgb8, pixels(12), 2, 2, stride: 7) { image in
    try refused(.invalidArgument, "plane 0 of the image has 12 bytes") { _ = try Media(none, image) }
  }
  let model = try open("SEEING")
  let ids = try model.tokenize("See <image> here", addSpecial: false)
  try equal([try model.info().pictureToken], try model.tokenize("<image>", addSpecial: false))
  let plan = try model.imagePlan(width: 5, height: 7)
  try equal(true, plan.tileColumns > 1 && plan.positions > plan.rows)
  let whole = try model.imagePlan(width: 5, height: 7, ImageOptions(oneTile: true))
  try equal(true, whole.rows > 0 && whole.rows < plan.rows)
  try refused(.unsupported, "minTokens") {
    _ = try model.imagePlan(width: 5, height: 7, ImageOptions(minTokens: 3))
  }
  try await refuses("width") { _ = try model.imagePlan(width: -1, height: 7) }
  var options = few
  options.maxMediaRows = 100
  let engine = try model.engine(options)
  let session = try engine.session(limit(4))
  try withPicture(.rgb8, pixels(105), 5, 7) { image in
    var media: Media? = try Media(engine, image)
    try equal(plan, try media!.info())
    try session.appendMedia(ids, [media!])
    try equal(ids.count - 1 + plan.positions, session.position())
    try refused(.invalidArgument, "") { try session.appendMedia(ids, []) }
    try session.reset()
    try session.appendMedia(ids + ids, [media!, media!])
    media = nil  // the session goes on
    _ = try session.generate()
    let foreign = try Media(model.engine(options), image)
    try refused(.invalidArgument, "another engine") { try session.appendMedia(ids, [foreign]) }
  }

  try withPicture(.gray8, pixels(64 * 64), 64, 64) { image in
    try refused(.cancelled, "") { _ = try Media(engine, image) { _, _ in false } }
    do {
      _ = try Media(engine, image) { _, _ in throw Thrown() }
      throw Failure(description: "what progress throws should come through")
    } catch is Thrown {}
  }
  let cancelled = Task { () -> Bool in
    withUnsafeCurrentTask { $0?.cancel() }
    do {
      _ = try withPicture(.gray8, pixels(32 * 32), 32, 32) { try Media(engine, $0) }
      return false
    } catch { return error is CancellationError }
  }
  let ended = await cancelled.value
  try equal(true, ended)

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
  try equal(plain, try withPicture(.bgra8, bgra, 9, 7, see))
  // In rows that lie apart, of which the last ends with its pixels.
  let apart = bytes(6 * 32 + 27) { at in
    let (row, column) = (at / 32, at % 32)
    return column < 27 ? rgb[row * 27 + column] : 0
  }
  try equal(plain, try withPicture(.rgb8, apart, 9, 7, stride: 32, see))
  let back = bytes(rgb.count) { at in
    let (pixel, channel) = (at / 3, at % 3)
    return rgb[rgb.count - 3 - pixel * 3 + channel]
  }
  try withPicture(.rgb8, back, 9, 7) { image in
    var image = image
    try equal(false, try plain == see(image))
    image.rotation = 180
    try equal(plain, try see(image))
    image.mirror = true
    try equal(false, try plain == see(image))
    image.rotation = 45
    try refused(.invalidArgument, "45") { _ = try see(image) }
    image.rotation = -90
    try refused(.invalidArgument, "-90") { _ = try see(image) }
  }

  let (y, u) = (pixels(63), pixels(20))
  let v = bytes(20) { 200 &- u[$0] }
  let uv = bytes(40) { $0 % 2 == 0 ? u[$0 / 2] : v[$0 / 2] }
  try y.withUnsafeBytes { y in
    let planar = try u.withUnsafeBytes { u in
      try refused(.invalidArgument, "plane 2") { _ = try see(Picture(.i420, width: 9, height: 7, y, u)) }
      return try v.withUnsafeBytes { try see(Picture(.i420, width: 9, height: 7, y, u, $0)) }
    }
    try uv.withUnsafeBytes { uv in
      var image = Picture(.nv12, width: 9, height: 7, y, uv)
      try equal(planar, try see(image))
      image.yuvRange = .full
      try equal(false, try planar == see(image))
      image.planes[1] = UnsafeRawBufferPointer(rebasing: uv.dropLast())
      try refused(.invalidArgument, "plane 1") { _ = try see(image) }
    }
  }
  func wrong(
    _ words: String, _ format: Pixels, _ width: Int, _ height: Int, stride: Int = 0,
    line: Int = #line
  ) throws {
    try withPicture(format, rgb, width, height, stride: stride) { image in
      try refused(.invalidArgument, words, line: line) { _ = try see(image) }
    }
  }
  try wrong("plane 0", .rgb8, 9, 8)
  try wrong("plane 0", .rgb8, 9, 7, stride: 28)
  try wrong("stride of -27", .rgb8, 9, 7, stride: -27)
  try wrong("stride of 26", .rgb8, 9, 7, stride: 26)
  try wrong("no format", Pixels(rawValue: 7), 9, 7)
  try wrong("0 x 0", .rgb8, 0, 0)
  try wrong("-9 x 7", .rgb8, -9, 7)
}
