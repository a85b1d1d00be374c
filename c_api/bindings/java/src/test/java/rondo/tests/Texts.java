package rondo.tests;

import static rondo.tests.Tests.ENGINE;
import static rondo.tests.Tests.IDS;
import static rondo.tests.Tests.MODEL;
import static rondo.tests.Tests.PROMPT;
import static rondo.tests.Tests.TEXT;
import static rondo.tests.Tests.equal;
import static rondo.tests.Tests.fails;
import static rondo.tests.Tests.holds;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import rondo.Chat;
import rondo.Event;
import rondo.Message;
import rondo.Reason;
import rondo.Session;
import rondo.Status;

/** b19 to b26. */
final class Texts {
  private Texts() {}

  static void b19TextToText() {
    try (Session session = ENGINE.session(o -> o.maxTokens(16))) {
      equal(TEXT, session.generate(PROMPT));
      fails(NullPointerException.class, "prompt", () -> session.generate((String) null));
    }
  }

  static void b20IdsToText() {
    try (Session session = ENGINE.session(o -> o.maxTokens(16))) {
      equal(TEXT, session.generate(IDS));
      fails(NullPointerException.class, "prompt", () -> session.generate((int[]) null));
    }
  }

  static void b21StreamOfWholeCharacters() {
    try (Session session = ENGINE.session(o -> o.maxTokens(16).logprobs(true))) {
      List<Event> events = session.stream(PROMPT).toList();
      equal(TEXT, events.stream().map(Event::text).collect(Collectors.joining()));
      holds(events.size() == 16 && events.stream().allMatch(
          event -> event.logprob() < 0 && event.bytes().length > 0 && event.text().indexOf('\ufffd') < 0));
      int[] held = session.tokens();
      equal(events.stream().map(Event::token).toList(),
          Arrays.stream(held, IDS.length, held.length).boxed().toList());
    }
    // A character of several tokens comes whole.
    int[] smile = MODEL.tokenize("🙂", false);
    holds(smile.length > 1);
    try (Session session = ENGINE.session()) {
      session.prefill(IDS);
      StringBuilder text = new StringBuilder();
      for (int token : smile) {
        session.accept(token);
        text.append(session.event().text());
        holds(text.isEmpty() || text.toString().equals("🙂"));
      }
      equal("🙂", text.toString());
    }
  }

  static void b22StopStrings() {
    String stop = TEXT.substring(4, 8);
    for (boolean list : new boolean[] {true, false}) {
      try (Session session = ENGINE.session(o -> {
        if (list) {
          o.stop(List.of(stop, "never"));
        } else {
          o.stop(stop);
        }
      })) {
        equal(TEXT.substring(0, 4), session.generate(PROMPT));
      }
    }
    fails(IllegalArgumentException.class, "stop", () -> ENGINE.session(o -> o.stop("")));
  }

  private static Reason reasonOf(Session session) {
    List<Event> events = session.stream(PROMPT).toList();
    return events.get(events.size() - 1).reason();
  }

  static void b23ReasonsHaveNames() {
    try (Session limited = ENGINE.session(o -> o.maxTokens(2));
         Session stopped = ENGINE.session(o -> o.stop(TEXT.substring(4, 8)));
         Session ended = ENGINE.session(o -> o.logitBias(java.util.Map.of(1, 1e9f)))) {
      equal(Reason.TOKEN_LIMIT, reasonOf(limited));
      equal(Reason.STOP_STRING, reasonOf(stopped));
      equal(Reason.EOS, reasonOf(ended));
    }
  }

  static void b24StreamThatIsLeft() {
    try (Session session = ENGINE.session(o -> o.maxTokens(16))) {
      for (Event event : session.events(PROMPT)) {
        equal(Reason.NONE, event.reason());
        break;
      }
      equal(2L, session.stream(PROMPT).limit(2).count());
      session.reset();
      equal(TEXT, session.generate(PROMPT));
    }
  }

  static void b24TwoGenerationsOfOneSession() {
    try (Session session = ENGINE.session(o -> o.maxTokens(8))) {
      Iterator<Event> old = session.events(PROMPT).iterator();
      Iterator<Event> next = session.stream(PROMPT).iterator();
      holds(next.hasNext() && next.next().reason() == Reason.NONE);
      fails(Status.BUSY, "another generation", old::next);
      session.chatStream(Chat.builder(Message.user("Once")).template("{{ messages[0].content }}").build())
          .findFirst();
      fails(Status.BUSY, "another generation", next::next);
      equal(false, session.generate(" and").isEmpty());
    }
  }

  static void b20WhatBeginsATextComesOnce() {
    try (Session session = ENGINE.session(o -> o.maxTokens(2))) {
      session.generate(PROMPT);
      session.generate(" and");
      session.stream(" then").count();
      for (Event event : session.events(" so")) {
        equal(false, event.token() == IDS[0]);
      }
      equal(1L, Arrays.stream(session.tokens()).filter(token -> token == IDS[0]).count());
    }
  }

  /** Takes what comes, and asks for as much as it is told to. */
  static final class Taker<T> implements Flow.Subscriber<T> {
    final List<T> items = new ArrayList<>();
    final CountDownLatch over = new CountDownLatch(1);
    volatile Flow.Subscription subscription;
    volatile Throwable error;

    @Override
    public void onSubscribe(Flow.Subscription to) {
      subscription = to;
    }

    @Override
    public synchronized void onNext(T item) {
      items.add(item);
      notifyAll();
    }

    @Override
    public void onError(Throwable thrown) {
      error = thrown;
      over.countDown();
    }

    @Override
    public void onComplete() {
      over.countDown();
    }

    synchronized void awaitItems(int count) throws InterruptedException {
      while (items.size() < count) {
        wait(10_000);
      }
    }
  }

  static void b25NothingIsComputedAhead() throws Exception {
    try (Session session = ENGINE.session(o -> o.maxTokens(100))) {
      session.stream(PROMPT).iterator().next();
      equal(1L, session.stats().tokensGenerated());
      session.reset();
      Taker<Event> taker = new Taker<>();
      session.publisher(PROMPT).subscribe(taker);
      taker.subscription.request(3);
      taker.awaitItems(3);
      Thread.sleep(50);
      equal(4L, session.stats().tokensGenerated());
      taker.subscription.cancel();
      session.reset();
    }
  }

  static void publisherToTheEnd() throws Exception {
    try (Session session = ENGINE.session(o -> o.maxTokens(16))) {
      Taker<Event> taker = new Taker<>();
      session.publisher(PROMPT).subscribe(taker);
      taker.subscription.request(Long.MAX_VALUE);
      holds(taker.over.await(20, TimeUnit.SECONDS));
      equal(TEXT, taker.items.stream().map(Event::text).collect(Collectors.joining()));
      equal(null, taker.error);
      Taker<Event> wrong = new Taker<>();
      session.publisher(PROMPT).subscribe(wrong);
      wrong.subscription.request(0);
      holds(wrong.over.await(20, TimeUnit.SECONDS) && wrong.error instanceof IllegalArgumentException);
    }
  }

  private static String warm(long seed) {
    try (Session session = ENGINE.session(o -> o.maxTokens(16).temperature(1).seed(seed))) {
      return session.generate(PROMPT);
    }
  }

  static void b26Seeds() {
    equal(warm(7), warm(7));
    holds(!warm(7).equals(warm(8)));
  }
}
