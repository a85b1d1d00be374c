package rondo;

import java.nio.ByteBuffer;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** What a conversation is rendered from. Never changes. */
public final class Chat {
  private final String messages;
  private final List<Media> media;
  private final String tools;
  private final String variables;
  private final String template;
  private final String templateName;
  private final int flags;
  private final long localTime;

  private Chat(Builder builder) {
    messages = builder.messages;
    media = builder.media;
    tools = builder.tools;
    variables = builder.variables;
    template = builder.template;
    templateName = builder.templateName;
    flags = builder.prompt | builder.content;
    localTime = builder.localTime;
  }

  /** These messages, without options. */
  public static Chat of(Message... messages) {
    return builder(messages).build();
  }

  /** These messages, to say options. */
  public static Builder builder(Message... messages) {
    return builder(List.of(messages));
  }

  /** The same. */
  public static Builder builder(List<Message> messages) {
    StringBuilder json = new StringBuilder("[");
    List<Media> media = new ArrayList<>();
    for (Message message : messages) {
      json.append(json.length() > 1 ? ", " : "");
      message.write(json);
      media.addAll(message.pictures());
    }
    return new Builder(json.append(']').toString(), media);
  }

  /** Messages as JSON: `[{"role": "user", "content": "Hello!"}, ...]` as the model's makers have it. Its
   * pictures are in the order of its parts {"type": "image"}. */
  public static Builder json(String messages, Media... media) {
    return new Builder(Check.given("messages", messages), List.of(media));
  }

  List<Media> media() {
    return media;
  }

  /** A call that takes (options, ..., message, message_bytes). */
  interface Rendering {
    int call(ByteBuffer options, ByteBuffer message, long messageBytes);
  }

  /** Throws with the message where the call fails otherwise than for want of room. */
  int status(Scratch scratch, Rendering call) {
    Structs.ChatOptions raw = new Structs.ChatOptions(scratch);
    Rondo.check(Raw.rondo_chat_options_init(raw.bytes, Structs.ChatOptions.SIZE));
    raw.flags(flags);
    raw.localTime(localTime);
    raw.messages(addressOf(scratch, messages));
    raw.messagesBytes(sizeOf(messages));
    raw.tools(addressOf(scratch, tools));
    raw.toolsBytes(sizeOf(tools));
    raw.variables(addressOf(scratch, variables));
    raw.variablesBytes(sizeOf(variables));
    raw.templateText(addressOf(scratch, template));
    raw.templateBytes(sizeOf(template));
    raw.templateName(scratch.address(scratch.text("templateName", templateName)));
    int[] status = new int[1];
    Rondo.checkMessage(scratch, (message, bytes) -> {
      status[0] = call.call(raw.bytes, message, bytes);
      return status[0] == Status.BUFFER_TOO_SMALL.value ? Status.OK.value : status[0];
    });
    return status[0];
  }

  private static long addressOf(Scratch scratch, String text) {
    return text == null ? 0 : scratch.address(scratch.bytes(Scratch.utf8(text)));
  }

  private static long sizeOf(String text) {
    return text == null ? 0 : Scratch.utf8(text).length;
  }

  /** Says options, each by a method of its name. */
  public static final class Builder {
    private final String messages;
    private final List<Media> media;
    private String tools;
    private String variables;
    private String template;
    private String templateName;
    private int prompt = Raw.CHAT_ADD_GENERATION_PROMPT;
    private int content = Raw.CHAT_PLAIN_CONTENT;
    private long localTime = Raw.CHAT_NO_CLOCK;

    private Builder(String messages, List<Media> media) {
      this.messages = messages;
      this.media = List.copyOf(media);
    }

    /** The functions that the model may call, as JSON: a list of {"type": "function", ...}. */
    public Builder tools(String tools) {
      this.tools = tools;
      return this;
    }

    /** An object as JSON: more names for the template. */
    public Builder variables(String variables) {
      this.variables = variables;
      return this;
    }

    /** Jinja, in place of the model's own. */
    public Builder template(String template) {
      this.template = template;
      return this;
    }

    /** Which of the model's templates. */
    public Builder templateName(String templateName) {
      this.templateName = templateName;
      return this;
    }

    /** False: the text does not end where the assistant's answer begins. */
    public Builder addGenerationPrompt(boolean addGenerationPrompt) {
      prompt = addGenerationPrompt ? Raw.CHAT_ADD_GENERATION_PROMPT : 0;
      return this;
    }

    /** True: the text ends inside of the last message, which the model goes on with. */
    public Builder continueFinal(boolean continueFinal) {
      prompt = continueFinal ? Raw.CHAT_CONTINUE_FINAL : Raw.CHAT_ADD_GENERATION_PROMPT;
      return this;
    }

    /** True, the default: only what the template itself wrote becomes special tokens. False: also their
     * texts in messages. */
    public Builder plainContent(boolean plainContent) {
      content = plainContent ? Raw.CHAT_PLAIN_CONTENT : 0;
      return this;
    }

    /** What the clock on the wall shows, for templates that write the date; null: no clock. */
    public Builder localTime(LocalDateTime localTime) {
      this.localTime = localTime == null ? Raw.CHAT_NO_CLOCK : localTime.toEpochSecond(ZoneOffset.UTC);
      return this;
    }

    public Chat build() {
      return new Chat(this);
    }
  }
}
