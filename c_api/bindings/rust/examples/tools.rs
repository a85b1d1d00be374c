//! A model calls a function and answers with what it gave: cargo run --example tools model.rondo
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).expect("a model");
    // shown from here
    use rondo::{Calls, Chat, ChatPart, EngineOptions, Message, Model, SessionOptions};

    let tools = r#"[{"type": "function", "function": {"name": "weather", "parameters": {
        "type": "object", "properties": {"city": {"type": "string", "maxLength": 30}},
        "required": ["city"], "additionalProperties": false}}}]"#;
    let mut messages = vec![Message::user("How is the weather in Rome?")];
    let model = Model::open(path)?;
    let engine = model.engine(&EngineOptions::default().max_sessions(2))?;
    let chat = Chat::from(&messages).tools(tools);
    let grammar = model.tool_grammar(&chat, Calls::One)?;
    let mut calling = engine.session(&SessionOptions::default().grammar(grammar))?;
    let reply = calling.chat(chat)?;
    messages.push(Message::from(&reply));
    for call in &reply.calls {
        println!("{}({})", call.name, call.arguments);
        messages.push(Message::tool(call, r#"{"sky": "clear"}"#));
    }
    let mut answering = engine.session(&SessionOptions::default().max_tokens(64))?;
    for part in answering.chat_stream(Chat::from(&messages).tools(tools)) {
        if let ChatPart::Content(text) = part? {
            print!("{text}");
            std::io::stdout().flush()?;
        }
    }
    // shown to here
    println!();
    Ok(())
}
