//! What tests share: the models that c_api/bindings/test.sh makes, named by the environment.
#![allow(dead_code)] // each test file uses a part
use rondo::*;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};

pub const PROMPT: &str = "Today's weather is so";

pub fn file(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{} names a model's file", name))
}

pub fn model() -> Model {
    Model::open(file("RONDO_TEST_MODEL")).unwrap()
}

pub fn engine_options() -> EngineOptions {
    EngineOptions::default().context(256).max_sessions(4)
}

pub fn limit(max_tokens: u64) -> SessionOptions {
    SessionOptions::default().max_tokens(max_tokens)
}

pub struct Fixture {
    pub model: Model,
    pub engine: Engine,
    pub ids: Vec<i32>,
    pub text: String,
}

pub fn fixture() -> Fixture {
    let model = model();
    let engine = model.engine(&engine_options()).unwrap();
    let ids = model.tokenize(PROMPT, true).unwrap();
    let text = text_of(&engine, &ids, 16);
    Fixture { model, engine, ids, text }
}

pub fn text_of(engine: &Engine, ids: &[i32], max_tokens: u64) -> String {
    engine.session(&limit(max_tokens)).unwrap().generate(ids).unwrap()
}

pub fn status<T>(result: Result<T>) -> Status {
    result.err().expect("it should fail").status()
}

/// A model whose template knows calls and thoughts.
pub fn calling() -> Model {
    Model::open(file("RONDO_TEST_CALLING")).unwrap()
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Polls once.
pub fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    let waker = Arc::new(Unpark(thread::current())).into();
    Pin::new(future).poll(&mut Context::from_waker(&waker))
}

/// What a runtime does, for one future.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = Box::pin(future);
    loop {
        match poll(&mut future.as_mut()) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

/// The text that goes on with what the session has.
pub fn rest(session: &mut Session) -> String {
    session.resume().map(|event| event.unwrap().text).collect()
}
