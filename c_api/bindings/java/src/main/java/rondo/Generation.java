package rondo;

import java.util.Iterator;
import java.util.NoSuchElementException;

/** Events of a generation as they are asked for, up to the one with the reason. */
final class Generation implements Iterator<Event> {
  private final Session session;
  private final Operation operation;
  private Reason reason = Reason.NONE;

  Generation(Session session, Operation operation) {
    this.session = session;
    this.operation = operation;
    session.begun(this, operation);
  }

  @Override
  public boolean hasNext() {
    return reason == Reason.NONE;
  }

  @Override
  public Event next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    Event event = session.next(this, operation);
    reason = event.reason();
    return event;
  }

  /** Of the last event. */
  Reason reason() {
    return reason;
  }
}
