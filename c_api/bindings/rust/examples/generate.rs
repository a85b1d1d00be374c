//! Continues a text: cargo run --example generate model.rondo "Once upon a time"
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let model = rondo::Model::open(&arguments[1])?;
    let engine = model.engine(&mut rondo::EngineOptions::default())?;
    let mut session = engine.session(&rondo::SessionOptions::default().max_tokens(64))?;
    session.prefill(&model.tokenize(&arguments[2], true)?)?;
    for event in session.stream() {
        print!("{}", event?.text);
        std::io::stdout().flush()?;
    }
    println!();
    Ok(())
}
