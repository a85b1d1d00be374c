package rondo.tests;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import rondo.Engine;
import rondo.EngineOptions;
import rondo.Model;
import rondo.RondoException;
import rondo.Session;
import rondo.Status;

/** A program that needs no test library: runs the methods of the classes below. A method that a behaviour of
 * behaviours.md is about begins with its number. */
public final class Tests {
  static final String PROMPT = "Today's weather is so";
  static final Model MODEL = Model.open(file("MODEL"));
  static final Engine ENGINE = MODEL.engine(options().build());
  static final int[] IDS = MODEL.tokenize(PROMPT);
  static final String TEXT = textOf(PROMPT);

  private Tests() {}

  static String file(String name) {
    return System.getenv("RONDO_TEST_" + name);
  }

  static EngineOptions.Builder options() {
    return EngineOptions.builder().context(256).maxSessions(4);
  }

  /** Of 16 tokens. */
  static String textOf(String prompt) {
    try (Session session = ENGINE.session(o -> o.maxTokens(16))) {
      return session.generate(prompt);
    }
  }

  static void equal(Object expected, Object actual) {
    if (!Objects.deepEquals(expected, actual)) {
      throw new AssertionError("expected " + expected + ", got " + actual);
    }
  }

  static void holds(boolean condition) {
    equal(true, condition);
  }

  /** What `call` throws, which has these words in its sentence. */
  static <T extends Throwable> T fails(Class<T> type, String words, Code call) {
    try {
      call.run();
    } catch (Throwable error) {
      if (!type.isInstance(error) || !String.valueOf(error.getMessage()).contains(words)) {
        throw new AssertionError("it should fail otherwise, with " + type + ": " + words, error);
      }
      return type.cast(error);
    }
    throw new AssertionError("it should fail: " + words);
  }

  static void fails(Status status, String words, Code call) {
    equal(status, fails(RondoException.class, words, call).status());
  }

  static void closed(Code call) {
    fails(IllegalStateException.class, "closed", call);
  }

  /** Anything. */
  interface Code {
    void run() throws Throwable;
  }

  public static void main(String[] arguments) throws Throwable {
    List<Class<?>> classes = arguments.length > 0 && arguments[0].equals("newer")
        ? List.of(Newer.class)
        : List.of(Loading.class, Options.class, Texts.class, Chats.class, Kinds.class, Cancels.class,
            Life.class, States.class, Pictures.class);
    String only = arguments.length > 0 && !arguments[0].equals("newer") ? arguments[0] : "";
    int passed = 0;
    int failed = 0;
    for (Class<?> one : classes) {
      Method[] methods = one.getDeclaredMethods();
      Arrays.sort(methods, Comparator.comparing(Method::getName));
      for (Method method : methods) {
        if (method.getParameterCount() > 0 || method.isSynthetic() || method.getReturnType() != void.class
            || java.lang.reflect.Modifier.isPrivate(method.getModifiers())
            || !method.getName().startsWith(only)) {
          continue;
        }
        long begin = System.nanoTime();
        try {
          method.invoke(null);
          ++passed;
        } catch (InvocationTargetException thrown) {
          ++failed;
          System.out.println("FAILED " + one.getSimpleName() + "." + method.getName());
          thrown.getCause().printStackTrace(System.out);
        }
        if (System.getenv("RONDO_TEST_TIMES") != null) {
          System.out.printf("%6d ms %s%n", (System.nanoTime() - begin) / 1_000_000, method.getName());
        }
      }
    }
    System.out.println(passed + " passed, " + failed + " failed");
    System.exit(failed == 0 ? 0 : 1);
  }
}
