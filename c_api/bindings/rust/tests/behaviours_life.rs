//! What every binding does (c_api/bindings/behaviours.md): cancel, threads, life, state. What the compiler
//! refuses is in src/refused.rs.
mod common;
use common::*;
use rondo::*;
use std::ops::ControlFlow;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn b35_a_cancel_from_another_thread() {
    let Fixture { engine, ids, text, .. } = fixture();
    let mut session = engine.session(&limit(16)).unwrap();
    let other = session.canceller();
    let thread = thread::spawn(move || {
        thread::sleep(Duration::from_millis(20));
        other.cancel();
    });
    let error = loop {
        session.reset().unwrap();
        if let Err(error) = session.generate(&ids) {
            break error;
        }
    };
    assert!(error.is_cancelled());
    thread.join().unwrap();
    session.reset().unwrap();
    assert_eq!(session.generate(&ids).unwrap(), text);
}

#[test]
fn b36_a_token_ends_what_runs_under_it_alone() {
    let Fixture { model, ids, text, .. } = fixture();
    let slow = model.engine(&engine_options().duty_percent(1)).unwrap();
    let mut session = slow.session(&limit(0).ignore_eos(true)).unwrap();
    let token = CancelToken::new();
    let other = token.clone();
    let thread = thread::spawn(move || {
        thread::sleep(Duration::from_millis(20));
        other.cancel();
    });
    assert_eq!(status(token.run(|| session.generate(&ids))), Status::Cancelled);
    thread.join().unwrap();
    // What comes later does not begin under it, and begins elsewhere.
    let engine = model.engine(&engine_options()).unwrap();
    let mut session = engine.session(&limit(16)).unwrap();
    assert_eq!(status(token.run(|| session.generate(&ids))), Status::Cancelled);
    assert_eq!(status(token.run(|| model.engine(&engine_options()))), Status::Cancelled);
    assert_eq!(session.generate(&ids).unwrap(), text);
    let late = CancelToken::new();
    session.reset().unwrap();
    assert_eq!(late.run(|| session.generate(&ids)).unwrap(), text);
    late.cancel();
    assert!(late.is_cancelled());
    session.reset().unwrap();
    assert_eq!(session.generate(&ids).unwrap(), text);
}

#[test]
fn b36_a_cancel_names_its_call() {
    let Fixture { engine, ids, text, .. } = fixture();
    let mut session = engine.session(&limit(16)).unwrap();
    let canceller = session.canceller();
    let number = canceller.call_number();
    session.prefill(&ids).unwrap();
    assert_eq!(canceller.progress().unwrap(), (ids.len() as u64, ids.len() as u64));
    canceller.cancel_call(number); // it is over: nothing happens
    let rest: String = session.resume().map(|event| event.unwrap().text).collect();
    assert_eq!(rest, text);
    session.reset().unwrap();
    canceller.cancel_call(canceller.call_number());
    assert_eq!(status(session.prefill(&ids)), Status::Cancelled);
    session.prefill(&ids).unwrap();
    drop(session);
    canceller.cancel();
    assert_eq!(canceller.call_number(), 0);
}

#[test]
fn b37_a_future_that_is_dropped_ends_its_own_call() {
    let Fixture { model, ids, text, .. } = fixture();
    // So slow that no generation is over before it is dropped.
    let engine = model.engine(&engine_options().duty_percent(1)).unwrap();
    let mut session = engine.session(&limit(16)).unwrap();
    for wait in [0, 1, 5] {
        session.reset().unwrap();
        let mut future = session.generate_async(&ids);
        assert!(poll(&mut future).is_pending());
        thread::sleep(Duration::from_millis(wait));
        drop(future);
        let begin = Instant::now();
        session.reset().unwrap();
        assert!(begin.elapsed() < Duration::from_secs(2));
    }
    // No pass is computed any more, of hundreds.
    let mut long = engine.session(&limit(0).ignore_eos(true)).unwrap();
    let mut future = long.generate_async(&ids);
    assert!(poll(&mut future).is_pending());
    thread::sleep(Duration::from_millis(5));
    drop(future);
    thread::sleep(Duration::from_millis(100));
    let passes = engine.stats().unwrap().passes;
    thread::sleep(Duration::from_millis(200));
    assert_eq!(engine.stats().unwrap().passes, passes);
    drop(long);
    // A future that was never polled did nothing, and one that is over ends nothing.
    drop(session.generate_async(&ids));
    let engine = fixture().engine;
    let mut session = engine.session(&limit(16)).unwrap();
    let mut over = session.generate_async(&ids);
    assert_eq!(block_on(&mut over).unwrap(), text);
    drop(over);
    session.reset().unwrap();
    assert_eq!(session.generate(&ids).unwrap(), text);
    // One that was forgotten is given up when the session has another call.
    session.reset().unwrap();
    let mut forgotten = session.stream_async(&ids);
    block_on(forgotten.next()).unwrap().unwrap();
    std::mem::forget(forgotten);
    session.reset().unwrap();
    assert_eq!(session.generate(&ids).unwrap(), text);
}

#[test]
fn b38_calls_at_once_take_turns() {
    let Fixture { engine, ids, .. } = fixture();
    let mut session = engine.session(&limit(1)).unwrap();
    session.prefill(&ids).unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    assert_eq!(session.position().unwrap(), ids.len() as u64);
                    assert_eq!(session.tokens().unwrap(), ids);
                }
            });
        }
    });
}

#[test]
fn b39_sessions_are_served_together() {
    let Fixture { engine, ids, text, .. } = fixture();
    let mut sessions: Vec<_> = (0..4).map(|_| engine.session(&limit(16)).unwrap()).collect();
    let before = engine.stats().unwrap().passes;
    let mut futures: Vec<_> =
        sessions.iter_mut().map(|session| session.generate_async(&ids)).collect();
    let begin = Instant::now();
    let begun: Vec<_> = futures.iter_mut().map(poll).collect();
    assert!(begun.iter().any(Poll::is_pending));
    assert!(begin.elapsed() < Duration::from_millis(500)); // polls do not compute
    for (future, begun) in futures.iter_mut().zip(begun) {
        let done = match begun {
            Poll::Ready(done) => done,
            Poll::Pending => block_on(future),
        };
        assert_eq!(done.unwrap(), text);
    }
    drop(futures);
    assert!(engine.stats().unwrap().passes - before <= 4 * 16);
    thread::scope(|scope| {
        for session in &mut sessions {
            scope.spawn(|| {
                session.reset().unwrap();
                assert_eq!(session.generate(&ids).unwrap(), text);
            });
        }
    });
}

#[test]
fn b40_a_panic_of_a_callback_reaches_the_caller() {
    let Fixture { model, engine, ids, text } = fixture();
    let panics = |run: &mut dyn FnMut()| catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    let mut session = engine.session(&limit(16)).unwrap();
    let told = panics(&mut || drop(session.prefill_logits(&ids, |_, _| panic!("enough"))));
    assert_eq!(told.downcast_ref(), Some(&"enough"));
    session.reset().unwrap();
    assert_eq!(session.generate(&ids).unwrap(), text);
    panics(&mut || drop(model.engine_with_progress(&engine_options(), |_, _| panic!("no"))));
    let told = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&told);
    let logging = engine_options().log_level(Log::Debug).log(move |_, _| {
        if count.fetch_add(1, Ordering::Relaxed) == 3 {
            panic!("in the log");
        }
    });
    panics(&mut || {
        let engine = model.engine(&logging).unwrap();
        text_of(&engine, &ids, 16);
    });
    assert!(told.load(Ordering::Relaxed) > 3);
    let pool = engine_options().threads(2).parallel_for(|_, _| panic!("in the pool"));
    panics(&mut || drop(model.engine(&pool).map(|engine| text_of(&engine, &ids, 4))));
    // In a call that is awaited it reaches the task.
    let options = engine_options().log_level(Log::Debug).log(|level, _| {
        assert!(level != Log::Debug, "told of a pass");
    });
    let engine = model.engine(&options).unwrap();
    let mut session = engine.session(&limit(4)).unwrap();
    let told = panics(&mut || drop(block_on(session.generate_async(&ids))));
    assert_eq!(told.downcast_ref(), Some(&"told of a pass"));
}

#[test]
fn callbacks() {
    let Fixture { model, ids, text, .. } = fixture();
    let mut last = (0, 1);
    model
        .engine_with_progress(&engine_options(), |done, total| {
            last = (done, total);
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(last.0, last.1);
    let cancelled = model.engine_with_progress(&engine_options(), |_, _| ControlFlow::Break(()));
    assert_eq!(status(cancelled), Status::Cancelled);
    let pool = engine_options().threads(2).parallel_for(|count, task| {
        thread::scope(|scope| {
            for index in 0..count {
                scope.spawn(move || task(index));
            }
        })
    });
    let engine = model.engine(&pool).unwrap();
    assert_eq!(text_of(&engine, &ids, 16), text);
    assert_eq!(engine.stats().unwrap().parallel_faults, 0);
    let engine = block_on(model.engine_async(&engine_options())).unwrap();
    assert_eq!(text_of(&engine, &ids, 16), text);
}

#[test]
fn b43_all_is_dropped_in_any_order() {
    let Fixture { model, engine, ids, text } = fixture();
    let mut session = engine.session(&limit(16)).unwrap();
    let mut other = engine.session(&limit(16)).unwrap();
    drop((model, engine));
    assert_eq!(session.generate(&ids).unwrap(), text);
    let engine = session.engine().clone();
    drop(session);
    assert_eq!(other.generate(&ids).unwrap(), text);
    drop(other);
    assert_eq!(engine.stats().unwrap().sessions_open, 0);
}

#[test]
fn b44_logits() {
    let Fixture { engine, ids, .. } = fixture();
    let mut session = engine.session(&limit(0)).unwrap();
    let mut last = 0.0;
    session.prefill_logits(&ids, |_, logits| last = logits[7]).unwrap();
    let logits = session.logits().unwrap();
    assert_eq!((logits.len(), logits[7]), (2048, last));
    let best = (0..2048).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap() as i32;
    assert_eq!(session.next().unwrap().token, Some(best));
    session.undo(1).unwrap();
    session.accept(best).unwrap();
    assert_eq!(session.position().unwrap() as usize, ids.len() + 1);
}

/// Bytes of this process that are in memory.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

#[test]
#[cfg(target_os = "linux")]
fn b45_what_nobody_holds_is_given_back() {
    let model = model();
    let once = || text_of(&model.engine(&engine_options()).unwrap(), &[5, 6, 7], 2);
    let bytes = model.plan(&engine_options()).unwrap().arena_bytes as usize;
    (0..3).for_each(|_| drop(once()));
    let before = resident();
    (0..40).for_each(|_| drop(once()));
    assert!(resident() < before + 10 * bytes); // others' tests have engines, too
}

#[test]
fn b46_clones_are_the_same() {
    let Fixture { model, engine, ids, text } = fixture();
    drop(model.clone());
    drop(engine.clone());
    let (model, engine) = (model.clone(), engine.clone());
    assert_eq!(text_of(&engine, &ids, 16), text);
    assert_eq!(model.info().unwrap(), engine.model().info().unwrap());
}

#[test]
fn b47_a_scope_closes() {
    let engine = fixture().engine;
    {
        let _open = engine.session(&limit(1)).unwrap();
        assert_eq!(engine.stats().unwrap().sessions_open, 1);
    }
    assert_eq!(engine.stats().unwrap().sessions_open, 0);
}

#[test]
fn b48_snapshots() {
    let Fixture { model, engine, ids, text } = fixture();
    let mut session = engine.session(&limit(16)).unwrap();
    let begun: String = session.stream(&ids).take(6).map(|event| event.unwrap().text).collect();
    let mut saved = session.save().unwrap();
    let mut restored = model.engine(&engine_options()).unwrap().session(&limit(16)).unwrap();
    restored.restore(&saved).unwrap();
    *saved.last_mut().unwrap() ^= 1;
    assert_eq!(status(restored.restore(&saved)), Status::Corrupt);
    assert_eq!(status(restored.restore(b"none")), Status::InvalidArgument);
    let rest: String = restored.resume().map(|event| event.unwrap().text).collect();
    assert_eq!(begun + &rest, text);
}

#[test]
fn b49_fork_undo_reset() {
    let Fixture { engine, ids, text, .. } = fixture();
    let rest = |session: &mut Session| -> String {
        session.resume().map(|event| event.unwrap().text).collect()
    };
    let mut session = engine.session(&limit(16)).unwrap();
    session.prefill(&ids).unwrap();
    let mut fork = session.fork(&limit(16)).unwrap();
    let first = fork.next().unwrap().token.unwrap();
    fork.undo(1).unwrap();
    assert_eq!(rest(&mut fork), text);
    let other = limit(16).logit_bias([(first, -1e9)]);
    assert_ne!(rest(&mut session.fork(&other).unwrap()), text);
    session.reset().unwrap();
    assert_eq!(session.position().unwrap(), 0);
    assert_eq!(status(session.undo(1)), Status::InvalidArgument);
    assert_eq!(session.generate(&ids).unwrap(), text);
}

#[test]
fn b50_sessions_in_one_step() {
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
        let running = |(session, over): (_, bool)| (!over).then_some(session);
        let mut running: Vec<_> = sessions.iter_mut().zip(over).filter_map(running).collect();
        engine.step(&mut running).unwrap();
        for (i, session) in sessions.iter_mut().enumerate() {
            if !over[i] {
                let event = session.event().unwrap();
                texts[i] += &event.text;
                over[i] = event.reason.is_some();
            }
        }
    }
    drop(sessions);
    assert_eq!(texts, prompts.map(|prompt| text_of(&engine, &prompt, 12)));
}
