//! A whole life with the tiny model, whose file RONDO_TEST_MODEL names.
use rondo::*;
use std::alloc::{alloc, dealloc, Layout};
use std::mem::MaybeUninit;
use std::thread;
use std::time::Duration;

const PROMPT: &str = "Today's weather is so";

struct Fixture {
    model: Model<'static>,
    engine: Engine<'static>,
    ids: Vec<i32>,
    text: String,
}

fn path() -> String {
    std::env::var("RONDO_TEST_MODEL").expect("RONDO_TEST_MODEL names the tiny model's file")
}

fn engine_options() -> EngineOptions<'static> {
    EngineOptions::default().context(256).max_sessions(4)
}

fn limit(max_tokens: u64) -> SessionOptions {
    SessionOptions::default().max_tokens(max_tokens)
}

fn fixture() -> Fixture {
    let model = Model::open(path()).unwrap();
    let engine = model.engine(&mut engine_options()).unwrap();
    let ids = model.tokenize(PROMPT, true).unwrap();
    let text = text_of(&engine, &ids, 16);
    Fixture { model, engine, ids, text }
}

fn text_of(engine: &Engine<'_>, ids: &[i32], max_tokens: u64) -> String {
    let mut session = engine.session(&limit(max_tokens)).unwrap();
    session.prefill(ids).unwrap();
    session.generate().unwrap()
}

fn status<T>(result: Result<T>) -> Status {
    result.err().expect("it should fail").status
}

#[test]
fn facts() {
    let Fixture { model, ids, .. } = fixture();
    assert_eq!(model.info().unwrap().vocab_size, 2048);
    assert_eq!(model.eos_tokens().unwrap(), [1]);
    assert_eq!(model.fact("architecture").unwrap(), "LlamaForCausalLM");
    model.fact_keys().unwrap();
    assert_eq!(model.detokenize(&ids, true).unwrap(), PROMPT);
    let long = "x".repeat(3000);
    let many = model.tokenize(&long, false).unwrap();
    assert_eq!(model.detokenize(&many, false).unwrap(), long);
    assert_eq!(query("abi.version").unwrap(), i64::from(raw::RONDO_ABI_VERSION));
    assert!(version().contains('.'));
}

#[test]
fn plan() {
    let Fixture { model, engine, .. } = fixture();
    let plan = model.plan(&engine_options()).unwrap();
    assert_eq!(engine.memory().unwrap().arena_bytes, plan.arena_bytes);
    let regions = model.plan_regions(&engine_options()).unwrap();
    assert_eq!(engine.memory_region(0).unwrap(), regions[0]);
    assert_eq!(Segment(regions[0].segment), Segment::WEIGHTS);
    assert!(model.plan_fit(plan.arena_bytes, &engine_options()).unwrap() >= 256);
}

#[test]
fn streams() {
    let Fixture { model, engine, mut ids, text } = fixture();
    let options = limit(16).logprobs(true);
    let mut session = engine.session(&options).unwrap();
    session.prefill(&ids).unwrap();
    let mut streamed = String::new();
    let mut reason = Reason::NONE;
    for event in session.stream() {
        let event = event.unwrap();
        assert!(event.logprob < 0.0);
        ids.extend(event.token);
        streamed += &event.text;
        reason = event.reason;
    }
    assert_eq!((streamed, reason), (text.clone(), Reason::TOKEN_LIMIT));
    assert_eq!(session.tokens().unwrap(), ids);
    assert_eq!(session.position().unwrap() + session.remaining().unwrap(), 256);
    assert_eq!(session.evicted().unwrap(), 0..0);
    let mut session = engine.session(&limit(0).stop([&text[4..8]])).unwrap();
    session.prefill(&model.tokenize(PROMPT, true).unwrap()).unwrap();
    assert_eq!(session.generate().unwrap(), text[..4]);
}

#[test]
fn recommended() {
    let Fixture { ids, text, .. } = fixture();
    let path = std::env::var("RONDO_TEST_RECOMMENDING").unwrap();
    let model = Model::open(path).unwrap();
    let engine = model.engine(&mut engine_options()).unwrap();
    drop(model); // in any order
    let text_with = |options: SessionOptions| {
        let mut session = engine.session(&options).unwrap();
        session.prefill(&ids).unwrap();
        session.generate().unwrap()
    };
    let recommended = text_with(limit(16));
    assert_ne!(recommended, text);
    assert_eq!(text_with(limit(16).temperature(1.5).top_k(50)), recommended);
    assert_eq!(text_with(limit(16).temperature(0.0)), " lovely and bright. Lily ran down the ");
    assert_eq!(text_with(limit(16).recommended(false)), text);
    let mut greedy = engine.session(&limit(16).recommended(false)).unwrap();
    greedy.prefill(&ids).unwrap();
    assert_eq!(greedy.fork(&limit(16)).unwrap().generate().unwrap(), recommended);
}

const PERSON: &str = r#"{"type":"object","properties":{"name":{"type":"string","maxLength":12},
    "age":{"type":"integer","minimum":0,"maximum":130}},"required":["name","age"]}"#;

/// Panics where the text is not JSON of PERSON.
fn check_person(text: &str) {
    let inside = text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let rest = inside.expect(text).trim().strip_prefix("\"name\"").expect(text);
    let rest = rest.trim_start().strip_prefix(':').expect(text).trim_start();
    let mut characters = rest.strip_prefix('"').expect(text).chars();
    loop {
        match characters.next().expect(text) {
            '"' => break,
            '\\' => drop(characters.next()),
            _ => {}
        }
    }
    let rest = characters.as_str().trim_start().strip_prefix(',').expect(text);
    let rest = rest.trim_start().strip_prefix("\"age\"").expect(text);
    let age = rest.trim_start().strip_prefix(':').expect(text).trim();
    assert!((0..=130).contains(&age.parse::<i32>().expect(text)), "{}", text);
}

#[test]
fn adapters() {
    let Fixture { model, engine, ids, text } = fixture();
    let path = |name| std::env::var(name).unwrap();
    let adapter = model.adapter(path("RONDO_TEST_ADAPTER")).unwrap();
    assert_eq!(adapter.info().unwrap().rank, 4);
    let adapted = limit(16).adapter(adapter.clone());
    assert_eq!(status(engine.session(&adapted)), Status::INVALID_ARGUMENT);
    let engine = model.engine(&mut engine_options().adapter_rank(4)).unwrap();
    assert_eq!(text_of(&engine, &ids, 16), text);
    let mut session = engine.session(&adapted).unwrap();
    drop((adapter, adapted)); // the session goes on
    session.prefill(&ids).unwrap();
    let mut fork = session.fork(&limit(16)).unwrap();
    let other = session.generate().unwrap();
    assert_ne!(other, text);
    assert_eq!(fork.generate().unwrap(), other);
    assert_eq!(status(model.adapter(path("RONDO_TEST_MODEL"))), Status::NOT_A_MODEL);
}

#[test]
fn inputs() {
    let Fixture { model, engine, ids, .. } = fixture();
    let n = model.info().unwrap().hidden_size as usize;
    let (zeros, halves) = (vec![0.0; 9 * n], vec![0; 3 * n]);
    let rows = Input::rows(&zeros[..2 * n]);
    let places = [[0, 0, 0], [0, 0, 1], [0, 1, 0]];
    let placed = Input::bfloat16(&halves).coordinates(&places).sees_whole(true);
    let mut none = engine.session(&limit(0)).unwrap();
    assert_eq!(status(none.append_inputs(&[rows])), Status::INVALID_ARGUMENT);
    let engine = model.engine(&mut engine_options().max_input_rows(8)).unwrap();
    let mut session = engine.session(&limit(0)).unwrap();
    session.append_inputs(&[Input::ids(&ids), rows, placed]).unwrap();
    assert_eq!(session.tokens().unwrap(), [&ids[..], &[-1; 5]].concat());
    assert_eq!(session.logits().unwrap().len(), 2048);
    session.append_inputs(&[Input::ids(&[3])]).unwrap();
    assert!(session.next().unwrap().token.is_some());
    for (wrong, words) in [
        (Input::rows(&zeros[1..]), "input 1: rows have"),
        (Input::bfloat16(&halves[1..]), "input 1: rows have"),
        (rows.coordinates(&places), "2 rows have 3 coordinates"),
        (Input::rows(&zeros), "max_input_rows is 8"),
        (Input::rows(&[]), "0 rows"),
        (Input::ids(&[]), "no tokens"),
        (Input::ids(&ids).sees_whole(true), "sees_whole"),
    ] {
        let error = session.append_inputs(&[Input::ids(&ids), wrong]).unwrap_err();
        assert_eq!(error.status, Status::INVALID_ARGUMENT);
        assert!(error.message.contains(words), "{}", error);
    }
    assert_eq!(status(session.append_inputs(&[])), Status::INVALID_ARGUMENT);
    assert_eq!(session.position().unwrap(), ids.len() as u64 + 7);
}

#[test]
fn models_that_do_not_see() {
    let Fixture { model, engine, ids, .. } = fixture();
    assert_eq!(model.info().unwrap().picture_token, -1);
    let mut options = ImageOptions::default();
    assert_eq!(status(model.image_plan(640, 480, &options)), Status::UNSUPPORTED);
    let image = Image::new(Pixels::RGB8, 2, 2, &[&[0; 12]]);
    assert_eq!(status(engine.media(&image, &mut options)), Status::UNSUPPORTED);
    let error = engine.media(&image.strides([7, 0, 0]), &mut options).unwrap_err();
    assert_eq!(error.status, Status::INVALID_ARGUMENT);
    assert!(error.message.contains("plane 0 of the image has 12 bytes"), "{}", error);
    let mut session = engine.session(&limit(1)).unwrap();
    session.append_media(&ids, &[]).unwrap();
}

/// A model that sees, and ids with a place for a picture.
fn seeing() -> (Model<'static>, Engine<'static>, Vec<i32>) {
    let model = Model::open(std::env::var("RONDO_TEST_SEEING").unwrap()).unwrap();
    let engine = model.engine(&mut engine_options().max_media_rows(100)).unwrap();
    let ids = model.tokenize("See <image> here", false).unwrap();
    (model, engine, ids)
}

/// A picture of so many bytes.
fn pixels(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 37 % 251) as u8).collect()
}

#[test]
fn media() {
    let (model, engine, ids) = seeing();
    let token = model.info().unwrap().picture_token;
    assert_eq!(model.tokenize("<image>", false).unwrap(), [token]);
    let mut options = ImageOptions::default();
    let plan = model.image_plan(5, 7, &options).unwrap();
    assert!(plan.tile_columns > 1 && plan.positions > plan.rows);
    let whole = model.image_plan(5, 7, &ImageOptions::default().one_tile(true)).unwrap();
    assert!(whole.rows > 0 && whole.rows < plan.rows);
    let few = ImageOptions::default().min_tokens(3);
    assert_eq!(status(model.image_plan(5, 7, &few)), Status::UNSUPPORTED);

    let rgb = pixels(5 * 7 * 3);
    let image = Image::new(Pixels::RGB8, 5, 7, &[&rgb]);
    let media = engine.media(&image, &mut options).unwrap();
    assert_eq!(media.info().unwrap(), plan);
    let mut session = engine.session(&limit(4)).unwrap();
    session.append_media(&ids, &[&media]).unwrap();
    assert_eq!(session.position().unwrap(), ids.len() as u64 - 1 + u64::from(plan.positions));
    let clone = media.clone();
    drop(media); // the clone and the session go on
    session.generate().unwrap();
    assert_eq!(status(session.append_media(&ids, &[])), Status::INVALID_ARGUMENT);
    assert_eq!(status(session.append_media(&ids, &[&clone, &clone])), Status::INVALID_ARGUMENT);
    session.reset().unwrap();
    session.append_media(&[&ids[..], &ids].concat(), &[&clone, &clone]).unwrap();
    let other = model.engine(&mut engine_options().max_media_rows(100)).unwrap();
    let foreign = other.media(&image, &mut options).unwrap();
    assert_eq!(status(session.append_media(&ids, &[&foreign])), Status::INVALID_ARGUMENT);

    let gray = pixels(64 * 64);
    let image = Image::new(Pixels::GRAY8, 64, 64, &[&gray]);
    let mut calls = 0;
    let mut once = ImageOptions::default().progress(|done, total| {
        calls += 1;
        assert!(done <= total);
        false
    });
    assert_eq!(status(engine.media(&image, &mut once)), Status::CANCELLED);
    drop(once);
    assert_eq!(calls, 1);
    let mut panics = ImageOptions::default().progress(|_, _| panic!("as it should"));
    let encode = std::panic::AssertUnwindSafe(|| engine.media(&image, &mut panics).map(drop));
    assert!(std::panic::catch_unwind(encode).is_err());
    thread::scope(|scope| {
        let encode = || engine.media(&image, &mut ImageOptions::default()).unwrap().info();
        let threads = [scope.spawn(encode), scope.spawn(encode)];
        for one in threads {
            assert!(one.join().unwrap().unwrap().rows > 0);
        }
    });
}

#[test]
fn images() {
    let (_, engine, ids) = seeing();
    let see = |image: &Image<'_>| {
        let media = engine.media(image, &mut ImageOptions::default()).unwrap();
        let mut session = engine.session(&limit(1)).unwrap();
        session.append_media(&ids, &[&media]).unwrap();
        session.logits().unwrap().to_vec()
    };
    let rgb = pixels(9 * 7 * 3);
    let image = Image::new(Pixels::RGB8, 9, 7, &[&rgb]);
    let seen = see(&image);
    // With alpha, and in rows that lie apart, of which the last ends with its pixels.
    let bgra: Vec<_> = rgb.chunks(3).flat_map(|pixel| [pixel[2], pixel[1], pixel[0], 99]).collect();
    assert_eq!(see(&Image::new(Pixels::BGRA8, 9, 7, &[&bgra])), seen);
    let mut apart: Vec<_> =
        rgb.chunks(27).flat_map(|row| row.iter().copied().chain([0; 5])).collect();
    apart.truncate(apart.len() - 5);
    assert_eq!(see(&Image::new(Pixels::RGB8, 9, 7, &[&apart]).strides([32, 0, 0])), seen);
    let turned: Vec<_> = rgb.chunks(3).rev().flatten().copied().collect();
    let turned = Image::new(Pixels::RGB8, 9, 7, &[&turned]);
    assert_ne!(see(&turned), seen);
    assert_eq!(see(&turned.rotation(180)), seen);
    assert_ne!(see(&turned.rotation(180).mirror(true)), seen);

    let (y, u, v) = (pixels(63), pixels(20), vec![77; 20]);
    let frame = Image::new(Pixels::I420, 9, 7, &[&y, &u, &v]);
    let seen = see(&frame);
    let uv: Vec<_> = u.iter().zip(&v).flat_map(|(&u, &v)| [u, v]).collect();
    assert_eq!(see(&Image::new(Pixels::NV12, 9, 7, &[&y, &uv])), seen);
    assert_ne!(see(&Image::new(Pixels::NV21, 9, 7, &[&y, &uv])), seen);
    assert_ne!(see(&frame.range(YuvRange::FULL)), seen);
    assert_ne!(see(&frame.matrix(YuvMatrix::BT709)), seen);

    for (wrong, words) in [
        (Image::new(Pixels::RGB8, 9, 7, &[&rgb[1..]]), "plane 0"),
        (Image::new(Pixels::RGB8, 9, 7, &[]), "plane 0"),
        (Image::new(Pixels::NV12, 9, 7, &[&y, &uv[1..]]), "plane 1"),
        (Image::new(Pixels::I420, 9, 7, &[&y, &u]), "plane 2"),
        (image.strides([usize::MAX, 0, 0]), "plane 0"),
        (image.strides([26, 0, 0]), "stride of 26 bytes"),
        (image.rotation(45), "45"),
        (Image::new(Pixels(7), 9, 7, &[&rgb]), "no format"),
        (Image::new(Pixels::RGB8, 0, 0, &[]), "0 x 0"),
        (Image::new(Pixels::RGB8, u32::MAX, u32::MAX, &[&rgb]), "too few"),
    ] {
        let error = engine.media(&wrong, &mut ImageOptions::default()).unwrap_err();
        assert_eq!(error.status, Status::INVALID_ARGUMENT);
        assert!(error.message.contains(words), "{}", error);
    }
}

#[test]
fn embedding() {
    let model = Model::open(std::env::var("RONDO_TEST_EMBEDDER").unwrap()).unwrap();
    let facts = model.embedder().unwrap();
    assert_eq!((facts.dimensions, facts.max_tokens, facts.scores_pairs), (192, 100, 0));
    assert_eq!(Pooling(facts.pooling), Pooling::MEAN);
    assert_eq!(model.prompts().unwrap().len(), 2);
    assert_eq!(model.embedding_text("Grüße", None).unwrap(), "Query: Grüße");
    assert_eq!(model.embedding_text("Grüße", Some("document")).unwrap(), "Grüße");
    assert_eq!(model.embedding_text("", Some("")).unwrap(), "");
    assert_eq!(status(model.embedding_text("a", Some("none"))), Status::INVALID_ARGUMENT);
    assert_eq!(status(model.pair_text("a", "b", None)), Status::UNSUPPORTED);
    let engine = model.engine(&mut EngineOptions::default().context(128).max_sessions(2)).unwrap();
    let mut a = engine.session(&SessionOptions::default()).unwrap();
    let mut b = engine.session(&SessionOptions::default()).unwrap();
    let ids =
        |text: &&str| model.tokenize(&model.embedding_text(text, None).unwrap(), true).unwrap();
    let texts: Vec<_> =
        ["Once upon a time", "there was", "a girl who liked to play"].iter().map(ids).collect();
    let vectors = engine.embed(&mut [&mut a, &mut b], &texts, None).unwrap();
    assert_eq!(vectors.len(), 3);
    for (text, vector) in texts.iter().zip(&vectors) {
        assert_eq!(vector.len(), 192);
        assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
        assert_eq!(&a.embed(text, None).unwrap(), vector);
    }
    assert_eq!(a.position().unwrap(), 0);
    let short = engine.embed(&mut [&mut b], &texts[..1], Some(8)).unwrap();
    assert_eq!(short[0], a.embed(&texts[0], Some(8)).unwrap());
    assert_eq!(short[0].len(), 8);
    assert!(engine.embed(&mut [&mut a], &[[0; 0]; 0], None).unwrap().is_empty());
    let refused = engine.embed(&mut [&mut a], &[&texts[0][..], &[]], None).unwrap_err();
    assert!(refused.message.contains("text 1 has no tokens"), "{}", refused.message);
    assert_eq!(status(a.embed(&texts[0], Some(193))), Status::INVALID_ARGUMENT);
    assert_eq!(status(a.embed(&texts[0], Some(usize::MAX))), Status::INVALID_ARGUMENT);
    assert_eq!(status(a.embed(&texts[0], Some(0))), Status::INVALID_ARGUMENT);
    assert_eq!(status(a.embed(&[5; 101], None)), Status::CONTEXT_FULL);
    assert_eq!(status(a.prefill(&texts[0])), Status::UNSUPPORTED);
    thread::scope(|threads| {
        let other = threads.spawn(|| b.embed(&texts[1], None).unwrap());
        assert_eq!(a.embed(&texts[0], None).unwrap(), vectors[0]);
        assert_eq!(other.join().unwrap(), vectors[1]);
    });
}

#[test]
fn models_that_predict_embed_nothing() {
    let Fixture { model, engine, ids, .. } = fixture();
    assert_eq!(model.embedder().unwrap().dimensions, 0);
    assert!(model.prompts().unwrap().is_empty());
    assert_eq!(status(model.embedding_text("a", None)), Status::UNSUPPORTED);
    let mut session = engine.session(&limit(1)).unwrap();
    assert_eq!(status(session.embed(&ids, None)), Status::UNSUPPORTED);
    assert_eq!(status(engine.embed(&mut [&mut session], &[&ids], None)), Status::UNSUPPORTED);
}

#[test]
fn scores_of_pairs() {
    let model = Model::open(std::env::var("RONDO_TEST_SCORER").unwrap()).unwrap();
    assert_eq!(model.embedder().unwrap().scores_pairs, 1);
    let pair = model.pair_text("Grüße?", "a hill", Some("Find it")).unwrap();
    assert!(["Find it", "Grüße?", "a hill"].iter().all(|part| pair.contains(part)), "{pair}");
    assert!(!model.pair_text("Grüße?", "a hill", None).unwrap().contains("Find it"));
    assert_eq!(status(model.embedding_text("a", None)), Status::UNSUPPORTED);
    let engine = model.engine(&mut EngineOptions::default().max_sessions(2)).unwrap();
    let mut a = engine.session(&SessionOptions::default()).unwrap();
    let mut b = engine.session(&SessionOptions::default()).unwrap();
    let ids = |document: &&str| {
        model.tokenize(&model.pair_text("Where?", document, None).unwrap(), true).unwrap()
    };
    let texts: Vec<_> = ["a hill", "the sea", "her mom"].iter().map(ids).collect();
    let scores = engine.embed(&mut [&mut a, &mut b], &texts, None).unwrap();
    assert!(scores.iter().all(|score| score.len() == 1 && score[0] > 0.0 && score[0] < 1.0));
    assert_ne!(scores[0], scores[1]);
    assert_eq!(b.embed(&texts[2], None).unwrap(), scores[2]);
}

#[test]
fn grammars() {
    let Fixture { model, engine, ids, .. } = fixture();
    let warm = || SessionOptions::default().temperature(1.0).seed(7);
    let text_with = |options: &SessionOptions| {
        let mut session = engine.session(options).unwrap();
        session.prefill(&ids).unwrap();
        let events: Vec<_> = session.stream().map(|event| event.unwrap()).collect();
        let reason = events.last().unwrap().reason;
        assert!(reason == Reason::GRAMMAR || reason == Reason::EOS, "{:?}", reason);
        events.into_iter().map(|event| event.text).collect::<String>()
    };
    let text = text_with(&warm().json_schema(PERSON));
    check_person(&text);
    let dense = GrammarOptions { no_spaces: true, ..Default::default() };
    let usual = GrammarOptions { one_space: true, named_only: true, ..Default::default() };
    let grammar = model.grammar(PERSON, &usual).unwrap();
    assert_eq!(text_with(&warm().grammar(grammar.clone())), text);
    let both = warm().grammar(grammar.clone()).json_schema(PERSON);
    assert_eq!(status(engine.session(&both)), Status::INVALID_ARGUMENT);
    let mut session = engine.session(&warm().grammar(grammar)).unwrap(); // keeps it
    let pattern = model.pattern_grammar("[ab]{4}c", &GrammarOptions::default()).unwrap();
    let mut fork = session.fork(&warm().grammar(pattern)).unwrap();
    session.prefill(&ids).unwrap();
    assert_eq!(session.generate().unwrap(), text);
    fork.prefill(&ids).unwrap();
    let letters = fork.generate().unwrap();
    let (letters, end) = letters.split_at(4);
    assert!(letters.chars().all(|letter| "ab".contains(letter)) && end == "c");
    let ones = r#"{"type": "array", "items": {"enum": [1]}, "minItems": 2, "maxItems": 2}"#;
    assert_eq!(text_with(&warm().grammar(model.grammar(ones, &dense).unwrap())), "[1,1]");
    let both = r#"{"type":"object","properties":{"a":{"enum":[1]},"b":{"enum":[2]}},
        "required":["a","b"],"additionalProperties":false}"#;
    let ordered = |any_order| {
        let options = GrammarOptions { any_order, ..dense };
        text_with(&warm().grammar(model.grammar(both, &options).unwrap()))
    };
    assert_eq!(ordered(false), r#"{"a":1,"b":2}"#);
    assert_eq!(ordered(true), r#"{"b":2,"a":1}"#);
}

#[test]
fn rules_and_where_they_begin() {
    let Fixture { model, engine, ids, .. } = fixture();
    let text_with = |options: &SessionOptions| {
        let mut session = engine.session(options).unwrap();
        session.prefill(&ids).unwrap();
        session.generate().unwrap()
    };
    let sky = "root ::= \"sky\" | \"sea\"";
    let rules = model.rules_grammar(sky, &GrammarOptions::default()).unwrap();
    assert!(["sky", "sea"].contains(&text_with(&limit(16).grammar(rules)).as_str()));
    assert!(model.plan_rules_grammar(sky, &GrammarOptions::default()).unwrap() > 0);
    let mut session = engine.session(&limit(1)).unwrap();
    session.prefill(&ids).unwrap();
    let first = session.next().unwrap();
    let letters = model.pattern_grammar("[ab]{3}", &GrammarOptions::default()).unwrap();
    let options = limit(16)
        .grammar(letters)
        .grammar_begin(GrammarBegin::AFTER_TOKEN)
        .grammar_token(first.token.unwrap());
    let whole = text_with(&options);
    let letters = whole.strip_prefix(&first.text).unwrap();
    assert!(letters.len() == 3 && letters.chars().all(|letter| "ab".contains(letter)), "{}", whole);
    let more = text_with(&options.grammar_goes_on(true));
    assert!(more.starts_with(&whole) && more.len() > whole.len(), "{}", more);
}

#[test]
fn thinking() {
    let Fixture { model, engine, .. } = fixture();
    let ids = model.tokenize("Lily saw her mom", true).unwrap();
    let warm = || limit(32).temperature(1.0).seed(3);
    let channels = |options: &SessionOptions| {
        let mut session = engine.session(options).unwrap();
        session.prefill(&ids).unwrap();
        session.stream().map(|event| event.unwrap().channel).collect::<Vec<_>>()
    };
    assert_eq!(channels(&warm()), [Channel::TEXT; 32]);
    let words = warm().thinking(true).thinking_texts(" mom", " day.\n");
    assert_eq!(channels(&words)[0], Channel::THINKING);
    let bounded = channels(&words.thinking_tokens(1));
    assert!(bounded.iter().position(|&channel| channel == Channel::TEXT).unwrap() < 8);
    assert_eq!(status(engine.session(&warm().thinking(true))), Status::UNSUPPORTED);
}

const ASK: &str = r#"[{"role": "user", "content": "How is the weather?"}]"#;
const TOOLS: &str = r#"[{"type": "function", "function": {"name": "weather", "parameters": {
    "type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}}, "required": ["city"],
    "additionalProperties": false}}}]"#;

fn asking() -> Chat<'static> {
    Chat { messages: ASK, tools: Some(TOOLS), ..Default::default() }
}

/// A model with a template that knows functions and thoughts.
fn calling() -> Model<'static> {
    Model::open(std::env::var("RONDO_TEST_CALLING").unwrap()).unwrap()
}

#[test]
fn parser() {
    let mut parser = calling().chat_parser(&asking()).unwrap();
    let answer = "<think>\nso\n</think>\n\nGrüße<tool_call>\n{\"name\": \"weather\", \
                  \"arguments\": {\"city\": \"Rome\"}}\n</tool_call>";
    let (name, id) = ("weather".to_string(), String::new());
    for _ in 0..2 {
        let mut parts = Vec::new();
        for byte in answer.bytes() {
            parser.push(&[byte], false).unwrap();
            parts.extend(parser.parts().map(Result::unwrap));
        }
        parser.push(&[], true).unwrap();
        parts.extend(parser.parts().map(Result::unwrap));
        let (mut content, mut thought, mut pieces) = (String::new(), String::new(), String::new());
        for part in &parts {
            match part {
                ChatPart::Content(text) => content += text,
                ChatPart::Thinking(text) => thought += text,
                ChatPart::Arguments { call: 0, text } => pieces += text,
                ChatPart::Call { call: 0, .. } | ChatPart::CallEnd { call: 0, .. } => {}
                other => panic!("{:?}", other),
            }
        }
        assert_eq!((thought.as_str(), content.as_str()), ("so", "Grüße"));
        let call = ChatPart::Call { call: 0, name: name.clone(), id: id.clone() };
        assert!(parts.contains(&call));
        let arguments = r#"{"city": "Rome"}"#.to_string();
        assert_eq!(pieces, arguments);
        let end = ChatPart::CallEnd { call: 0, name: name.clone(), id: id.clone(), arguments };
        assert_eq!(parts.last(), Some(&end));
        assert_eq!(status(parser.push(b"more", false)), Status::INVALID_ARGUMENT);
        parser.reset().unwrap();
    }
    let none = Chat { template: Some("{{ messages[0].content }}"), ..asking() };
    assert_eq!(status(fixture().model.chat_parser(&none)), Status::UNSUPPORTED);
}

#[test]
fn calls() {
    let model = calling();
    let engine = model.engine(&mut engine_options()).unwrap();
    let gbnf = model.chat_grammar(&asking(), Calls::ONE, Some("weather")).unwrap();
    let absent = model.chat_grammar(&asking(), Calls::AUTO, Some("absent"));
    assert!(absent.unwrap_err().message.contains("absent"));
    let rules = model.rules_grammar(&gbnf, &GrammarOptions::default()).unwrap();
    let mut session = engine.session(&limit(0).grammar(rules)).unwrap();
    let parts: Vec<_> = session.chat_parts(&asking()).unwrap().map(Result::unwrap).collect();
    assert!(matches!(&parts[0], ChatPart::Call { name, .. } if name == "weather"));
    match parts.last() {
        Some(ChatPart::CallEnd { name, arguments, .. }) => {
            let arguments: String = arguments.chars().filter(|c| !c.is_whitespace()).collect();
            let cities = [r#"{"city":"Rome"}"#, r#"{"city":"Oslo"}"#];
            assert!(name == "weather" && cities.contains(&arguments.as_str()), "{}", arguments);
        }
        other => panic!("{:?}", other),
    }
    let content = |options: &SessionOptions| {
        let mut session = engine.session(options).unwrap();
        let parts = session.chat_parts(&asking()).unwrap();
        parts
            .map(|part| match part.unwrap() {
                ChatPart::Content(text) => text,
                other => panic!("{:?}", other),
            })
            .collect::<String>()
    };
    let begun = model.pattern_grammar("<tool_ca", &GrammarOptions::default()).unwrap();
    assert_eq!(content(&limit(0).grammar(begun)), "<tool_ca"); // looks like a call to its end
    assert_eq!(content(&limit(0).logit_bias([(1, 1e9)])), ""); // the end is no content
    let mut free = engine.session(&limit(12)).unwrap();
    let chat = Chat { tools: None, ..asking() };
    for part in free.chat_parts(&chat).unwrap() {
        assert!(matches!(part.unwrap(), ChatPart::Content(_)));
    }
    let (begin, end) = model.chat_thinking(&chat).unwrap();
    assert_eq!((begin.trim(), end.trim()), ("<think>", "</think>"));
}

#[test]
fn plain_content() {
    let model = calling();
    let said = r#"[{"role": "user", "content": "<|pad|>"}]"#;
    let plain = Chat { messages: said, ..Default::default() };
    let count = |chat: &Chat<'_>, token| {
        model.chat_ids(chat).unwrap().into_iter().filter(|&id| id == token).count()
    };
    assert_eq!((count(&plain, 2), count(&plain, 1)), (0, 1)); // the end is the template's own
    assert_eq!(count(&Chat { special_content: true, ..plain }, 2), 1);
}

#[test]
fn refused_grammars() {
    let Fixture { model, engine, .. } = fixture();
    let schema = r#"{"properties":{"a":{"uniqueItems":true}}}"#;
    let pointer = "#/properties/a/uniqueItems";
    let error = model.grammar(schema, &GrammarOptions::default()).err().unwrap();
    assert_eq!(error.status, Status::UNSUPPORTED);
    assert!(error.message.contains(pointer), "{}", error);
    let options = SessionOptions::default().json_schema(schema);
    assert!(engine.session(&options).err().unwrap().message.contains(pointer));
}

#[test]
fn planned_grammars() {
    let Fixture { model, .. } = fixture();
    let few = GrammarOptions { memory_bytes: 1 << 20, ..Default::default() };
    let small = model.plan_grammar(PERSON, &few).unwrap();
    assert!(small > 0 && model.plan_grammar(PERSON, &Default::default()).unwrap() > small);
    assert_eq!(model.plan_pattern_grammar("a", &few).unwrap(), small);
}

#[test]
#[cfg(target_os = "linux")]
fn chosen_cpus() {
    let Fixture { model, ids, text, .. } = fixture();
    let state = std::fs::read_to_string("/proc/self/status").unwrap();
    let allowed = state.split("Cpus_allowed_list:").nth(1).unwrap().trim_start();
    let cpu = allowed.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
    let engine = model.engine(&mut engine_options().threads(2).cpus([cpu])).unwrap();
    assert_eq!(engine.memory().unwrap().threads, 2);
    assert_eq!(text_of(&engine, &ids, 16), text);
    assert_eq!(model.plan(&engine_options().cpus([cpu])).unwrap().threads, 1);
    let refused = model.engine(&mut engine_options().cpus([1023])).err().unwrap();
    assert_eq!(refused.status, Status::INVALID_ARGUMENT);
    assert!(refused.message.contains("1023"), "{}", refused);
}

#[test]
fn threads() {
    let Fixture { engine, ids, text, .. } = fixture();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(text_of(&engine, &ids, 16), text));
        }
    });
}

#[test]
fn logits() {
    let Fixture { engine, ids, .. } = fixture();
    let mut session = engine.session(&limit(0)).unwrap();
    let mut last = 0.0;
    session.prefill_logits(&ids, |_, logits| last = logits[7]).unwrap();
    let logits = session.logits().unwrap();
    assert_eq!((logits.len(), logits[7]), (2048, last));
    let best =
        (0..2048).max_by(|&a, &b| logits[a].partial_cmp(&logits[b]).unwrap()).unwrap() as i32;
    assert_eq!(session.next().unwrap().token, Some(best));
    session.undo(1).unwrap();
    session.accept(best).unwrap();
    assert_eq!(session.position().unwrap() as usize, ids.len() + 1);
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _ = session.prefill_logits(&ids, |_, _| panic!("enough"));
    }));
    assert!(panic.is_err());
    session.reset().unwrap();
}

#[test]
fn cancel() {
    let Fixture { engine, ids, text, .. } = fixture();
    let mut session = engine.session(&limit(16)).unwrap();
    let canceller = session.canceller();
    canceller.cancel();
    assert_eq!(status(session.prefill(&ids)), Status::CANCELLED);
    let number = canceller.call_number();
    session.prefill(&ids).unwrap();
    canceller.cancel_call(number); // it is over: nothing happens
    assert_eq!(canceller.call_number(), number + 1);
    canceller.cancel_call(number + 1);
    assert_eq!(status(session.next()), Status::CANCELLED);
    assert_eq!(session.generate().unwrap(), text);
    let other = canceller.clone();
    let thread = thread::spawn(move || {
        thread::sleep(Duration::from_millis(20));
        other.cancel();
    });
    let cancelled = loop {
        session.undo(session.position().unwrap()).unwrap();
        if let Err(error) = session.prefill(&ids) {
            break error;
        }
    };
    assert_eq!(cancelled.status, Status::CANCELLED);
    thread.join().unwrap();
    drop(session);
    canceller.cancel();
}

#[test]
fn fork_and_snapshot() {
    let Fixture { model, engine, ids, text } = fixture();
    let mut session = engine.session(&limit(16)).unwrap();
    session.prefill(&ids).unwrap();
    let mut fork = session.fork(&limit(16)).unwrap();
    let first = fork.next().unwrap().token.unwrap();
    let other = limit(16).logit_bias([(first, -1e9)]);
    fork.undo(1).unwrap();
    assert_eq!(fork.generate().unwrap(), text);
    assert_ne!(session.fork(&other).unwrap().generate().unwrap(), text);
    let begun: String = (0..6).map(|_| session.next().unwrap().text).collect();
    let mut saved = session.save().unwrap();
    let mut restored = model.engine(&mut engine_options()).unwrap().session(&limit(16)).unwrap();
    restored.restore(&saved).unwrap();
    *saved.last_mut().unwrap() ^= 1;
    assert_eq!(status(restored.restore(&saved)), Status::CORRUPT);
    assert_eq!(begun + &restored.generate().unwrap(), text);
}

#[test]
fn step_over_several_sessions() {
    let Fixture { model, engine, .. } = fixture();
    let prompts = [PROMPT, "Once upon a time", "The cat"];
    let prompts = prompts.map(|prompt| model.tokenize(prompt, true).unwrap());
    let mut sessions = prompts.clone().map(|prompt| {
        let mut session = engine.session(&limit(12)).unwrap();
        session.append(&prompt).unwrap();
        session
    });
    let mut texts = [String::new(), String::new(), String::new()];
    let mut over = [false; 3];
    while over != [true; 3] {
        let mut running: Vec<_> =
            sessions.iter_mut().zip(over).filter(|(_, over)| !over).map(|(s, _)| s).collect();
        engine.step(&mut running).unwrap();
        for (i, session) in
            sessions.iter_mut().enumerate().filter(|(i, _)| !over[*i]).collect::<Vec<_>>()
        {
            let event = session.event().unwrap();
            texts[i] += &event.text;
            over[i] = event.reason != Reason::NONE;
        }
    }
    assert_eq!(engine.stats().unwrap().sessions_open, 3);
    drop(sessions);
    assert_eq!(texts, prompts.map(|prompt| text_of(&engine, &prompt, 12)));
}

#[test]
fn chat() {
    let Fixture { model, engine, .. } = fixture();
    let messages = r#"[{"role": "user", "content": "Grüße"}]"#;
    let chat = Chat { messages, ..Default::default() };
    assert_eq!(status(model.render_chat(&chat)), Status::UNSUPPORTED);
    let template = Some("{{ messages[0].content }}{{ tail }}");
    let chat = Chat { template, variables: Some(r#"{"tail": "!"}"#), ..chat };
    assert_eq!(model.render_chat(&chat).unwrap(), "Grüße!");
    assert_eq!(model.chat_ids(&chat).unwrap(), model.tokenize("Grüße!", false).unwrap());
    assert!(model.chat_template_names().unwrap().is_empty());
    let mut session = engine.session(&limit(12)).unwrap();
    session.prefill(&[7]).unwrap(); // is taken back
    let answer: String = session.chat(&chat).unwrap().map(|event| event.unwrap().text).collect();
    assert_eq!(answer, text_of(&engine, &model.chat_ids(&chat).unwrap(), 12));
    assert_eq!(status(model.chat_template("default")), Status::INVALID_ARGUMENT);
}

#[test]
fn errors() {
    let Fixture { model, engine, .. } = fixture();
    let absent = Model::open("absent.rondo").err().unwrap();
    assert_eq!(absent.status, Status::IO_ERROR);
    assert!(absent.to_string().contains("absent.rondo"));
    let mut options = engine_options().max_rows(50000);
    assert!(model.engine(&mut options).err().unwrap().message.contains("max_rows"));
    let mut session = engine.session(&limit(0)).unwrap();
    assert!(session.prefill(&[2048]).unwrap_err().message.contains("2048"));
    assert_eq!(status(session.prefill(&[5; 257])), Status::CONTEXT_FULL);
    assert_eq!(status(session.next()), Status::NO_LOGITS);
    assert_eq!(status(query("no such thing")), Status::UNSUPPORTED);
    assert_eq!(status(query("a\0zero")), Status::INVALID_ARGUMENT);
}

#[test]
fn progress() {
    let Fixture { model, .. } = fixture();
    let mut last = (0, 1);
    let mut options = engine_options().progress(|done, total| {
        last = (done, total);
        true
    });
    model.engine(&mut options).unwrap();
    drop(options);
    assert_eq!(last.0, last.1);
    let mut options = engine_options().progress(|_, _| false);
    assert_eq!(status(model.engine(&mut options)), Status::CANCELLED);
}

#[test]
fn observation() {
    let Fixture { model, ids, .. } = fixture();
    let mut options = engine_options().profile_events(1000).duty_percent(90);
    let engine = model.engine(&mut options).unwrap();
    let mut session = engine.session(&limit(4)).unwrap();
    session.prefill(&ids).unwrap();
    session.generate().unwrap();
    assert_eq!(session.stats().unwrap().tokens_generated, 4);
    let (done, total) = session.progress().unwrap();
    assert_eq!(done, total);
    let (event, cursor) = engine.profile(0).unwrap().unwrap();
    assert!(!event.name.is_empty() && cursor > 0);
    assert_eq!(engine.profile(u64::from(u32::MAX)).unwrap(), None);
}

#[test]
fn lent_memory() {
    let Fixture { ids, text, .. } = fixture();
    let file = std::fs::read(path()).unwrap();
    let layout = Layout::from_size_align(file.len(), 64).unwrap();
    let bytes = unsafe {
        let bytes = alloc(layout);
        std::ptr::copy_nonoverlapping(file.as_ptr(), bytes, file.len());
        std::slice::from_raw_parts(bytes, file.len())
    };
    let model = Model::from_memory(bytes).unwrap();
    let plan = model.plan(&engine_options()).unwrap();
    let place =
        Layout::from_size_align(plan.arena_bytes as usize, plan.arena_alignment as usize).unwrap();
    let arena = unsafe {
        std::slice::from_raw_parts_mut(alloc(place).cast::<MaybeUninit<u8>>(), place.size())
    };
    let arena_start = arena.as_mut_ptr();
    let engine = model.engine_in(&mut engine_options(), arena).unwrap();
    assert_eq!(engine.stats().unwrap().owns_arena, 0);
    let mut session = engine.session(&limit(16)).unwrap();
    drop((model, engine)); // in any order
    session.prefill(&ids).unwrap();
    assert_eq!(session.generate().unwrap(), text);
    drop(session);
    unsafe {
        dealloc(bytes.as_ptr() as *mut u8, layout);
        dealloc(arena_start.cast(), place);
    }
}

#[test]
fn thread_tags() {
    fn send<T: Send>() {}
    fn sync<T: Sync>() {}
    send::<Model<'_>>();
    sync::<Model<'_>>();
    send::<Engine<'_>>();
    sync::<Engine<'_>>();
    send::<Session<'_>>();
    send::<ChatParser<'_>>();
    send::<Media<'_>>();
    sync::<Media<'_>>();
    send::<Grammar>();
    sync::<Grammar>();
    send::<Canceller>();
    sync::<Canceller>();
}

#[test]
#[ignore = "needs a library of tomorrow"]
fn newer_library() {
    assert_eq!(status(query("of tomorrow")), Status(1000));
    let Fixture { engine, ids, .. } = fixture();
    let mut session = engine.session(&limit(4)).unwrap();
    session.prefill(&ids).unwrap();
    let told = |event: Result<Event>| event.map(|event| (event.reason.0, event.channel.0)).unwrap();
    let told: Vec<_> = session.stream().map(told).collect();
    assert_eq!(told, [(0, 0), (0, 0), (0, 0), (1000, 1000)]);
    let chat = Chat { messages: "[]", ..Default::default() };
    let mut parser = calling().chat_parser(&chat).unwrap();
    parser.push(b"hi", true).unwrap();
    let parts: Vec<_> = parser.parts().map(Result::unwrap).collect();
    assert_eq!(parts, [ChatPart::Other { kind: ChatPartKind(1000), text: "hi".to_string() }]);
}
