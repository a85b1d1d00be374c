//! Who may call a session now. Its owner does, one call after another; a thread that works for a future
//! is its guest: it takes its turn when the future begins, and gives it back when it is done or the
//! future is given up. Turns go round in the order in which they were asked for, so that behind the
//! owner's turn no guest is left that could still call.
use crate::calls::{lock, Watch};
use crate::session::{Session, Shared};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    next: u64,
    serving: u64,
    guest: Option<Arc<Watch>>,
}

impl Queue {
    /// A place in the queue. Whoever asks has the session for itself: a guest that is still there works
    /// for a future that is gone.
    fn ask(&self, guest: Option<Arc<Watch>>) -> u64 {
        let (place, before) = {
            let mut state = lock(&self.state);
            state.next += 1;
            (state.next - 1, std::mem::replace(&mut state.guest, guest))
        };
        if let Some(before) = before {
            before.abandon();
        }
        place
    }

    fn wait(&self, place: u64) {
        let mut state = lock(&self.state);
        while state.serving != place {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn done(&self) {
        lock(&self.state).serving += 1;
        self.changed.notify_all();
    }

    /// The session is closed.
    pub(crate) fn close(&self) {
        let guest = lock(&self.state).guest.take();
        if let Some(guest) = guest {
            guest.abandon();
        }
    }
}

/// The owner's turn, up to its drop.
pub(crate) struct Turn<'s>(&'s Queue);

impl<'s> Turn<'s> {
    pub(crate) fn of(queue: &'s Queue) -> Self {
        let place = queue.ask(None);
        queue.wait(place);
        Turn(queue)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.done()
    }
}

/// Those of several sessions.
pub(crate) struct Turns<'s>(Vec<&'s Queue>);

impl<'s> Turns<'s> {
    pub(crate) fn of(sessions: &'s [&mut Session]) -> Self {
        let mut turns = Turns(Vec::with_capacity(sessions.len()));
        for session in sessions {
            turns.0.extend(session.turn().map(|turn| {
                let queue = turn.0;
                std::mem::forget(turn);
                queue
            }));
        }
        turns
    }
}

impl Drop for Turns<'_> {
    fn drop(&mut self) {
        self.0.iter().for_each(|queue| queue.done())
    }
}

/// A guest's turn, or its place in the queue.
pub(crate) struct GuestTurn {
    shared: Arc<Shared>,
    place: u64,
}

impl GuestTurn {
    pub(crate) fn ask(shared: &Arc<Shared>, watch: Arc<Watch>) -> Self {
        let place = shared.queue.ask(Some(watch));
        GuestTurn { shared: Arc::clone(shared), place }
    }

    /// Calls `run` with the session when it is this guest's turn.
    pub(crate) fn run<T>(self, run: impl FnOnce(&mut Session) -> T) -> T {
        self.shared.queue.wait(self.place);
        run(&mut Session::guest(Arc::clone(&self.shared)))
    }
}

impl Drop for GuestTurn {
    fn drop(&mut self) {
        self.shared.queue.wait(self.place);
        self.shared.queue.done();
    }
}
