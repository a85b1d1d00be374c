package rondo.tests;

import static rondo.tests.Tests.ENGINE;
import static rondo.tests.Tests.IDS;
import static rondo.tests.Tests.equal;
import static rondo.tests.Tests.fails;
import static rondo.tests.Tests.file;

import java.util.List;
import rondo.Channel;
import rondo.Chat;
import rondo.ChatParser;
import rondo.ChatPart;
import rondo.ChatPartKind;
import rondo.Event;
import rondo.Model;
import rondo.Reason;
import rondo.Rondo;
import rondo.RondoException;
import rondo.Session;
import rondo.Status;

/** With a library of tomorrow, which tells constants that this version does not know. */
final class Newer {
  private Newer() {}

  static void constants() {
    RondoException error = fails(RondoException.class, "", () -> Rondo.query("of tomorrow"));
    equal(Status.UNKNOWN, error.status());
    equal(1000, error.code());
    try (Session session = ENGINE.session(o -> o.maxTokens(4))) {
      List<Event> events = session.stream(IDS).toList();
      equal(List.of(Reason.NONE, Reason.NONE, Reason.NONE, Reason.UNKNOWN), events.stream().map(Event::reason).toList());
      equal(List.of(Channel.TEXT, Channel.TEXT, Channel.TEXT, Channel.UNKNOWN),
          events.stream().map(Event::channel).toList());
    }
    try (Model model = Model.open(file("CALLING")); ChatParser parser = model.chatParser(Chat.of())) {
      parser.push(new byte[] {'h', 'i'}, true);
      equal(List.of(new ChatPart(ChatPartKind.UNKNOWN, "hi", 0, "", "", "")), parser.parts());
    }
  }
}
