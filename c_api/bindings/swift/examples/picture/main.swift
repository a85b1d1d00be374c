// Answers a question about a picture: swift run picture model.rondo photo.ppm, on Apple's systems of
// any file that ImageIO reads.
import Foundation
import Rondo

#if canImport(ImageIO)
  import ImageIO

  func withPicture<T>(_ path: String, _ use: (Picture) throws -> T) throws -> T {
    guard let source = CGImageSourceCreateWithURL(URL(fileURLWithPath: path) as CFURL, nil),
      let photo = CGImageSourceCreateImageAtIndex(source, 0, nil)
    else { fatalError("\(path) is no picture") }
    return try Picture.with(photo, use)  // so a camera's CVPixelBuffer
  }
#else
  func withPicture<T>(_ path: String, _ use: (Picture) throws -> T) throws -> T {
    let file = try Data(contentsOf: URL(fileURLWithPath: path))
    let parts = file.split(separator: 0x0a, maxSplits: 3, omittingEmptySubsequences: false)
    let sizes = parts[1].split(separator: 0x20).map { Int(String(decoding: $0, as: UTF8.self))! }
    return try parts[3].withUnsafeBytes {
      try use(Picture(.rgb8, width: sizes[0], height: sizes[1], $0))
    }
  }
#endif

// shown from here
func answer(_ path: String, _ photo: String) async throws -> ChatReply {
  let model = try Model(path: path)
  let (engine, media) = try withPicture(photo) { picture in
    let plan = try model.imagePlan(width: picture.width, height: picture.height)
    let engine = try Engine(model, EngineOptions { $0.maxMediaRows = plan.rows })
    return (engine, try Media(engine, picture))
  }
  let session = try engine.session(SessionOptions { $0.maxTokens = 64 })
  let messages = [ChatMessage.user("What is in the picture?", images: 1)]
  return try await session.chat(messages, ChatOptions { $0.media = [media] })
}
// shown to here

print(try await answer(CommandLine.arguments[1], CommandLine.arguments[2]))
