//! What every binding does (c_api/bindings/behaviours.md): texts, conversations and more.
mod common;
use common::*;
use rondo::*;

#[test]
fn b19_a_text_gives_a_text() {
    let Fixture { engine, text, .. } = fixture();
    let mut session = engine.session(&limit(16)).unwrap();
    assert_eq!(session.generate(PROMPT).unwrap(), text);
    assert!(!session.generate(String::from(" And then")).unwrap().is_empty());
}

#[test]
fn b20_ids_give_the_same() {
    let Fixture { engine, ids, text, .. } = fixture();
    assert_eq!(engine.session(&limit(16)).unwrap().generate(&ids).unwrap(), text);
    assert_eq!(engine.session(&limit(16)).unwrap().generate(&ids[..]).unwrap(), text);
    let error = engine.session(&limit(16)).unwrap().generate(&[2048]).unwrap_err();
    assert!(error.message().contains("2048"), "{}", error);
}

#[test]
fn b21_a_stream_gives_whole_characters() {
    let Fixture { model, engine, text, .. } = fixture();
    let mut session = engine.session(&limit(16).logprobs(true)).unwrap();
    let mut streamed = String::new();
    for event in session.stream(PROMPT) {
        let event = event.unwrap();
        assert!(event.logprob < 0.0 && event.token.is_some());
        streamed += &event.text;
    }
    assert_eq!(streamed, text);
    // A character of several tokens comes when it is whole.
    let bytes = model.tokenize("🙂", false).unwrap();
    assert!(bytes.len() > 1);
    let mut session = engine.session(&limit(0)).unwrap();
    session.prefill(&[5]).unwrap();
    let mut texts = bytes.iter().map(|&id| {
        session.accept(id).unwrap();
        session.event().unwrap().text
    });
    let last = texts.by_ref().nth(bytes.len() - 1).unwrap();
    assert_eq!(last, "🙂");
}

#[test]
fn b22_stop_strings_are_a_list() {
    let Fixture { engine, text, .. } = fixture();
    let stop = &text[4..8];
    let mut session = engine.session(&limit(0).stop([stop])).unwrap();
    assert_eq!(session.generate(PROMPT).unwrap(), text[..4]);
}

#[test]
fn b23_reasons_have_names() {
    let Fixture { engine, text, .. } = fixture();
    let reason = |options: SessionOptions| {
        let mut session = engine.session(&options).unwrap();
        let mut stream = session.stream(PROMPT);
        stream.by_ref().for_each(|event| drop(event.unwrap()));
        stream.reason()
    };
    assert_eq!(reason(limit(2)), Some(Reason::TokenLimit));
    assert_eq!(reason(limit(0).stop([&text[4..8]])), Some(Reason::StopString));
    assert_eq!(reason(limit(0).logit_bias([(1, 1e9)])), Some(Reason::Eos));
    assert_eq!(format!("{:?}", Reason::TokenLimit), "TokenLimit");
}

#[test]
fn b24_a_stream_may_be_left() {
    let Fixture { engine, ids, text, .. } = fixture();
    let mut session = engine.session(&limit(16)).unwrap();
    let begun: String = session.stream(&ids).take(3).map(|event| event.unwrap().text).collect();
    assert_eq!(session.position().unwrap(), ids.len() as u64 + 3);
    let rest: String = session.resume().map(|event| event.unwrap().text).collect();
    assert_eq!(begun + &rest, text);
    session.reset().unwrap();
    let mut left = session.stream_async(PROMPT);
    block_on(left.next()).unwrap().unwrap();
    drop(left);
    session.reset().unwrap();
    assert_eq!(session.generate(PROMPT).unwrap(), text);
}

#[test]
fn b25_a_stream_that_nobody_reads_computes_nothing() {
    let Fixture { engine, ids, .. } = fixture();
    let mut session = engine.session(&limit(64)).unwrap();
    let canceller = session.canceller();
    let mut stream = session.stream_async(&ids);
    for _ in 0..2 {
        block_on(stream.next()).unwrap().unwrap();
    }
    let call = canceller.call_number();
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert_eq!(canceller.call_number(), call);
    drop(stream);
    assert_eq!(session.position().unwrap(), ids.len() as u64 + 2);
}

#[test]
fn b26_seeds_give_equal_texts() {
    let Fixture { engine, ids, .. } = fixture();
    let with = |seed| {
        let options = limit(24).temperature(1.0).seed(seed);
        engine.session(&options).unwrap().generate(&ids).unwrap()
    };
    assert_eq!(with(1), with(1));
    assert_ne!(with(1), with(2));
}

#[test]
fn b27_stop_strings() {
    let engine = calling().engine(&engine_options()).unwrap();
    let said = |stop: &[&str]| {
        let mut session = engine.session(&limit(12).stop(stop.iter().copied())).unwrap();
        session.chat(&[Message::user("How is the weather?")]).unwrap().text
    };
    let whole = said(&[]);
    for letter in whole.chars() {
        assert_eq!(said(&[&letter.to_string()]), whole[..whole.find(letter).unwrap()]);
    }
}

#[test]
fn b27_chat() {
    let model = calling();
    let engine = model.engine(&engine_options()).unwrap();
    let mut session = engine.session(&limit(12)).unwrap();
    let mut messages = vec![Message::system("Be \"brief\"\n"), Message::user("Grüße")];
    let reply = session.chat(&messages).unwrap();
    assert_eq!((reply.reason, reply.calls.len()), (Reason::TokenLimit, 0));
    let ids = model.chat_ids(&Chat::from(&messages)).unwrap();
    assert_eq!(reply.text, text_of(&engine, &ids, 12));
    let mut stream = session.chat_stream(&messages);
    let mut streamed = String::new();
    for part in stream.by_ref() {
        match part.unwrap() {
            ChatPart::Content(text) => streamed += &text,
            other => panic!("{:?}", other),
        }
    }
    assert_eq!(stream.reason(), Some(Reason::TokenLimit));
    assert_eq!(streamed, reply.text);
    messages.extend([Message::from(&reply), Message::user("Why?")]);
    let text = model.render_chat(&Chat::from(&messages)).unwrap();
    assert!(text.contains(&format!("assistant: {}", reply.text)), "{}", text);
    let awaited = block_on(session.chat_async(&messages)).unwrap();
    assert_eq!(awaited, session.chat(&messages).unwrap());
}

#[test]
fn b29_calls_parse() {
    let model = calling();
    let engine = model.engine(&engine_options()).unwrap();
    let tools = r#"[{"type": "function", "function": {"name": "weather", "parameters": {
        "type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}},
        "required": ["city"], "additionalProperties": false}}}]"#;
    let messages = [Message::user("How is the weather?")];
    let chat = Chat::from(&messages[..]).tools(tools);
    let grammar = model.tool_grammar(&chat, Calls::One).unwrap();
    let mut session = engine.session(&limit(0).grammar(grammar)).unwrap();
    let reply = session.chat(&chat).unwrap();
    assert_eq!((reply.calls.len(), reply.calls[0].name.as_str()), (1, "weather"));
    let arguments: String = reply.calls[0].arguments.split_whitespace().collect();
    assert!([r#"{"city":"Rome"}"#, r#"{"city":"Oslo"}"#].contains(&arguments.as_str()));
    let again = [
        messages[0].clone(),
        Message::from(&reply),
        Message::tool(&reply.calls[0], "{\"sky\": \"clear\"}"),
    ];
    let text = model.render_chat(&Chat::from(again).tools(tools)).unwrap();
    assert!(text.contains("<tool_call>") && text.contains("clear"), "{}", text);
}

#[test]
fn b30_json_is_valid_by_its_schema() {
    let schema = r#"{"type": "object", "properties": {"name": {"enum": ["Ann", "Bo"]},
        "age": {"type": "integer", "minimum": 0, "maximum": 130}}, "required": ["name", "age"]}"#;
    let options = SessionOptions::default().temperature(1.0).json_schema(schema);
    let mut session = fixture().engine.session(&options).unwrap();
    let text = session.generate(PROMPT).unwrap();
    let rest = text.strip_prefix(r#"{"name": ""#).expect(&text);
    let rest = rest.strip_prefix("Ann").or_else(|| rest.strip_prefix("Bo")).expect(&text);
    let age = rest.strip_prefix(r#"", "age": "#).and_then(|rest| rest.strip_suffix('}'));
    assert!((0..=130).contains(&age.expect(&text).parse::<i32>().unwrap()), "{}", text);
}

#[test]
fn b31_embed() {
    let model = Model::open(file("RONDO_TEST_EMBEDDER")).unwrap();
    let engine = model.engine(&EngineOptions::default().context(128).max_sessions(2)).unwrap();
    let texts = ["Once upon a time", "there was", "a girl who liked to play"];
    let vectors = engine.embed(&texts, "document").unwrap();
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    for (i, vector) in vectors.iter().enumerate() {
        assert!((product(vector, vector) - 1.0).abs() < 1e-5);
        let nearest = (0..3)
            .max_by(|&a, &b| product(vector, &vectors[a]).total_cmp(&product(vector, &vectors[b])));
        assert_eq!(nearest, Some(i));
    }
    assert_eq!(block_on(engine.embed_async(&texts, "document")).unwrap(), vectors);
    assert_ne!(engine.embed(&texts, None).unwrap(), vectors); // behind the default prompt
    assert!(engine.embed(&[""; 0], None).unwrap().is_empty());
    let unknown = engine.embed(&texts, "none such").unwrap_err();
    assert_eq!(unknown.status(), Status::InvalidArgument);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(engine.embed(&texts, "document").unwrap(), vectors));
        }
    });
    assert_eq!(status(fixture().engine.embed(&texts, None)), Status::Unsupported);
}

#[test]
fn b32_score() {
    let model = Model::open(file("RONDO_TEST_SCORER")).unwrap();
    let engine = model.engine(&EngineOptions::default().max_sessions(2)).unwrap();
    let documents = ["a hill", "the sea", "her mom"];
    let scores = engine.score("Where?", &documents).unwrap();
    assert!(scores.len() == 3 && scores.iter().all(|score| (0.0..1.0).contains(score)));
    assert_eq!(engine.score("Where?", &documents[2..]).unwrap(), scores[2..]);
    assert_eq!(block_on(engine.score_async("Where?", &documents)).unwrap(), scores);
}

/// The width, the height and the RGB of the picture that tests have as a PPM file.
fn picture() -> (u32, u32, Vec<u8>) {
    let ppm = std::fs::read(file("RONDO_TEST_PICTURE") + ".ppm").unwrap();
    let parts: Vec<_> = ppm.splitn(5, u8::is_ascii_whitespace).collect();
    let number = |part: &[u8]| std::str::from_utf8(part).unwrap().parse().unwrap();
    (number(parts[1]), number(parts[2]), parts[4].to_vec())
}

#[test]
fn b33_pictures() {
    let model = Model::open(file("RONDO_TEST_SEEING")).unwrap();
    let (width, height, rgb) = picture();
    let plan = model.image_plan(width, height, &ImageOptions::default()).unwrap();
    let engine = model.engine(&EngineOptions::default().max_media_rows(plan.rows)).unwrap();
    let image = Image::new(Pixels::Rgb8, width, height, &[&rgb]);
    let media = engine.media(&image, &ImageOptions::default()).unwrap();
    let question = Message::user_with_pictures("What is in the picture?", 1);
    let chat = Chat::from([question]).media([media]);
    let mut session = engine.session(&limit(64)).unwrap();
    let told = std::fs::read_to_string(file("RONDO_TEST_PICTURE") + ".txt").unwrap();
    assert_eq!(session.chat(&chat).unwrap().text, told.trim_end_matches('\n'));
    let missing = session.chat(chat.media([])).unwrap_err();
    assert_eq!(missing.status(), Status::InvalidArgument);
}

#[test]
fn b34_adapters() {
    let Fixture { model, engine, ids, text } = fixture();
    let adapter = model.adapter(file("RONDO_TEST_ADAPTER")).unwrap();
    assert_eq!(adapter.info().unwrap().rank, 4);
    let adapted = limit(16).adapter(adapter.clone());
    assert_eq!(status(engine.session(&adapted)), Status::InvalidArgument);
    let engine = model.engine(&engine_options().adapter_rank(4)).unwrap();
    assert_eq!(text_of(&engine, &ids, 16), text);
    let mut session = engine.session(&adapted).unwrap();
    drop((adapter, adapted)); // the session goes on
    assert_ne!(session.generate(&ids).unwrap(), text);
    assert_eq!(status(model.adapter(file("RONDO_TEST_MODEL"))), Status::NotAModel);
}
