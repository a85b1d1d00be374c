//! Calls that a task awaits. No runtime is needed, and any will do: each computes on a thread of its own,
//! which wakes the task. Sessions that compute at the same time are served together.
//!
//! A future that is dropped ends its own call, and no other: the session stands as before that call and
//! may be used at once.
use crate::calls::{lock, under, Watch};
use crate::turns::GuestTurn;
use crate::{
    Chat, ChatPart, Engine, EngineOptions, Error, Event, Model, Prompt, Reply, Result, Session,
};
use std::any::Any;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;

/// What a thread gave: a value, or its panic.
type Outcome<T> = std::result::Result<T, Box<dyn Any + Send>>;

/// Where a thread and the task that waits for it meet.
struct Meeting<T> {
    inside: Mutex<Inside<T>>,
    watch: Arc<Watch>,
}

struct Inside<T> {
    outcome: Option<Outcome<T>>,
    waker: Option<Waker>,
}

impl<T> Meeting<T> {
    fn new() -> Arc<Self> {
        let inside = Inside { outcome: None, waker: None };
        Arc::new(Meeting { inside: Mutex::new(inside), watch: Arc::default() })
    }

    fn give(&self, outcome: Outcome<T>) {
        let waker = {
            let mut inside = lock(&self.inside);
            inside.outcome = Some(outcome);
            self.watch.want(false);
            inside.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn poll(&self, context: &Context<'_>) -> Poll<T> {
        let mut inside = lock(&self.inside);
        match inside.outcome.take() {
            Some(Ok(value)) => Poll::Ready(value),
            Some(Err(panic)) => {
                drop(inside);
                resume_unwind(panic)
            }
            None => {
                if !matches!(&inside.waker, Some(waker) if waker.will_wake(context.waker())) {
                    inside.waker = Some(context.waker().clone());
                }
                Poll::Pending
            }
        }
    }
}

/// Starts a thread that gives `meeting` what `work` does.
fn start<T: Send + 'static>(
    meeting: &Arc<Meeting<T>>,
    work: impl FnOnce(&Meeting<T>) -> Option<T> + Send + 'static,
) -> Result<()> {
    let there = Arc::clone(meeting);
    let thread = thread::Builder::new().name("rondo call".into()).spawn(move || {
        let work = || under(Arc::clone(&there.watch), || work(&there));
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Some(value)) => there.give(Ok(value)),
            Ok(None) => {}
            Err(panic) => there.give(Err(panic)),
        }
    });
    thread.map(drop).map_err(|error| Error::system("no thread for the call", error))
}

type Work<T> = Box<dyn FnOnce() -> Result<T> + Send>;

/// A call that computes on a thread of its own; made by the methods whose name ends in `_async`. It
/// begins when it is polled first. Dropped, it ends its call.
#[must_use = "futures do nothing unless they are awaited"]
pub struct Pending<'s, T: Send + 'static> {
    stage: Stage<T>,
    session: PhantomData<&'s mut Session>,
}

/// What makes the work, in its turn.
type Begun<T> = Box<dyn FnOnce(&Arc<Watch>) -> Work<T> + Send>;

enum Stage<T: Send + 'static> {
    Ready(Begun<T>),
    Running(Arc<Meeting<Result<T>>>),
    Over,
}

impl<T: Send + 'static> Pending<'_, T> {
    fn new(begin: impl FnOnce(&Arc<Watch>) -> Work<T> + Send + 'static) -> Self {
        Pending { stage: Stage::Ready(Box::new(begin)), session: PhantomData }
    }
}

impl<T: Send + 'static> Future for Pending<'_, T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        if let Stage::Ready(_) = self.stage {
            let meeting = Meeting::new();
            let stage = std::mem::replace(&mut self.stage, Stage::Running(Arc::clone(&meeting)));
            if let Stage::Ready(begin) = stage {
                let work = begin(&meeting.watch);
                if let Err(error) = start(&meeting, move |_| Some(work())) {
                    self.stage = Stage::Over;
                    return Poll::Ready(Err(error));
                }
            }
        }
        match &self.stage {
            Stage::Running(meeting) => {
                let result = meeting.poll(context);
                if result.is_ready() {
                    self.stage = Stage::Over;
                }
                result
            }
            _ => panic!("a future was polled after its end"),
        }
    }
}

impl<T: Send + 'static> Drop for Pending<'_, T> {
    fn drop(&mut self) {
        if let Stage::Running(meeting) = &self.stage {
            meeting.watch.abandon();
        }
    }
}

impl<T: Send + 'static> fmt::Debug for Pending<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").finish_non_exhaustive()
    }
}

/// What begins a stream's thread, in its turn.
type Begin<T> = Box<dyn FnOnce(&Arc<Meeting<Option<Result<T>>>>) -> Result<()> + Send>;

/// A stream that a task reads, made by [`Session::stream_async`] and [`Session::chat_stream_async`]. An
/// item is computed when it is asked for. The standard library has no trait for it: with the crate
/// futures it is one by `futures::stream::poll_fn(move |context| stream.poll_next(context))`.
#[must_use = "a stream computes nothing but what it is asked for"]
pub struct AsyncStream<'s, T: Send + 'static> {
    stage: Steps<T>,
    session: PhantomData<&'s mut Session>,
}

enum Steps<T: Send + 'static> {
    Ready(Begin<T>),
    Running(Arc<Meeting<Option<Result<T>>>>),
    Over,
}

impl<T: Send + 'static> AsyncStream<'_, T> {
    /// `run` calls what it is given with each item, as long as that says true.
    fn new(
        session: &Session,
        run: impl FnOnce(&mut Session, &mut dyn FnMut(Result<T>) -> bool) + Send + 'static,
    ) -> Self {
        let shared = Arc::clone(&session.shared);
        let begin: Begin<T> = Box::new(move |meeting| {
            let turn = GuestTurn::ask(&shared, Arc::clone(&meeting.watch));
            start(meeting, move |meeting| {
                turn.run(|session| {
                    run(session, &mut |item| {
                        meeting.give(Ok(Some(item)));
                        meeting.watch.next_wanted()
                    })
                });
                Some(None)
            })
        });
        AsyncStream { stage: Steps::Ready(begin), session: PhantomData }
    }

    /// The next item; none: there are no more. Where this future is dropped while it waits, the item
    /// comes with the next one.
    pub async fn next(&mut self) -> Option<Result<T>> {
        Next(self).await
    }

    /// The same for those that poll.
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        if let Steps::Ready(_) = self.stage {
            let meeting = Meeting::new();
            let stage = std::mem::replace(&mut self.stage, Steps::Running(Arc::clone(&meeting)));
            if let Steps::Ready(begin) = stage {
                if let Err(error) = begin(&meeting) {
                    self.stage = Steps::Over;
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
        let meeting = match &self.stage {
            Steps::Running(meeting) => meeting,
            _ => return Poll::Ready(None),
        };
        {
            // Within the lock, so that no item comes between the two.
            let inside = lock(&meeting.inside);
            if inside.outcome.is_none() {
                meeting.watch.want(true);
            }
        }
        let item = meeting.poll(context);
        if let Poll::Ready(None) = item {
            self.stage = Steps::Over;
        }
        item
    }
}

struct Next<'a, 's, T: Send + 'static>(&'a mut AsyncStream<'s, T>);

impl<T: Send + 'static> Future for Next<'_, '_, T> {
    type Output = Option<Result<T>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll_next(context)
    }
}

impl<T: Send + 'static> Drop for AsyncStream<'_, T> {
    fn drop(&mut self) {
        if let Steps::Running(meeting) = &self.stage {
            meeting.watch.abandon();
        }
    }
}

impl<T: Send + 'static> fmt::Debug for AsyncStream<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncStream").finish_non_exhaustive()
    }
}

/// Calls `each` with what `items` gives, as long as that says true.
fn hand_out<T>(items: impl Iterator<Item = T>, each: &mut dyn FnMut(T) -> bool) {
    for item in items {
        if !each(item) {
            return;
        }
    }
}

impl Session {
    /// A call on this session in its turn, on a thread of its own.
    fn pending<T: Send + 'static>(
        &mut self,
        call: impl FnOnce(&mut Session) -> Result<T> + Send + 'static,
    ) -> Pending<'_, T> {
        let shared = Arc::clone(&self.shared);
        Pending::new(move |watch| {
            let turn = GuestTurn::ask(&shared, Arc::clone(watch));
            Box::new(move || turn.run(call))
        })
    }

    /// [`Session::generate`] for a task.
    ///
    /// ```no_run
    /// # async fn answer(session: &mut rondo::Session) -> rondo::Result<()> {
    /// println!("{}", session.generate_async("Once upon a time").await?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn generate_async<'p>(&mut self, prompt: impl Into<Prompt<'p>>) -> Pending<'_, String> {
        let prompt = prompt.into().into_owned();
        self.pending(move |session| session.generate(prompt))
    }

    /// [`Session::prefill`] for a task.
    pub fn prefill_async(&mut self, ids: impl Into<Vec<i32>>) -> Pending<'_, ()> {
        let ids = ids.into();
        self.pending(move |session| session.prefill(&ids))
    }

    /// [`Session::chat`] for a task.
    pub fn chat_async(&mut self, chat: impl Into<Chat>) -> Pending<'_, Reply> {
        let chat = chat.into();
        self.pending(move |session| session.chat(chat))
    }

    /// [`Session::stream`] for a task.
    ///
    /// ```no_run
    /// # async fn answer(session: &mut rondo::Session) -> rondo::Result<()> {
    /// let mut events = session.stream_async("Once upon a time");
    /// while let Some(event) = events.next().await {
    ///     print!("{}", event?.text);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream_async<'p>(&mut self, prompt: impl Into<Prompt<'p>>) -> AsyncStream<'_, Event> {
        let prompt = prompt.into().into_owned();
        AsyncStream::new(self, move |session, each| hand_out(session.stream(prompt), each))
    }

    /// [`Session::chat_stream`] for a task.
    pub fn chat_stream_async(&mut self, chat: impl Into<Chat>) -> AsyncStream<'_, ChatPart> {
        let chat = chat.into();
        AsyncStream::new(self, move |session, each| hand_out(session.chat_stream(chat), each))
    }
}

impl Engine {
    /// [`Engine::embed`] for a task.
    pub fn embed_async<'p>(
        &self,
        texts: &[impl AsRef<str>],
        prompt: impl Into<Option<&'p str>>,
    ) -> Pending<'static, Vec<Vec<f32>>> {
        let engine = self.clone();
        let texts: Vec<_> = texts.iter().map(|text| text.as_ref().to_owned()).collect();
        let prompt = prompt.into().map(str::to_owned);
        Pending::new(move |_| Box::new(move || engine.embed(&texts, prompt.as_deref())))
    }

    /// [`Engine::score`] for a task.
    pub fn score_async(
        &self,
        query: &str,
        documents: &[impl AsRef<str>],
    ) -> Pending<'static, Vec<f32>> {
        let (engine, query) = (self.clone(), query.to_owned());
        let documents: Vec<_> = documents.iter().map(|one| one.as_ref().to_owned()).collect();
        Pending::new(move |_| Box::new(move || engine.score(&query, &documents)))
    }
}

impl Model {
    /// [`Model::engine`] for a task.
    pub fn engine_async(&self, options: &EngineOptions) -> Pending<'static, Engine> {
        let (model, options) = (self.clone(), options.clone());
        Pending::new(move |_| Box::new(move || model.engine(&options)))
    }
}
