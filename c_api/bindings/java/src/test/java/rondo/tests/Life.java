package rondo.tests;

import static rondo.tests.Tests.ENGINE;
import static rondo.tests.Tests.IDS;
import static rondo.tests.Tests.MODEL;
import static rondo.tests.Tests.PROMPT;
import static rondo.tests.Tests.TEXT;
import static rondo.tests.Tests.closed;
import static rondo.tests.Tests.equal;
import static rondo.tests.Tests.file;
import static rondo.tests.Tests.holds;
import static rondo.tests.Tests.options;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.stream.Stream;
import rondo.Chat;
import rondo.ChatParser;
import rondo.Engine;
import rondo.Grammar;
import rondo.GrammarKind;
import rondo.Message;
import rondo.Model;
import rondo.RondoException;
import rondo.Session;

/** b41 to b47. */
final class Life {
  private Life() {}

  static void b41ClosingTwice() {
    Session session = ENGINE.session();
    session.close();
    session.close();
    holds(session.isClosed());
    equal(0, ENGINE.stats().sessionsOpen());
  }

  /** An argument that would be fine, or one that is not. */
  private static Object argument(Class<?> type, boolean fine) {
    if (type == int.class) {
      return fine ? 1 : Integer.MIN_VALUE;
    }
    if (type == long.class) {
      return fine ? 1L : Long.MAX_VALUE;
    }
    if (type == boolean.class) {
      return true;
    }
    if (!fine) {
      return null;
    }
    return Map.of(String.class, "a", int[].class, IDS, byte[].class, new byte[9], long[].class, new long[1],
        List.class, List.of(), Chat.class, Chat.of(Message.user("a")), Message[].class,
        new Message[] {Message.user("a")}).get(type);
  }

  /** What a method's result throws where that is lazy, or the method itself. */
  private static Throwable thrown(Object by, Method method, boolean fine) throws Exception {
    try {
      Object result = method.invoke(by, Arrays.stream(method.getParameterTypes())
          .map(type -> argument(type, fine)).toArray());
      if (result instanceof Stream<?> stream) {
        stream.findFirst();
      } else if (result instanceof CompletableFuture<?> future) {
        future.join();
      } else if (result instanceof Iterable<?> events && !(result instanceof List<?>)) {
        events.iterator().next();
      } else if (result instanceof Flow.Publisher<?> publisher) {
        Texts.Taker<Object> taker = new Texts.Taker<>();
        publisher.subscribe(taker);
        taker.subscription.request(Long.MAX_VALUE);
        taker.over.await();
        return taker.error;
      }
      return null;
    } catch (InvocationTargetException | CompletionException error) {
      return error.getCause();
    } catch (RuntimeException error) {
      return error;
    }
  }

  private static List<Method> methodsOf(Object object) {
    Set<String> free = Set.of("close", "isClosed");
    return Arrays.stream(object.getClass().getMethods())
        .filter(method -> !free.contains(method.getName()) && !Modifier.isStatic(method.getModifiers())
            && method.getDeclaringClass() != Object.class)
        .toList();
  }

  /** Every public method. */
  private static void allRefuse(Object closed) throws Exception {
    for (Method method : methodsOf(closed)) {
      Throwable error = thrown(closed, method, true);
      boolean told = error instanceof IllegalStateException && error.getMessage().contains("closed");
      boolean ofOthers = error instanceof NullPointerException || error instanceof IllegalArgumentException;
      if (!told && !ofOthers) {
        throw new AssertionError(method + " goes on: " + error, error);
      }
    }
  }

  /** With nothing where something is needed, and with numbers far off. */
  static void b42WrongArgumentsAreRefused() throws Exception {
    try (Model model = Model.open(file("CALLING")); Engine engine = model.engine(options().build());
         Session session = engine.session(o -> o.maxTokens(2));
         ChatParser parser = model.chatParser(Chat.of(Message.user("a")))) {
      for (Object one : List.of(session, parser, engine, model)) {
        for (Method method : methodsOf(one)) {
          Throwable error = thrown(one, method, false);
          holds(error == null || error instanceof RuntimeException);
          holds(error != null || Arrays.stream(method.getParameterTypes()).allMatch(Class::isPrimitive)
              || method.getParameterCount() == 1);
        }
      }
      session.reset();
      holds(session.generate(PROMPT).length() > 0);
    }
  }

  static void b42ClosedIsRefused() throws Exception {
    Model model = Model.open(file("CALLING"));
    Engine engine = model.engine(options().build());
    Session session = engine.session();
    ChatParser parser = model.chatParser(Chat.of(Message.user("a")));
    for (AutoCloseable one : List.of(session, parser, engine, model)) {
      one.close();
      allRefuse(one);
    }
    Grammar grammar = MODEL.grammar(GrammarKind.PATTERN, "a");
    grammar.close();
    closed(() -> ENGINE.session(o -> o.grammar(grammar)));
  }

  static void b43AnyOrder() {
    Model model = Model.open(file("MODEL"));
    Engine engine = model.engine(options().build());
    Session session = engine.session(o -> o.maxTokens(16));
    model.close();
    engine.close();
    equal(TEXT, session.generate(PROMPT)); // tokenizes, too
    try (Session fork = session.fork()) {
      holds(fork.position() > 0);
    }
    session.close();
    closed(() -> session.generate(PROMPT));
  }

  static void b43CloseUnderACall() throws Exception {
    try (Engine slow = MODEL.engine(options().dutyPercent(1).maxRows(1).noPrefixCache(true).build())) {
      Session session = slow.session();
      Throwable[] ended = new Throwable[1];
      Thread worker = new Thread(() -> {
        try {
          session.prefill(new int[240]); // some ten seconds
        } catch (RondoException | IllegalStateException error) {
          ended[0] = error;
        }
      });
      worker.start();
      Thread.sleep(60);
      session.close();
      worker.join(3_000);
      holds(ended[0] != null);
      equal(0, slow.stats().sessionsOpen());
    }
  }

  static void b44LogitsAreACopy() {
    float[] logits;
    float[] same;
    try (Model model = Model.open(file("MODEL")); Engine engine = model.engine(options().build());
         Session session = engine.session()) {
      session.prefill(IDS);
      logits = session.logits();
      same = logits.clone();
      session.next();
      session.logits();
      equal(same, logits);
    }
    equal(same, logits);
    try (Session session = ENGINE.session()) {
      float[] last = new float[1];
      session.prefillLogits(IDS, (index, row) -> last[0] = row[7]);
      equal(last[0], logits[7]);
      int best = 0;
      for (int i = 0; i < 2048; ++i) {
        best = logits[i] > logits[best] ? i : best;
      }
      equal(best, session.next().token());
    }
  }

  private static long residentPages() throws Exception {
    return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]);
  }

  static void b45WhatNobodyHolds() throws Exception {
    long before = 0;
    for (int i = 0; i < 250; ++i) {
      if (i == 100) {
        before = residentPages();
      }
      Engine engine = MODEL.engine(options().build());
      Session session = engine.session();
      session.prefill(IDS);
    }
    long grown = (residentPages() - before) * 4096;
    if (grown > 300L << 20) { // unclosed they are 750 MB and more
      throw new AssertionError("it has grown by " + (grown >> 20) + " MB");
    }
  }

  static void b46NoCopies() {
    holds(Compiled.error("session.clone()").contains("clone()"));
    for (Class<?> type : List.of(Model.class, Engine.class, Session.class)) {
      holds(!java.io.Serializable.class.isAssignableFrom(type) && Modifier.isFinal(type.getModifiers()));
    }
    Session session = ENGINE.session();
    Session same = session;
    same.close();
    closed(session::position);
    session.close();
  }

  static void b47TryCloses() {
    Session held;
    try (Session session = ENGINE.session()) {
      held = session;
      equal(1, ENGINE.stats().sessionsOpen());
    }
    equal(0, ENGINE.stats().sessionsOpen());
    closed(held::position);
  }
}
