//! A conversation: cargo run --example chat model.rondo
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).expect("a model");
    // shown from here
    use rondo::{ChatPart, EngineOptions, Message, Model, SessionOptions};

    let engine = Model::open(path)?.engine(&EngineOptions::default())?;
    let mut session = engine.session(&SessionOptions::default().max_tokens(100))?;
    let mut messages = vec![Message::system("Be brief."), Message::user("Why is the sky blue?")];
    let reply = session.chat(&messages)?;
    println!("{} ({:?})", reply.text, reply.reason);
    messages.extend([Message::from(&reply), Message::user("And at night?")]);
    for part in session.chat_stream(&messages) {
        if let ChatPart::Content(text) = part? {
            print!("{text}");
            std::io::stdout().flush()?;
        }
    }
    // shown to here
    println!();
    Ok(())
}
