//! Answers a question about a picture: cargo run --example picture model.rondo photo.ppm
/// Width, height and RGB of a PPM file. Of other files the crate image gives the same:
/// `image::open(path)?.into_rgb8()`.
fn read_ppm(path: &str) -> Result<(u32, u32, Vec<u8>), Box<dyn std::error::Error>> {
    let file = std::fs::read(path)?;
    let parts: Vec<_> = file.splitn(5, u8::is_ascii_whitespace).collect();
    let number = |part: &[u8]| -> Result<u32, Box<dyn std::error::Error>> {
        Ok(std::str::from_utf8(part)?.parse()?)
    };
    match parts[..] {
        [b"P6", width, height, b"255", rgb] => Ok((number(width)?, number(height)?, rgb.to_vec())),
        _ => Err("the picture is no PPM file of 8 bits".into()),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let path = &arguments[1];
    let (width, height, rgb) = read_ppm(&arguments[2])?;
    // shown from here
    use rondo::{Chat, EngineOptions, Image, ImageOptions, Message, Model, Pixels, SessionOptions};

    let model = Model::open(path)?;
    let plan = model.image_plan(width, height, &ImageOptions::default())?;
    let engine = model.engine(&EngineOptions::default().max_media_rows(plan.rows))?;
    let image = Image::new(Pixels::Rgb8, width, height, &[&rgb]);
    let media = engine.media(&image, &ImageOptions::default())?;
    let question = Message::user_with_pictures("What is in the picture?", 1);
    let mut session = engine.session(&SessionOptions::default().max_tokens(64))?;
    let reply = session.chat(Chat::from([question]).media([media]))?;
    print!("{}", reply.text);
    // shown to here
    println!();
    Ok(())
}
