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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import rondo.Engine;
import rondo.Event;
import rondo.PromptProgress;
import rondo.Reason;
import rondo.Session;
import rondo.Span;
import rondo.Status;

/** b48 to b50, and what is told of a session. */
final class States {
  private States() {}

  private static String rest(Session session) {
    return session.stream().map(Event::text).collect(Collectors.joining());
  }

  static void b48Snapshots() {
    byte[] saved;
    StringBuilder begun = new StringBuilder();
    try (Session session = ENGINE.session(o -> o.maxTokens(16))) {
      session.prefill(IDS);
      for (int i = 0; i < 6; ++i) {
        begun.append(session.next().text());
      }
      saved = session.save();
    }
    try (Engine other = MODEL.engine(options().build()); Session session = other.session(o -> o.maxTokens(16))) {
      session.restore(saved);
      byte[] altered = saved.clone();
      altered[altered.length - 1] ^= 1;
      fails(Status.CORRUPT, "", () -> session.restore(altered));
      fails(Status.INVALID_ARGUMENT, "", () -> session.restore(new byte[0]));
      equal(TEXT, begun + rest(session));
    }
  }

  static void b49ForkUndoReset() {
    try (Session session = ENGINE.session()) {
      session.prefill(IDS);
      try (Session fork = session.fork(o -> o.maxTokens(16))) {
        int first = fork.next().token();
        fork.undo(1);
        equal(TEXT, rest(fork));
        try (Session other = session.fork(o -> o.maxTokens(16).logitBias(Map.of(first, -1e9f)))) {
          holds(!TEXT.equals(rest(other)));
        }
      }
      fails(Status.INVALID_ARGUMENT, "", () -> session.undo(1000));
      fails(IllegalArgumentException.class, "n is -1", () -> session.undo(-1));
      session.reset();
      equal(0L, session.position());
      fails(Status.NO_LOGITS, "", session::next);
    }
  }

  static void b50Steps() {
    List<String> prompts = List.of(PROMPT, "Once upon a time", "The cat");
    List<Session> sessions = new ArrayList<>();
    for (String prompt : prompts) {
      Session session = ENGINE.session(o -> o.maxTokens(16));
      session.append(MODEL.tokenize(prompt));
      sessions.add(session);
    }
    String[] texts = {"", "", ""};
    List<Session> running = new ArrayList<>(sessions);
    while (!running.isEmpty()) {
      ENGINE.step(running);
      running.removeIf(session -> {
        Event event = session.event();
        texts[sessions.indexOf(session)] += event.text();
        return event.reason() != Reason.NONE;
      });
    }
    equal(3, ENGINE.stats().sessionsOpen());
    fails(Status.INVALID_ARGUMENT, "twice", () -> ENGINE.step(List.of(sessions.get(0), sessions.get(0))));
    sessions.forEach(Session::close);
    equal(prompts.stream().map(Tests::textOf).toList(), List.of(texts));
  }

  static void counters() {
    try (Engine watched = MODEL.engine(options().profileEvents(1000).build());
         Session session = watched.session(o -> o.maxTokens(4))) {
      session.generate(PROMPT);
      equal(4L, session.stats().tokensGenerated());
      PromptProgress progress = session.progress();
      equal(progress.done(), progress.total());
      equal(256L, session.position() + session.remaining());
      equal(new Span(0, 0), session.evicted());
      long[] cursor = {0};
      holds(watched.profile(cursor).name().length() > 0 && cursor[0] > 0);
      cursor[0] = 1L << 40;
      equal(null, watched.profile(cursor));
    }
  }

  static void wrongIds() {
    try (Session session = ENGINE.session()) {
      fails(Status.INVALID_ARGUMENT, "2048", () -> session.prefill(2048));
      fails(Status.INVALID_ARGUMENT, "", () -> session.prefill());
      fails(Status.CONTEXT_FULL, "", () -> session.prefill(new int[257]));
      fails(Status.INVALID_ARGUMENT, "", () -> session.accept(-1));
      fails(Status.INVALID_ARGUMENT, "", () -> MODEL.detokenize(Integer.MIN_VALUE));
      int[] many = new int[1 << 20];
      Arrays.fill(many, 5);
      fails(Status.CONTEXT_FULL, "", () -> session.prefill(many));
    }
  }
}
