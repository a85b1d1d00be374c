package rondo;

/** Writes texts as JSON. */
final class Json {
  private Json() {}

  static void write(StringBuilder json, String text) {
    json.append('"');
    for (int i = 0; i < text.length(); ++i) {
      char one = text.charAt(i);
      if (one == '"' || one == '\\') {
        json.append('\\').append(one);
      } else if (one < 0x20) {
        json.append(String.format("\\u%04x", (int) one));
      } else {
        json.append(one);
      }
    }
    json.append('"');
  }
}
