//! Continues a text: cargo run --example generate model.rondo "Once upon a time"
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let (path, text) = (&arguments[1], &arguments[2]);
    // shown from here
    use rondo::{EngineOptions, Model, SessionOptions};

    let engine = Model::open(path)?.engine(&EngineOptions::default())?;
    let mut session = engine.session(&SessionOptions::default().max_tokens(64))?;
    for event in session.stream(text) {
        print!("{}", event?.text);
        std::io::stdout().flush()?;
    }
    // shown to here
    println!();
    Ok(())
}
