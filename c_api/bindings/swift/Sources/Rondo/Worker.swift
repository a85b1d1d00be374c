import Foundation

/// A thread of a session's own for calls that compute, so that none of the threads that run tasks waits in
/// them. It ends when it had nothing to do for a second, and is started again.
final class Worker: @unchecked Sendable {
  private let condition = NSCondition()
  private var jobs: [@Sendable () -> Void] = []
  private var isRunning = false

  /// What `work` gives, on that thread. Where the task is cancelled, so is the call that `work` begins.
  func run<T: Sendable>(
    _ call: Call, _ work: @escaping @Sendable () throws -> T
  ) async throws -> T {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        add {
          continuation.resume(
            with: Result {
              do {
                if call.isCancelled { throw CancellationError() }
                return try work()
              } catch let error as RondoError where error.status == .cancelled && call.isCancelled {
                throw CancellationError()
              }
            })
        }
      }
    } onCancel: {
      call.cancel()
    }
  }

  private func add(_ job: @escaping @Sendable () -> Void) {
    condition.lock()
    defer { condition.unlock() }
    jobs.append(job)
    if isRunning { return condition.signal() }
    isRunning = true
    let thread = Thread { [self] in work() }
    thread.name = "Rondo"
    thread.start()
  }

  private func work() {
    while let job = next() { job() }
  }

  private func next() -> (@Sendable () -> Void)? {
    condition.lock()
    defer { condition.unlock() }
    while jobs.isEmpty {
      if !condition.wait(until: Date(timeIntervalSinceNow: 1)) && jobs.isEmpty {
        isRunning = false
        return nil
      }
    }
    return jobs.removeFirst()
  }
}

/// The calls of one task's wait, which its cancellation ends, and no others.
final class Call: @unchecked Sendable {
  private let lock = NSLock()
  private var calls: [(session: Session, number: UInt64)] = []
  private var cancelled = false

  var isCancelled: Bool { lock.withLock { cancelled } }

  /// Before each call that computes, on the thread that makes it.
  func begin(_ sessions: [Session]) throws {
    try lock.withLock {
      if cancelled { throw CancellationError() }
      calls = try sessions.map { ($0, try $0.callNumber()) }
    }
  }

  func cancel() {
    lock.withLock {
      cancelled = true
      for call in calls { call.session.cancelCall(call.number) }
    }
  }
}
