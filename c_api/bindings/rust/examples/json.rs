//! JSON that is valid by a schema: cargo run --example json model.rondo
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).expect("a model");
    // shown from here
    use rondo::{EngineOptions, Model, SessionOptions};

    let schema = r#"{"type": "object", "properties": {
        "name": {"type": "string", "maxLength": 12},
        "age": {"type": "integer", "minimum": 0, "maximum": 130}}, "required": ["name", "age"]}"#;
    let engine = Model::open(path)?.engine(&EngineOptions::default())?;
    let mut session = engine.session(&SessionOptions::default().json_schema(schema))?;
    println!("{}", session.generate("A person in a story: ")?);
    // shown to here
    Ok(())
}
