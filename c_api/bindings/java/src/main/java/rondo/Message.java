package rondo;

import java.util.List;

/**
 * A message of a conversation.
 *
 * @param role "system", "user", "assistant" or "tool"
 * @param content its text
 * @param calls of an assistant's message: the functions that it called
 * @param pictures that are shown before the text
 */
public record Message(String role, String content, List<ToolCall> calls, List<Media> pictures) {
  /** None of it is null. */
  public Message {
    Check.given("role", role);
    Check.given("content", content);
    calls = List.copyOf(calls);
    pictures = List.copyOf(pictures);
  }

  /** What the answers are to be like. */
  public static Message system(String content) {
    return new Message("system", content, List.of(), List.of());
  }

  /** What a person says, and the pictures shown with it. */
  public static Message user(String content, Media... pictures) {
    return new Message("user", content, List.of(), List.of(pictures));
  }

  /** What the model said. */
  public static Message assistant(String content) {
    return assistant(content, List.of());
  }

  /** What the model said, and called. */
  public static Message assistant(String content, List<ToolCall> calls) {
    return new Message("assistant", content, calls, List.of());
  }

  /** What a function gave. */
  public static Message tool(String content) {
    return new Message("tool", content, List.of(), List.of());
  }

  /** As templates read it. */
  void write(StringBuilder json) {
    json.append("{\"role\": ");
    Json.write(json, role);
    json.append(", \"content\": ");
    if (pictures.isEmpty()) {
      Json.write(json, content);
    } else {
      json.append('[').append("{\"type\": \"image\"}, ".repeat(pictures.size()));
      json.append("{\"type\": \"text\", \"text\": ");
      Json.write(json, content);
      json.append("}]");
    }
    String between = ", \"tool_calls\": [";
    for (ToolCall call : calls) {
      json.append(between).append("{\"type\": \"function\", \"function\": {\"name\": ");
      Json.write(json, call.name());
      json.append(", \"arguments\": ").append(call.arguments()).append('}');
      if (!call.id().isEmpty()) {
        json.append(", \"id\": ");
        Json.write(json, call.id());
      }
      json.append('}');
      between = ", ";
    }
    json.append(calls.isEmpty() ? "}" : "]}");
  }
}
