//! A generation that a timeout ends: cargo run --example cancel model.rondo
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).expect("a model");
    // shown from here
    use rondo::{CancelToken, EngineOptions, Model, SessionOptions};

    let engine = Model::open(path)?.engine(&EngineOptions::default())?;
    let mut session = engine.session(&SessionOptions::default().ignore_eos(true))?;
    let token = CancelToken::new();
    let timeout = token.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        timeout.cancel(); // what runs under the token, and nothing that comes later
    });
    match token.run(|| session.generate("Once upon a time")) {
        Err(error) if error.is_cancelled() => println!("it took too long"),
        other => println!("{}", other?),
    }
    // shown to here
    Ok(())
}
