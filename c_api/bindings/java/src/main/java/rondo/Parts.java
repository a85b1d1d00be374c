package rondo;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/** The parts of an answer as they are asked for. */
final class Parts implements Iterator<ChatPart> {
  private final Generation events;
  private final ChatParser parser;
  private Iterator<ChatPart> parts = List.<ChatPart>of().iterator();

  Parts(Generation events, ChatParser parser) {
    this.events = events;
    this.parser = parser;
  }

  @Override
  public boolean hasNext() {
    while (!parts.hasNext() && events.hasNext()) {
      parts = parser.take(events.next()).iterator();
    }
    if (!parts.hasNext()) {
      parser.close();
    }
    return parts.hasNext();
  }

  @Override
  public ChatPart next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return parts.next();
  }

  /** Why the answer ended, where it has. */
  Reason reason() {
    return events.reason();
  }
}
