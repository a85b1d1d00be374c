package rondo.tests;

import static rondo.tests.Tests.ENGINE;
import static rondo.tests.Tests.IDS;
import static rondo.tests.Tests.MODEL;
import static rondo.tests.Tests.PROMPT;
import static rondo.tests.Tests.TEXT;
import static rondo.tests.Tests.equal;
import static rondo.tests.Tests.fails;
import static rondo.tests.Tests.holds;
import static rondo.tests.Tests.options;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import rondo.Engine;
import rondo.EngineOptions;
import rondo.Event;
import rondo.RondoException;
import rondo.Session;
import rondo.Status;

/** b35 to b40. */
final class Cancels {
  /** Whose passes take one part of a hundred of the time, so that calls wait. */
  private static final Engine SLOW = MODEL.engine(
      options().dutyPercent(1).maxRows(1).noPrefixCache(true).build());

  /** What takes some ten seconds there, in one call. */
  private static final int[] LONG = new int[240];

  private Cancels() {}

  private static Thread soon(Tests.Code code) {
    Thread thread = new Thread(() -> {
      try {
        Thread.sleep(60);
        code.run();
      } catch (Throwable error) {
        throw new AssertionError(error);
      }
    });
    thread.start();
    return thread;
  }

  private static void again(Session session) {
    try (Session fresh = ENGINE.session(o -> o.maxTokens(16))) {
      equal(TEXT, fresh.generate(PROMPT));
    }
    session.reset();
    session.prefill(IDS);
    holds(session.next().token() >= 0);
  }

  static void b35CancelFromElsewhere() throws Exception {
    try (Session session = SLOW.session()) {
      Thread other = soon(session::cancel);
      long begin = System.nanoTime();
      fails(Status.CANCELLED, "", () -> session.prefill(LONG));
      holds(System.nanoTime() - begin < 5_000_000_000L);
      other.join();
      again(session);
    }
  }

  static void b36CancelNamesItsCall() throws Exception {
    try (Session session = ENGINE.session(o -> o.maxTokens(16))) {
      session.cancel(); // nothing has begun
      equal(TEXT, session.generate(PROMPT));
      session.cancel(); // it is over
      session.reset();
      equal(TEXT, session.generate(PROMPT));
      Iterator<Event> left = session.stream(PROMPT).iterator();
      left.next();
      session.cancel(); // the stream's, though nothing computes
      fails(Status.CANCELLED, "", left::next);
      session.reset();
      equal(TEXT, session.generate(PROMPT));
    }
    try (Session session = SLOW.session(o -> o.maxTokens(2))) {
      CompletableFuture<String> first = session.generateAsync(PROMPT);
      Thread.sleep(30);
      holds(first.cancel(true));
      String second = session.generate(PROMPT); // waits for the end of the first
      holds(first.isCancelled() && second.equals(TEXT.substring(0, second.length())));
      first.cancel(true);
      session.reset();
      equal(second, session.generate(PROMPT));
    }
  }

  static void b37Interrupts() throws Exception {
    try (Session session = SLOW.session()) {
      Thread caller = Thread.currentThread();
      Thread other = soon(caller::interrupt);
      long begin = System.nanoTime();
      fails(Status.CANCELLED, "interrupt", () -> {
        try {
          session.prefill(LONG);
        } catch (RondoException error) {
          holds(caller.isInterrupted()); // stays, so that loops end
          session.prefill(LONG); // at once
        }
      });
      holds(Thread.interrupted() && System.nanoTime() - begin < 5_000_000_000L);
      other.join();
      again(session);
    }
    Thread.currentThread().interrupt();
    fails(Status.CANCELLED, "", () -> MODEL.engine(options().build()));
    holds(Thread.interrupted());
  }

  static void b37Futures() throws Exception {
    try (Session session = SLOW.session()) {
      CompletableFuture<String> future = session.generateAsync(PROMPT);
      Thread.sleep(60);
      holds(future.cancel(true));
      fails(CancellationException.class, "", future::join);
      again(session);
    }
    CompletableFuture<Engine> made = MODEL.engineAsync(options().build());
    made.get(20, TimeUnit.SECONDS).close();
    CompletableFuture<Engine> none = MODEL.engineAsync(options().build());
    none.cancel(true);
    fails(CancellationException.class, "", none::join);
  }

  static void b38TwoCallsAtOnce() throws Exception {
    try (Session session = SLOW.session()) {
      CompletableFuture<String> first = session.generateAsync(PROMPT);
      Thread.sleep(60);
      fails(Status.BUSY, "", () -> session.generate(PROMPT));
      fails(Status.BUSY, "", session::position);
      fails(Status.BUSY, "", () -> SLOW.step(List.of(session)));
      holds(session.progress().total() > 0); // from any thread
      first.cancel(true);
      again(session);
    }
  }

  static void b39SessionsTogether() {
    List<String> prompts = List.of(PROMPT, "Once upon a time", "The cat", "Lily");
    List<Session> sessions = new ArrayList<>();
    List<CompletableFuture<String>> texts = new ArrayList<>();
    for (String prompt : prompts) {
      Session session = ENGINE.session(o -> o.maxTokens(16));
      sessions.add(session);
      texts.add(session.generateAsync(prompt));
    }
    List<String> together = texts.stream().map(CompletableFuture::join).toList();
    sessions.forEach(Session::close);
    equal(prompts.stream().map(Tests::textOf).toList(), together);
  }

  static void b40WhatCallbacksThrow() {
    fails(ArithmeticException.class, "ours", () -> MODEL.engine(o -> o.progress((done, total) -> {
      throw new ArithmeticException("ours");
    })));
    fails(StackOverflowError.class, "grave", () -> MODEL.engine(o -> o.progress((done, total) -> {
      throw new StackOverflowError("grave");
    })));
    fails(Status.CANCELLED, "", () -> MODEL.engine(o -> o.progress((done, total) -> false)));
    long[] told = new long[2];
    MODEL.engine(o -> o.progress((done, total) -> {
      told[0] = done;
      told[1] = total;
      return true;
    })).close();
    holds(told[0] > 0 && told[0] == told[1]);
    try (Session session = ENGINE.session(o -> o.maxTokens(16))) {
      fails(ArithmeticException.class, "ours", () -> session.prefillLogits(IDS, (index, row) -> {
        throw new ArithmeticException("ours");
      }));
      session.reset();
      session.prefillLogits(IDS, (index, row) -> fails(Status.BUSY, "", session::next));
      session.reset();
      equal(TEXT, session.generate(PROMPT));
    }
    equal(0, ENGINE.stats().sessionsOpen());
    EngineOptions throwing = options().logLevel(rondo.Log.DEBUG).log((level, text) -> {
      throw new ArithmeticException("nobody waits for a log");
    }).build();
    Thread.UncaughtExceptionHandler usual = Thread.currentThread().getUncaughtExceptionHandler();
    int[] handled = new int[1];
    Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> ++handled[0]);
    try (Engine engine = MODEL.engine(throwing); Session session = engine.session(o -> o.maxTokens(16))) {
      equal(TEXT, session.generate(PROMPT));
      holds(handled[0] > 0);
    } finally {
      Thread.currentThread().setUncaughtExceptionHandler(usual);
    }
  }
}
