//! What every binding does (c_api/bindings/behaviours.md): loading, models, options. What the compiler
//! refuses is in src/refused.rs.
mod common;
use common::*;
use rondo::*;
use std::error::Error as _;
use std::process::Command;

#[test]
fn b01_versions_are_told() {
    let wanted = std::fs::read_to_string(file("RONDO_TEST_VERSION")).unwrap();
    assert_eq!(VERSION, wanted.trim());
    assert_eq!(version(), wanted.trim());
    assert_eq!(query("abi.version").unwrap(), i64::from(raw::RONDO_ABI_VERSION));
}

#[test]
fn b02_a_missing_library_is_told_while_building() {
    let build = |name: &str, value: &str| {
        let target = std::env::temp_dir().join(format!("rondo-b02-{}", std::process::id()));
        let output = Command::new(env!("CARGO"))
            .args(["build", "--offline", "--package", "rondo-sys", "--target-dir"])
            .arg(&target)
            .env_remove("RONDO_LIB_DIR")
            .env(name, value)
            .output()
            .unwrap();
        std::fs::remove_dir_all(&target).unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    for (told, looked) in [
        (build("RONDO_LIB_DIR", "/absent"), "RONDO_LIB_DIR is /absent"),
        (build("PKG_CONFIG", "/absent/pkg-config"), "pkg-config did not start"),
    ] {
        assert!(told.contains("librondo") || told.contains("rondo.dll"), "{}", told);
        assert!(told.contains(looked) && told.contains("--features vendored"), "{}", told);
    }
}

#[test]
fn b04_facts_are_the_files() {
    let facts = model().info().unwrap();
    assert_eq!((facts.vocab_size, facts.n_layers), (2048, 4));
    assert!(facts.context_length >= 256 && facts.has_tokenizer);
    assert_eq!((facts.picture_token, model().eos_tokens().unwrap()), (None, vec![1]));
    assert_eq!(model().fact("architecture").unwrap(), "LlamaForCausalLM");
    model().fact_keys().unwrap();
}

#[test]
fn b05_a_file_that_is_not_there() {
    let error = Model::open("absent.rondo").unwrap_err();
    assert_eq!((error.status(), error.kind()), (Status::IoError, ErrorKind::File));
    assert!(error.to_string().contains("absent.rondo"));
    assert_eq!(format!("{:?}", error.status()), "IoError");
    let error = Model::open("a\0b").unwrap_err();
    assert_eq!(error.status(), Status::InvalidArgument);
    assert!(error.source().is_some());
}

#[test]
fn b06_a_file_that_is_no_model() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    assert_eq!(status(Model::open(manifest)), Status::NotAModel);
}

#[test]
fn b08_texts_become_tokens_and_texts_again() {
    let text = "Grüße, 世界 🙂 \0 end";
    let ids = model().tokenize(text, false).unwrap();
    assert_eq!(model().detokenize(&ids, false).unwrap(), text);
    let long = "x".repeat(3000);
    let ids = model().tokenize(&long, false).unwrap();
    assert_eq!(model().detokenize(&ids, false).unwrap(), long);
    assert!(model().tokenize("", false).unwrap().is_empty());
    assert_eq!(status(model().detokenize(&[-1], false)), Status::InvalidArgument);
}

#[test]
fn b09_the_plan_is_what_the_engine_takes() {
    let Fixture { model, engine, .. } = fixture();
    let plan = model.plan(&engine_options()).unwrap();
    assert_eq!(engine.memory().unwrap().arena_bytes, plan.arena_bytes);
    let regions = model.plan_regions(&engine_options()).unwrap();
    assert_eq!(engine.memory_region(0).unwrap(), regions[0]);
    assert_eq!(regions[0].segment, Segment::Weights);
}

#[test]
fn b10_the_largest_context_fits() {
    let bytes = model().plan(&engine_options()).unwrap().arena_bytes;
    let context = model().plan_fit(bytes, &engine_options()).unwrap();
    assert!(context >= 256);
    let plan = model().plan(&engine_options().context(context)).unwrap();
    assert!(plan.arena_bytes <= bytes);
    assert_eq!(status(model().plan_fit(1, &engine_options())), Status::ArenaTooSmall);
}

#[test]
fn b13_numbers_that_an_option_cannot_hold() {
    let engine = fixture().engine;
    let refused = |options: &SessionOptions, name: &str| {
        let error = engine.session(options).unwrap_err();
        assert_eq!(error.status(), Status::InvalidArgument);
        assert!(error.message().contains(name), "{}", error);
    };
    refused(&limit(1).temperature(f32::NAN), "temperature");
    refused(&limit(1).top_p(f32::INFINITY), "top_p");
    refused(&limit(1).top_k(-1), "top_k");
    refused(&limit(1).logit_bias([(-1, 0.0)]), "logit_bias");
    refused(&limit(1).stop([""]), "stop");
    let error = model().plan(&engine_options().max_sessions(u32::MAX)).unwrap_err();
    assert!(error.message().contains("max_sessions"), "{}", error);
}

#[test]
fn b14_errors_call_options_by_their_names_here() {
    let error = model().engine(&engine_options().max_rows(50_000)).unwrap_err();
    assert!(error.message().contains("max_rows"), "{}", error);
    let error = fixture().engine.session(&limit(1).stop(vec!["x"; 99])).unwrap_err();
    assert!(error.message().contains("stop "), "{}", error);
    assert!(!error.message().contains("stop_strings"), "{}", error);
    let error = model().render_chat(&Chat::from([Message::user("Hi")])).unwrap_err();
    assert!(error.message().ends_with("give one as template"), "{}", error);
}

/// The fields of a struct in api.json, without those that are only sizes and users.
fn fields(of: &str) -> Vec<String> {
    let api = std::fs::read_to_string(file("RONDO_TEST_API")).unwrap();
    let begin = api.find(&format!("{{\"name\": \"{}\"", of)).expect("api.json has the struct");
    let text = &api[begin..];
    let text = text.split("\n    {").next().unwrap();
    let names = text.split('\n').skip(1).filter_map(|line| line.trim().strip_prefix("[\""));
    let names = names.map(|line| line[..line.find('"').unwrap()].to_string());
    let own = |name: &String| {
        !["struct_size", "progress", "reserved"].iter().any(|other| name.starts_with(other))
            && !name.starts_with("n_")
            && !name.ends_with("_user")
    };
    names.filter(own).collect()
}

#[test]
fn b15_each_engine_option_can_be_set() {
    let small = model();
    let set = EngineOptions::default()
        .context(128)
        .max_sessions(2)
        .max_rows(64)
        .threads(2)
        .context_policy(Policy::Stop)
        .sink_tokens(0)
        .kv_format(Kv::Float32)
        .kernels("scalar")
        .kv_tokens(512)
        .rows_per_step(32)
        .no_prefix_cache(true)
        .profile_events(100)
        .duty_percent(90)
        .draft(&small)
        .draft_head(false)
        .affinity(Affinity::System)
        .adapter_rank(4)
        .max_input_rows(8)
        .max_media_rows(0)
        .log_level(Log::Debug)
        .log(|_, _| {});
    // In its place: `cpus`, `parallel_for` and `progress` have tests of their own.
    let shown = format!("{:?}", set.clone());
    for name in fields("rondo_engine_options") {
        assert!(shown.contains(&format!("{}: ", name)), "{} is not in {}", name, shown);
    }
    let mut set = set;
    set.kernels = None;
    let plan = small.plan(&set).unwrap();
    assert_eq!((plan.context, plan.max_sessions, plan.rows_per_step), (128, 2, 32));
    let engine = small.engine(&set).unwrap();
    assert!(!engine.session(&limit(4)).unwrap().generate(PROMPT).unwrap().is_empty());
    let unknown = small.plan(&EngineOptions::default().kernels("none such")).unwrap_err();
    assert!(unknown.message().contains("none such"), "{}", unknown);
}

#[test]
fn b16_each_session_option_can_be_set() {
    let Fixture { model, engine, .. } = fixture();
    let grammar = model.pattern_grammar("[a-z]+", &GrammarOptions::default()).unwrap();
    let set = SessionOptions::default()
        .temperature(0.5)
        .top_k(10)
        .top_p(0.9)
        .min_p(0.01)
        .repetition_penalty(1.1)
        .presence_penalty(0.1)
        .frequency_penalty(0.1)
        .penalty_last_n(16)
        .ignore_eos(false)
        .logprobs(true)
        .no_repeat_ngram_size(4)
        .seed(7)
        .max_tokens(5)
        .logit_bias([(5, -1.0)])
        .stop(["never"])
        .speculation(Speculation::PromptLookup)
        .max_drafts(2)
        .grammar(grammar)
        .grammar_begin(GrammarBegin::AtOnce)
        .grammar_token(0)
        .grammar_goes_on(false)
        .thinking(true)
        .thinking_texts("<think>", "</think>")
        .thinking_tokens(9);
    let shown = format!("{:?}", set.clone());
    for name in fields("rondo_session_options") {
        let name = if name == "stop_strings" { "stop".to_string() } else { name };
        assert!(shown.contains(&format!("{}: ", name)), "{} is not in {}", name, shown);
    }
    let text = engine.session(&set).unwrap().generate(PROMPT).unwrap();
    assert!(text.chars().all(|letter| letter.is_ascii_lowercase()), "{}", text);
}

#[test]
fn b17_sampling_is_as_the_makers_recommend() {
    let Fixture { ids, text, .. } = fixture();
    let model = Model::open(file("RONDO_TEST_RECOMMENDING")).unwrap();
    let engine = model.engine(&engine_options()).unwrap();
    let text_with =
        |options: SessionOptions| engine.session(&options).unwrap().generate(&ids).unwrap();
    let recommended = text_with(limit(16));
    assert_ne!(recommended, text);
    assert_eq!(text_with(limit(16).temperature(1.5).top_k(50)), recommended);
    assert_eq!(text_with(limit(16).temperature(0.0)), " lovely and bright. Lily ran down the ");
    assert_eq!(text_with(limit(16).recommended(false)), text);
    let mut greedy = engine.session(&limit(16).recommended(false)).unwrap();
    greedy.prefill(&ids).unwrap();
    let mut fork = greedy.fork(&limit(16)).unwrap();
    let forked: String = fork.resume().map(|event| event.unwrap().text).collect();
    assert_eq!(forked, recommended);
}

#[test]
fn b18_drafts_change_no_token() {
    let Fixture { model, ids, text, .. } = fixture();
    let small = Model::open(file("RONDO_TEST_MODEL")).unwrap();
    let engine = model.engine(&engine_options().draft(&small)).unwrap();
    drop(small); // the engine keeps it
    let drafting = limit(16).speculation(Speculation::DraftModel).max_drafts(4);
    let mut session = engine.session(&drafting).unwrap();
    assert_eq!(session.generate(&ids).unwrap(), text);
    let other = fixture().engine.session(&drafting).unwrap_err();
    assert_eq!(other.status(), Status::InvalidArgument);
}
