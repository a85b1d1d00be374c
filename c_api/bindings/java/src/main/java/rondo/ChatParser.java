package rondo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Takes an answer as it comes, cut anywhere, and hands out its parts. Made by Model.chatParser. One call
 * at a time; a second one waits. */
public final class ChatParser extends Handle {
  /** The call that is being written. */
  private String name = "";
  private String id = "";
  private final StringBuilder arguments = new StringBuilder();

  private ChatParser(long handle) {
    super(handle, Raw::rondo_chat_parser_close);
  }

  static ChatParser create(long model, Chat chat) {
    try (Scratch scratch = new Scratch()) {
      ByteBuffer parser = scratch.pointer();
      Check.given("chat", chat).status(scratch, (options, message, bytes)
          -> Raw.rondo_chat_parser_create(model, options, parser, message, bytes));
      return new ChatParser(Scratch.pointer(parser));
    }
  }

  /** Gives the answer's next bytes, those of events. last: there are no more behind them. */
  public synchronized void push(byte[] bytes, boolean last) {
    try (Scratch scratch = new Scratch()) {
      ByteBuffer from = scratch.bytes(bytes);
      Rondo.check(call(parser -> Raw.rondo_chat_parser_push(parser, from, bytes.length, last ? 1 : 0)));
    }
  }

  /** What was not handed out yet, as far as it is known what it is. */
  public synchronized List<ChatPart> parts() {
    return with(parser -> {
      List<ChatPart> parts = new ArrayList<>();
      try (Scratch scratch = new Scratch()) {
        Structs.ChatPart part = new Structs.ChatPart(scratch);
        for (;;) {
          Rondo.check(Raw.rondo_chat_parser_next(parser, part.bytes));
          if (part.kind() == ChatPartKind.NONE.value) {
            return parts;
          }
          parts.add(told(part));
        }
      }
    });
  }

  private ChatPart told(Structs.ChatPart part) {
    ChatPartKind kind = ChatPartKind.of(part.kind());
    String text = Natives.text(part.text(), part.textBytes());
    if (kind == ChatPartKind.CALL) {
      name = Natives.text(part.name(), part.nameBytes());
      id = Natives.text(part.id(), part.idBytes());
      arguments.setLength(0);
    } else if (kind == ChatPartKind.ARGUMENTS) {
      arguments.append(text);
    }
    boolean ended = kind == ChatPartKind.CALL_END;
    boolean named = ended || kind == ChatPartKind.CALL;
    return new ChatPart(kind, text, part.call(), named ? name : "", named ? id : "",
        ended ? arguments.toString() : "");
  }

  /** As it was made, for another answer. */
  public synchronized void reset() {
    Rondo.check(call(Raw::rondo_chat_parser_reset));
  }

  /** What an event of the answer brings. */
  List<ChatPart> take(Event event) {
    byte[] said = event.reason() == Reason.EOS ? new byte[0] : event.bytes();
    if (event.reason() == Reason.STOP_STRING) { // of the token that completes it, what is before it
      byte[] before = event.text().getBytes(UTF_8);
      boolean begins = Arrays.equals(before, Arrays.copyOf(said, before.length));
      said = begins ? before : new byte[0];
    }
    push(said, event.reason() != Reason.NONE);
    return parts();
  }
}
