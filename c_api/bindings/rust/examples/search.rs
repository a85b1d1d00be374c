//! Which text is nearest to a question: cargo run --example search embedder.rondo "question" "text"...
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (path, question, texts) = (&arguments[0], &arguments[1], &arguments[2..]);
    // shown from here
    use rondo::{EngineOptions, Model};

    let engine = Model::open(path)?.engine(&EngineOptions::default().max_sessions(2))?;
    let asked = &engine.embed(&[question], "query")?[0];
    let found = engine.embed(texts, "document")?;
    let similar = |vector: &[f32]| vector.iter().zip(asked).map(|(x, y)| x * y).sum::<f32>();
    let scores = found.iter().map(|vector| similar(vector));
    let best = scores.enumerate().max_by(|one, other| one.1.total_cmp(&other.1));
    // shown to here
    println!("{}", texts[best.ok_or("there is no text")?.0]);
    Ok(())
}
