package rondo;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Takes an answer as it comes, cut anywhere, and hands out its parts. Made by Model.chatParser. One call
 * at a time. */
public final class ChatParser extends Handle {
  private static final Raw RAW = Rondo.RAW;

  /** The call that is being written. */
  private String name = "";
  private String id = "";
  private final StringBuilder arguments = new StringBuilder();

  private ChatParser(Pointer handle) {
    super(handle, RAW::rondo_chat_parser_close);
  }

  static ChatParser create(Model model, Chat chat) {
    PointerByReference parser = new PointerByReference();
    Rondo.checkMessage((message, bytes) -> model.call(
        handle -> RAW.rondo_chat_parser_create(handle, chat.raw, parser, message, bytes)));
    return new ChatParser(parser.getValue());
  }

  /** Gives the answer's next bytes, those of events. last: there are no more behind them. */
  public void push(byte[] bytes, boolean last) {
    Rondo.check(call(parser
        -> RAW.rondo_chat_parser_push(parser, bytes, new SizeT(bytes.length), last ? 1 : 0)));
  }

  /** What was not handed out yet, as far as it is known what it is. */
  public List<ChatPart> parts() {
    return with(parser -> {
      List<ChatPart> parts = new ArrayList<>();
      for (Raw.ChatPart raw = new Raw.ChatPart();;) {
        Rondo.check(RAW.rondo_chat_parser_next(parser, raw));
        if (raw.kind == ChatPartKind.NONE.value) {
          return parts;
        }
        parts.add(told(raw));
      }
    });
  }

  private ChatPart told(Raw.ChatPart raw) {
    ChatPartKind kind = ChatPartKind.of(raw.kind);
    String text = text(raw.text, raw.text_bytes);
    if (kind == ChatPartKind.CALL) {
      name = text(raw.name, raw.name_bytes);
      id = text(raw.id, raw.id_bytes);
      arguments.setLength(0);
    } else if (kind == ChatPartKind.ARGUMENTS) {
      arguments.append(text);
    }
    boolean ended = kind == ChatPartKind.CALL_END;
    boolean named = ended || kind == ChatPartKind.CALL;
    return new ChatPart(kind, text, raw.call, named ? name : "", named ? id : "",
        ended ? arguments.toString() : "");
  }

  private static String text(Pointer start, SizeT count) {
    return new String(start.getByteArray(0, count.intValue()), StandardCharsets.UTF_8);
  }

  /** As it was made, for another answer. */
  public void reset() {
    Rondo.check(call(RAW::rondo_chat_parser_reset));
  }

  /** What an event of the answer brings. */
  List<ChatPart> take(Event event) {
    push(event.reason() == Reason.EOS ? new byte[0] : event.bytes(), event.reason() != Reason.NONE);
    return parts();
  }
}
