//! Grammars, thoughts, answers taken apart.
mod common;
use common::*;
use rondo::*;

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
fn grammars() {
    let Fixture { model, engine, ids, .. } = fixture();
    let warm = || SessionOptions::default().temperature(1.0).seed(7);
    let text_with = |options: &SessionOptions| {
        let mut session = engine.session(options).unwrap();
        session.prefill(&ids).unwrap();
        let events: Vec<_> = session.resume().map(|event| event.unwrap()).collect();
        let reason = events.last().unwrap().reason;
        assert!(matches!(reason, Some(Reason::Grammar | Reason::Eos)), "{:?}", reason);
        events.into_iter().map(|event| event.text).collect::<String>()
    };
    let text = text_with(&warm().json_schema(PERSON));
    check_person(&text);
    let dense = GrammarOptions::default().no_spaces(true);
    let usual = GrammarOptions::as_people_write();
    let grammar = model.grammar(PERSON, &usual).unwrap();
    assert_eq!(text_with(&warm().grammar(grammar.clone())), text);
    let both = warm().grammar(grammar.clone()).json_schema(PERSON);
    assert_eq!(status(engine.session(&both)), Status::InvalidArgument);
    let mut session = engine.session(&warm().grammar(grammar)).unwrap(); // keeps it
    let pattern = model.pattern_grammar("[ab]{4}c", &GrammarOptions::default()).unwrap();
    let mut fork = session.fork(&warm().grammar(pattern)).unwrap();
    session.prefill(&ids).unwrap();
    assert_eq!(rest(&mut session), text);
    fork.prefill(&ids).unwrap();
    let letters = rest(&mut fork);
    let (letters, end) = letters.split_at(4);
    assert!(letters.chars().all(|letter| "ab".contains(letter)) && end == "c");
    let ones = r#"{"type": "array", "items": {"enum": [1]}, "minItems": 2, "maxItems": 2}"#;
    assert_eq!(text_with(&warm().grammar(model.grammar(ones, &dense).unwrap())), "[1,1]");
    let both = r#"{"type":"object","properties":{"a":{"enum":[1]},"b":{"enum":[2]}},
        "required":["a","b"],"additionalProperties":false}"#;
    let ordered = |any_order| {
        let options = dense.any_order(any_order);
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
        rest(&mut session)
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
        .grammar_begin(GrammarBegin::AfterToken)
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
        session.resume().map(|event| event.unwrap().channel).collect::<Vec<_>>()
    };
    assert_eq!(channels(&warm()), [Channel::Text; 32]);
    let words = warm().thinking(true).thinking_texts(" mom", " day.\n");
    assert_eq!(channels(&words)[0], Channel::Thinking);
    let bounded = channels(&words.thinking_tokens(1));
    assert!(bounded.iter().position(|&channel| channel == Channel::Text).unwrap() < 8);
    assert_eq!(status(engine.session(&warm().thinking(true))), Status::Unsupported);
}

const ASK: &str = r#"[{"role": "user", "content": "How is the weather?"}]"#;

const TOOLS: &str = r#"[{"type": "function", "function": {"name": "weather", "parameters": {
    "type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}}, "required": ["city"],
    "additionalProperties": false}}}]"#;

fn asking() -> Chat {
    Chat::from_json(ASK).tools(TOOLS)
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
        assert_eq!(status(parser.push(b"more", false)), Status::InvalidArgument);
        parser.reset().unwrap();
    }
    let none = asking().template("{{ messages[0].content }}");
    assert_eq!(status(fixture().model.chat_parser(&none)), Status::Unsupported);
}

#[test]
fn calls() {
    let model = calling();
    let engine = model.engine(&engine_options()).unwrap();
    let gbnf = model.chat_grammar(&asking(), Calls::One, Some("weather")).unwrap();
    let absent = model.chat_grammar(&asking(), Calls::Auto, Some("absent"));
    assert!(absent.unwrap_err().message().contains("absent"));
    let rules = model.rules_grammar(&gbnf, &GrammarOptions::default()).unwrap();
    let mut session = engine.session(&limit(0).grammar(rules)).unwrap();
    let parts: Vec<_> = session.chat_stream(asking()).map(Result::unwrap).collect();
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
        let parts = session.chat_stream(asking());
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
    let chat = Chat::from_json(ASK);
    for part in free.chat_stream(&chat) {
        assert!(matches!(part.unwrap(), ChatPart::Content(_)));
    }
    let (begin, end) = model.chat_thinking(&chat).unwrap();
    assert_eq!((begin.trim(), end.trim()), ("<think>", "</think>"));
}

#[test]
fn plain_content() {
    let model = calling();
    let said = r#"[{"role": "user", "content": "<|pad|>"}]"#;
    let plain = Chat::from_json(said);
    let count = |chat: &Chat, token| {
        model.chat_ids(chat).unwrap().into_iter().filter(|&id| id == token).count()
    };
    assert_eq!((count(&plain, 2), count(&plain, 1)), (0, 1)); // the end is the template's own
    assert_eq!(count(&plain.special_content(true), 2), 1);
}

#[test]
fn refused_grammars() {
    let Fixture { model, engine, .. } = fixture();
    let schema = r#"{"properties":{"a":{"uniqueItems":true}}}"#;
    let pointer = "#/properties/a/uniqueItems";
    let error = model.grammar(schema, &GrammarOptions::default()).err().unwrap();
    assert_eq!(error.status(), Status::Unsupported);
    assert!(error.message().contains(pointer), "{}", error);
    let options = SessionOptions::default().json_schema(schema);
    assert!(engine.session(&options).err().unwrap().message().contains(pointer));
}

#[test]
fn planned_grammars() {
    let Fixture { model, .. } = fixture();
    let few = GrammarOptions::default().memory_bytes(1 << 20);
    let small = model.plan_grammar(PERSON, &few).unwrap();
    assert!(small > 0 && model.plan_grammar(PERSON, &Default::default()).unwrap() > small);
    assert_eq!(model.plan_pattern_grammar("a", &few).unwrap(), small);
}
