// What the compiler refuses, line by line, so that it never comes to a call: b07, b11, b12, b28.
import Rondo

func refused(_ session: Session) async throws {
  _ = try Model(path: 5)  // refused: b07
  _ = EngineOptions { $0.maxSesions = 2 }  // refused: b11
  _ = EngineOptions { $0.maxSessions = "2" }  // refused: b12
  _ = EngineOptions { $0.maxSessions = 1.5 }  // refused: b12
  _ = EngineOptions { $0.kernels = 3 }  // refused: b12
  _ = SessionOptions { $0.stop = "mom" }  // refused: b22
  _ = SessionOptions { $0.temprature = 1 }  // refused: b11
  _ = ChatOptions { $0.toools = "[]" }  // refused: b28
  _ = try await session.generate(5)  // refused: b12
}
