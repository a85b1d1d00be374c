package rondo;

import java.util.ArrayList;
import java.util.List;

/**
 * An answer.
 *
 * @param text the answer itself
 * @param thinking what the model thought before, with the option thinking or by its template
 * @param calls of functions
 * @param reason why it ended
 */
public record Reply(String text, String thinking, List<ToolCall> calls, Reason reason) {
  /** As the next message of the conversation. */
  public Message message() {
    return Message.assistant(text, calls);
  }

  static final class Collector {
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder thinking = new StringBuilder();
    private final List<ToolCall> calls = new ArrayList<>();

    void take(ChatPart part) {
      switch (part.kind()) {
        case CONTENT -> text.append(part.text());
        case THINKING -> thinking.append(part.text());
        case CALL_END -> calls.add(new ToolCall(part.id(), part.name(), part.arguments()));
        default -> { }
      }
    }

    Reply reply(Reason reason) {
      return new Reply(text.toString(), thinking.toString(), List.copyOf(calls), reason);
    }
  }
}
