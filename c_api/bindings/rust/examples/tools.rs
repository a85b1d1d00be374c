//! A model calls a function and answers with what it gave: cargo run --example tools model.rondo
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).expect("a model");
    // shown from here
    use rondo::{Calls, Chat, ChatPart, EngineOptions, GrammarOptions, Model, SessionOptions};

    let tools = r#"[{"type": "function", "function": {"name": "weather", "parameters": {
        "type": "object", "properties": {"city": {"type": "string", "maxLength": 30}},
        "required": ["city"], "additionalProperties": false}}}]"#;
    let question = r#"{"role": "user", "content": "How is the weather in Rome?"}"#;
    let mut messages = format!("[{question}]");
    let chat = Chat { messages: &messages, tools: Some(tools), ..Default::default() };
    let model = Model::open(path)?;
    let engine = model.engine(&mut EngineOptions::default().max_sessions(2))?;
    let rules = model.chat_grammar(&chat, Calls::ONE, None)?;
    let grammar = model.rules_grammar(&rules, &GrammarOptions::default())?;
    let mut calling = engine.session(&SessionOptions::default().grammar(grammar))?;
    let parts: rondo::Result<Vec<_>> = calling.chat_parts(&chat)?.collect();
    for part in parts? {
        if let ChatPart::CallEnd { name, arguments, .. } = part {
            messages = format!(
                r#"[{question}, {{"role": "assistant", "content": "", "tool_calls": [{{"type": "function",
                "function": {{"name": "{name}", "arguments": {arguments}}}}}]}},
                {{"role": "tool", "content": "{{\"sky\": \"clear\"}}"}}]"#
            );
        }
    }
    let chat = Chat { messages: &messages, tools: Some(tools), ..Default::default() };
    let mut answering = engine.session(&SessionOptions::default().max_tokens(64))?;
    for part in answering.chat_parts(&chat)? {
        if let ChatPart::Content(text) = part? {
            print!("{text}");
            std::io::stdout().flush()?;
        }
    }
    // shown to here
    println!();
    Ok(())
}
