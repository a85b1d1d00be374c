package rondo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A call that failed. */
public final class RondoException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private static final Map<String, String> HERE = new HashMap<>();
  private static final Pattern NAMES;

  static {
    for (String[] both : Names.ALL) {
      HERE.put(both[0], both[1]);
    }
    // A word of a sentence, no part of a file's name.
    NAMES = Pattern.compile("(?<![\\w/\\\\.-])(" + String.join("|", HERE.keySet()) + ")(?![\\w/\\\\-])");
  }

  private final int code;

  RondoException(int code, String message) {
    super(message.isEmpty() ? new String(Raw.rondo_status_string(code), UTF_8) : here(message));
    this.code = code;
  }

  /** What `call` gives, which has no sentence of its own where it fails: what its statuses mean there. */
  static String explained(java.util.function.Supplier<String> call, Map<Status, String> sentences) {
    try {
      return call.get();
    } catch (RondoException failure) {
      String sentence = sentences.get(failure.status());
      throw sentence == null ? failure : new RondoException(failure.code, sentence);
    }
  }

  /** The library's sentence with options as they are called here. */
  private static String here(String message) {
    Matcher found = NAMES.matcher(message);
    StringBuffer text = new StringBuffer();
    while (found.find()) {
      found.appendReplacement(text, HERE.get(found.group(1)));
    }
    return found.appendTail(text).toString();
  }

  /** What kind of failure. */
  public Status status() {
    return Status.of(code);
  }

  /** The status as a number, also where this version does not know it. */
  public int code() {
    return code;
  }
}
