package rondo;

import java.time.LocalDateTime;
import java.time.ZoneOffset;

/** What a conversation is rendered from. Texts are JSON, but for the template. */
public final class Chat {
  final Raw.ChatOptions raw = new Raw.ChatOptions();
  private int prompt = Raw.CHAT_ADD_GENERATION_PROMPT;
  private int content = Raw.CHAT_PLAIN_CONTENT;

  /** messages: [{"role": "user", "content": "Hello!"}, ...] */
  public Chat(String messages) {
    Rondo.check(Rondo.RAW.rondo_chat_options_init(raw, new SizeT(raw.size())));
    byte[] bytes = Memories.utf8(messages);
    raw.messages = Memories.of(bytes);
    raw.messages_bytes = new SizeT(bytes.length);
    raw.flags = prompt | content;
  }

  /** The functions that the model may call: a list of JSON schemas. */
  public Chat tools(String json) {
    byte[] bytes = Memories.utf8(json);
    raw.tools = Memories.of(bytes);
    raw.tools_bytes = new SizeT(bytes.length);
    return this;
  }

  /** An object: more names for the template. */
  public Chat variables(String json) {
    byte[] bytes = Memories.utf8(json);
    raw.variables = Memories.of(bytes);
    raw.variables_bytes = new SizeT(bytes.length);
    return this;
  }

  /** Jinja, in place of the model's own. */
  public Chat template(String jinja) {
    byte[] bytes = Memories.utf8(jinja);
    raw.template_text = Memories.of(bytes);
    raw.template_bytes = new SizeT(bytes.length);
    return this;
  }

  public Chat templateName(String name) {
    raw.template_name = Memories.zeroTerminated(name);
    return this;
  }

  /** False: the text does not end where the assistant's answer begins. */
  public Chat addGenerationPrompt(boolean add) {
    prompt = add ? Raw.CHAT_ADD_GENERATION_PROMPT : 0;
    raw.flags = prompt | content;
    return this;
  }

  /** The text ends inside of the last message, which the model goes on with. */
  public Chat continueFinal() {
    prompt = Raw.CHAT_CONTINUE_FINAL;
    raw.flags = prompt | content;
    return this;
  }

  /** True, the default: only what the template itself wrote becomes special tokens. False: also their
   * texts in messages. */
  public Chat plainContent(boolean plain) {
    content = plain ? Raw.CHAT_PLAIN_CONTENT : 0;
    raw.flags = prompt | content;
    return this;
  }

  /** What the clock on the wall shows. */
  public Chat localTime(LocalDateTime time) {
    raw.local_time = time.toEpochSecond(ZoneOffset.UTC);
    return this;
  }
}
