//! Which text is nearest to a question: cargo run --example search embedder.rondo "question" "text"...
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (path, question, texts) = (&arguments[0], &arguments[1], &arguments[2..]);
    // shown from here
    use rondo::{EngineOptions, Model, SessionOptions};

    let model = Model::open(path)?;
    let engine = model.engine(&mut EngineOptions::default().max_sessions(2))?;
    let mut a = engine.session(&SessionOptions::default())?;
    let mut b = engine.session(&SessionOptions::default())?;
    let read =
        |text: &str, prompt| model.tokenize(&model.embedding_text(text, Some(prompt))?, true);
    let asked = a.embed(&read(question, "query")?, None)?;
    let documents: rondo::Result<Vec<_>> =
        texts.iter().map(|text| read(text, "document")).collect();
    let found = engine.embed(&mut [&mut a, &mut b], &documents?, None)?;
    let similar = |vector: &[f32]| vector.iter().zip(&asked).map(|(x, y)| x * y).sum::<f32>();
    let scores = found.iter().map(|vector| similar(vector));
    let best = scores.enumerate().max_by(|one, other| one.1.total_cmp(&other.1));
    // shown to here
    println!("{}", texts[best.ok_or("there is no text")?.0]);
    Ok(())
}
