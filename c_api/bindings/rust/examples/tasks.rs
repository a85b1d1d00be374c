//! Calls that are awaited, without a runtime: cargo run --example tasks model.rondo
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};

// shown from here
async fn answer(engine: &rondo::Engine) -> rondo::Result<()> {
    let mut session = engine.session(&rondo::SessionOptions::default().max_tokens(32))?;
    println!("{}", session.generate_async("Once upon a time").await?);
    let mut events = session.stream_async(" And then");
    while let Some(event) = events.next().await {
        print!("{}", event?.text);
    }
    Ok(())
}
// shown to here

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// What a runtime does, for one future.
fn block_on<T>(mut future: Pin<Box<dyn Future<Output = T> + '_>>) -> T {
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).expect("a model");
    let engine = rondo::Model::open(path)?.engine(&rondo::EngineOptions::default())?;
    block_on(Box::pin(answer(&engine)))?;
    println!();
    Ok(())
}
