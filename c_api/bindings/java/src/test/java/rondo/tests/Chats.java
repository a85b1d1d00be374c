package rondo.tests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static rondo.tests.Tests.ENGINE;
import static rondo.tests.Tests.IDS;
import static rondo.tests.Tests.MODEL;
import static rondo.tests.Tests.equal;
import static rondo.tests.Tests.fails;
import static rondo.tests.Tests.file;
import static rondo.tests.Tests.holds;
import static rondo.tests.Tests.options;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import rondo.Calls;
import rondo.Channel;
import rondo.Chat;
import rondo.ChatParser;
import rondo.ChatPart;
import rondo.ChatPartKind;
import rondo.ChatThinking;
import rondo.Engine;
import rondo.Event;
import rondo.Grammar;
import rondo.GrammarBegin;
import rondo.GrammarKind;
import rondo.GrammarOptions;
import rondo.Message;
import rondo.Model;
import rondo.Reason;
import rondo.Reply;
import rondo.Session;
import rondo.SessionOptions;
import rondo.Status;
import rondo.ToolCall;

/** b27 to b30. */
final class Chats {
  private static final Message ASK = Message.user("How is the weather?");
  private static final String TOOLS = "[{\"type\": \"function\", \"function\": {\"name\": \"weather\","
      + "\"parameters\": {\"type\": \"object\", \"properties\": {\"city\": {\"enum\": [\"Rome\","
      + "\"Oslo\"]}}, \"required\": [\"city\"], \"additionalProperties\": false}}}]";

  /** With a template that knows functions and thoughts. */
  private static final Model CALLING = Model.open(file("CALLING"));
  private static final Engine CALLS = CALLING.engine(options().build());

  private Chats() {}

  static void b27Answers() {
    try (Session session = CALLS.session(o -> o.maxTokens(12))) {
      session.prefill(IDS); // is taken back
      Reply reply = session.chat(Message.system("Be \"brief\"\n"), ASK);
      equal(Reason.TOKEN_LIMIT, reply.reason());
      String parts = session.chatStream(Message.system("Be \"brief\"\n"), ASK)
          .filter(part -> part.kind() == ChatPartKind.CONTENT).map(ChatPart::text).collect(Collectors.joining());
      equal(parts, reply.text());
      holds(!parts.isEmpty() && reply.calls().isEmpty() && reply.thinking().isEmpty());
      session.reset();
      equal(parts, session.generate(CALLING.chatIds(Chat.of(Message.system("Be \"brief\"\n"), ASK))));
      equal(parts, session.chatAsync(Chat.of(Message.system("Be \"brief\"\n"), ASK)).join().text());
    }
  }

  private static String said(String... stop) {
    try (Session session = CALLS.session(o -> o.maxTokens(12).stop(stop))) {
      return session.chat(ASK).text();
    }
  }

  static void b27StopStrings() {
    String whole = said();
    whole.codePoints().distinct().mapToObj(Character::toString).forEach(
        letter -> equal(whole.substring(0, whole.indexOf(letter)), said(letter)));
  }

  static void b28UnknownChatOption() {
    holds(Compiled.error("Chat.builder().toolz(\"\")").contains("toolz"));
    holds(Compiled.error("session.chat(5)").contains("chat"));
    fails(NullPointerException.class, "content", () -> Message.user(null));
    fails(NullPointerException.class, "chat", () -> MODEL.chatIds(null));
  }

  static void templates() {
    fails(Status.UNSUPPORTED, "", () -> MODEL.renderChat(Chat.of(ASK)));
    Chat chat = Chat.builder(Message.user("Grüße")).template("{{ messages[0].content }}{{ tail }}")
        .variables("{\"tail\": \"!\"}").build();
    equal("Grüße!", MODEL.renderChat(chat));
    equal(MODEL.tokenize("Grüße!", false), MODEL.chatIds(chat));
    equal(List.of(), MODEL.chatTemplateNames());
    fails(Status.INVALID_ARGUMENT, "", () -> MODEL.chatTemplate("default"));
    fails(Status.INVALID_ARGUMENT, "byte", () -> MODEL.renderChat(Chat.json("[").template("x").build()));
    String all = CALLING.renderChat(Chat.of(ASK, Message.assistant("", List.of(
        new ToolCall("1", "weather", "{\"city\": \"Rome\"}"))), Message.tool("{\"sky\": \"clear\"}")));
    holds(all.contains("{\"name\": \"weather\", \"arguments\": {\"city\": \"Rome\"}}") && all.contains("sky"));
    for (boolean plain : new boolean[] {true, false}) {
      int[] ids = CALLING.chatIds(Chat.builder(Message.user("<|pad|>")).plainContent(plain).build());
      equal(plain ? 0L : 1L, Arrays.stream(ids).filter(id -> id == 2).count());
    }
  }

  static void b29CallsParse() {
    Chat chat = Chat.builder(ASK).tools(TOOLS).build();
    try (Grammar rules = CALLING.grammar(GrammarKind.GBNF, CALLING.chatGrammar(chat, Calls.ONE, "weather"));
         Session session = CALLS.session(o -> o.grammar(rules))) {
      Reply reply = session.chat(chat);
      equal(1, reply.calls().size());
      equal("weather", reply.calls().get(0).name());
      holds(reply.calls().get(0).arguments().matches("\\{\\s*\"city\"\\s*:\\s*\"(Rome|Oslo)\"\\s*\\}"));
      equal(reply.calls(), reply.message().calls());
    }
    try (Grammar begun = CALLING.grammar(GrammarKind.PATTERN, "<tool_ca");
         Session undecided = CALLS.session(o -> o.grammar(begun));
         Session silent = CALLS.session(o -> o.logitBias(java.util.Map.of(1, 1e9f)))) {
      equal("<tool_ca", undecided.chat(chat).text()); // looks like a call to its end
      equal(0L, silent.chatStream(chat).count()); // the end is no content
    }
    fails(Status.INVALID_ARGUMENT, "absent", () -> CALLING.chatGrammar(chat, Calls.AUTO, "absent"));
    ChatThinking around = CALLING.chatThinking(chat);
    equal("<think> </think>", around.begin().strip() + " " + around.end().strip());
  }

  private static String textOf(List<ChatPart> parts, ChatPartKind kind) {
    return parts.stream().filter(part -> part.kind() == kind).map(ChatPart::text).collect(Collectors.joining());
  }

  static void answersInPieces() {
    String answer = "<think>\nso\n</think>\n\nGrüße<tool_call>\n"
        + "{\"name\": \"weather\", \"arguments\": {\"city\": \"Rome\"}}\n</tool_call>";
    try (ChatParser parser = CALLING.chatParser(Chat.builder(ASK).tools(TOOLS).build())) {
      for (int i = 0; i < 2; ++i) {
        List<ChatPart> parts = new ArrayList<>();
        for (byte one : answer.getBytes(UTF_8)) {
          parser.push(new byte[] {one}, false);
          parts.addAll(parser.parts());
        }
        parser.push(new byte[0], true);
        parts.addAll(parser.parts());
        equal("so", textOf(parts, ChatPartKind.THINKING));
        equal("Grüße", textOf(parts, ChatPartKind.CONTENT));
        String arguments = "{\"city\": \"Rome\"}";
        equal(arguments, textOf(parts, ChatPartKind.ARGUMENTS));
        equal(new ChatPart(ChatPartKind.CALL_END, "", 0, "weather", "", arguments), parts.get(parts.size() - 1));
        fails(Status.INVALID_ARGUMENT, "", () -> parser.push(new byte[] {'m'}, false));
        parser.reset();
      }
    }
    fails(Status.UNSUPPORTED, "", () -> MODEL.chatParser(
        Chat.builder(ASK).tools(TOOLS).template("{{ messages[0].content }}").build()));
  }

  private static final String PERSON = "{\"type\":\"object\",\"properties\":{"
      + "\"name\":{\"type\":\"string\",\"maxLength\":12},"
      + "\"age\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":130}},"
      + "\"required\":[\"name\",\"age\"]}";

  private static String warm(Consumer<SessionOptions.Builder> options) {
    try (Session session = ENGINE.session(options.andThen(o -> o.temperature(1).seed(7)))) {
      List<Event> events = session.stream(IDS).toList();
      Reason reason = events.get(events.size() - 1).reason();
      holds(reason == Reason.GRAMMAR || reason == Reason.EOS);
      return events.stream().map(Event::text).collect(Collectors.joining());
    }
  }

  /** The language has no JSON: this is all that PERSON allows with oneSpace. */
  static void b30JsonByASchema() {
    String said = warm(o -> o.jsonSchema(PERSON));
    Matcher person = Pattern.compile("\\{\"name\": \"((?:[^\"\\\\\\x00-\\x1f]|\\\\[^u]|\\\\u....){0,12})\""
        + ", \"age\": (-?[0-9]{1,3})\\}").matcher(said);
    holds(person.matches());
    int age = Integer.parseInt(person.group(2));
    holds(age >= 0 && age <= 130);
    GrammarOptions usual = GrammarOptions.builder().oneSpace(true).namedOnly(true).build();
    Session session;
    try (Grammar grammar = MODEL.grammar(GrammarKind.JSON_SCHEMA, PERSON, usual)) {
      equal(said, warm(o -> o.grammar(grammar)));
      session = ENGINE.session(o -> o.grammar(grammar).temperature(1).seed(7));
      fails(IllegalArgumentException.class, "one", () -> ENGINE.session(o -> o.grammar(grammar).jsonSchema(PERSON)));
    }
    equal(said, session.generate(IDS)); // the session goes on
    session.close();
    String both = "{\"type\":\"object\",\"properties\":{\"a\":{\"enum\":[1]},\"b\":{\"enum\":[2]}},"
        + "\"required\":[\"a\",\"b\"],\"additionalProperties\":false}";
    for (boolean any : new boolean[] {false, true}) {
      GrammarOptions dense = GrammarOptions.builder().noSpaces(true).anyOrder(any).build();
      try (Grammar grammar = MODEL.grammar(GrammarKind.JSON_SCHEMA, both, dense)) {
        equal(any ? "{\"b\":2,\"a\":1}" : "{\"a\":1,\"b\":2}", warm(o -> o.grammar(grammar)));
      }
    }
    String pointer = "#/properties/a/uniqueItems";
    fails(Status.UNSUPPORTED, pointer,
        () -> ENGINE.session(o -> o.jsonSchema("{\"properties\":{\"a\":{\"uniqueItems\":true}}}")));
  }

  static void patternsRulesAndWhereTheyBegin() {
    try (Grammar rules = MODEL.grammar(GrammarKind.GBNF, "root ::= \"sky\" | \"sea\"");
         Session session = ENGINE.session(o -> o.grammar(rules))) {
      holds(session.generate(IDS).matches("sky|sea"));
    }
    GrammarOptions few = GrammarOptions.builder().memoryBytes(1 << 20).build();
    holds(MODEL.planGrammar(GrammarKind.PATTERN, "a", few)
        < MODEL.planGrammar(GrammarKind.PATTERN, "a", GrammarOptions.builder().build()));
    Event first;
    try (Session session = ENGINE.session(o -> o.maxTokens(1))) {
      session.prefill(IDS);
      first = session.next();
    }
    try (Grammar letters = MODEL.grammar(GrammarKind.PATTERN, "[ab]{3}")) {
      Consumer<SessionOptions.Builder> options = o -> o.maxTokens(16).grammar(letters)
          .grammarBegin(GrammarBegin.AFTER_TOKEN).grammarToken(first.token());
      try (Session session = ENGINE.session(options);
           Session more = ENGINE.session(options.andThen(o -> o.grammarGoesOn(true)))) {
        String whole = session.generate(IDS);
        holds(whole.matches(Pattern.quote(first.text()) + "[ab]{3}"));
        String longer = more.generate(IDS);
        holds(longer.startsWith(whole) && longer.length() > whole.length());
      }
    }
  }

  private static List<Channel> channelsOf(Consumer<SessionOptions.Builder> options) {
    try (Session session = ENGINE.session(options.andThen(o -> o.temperature(1).seed(3).maxTokens(32)))) {
      return session.stream("Lily saw her mom").map(Event::channel).toList();
    }
  }

  static void thoughts() {
    equal(List.of(Channel.TEXT), channelsOf(o -> { }).stream().distinct().toList());
    Consumer<SessionOptions.Builder> words = o -> o.thinking(true).thinkingTexts(" mom", " day.\n");
    equal(Channel.THINKING, channelsOf(words).get(0));
    int thought = channelsOf(words.andThen(o -> o.thinkingTokens(1))).indexOf(Channel.TEXT);
    holds(thought > 0 && thought < 8);
    fails(Status.UNSUPPORTED, "chat template", () -> channelsOf(o -> o.thinking(true)));
  }
}
