package rondo;

import java.util.LinkedHashMap;
import java.util.Map;

/** Options that were said, by their names: what was said last counts. Written to a struct of C's for each
 * call. */
final class Said<S> {
  /** Writes one. */
  interface Setting<S> {
    void write(S to, Scratch scratch);
  }

  private final Map<String, Setting<S>> settings = new LinkedHashMap<>();

  void put(String option, Setting<S> setting) {
    settings.put(option, setting);
  }

  boolean has(String option) {
    return settings.containsKey(option);
  }

  Said<S> copy() {
    Said<S> other = new Said<>();
    other.settings.putAll(settings);
    return other;
  }

  void write(S to, Scratch scratch) {
    settings.values().forEach(setting -> setting.write(to, scratch));
  }

  @Override
  public String toString() {
    return settings.keySet().toString();
  }
}
