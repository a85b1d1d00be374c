//! A generation that a timeout ends: cargo run --example cancel model.rondo
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).expect("a model");
    // shown from here
    use rondo::{EngineOptions, Model, SessionOptions};

    let engine = Model::open(path)?.engine(&EngineOptions::default())?;
    let mut session = engine.session(&SessionOptions::default().ignore_eos(true))?;
    let canceller = session.canceller();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        canceller.cancel(); // the call that runs, or else the next one
    });
    match session.generate("Once upon a time") {
        Err(error) if error.is_cancelled() => println!("it took too long"),
        other => println!("{}", other?),
    }
    // shown to here
    Ok(())
}
