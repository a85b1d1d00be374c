//! What else the crate has: embedding by ids, rows, memory of the caller's, a newer library.
mod common;
use common::*;
use rondo::*;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::thread;

#[test]
fn inputs() {
    let Fixture { model, engine, ids, .. } = fixture();
    let n = model.info().unwrap().hidden_size as usize;
    let (zeros, halves) = (vec![0.0; 9 * n], vec![0; 3 * n]);
    let rows = Input::rows(&zeros[..2 * n]);
    let places = [[0, 0, 0], [0, 0, 1], [0, 1, 0]];
    let placed = Input::bfloat16(&halves).coordinates(&places).sees_whole(true);
    let mut none = engine.session(&limit(0)).unwrap();
    assert_eq!(status(none.append_inputs(&[rows])), Status::InvalidArgument);
    let engine = model.engine(&engine_options().max_input_rows(8)).unwrap();
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
        assert_eq!(error.status(), Status::InvalidArgument);
        assert!(error.message().contains(words), "{}", error);
    }
    assert_eq!(status(session.append_inputs(&[])), Status::InvalidArgument);
    assert_eq!(session.position().unwrap(), ids.len() as u64 + 7);
}

#[test]
fn embedding() {
    let model = Model::open(std::env::var("RONDO_TEST_EMBEDDER").unwrap()).unwrap();
    let facts = model.embedder().unwrap();
    assert_eq!((facts.dimensions, facts.max_tokens, facts.scores_pairs), (192, 100, false));
    assert_eq!(facts.pooling, Pooling::Mean);
    assert_eq!(model.prompts().unwrap().len(), 2);
    assert_eq!(model.embedding_text("Grüße", None).unwrap(), "Query: Grüße");
    assert_eq!(model.embedding_text("Grüße", Some("document")).unwrap(), "Grüße");
    assert_eq!(model.embedding_text("", Some("")).unwrap(), "");
    assert_eq!(status(model.embedding_text("a", Some("none"))), Status::InvalidArgument);
    assert_eq!(status(model.pair_text("a", "b", None)), Status::Unsupported);
    for (refused, words) in [
        (model.embedding_text("a", Some("none")), "no prompt named \"none\""),
        (model.pair_text("a", "b", None), "scores no pairs"),
        (model.detokenize(&[1 << 20], false), "no token of the model"),
    ] {
        assert!(refused.unwrap_err().message().contains(words));
    }
    let engine = model.engine(&EngineOptions::default().context(128).max_sessions(2)).unwrap();
    let mut a = engine.session(&SessionOptions::default()).unwrap();
    let mut b = engine.session(&SessionOptions::default()).unwrap();
    let ids =
        |text: &&str| model.tokenize(&model.embedding_text(text, None).unwrap(), true).unwrap();
    let texts: Vec<_> =
        ["Once upon a time", "there was", "a girl who liked to play"].iter().map(ids).collect();
    let vectors = engine.embed_ids(&mut [&mut a, &mut b], &texts, None).unwrap();
    assert_eq!(vectors.len(), 3);
    for (text, vector) in texts.iter().zip(&vectors) {
        assert_eq!(vector.len(), 192);
        assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
        assert_eq!(&a.embed_ids(text, None).unwrap(), vector);
    }
    assert_eq!(a.position().unwrap(), 0);
    let short = engine.embed_ids(&mut [&mut b], &texts[..1], Some(8)).unwrap();
    assert_eq!(short[0], a.embed_ids(&texts[0], Some(8)).unwrap());
    assert_eq!(short[0].len(), 8);
    assert!(engine.embed_ids(&mut [&mut a], &[[0; 0]; 0], None).unwrap().is_empty());
    let refused = engine.embed_ids(&mut [&mut a], &[&texts[0][..], &[]], None).unwrap_err();
    assert!(refused.message().contains("text 1 has no tokens"), "{}", refused.message());
    assert_eq!(status(a.embed_ids(&texts[0], Some(193))), Status::InvalidArgument);
    assert_eq!(status(a.embed_ids(&texts[0], Some(usize::MAX))), Status::InvalidArgument);
    assert_eq!(status(a.embed_ids(&texts[0], Some(0))), Status::InvalidArgument);
    assert_eq!(status(a.embed_ids(&[5; 101], None)), Status::ContextFull);
    assert_eq!(status(a.prefill(&texts[0])), Status::Unsupported);
    thread::scope(|threads| {
        let other = threads.spawn(|| b.embed_ids(&texts[1], None).unwrap());
        assert_eq!(a.embed_ids(&texts[0], None).unwrap(), vectors[0]);
        assert_eq!(other.join().unwrap(), vectors[1]);
    });
}

#[test]
fn models_that_predict_embed_nothing() {
    let Fixture { model, engine, ids, .. } = fixture();
    assert_eq!(model.embedder().unwrap().dimensions, 0);
    assert!(model.prompts().unwrap().is_empty());
    assert_eq!(status(model.embedding_text("a", None)), Status::Unsupported);
    let mut session = engine.session(&limit(1)).unwrap();
    assert_eq!(status(session.embed_ids(&ids, None)), Status::Unsupported);
    assert_eq!(status(engine.embed_ids(&mut [&mut session], &[&ids], None)), Status::Unsupported);
}

#[test]
#[cfg(target_os = "linux")]
fn chosen_cpus() {
    let Fixture { model, ids, text, .. } = fixture();
    let state = std::fs::read_to_string("/proc/self/status").unwrap();
    let allowed = state.split("Cpus_allowed_list:").nth(1).unwrap().trim_start();
    let cpu = allowed.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
    let engine = model.engine(&engine_options().threads(2).cpus([cpu])).unwrap();
    assert_eq!(engine.memory().unwrap().threads, 2);
    assert_eq!(text_of(&engine, &ids, 16), text);
    assert_eq!(model.plan(&engine_options().cpus([cpu])).unwrap().threads, 1);
    let refused = model.engine(&engine_options().cpus([1023])).err().unwrap();
    assert_eq!(refused.status(), Status::InvalidArgument);
    assert!(refused.message().contains("1023"), "{}", refused);
}

#[test]
fn errors() {
    let Fixture { model, engine, .. } = fixture();
    let absent = Model::open("absent.rondo").err().unwrap();
    assert_eq!(absent.status(), Status::IoError);
    assert!(absent.to_string().contains("absent.rondo"));
    let options = engine_options().max_rows(50000);
    assert!(model.engine(&options).err().unwrap().message().contains("max_rows"));
    let mut session = engine.session(&limit(0)).unwrap();
    assert!(session.prefill(&[2048]).unwrap_err().message().contains("2048"));
    assert_eq!(status(session.prefill(&[5; 257])), Status::ContextFull);
    assert_eq!(status(session.next()), Status::NoLogits);
    assert_eq!(status(query("no such thing")), Status::Unsupported);
    assert_eq!(Status::Other(0x4f).kind(), ErrorKind::Session);
    assert!(!Status::Other(0x4f).to_string().is_empty());
    assert_eq!(status(query("a\0zero")), Status::InvalidArgument);
}

#[test]
fn observation() {
    let Fixture { model, ids, .. } = fixture();
    let options = engine_options().profile_events(1000).duty_percent(90);
    let engine = model.engine(&options).unwrap();
    let mut session = engine.session(&limit(4)).unwrap();
    session.prefill(&ids).unwrap();
    rest(&mut session);
    assert_eq!(session.stats().unwrap().tokens_generated, 4);
    let (done, total) = session.canceller().progress().unwrap();
    assert_eq!(done, total);
    let (event, cursor) = engine.profile(0).unwrap().unwrap();
    assert!(!event.name.is_empty() && cursor > 0);
    assert_eq!(engine.profile(u64::from(u32::MAX)).unwrap(), None);
}

#[test]
fn chat() {
    let Fixture { model, engine, .. } = fixture();
    let chat = Chat::from([Message::user("Grüße")]);
    assert_eq!(status(model.render_chat(&chat)), Status::Unsupported);
    let chat = chat.template("{{ messages[0].content }}{{ tail }}").variables(r#"{"tail": "!"}"#);
    assert_eq!(model.render_chat(&chat).unwrap(), "Grüße!");
    assert_eq!(model.chat_ids(&chat).unwrap(), model.tokenize("Grüße!", false).unwrap());
    assert!(model.chat_template_names().unwrap().is_empty());
    let mut session = engine.session(&limit(12)).unwrap();
    session.prefill(&[7]).unwrap(); // is taken back
    let answer: String = session.chat_events(&chat).map(|event| event.unwrap().text).collect();
    assert_eq!(answer, text_of(&engine, &model.chat_ids(&chat).unwrap(), 12));
    assert_eq!(status(model.chat_template("default")), Status::InvalidArgument);
}

#[test]
fn lent_memory() {
    #[repr(align(64))]
    #[derive(Clone, Copy)]
    struct Line {
        _bytes: [MaybeUninit<u8>; 64],
    }
    /// Memory that is aligned, and tells when it is given back.
    struct Lent {
        lines: Vec<Line>,
        bytes: usize,
        _held: Arc<()>,
    }
    impl AsRef<[u8]> for Lent {
        fn as_ref(&self) -> &[u8] {
            unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.bytes) }
        }
    }
    impl AsMut<[MaybeUninit<u8>]> for Lent {
        fn as_mut(&mut self) -> &mut [MaybeUninit<u8>] {
            unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.bytes) }
        }
    }
    let held = Arc::new(());
    let lent = |bytes: usize| {
        let line = Line { _bytes: [MaybeUninit::new(0); 64] };
        Lent { lines: vec![line; bytes / 64 + 1], bytes, _held: Arc::clone(&held) }
    };
    let Fixture { ids, text, .. } = fixture();
    let file = std::fs::read(file("RONDO_TEST_MODEL")).unwrap();
    let mut bytes = lent(file.len());
    bytes.as_mut().iter_mut().zip(&file).for_each(|(to, from)| *to = MaybeUninit::new(*from));
    let model = Model::from_memory(bytes).unwrap();
    let plan = model.plan(&engine_options()).unwrap();
    assert_eq!(plan.arena_alignment, 64);
    let arena = lent(plan.arena_bytes as usize);
    let engine = model.engine_in(&engine_options(), arena).unwrap();
    assert!(!engine.stats().unwrap().owns_arena);
    let mut session = engine.session(&limit(16)).unwrap();
    drop((model, engine)); // in any order
    assert_eq!(session.generate(&ids).unwrap(), text);
    assert_eq!(Arc::strong_count(&held), 3);
    drop(session);
    assert_eq!(Arc::strong_count(&held), 1);
    let file = std::fs::read(common::file("RONDO_TEST_ADAPTER")).unwrap();
    let mut bytes = lent(file.len());
    bytes.as_mut().iter_mut().zip(&file).for_each(|(to, from)| *to = MaybeUninit::new(*from));
    let Fixture { model, .. } = fixture();
    let adapter = model.adapter_from_memory(bytes).unwrap();
    let engine = model.engine(&engine_options().adapter_rank(4)).unwrap();
    let mut session = engine.session(&limit(16).adapter(adapter)).unwrap();
    session.prefill(&ids).unwrap();
    let mut fork = session.fork(&limit(16)).unwrap();
    drop(session);
    assert_eq!(Arc::strong_count(&held), 2);
    assert_ne!(rest(&mut fork), text);
    drop(fork);
    assert_eq!(Arc::strong_count(&held), 1);
    assert_eq!(status(Model::from_memory(&b"none"[..])), Status::InvalidArgument);
}

#[test]
fn thread_tags() {
    fn send<T: Send>() {}
    fn sync<T: Sync>() {}
    send::<Model>();
    sync::<Model>();
    send::<Engine>();
    sync::<Engine>();
    send::<Session>();
    sync::<Session>();
    send::<Pending<'_, String>>();
    send::<AsyncStream<'_, Event>>();
    send::<ChatParser>();
    send::<Media>();
    sync::<Media>();
    send::<Grammar>();
    sync::<Grammar>();
    send::<Canceller>();
    sync::<Canceller>();
}

#[test]
#[ignore = "needs a library of tomorrow"]
fn newer_library() {
    assert_eq!(status(query("of tomorrow")), Status::Other(1000));
    let Fixture { engine, ids, .. } = fixture();
    let mut session = engine.session(&limit(4)).unwrap();
    let told = |event: Result<Event>| event.map(|event| (event.reason, event.channel)).unwrap();
    let told: Vec<_> = session.stream(&ids).map(told).collect();
    assert_eq!(told[2], (None, Channel::Text));
    assert_eq!(told[3], (Some(Reason::Other(1000)), Channel::Other(1000)));
    let chat = Chat::from_json("[]");
    let mut parser = calling().chat_parser(&chat).unwrap();
    parser.push(b"hi", true).unwrap();
    let parts: Vec<_> = parser.parts().map(Result::unwrap).collect();
    assert_eq!(parts, [ChatPart::Other { kind: 1000, text: "hi".to_string() }]);
}

#[test]
fn arguments_that_are_nonsense_are_errors() {
    let Fixture { model, engine, ids, .. } = fixture();
    let mut session = engine.session(&limit(4)).unwrap();
    let other = model.engine(&engine_options()).unwrap();
    let mut foreign = other.session(&limit(4)).unwrap();
    let failed: [(&str, Result<()>); 22] = [
        ("prefill", session.prefill(&[])),
        ("prefill", session.prefill(&[i32::MIN])),
        ("append", session.append(&[i32::MAX])),
        ("propose", session.propose(&[-1])),
        ("accept", session.accept(i32::MIN)),
        ("undo", session.undo(u64::MAX)),
        ("restore", session.restore(&[])),
        ("generate", session.generate(vec![]).map(drop)),
        ("resume", session.resume().collect::<Result<Vec<_>>>().map(drop)),
        ("logits", session.logits().map(drop)),
        ("step", engine.step(&mut [&mut foreign])),
        ("step", engine.step(&mut [&mut session, &mut foreign])),
        ("embed_ids", engine.embed_ids(&mut [], &[&ids], None).map(drop)),
        ("memory_region", engine.memory_region(u32::MAX).map(drop)),
        ("plan", model.plan(&EngineOptions::default().max_rows(u32::MAX)).map(drop)),
        ("plan", model.plan(&EngineOptions::default().context(u32::MAX)).map(drop)),
        ("plan", model.plan(&engine_options().cpus(vec![0; 5000])).map(drop)),
        ("kv_format", model.plan(&engine_options().kv_format(Kv::Other(-5))).map(drop)),
        ("fact", model.fact("a\0b").map(drop)),
        ("chat", session.chat(Chat::from_json("nonsense")).map(drop)),
        ("chat", session.chat(Chat::from([Message::from_json("[")])).map(drop)),
        ("chat", session.chat(Chat::default().template("{{")).map(drop)),
    ];
    for (what, result) in failed {
        let error = result.err().unwrap_or_else(|| panic!("{} took it", what));
        assert!(!error.message().is_empty() && error.kind() != ErrorKind::Internal, "{}", error);
    }
    engine.step(&mut []).unwrap();
    assert_eq!(engine.profile(u64::MAX).unwrap(), None);
    assert!(model.tokenize(&"a b ".repeat(100_000), true).unwrap().len() > 100_000);
}
