//! Memory limits: dropped data is not green.

use super::world::{World, text};
use crate::limits::Limits;
use crate::{Case, CaseEnd, Ending, Event, TestRun, TestState, TestStatus, Texts};
use tgp_base::mode::Mode;

fn small() -> World {
    let mut world = World::new();
    world.state.limits =
        Limits { tools: 16, name_bytes: 4_000, name_chars: 20, names_of_test: 10, tests: 3, runs: 4, path_bytes: 40 };
    world
}

fn run(tool: &str, tool_text: &str, test_text: &str, names: impl Iterator<Item = String>) -> Event {
    let cases = names.map(|name| Case { name, end: CaseEnd::Passed }).collect();
    Event::TestRan(TestRun {
        tool: tool.to_owned(),
        tool_text: Some(text(tool_text)),
        test_text: text(test_text),
        imports: None,
        ending: Ending::Ran { cases },
    })
}

#[test]
fn dropped_tools_are_not_run() {
    let mut world = small();
    for number in 0..100 {
        world.play(&format!("on:tools/t{number}.ts test:T1 miss:_/T1 tool:A1 run:A1/T1=x+"));
    }
    assert!((10..=16).contains(&world.state.tools().count()));
    world.tool = "tools/t99.ts".to_owned();
    assert_eq!(world.verdict("run", Mode::Strict), "ok");
    world.tool = "tools/t0.ts".to_owned();
    assert_eq!(world.verdict("run", Mode::Strict), "not_run");
}

#[test]
fn tools_that_were_green_are_dropped_last() {
    let mut world = small();
    world.play("test:T1 miss:_/T1 tool:A1 run:A1/T1=x+,y+");
    for number in 0..100 {
        world.play(&format!("on:tools/t{number}.ts test:T1 miss:_/T1"));
    }
    world.play("on:tools/a.ts test:T2 miss:_/T2 run:A1/T2=x+");
    assert_eq!(world.verdict("run", Mode::Strict), "weakened");
}

#[test]
fn case_names_are_limited_over_all_tools() {
    let mut world = small();
    for number in 0..100 {
        let names = (0..10).map(|case| format!("case {case:>15} and much more than that"));
        world.fold(&run(&format!("tools/t{number}.ts"), "A1", "T1", names));
        assert!(world.state.name_bytes <= 4_000, "{}", world.state.name_bytes);
    }
    let before = world.state.name_bytes;
    world.state.recount();
    assert_eq!(world.state.name_bytes, before, "the counter matches the contents");
}

#[test]
fn cases_stay_required_when_texts_are_dropped() {
    let mut world = small();
    world.play("test:T1 miss:_/T1 tool:A1 run:A1/T1=x+,y+");
    for number in 2..20 {
        world.play(&format!("test:T{number} run:A1/T{number}=x-"));
    }
    world.play("test:T99 miss:_/T99 run:A1/T99=x+");
    assert_eq!(world.verdict("run", Mode::Strict), "weakened");
    world.play("test:T98 miss:_/T98 run:A1/T98=x+,y+");
    assert_eq!(world.verdict("run", Mode::Strict), "ok");
    world.play("test!:T97 run:A1/T97=x+");
    assert_eq!(world.verdict("run", Mode::Strict), "ok", "a person may remove cases");
}

#[test]
fn with_many_cases_only_their_number_is_compared() {
    let mut world = small();
    world.play("test:T1 miss:_/T1 tool:A1");
    world.fold(&run("tools/a.ts", "A1", "T1", (0..500).map(|case| format!("case {case}"))));
    assert_eq!(world.verdict("run", Mode::Strict), "ok");
    world.play("test:T2 miss:_/T2");
    world.fold(&run("tools/a.ts", "A1", "T2", (0..499).map(|case| format!("case {case}"))));
    let refusal = world.ask("run", Mode::Strict).unwrap();
    assert!(refusal.message.contains("the missing case"), "{}", refusal.message);
    world.play("test:T3 miss:_/T3");
    world.fold(&run("tools/a.ts", "A1", "T3", (0..501).map(|case| format!("a case {case}"))));
    assert_eq!(world.verdict("run", Mode::Strict), "ok");
}

#[test]
fn paths_and_names_of_any_length_and_characters_are_accepted() {
    let mut world = small();
    let long = format!("tools/{}.ts", "a".repeat(10_000));
    world.fold(&Event::ToolWritten { tool: long.clone(), text: text("A1") });
    assert_eq!(world.state.tools().count(), 0);
    assert_eq!(world.state.status(&long, &Texts::default()), TestStatus::NoTest);
    let mut world = World::after("test:T1 miss:_/T1 tool:A1");
    let odd = ["", "\n\u{0}\u{7f}", "'; drop table", &"ü".repeat(100_000), "{\"a\": 1}"].map(str::to_owned);
    world.fold(&run("tools/a.ts", "A1", "T1", odd.into_iter()));
    world.play("test:T2 miss:_/T2 run:A1/T2=x+");
    let message = world.ask("run", Mode::Strict).unwrap().message;
    assert!(!message.contains(['\n', '\u{0}', '\u{7f}']) && message.len() < 2_000, "{message}");
}

#[test]
fn invalid_snapshots_are_rejected() {
    let world = World::after("test:T1 miss:_/T1 tool:A1 run:A1/T1=x+,y+");
    let json = world.state.to_snapshot();
    assert_eq!(TestState::from_snapshot(json.as_bytes()), Some(world.state));
    let torn = json.split_at(json.len() / 2).0;
    let other = json.replacen("\"version\":1", "\"version\":2", 1);
    let hash = json.replacen(&text("T1").to_string(), "zz", 1);
    let deep = "[".repeat(100_000);
    for wrong in ["", "null", "{}", "{\"version\":1}", torn, &other, &hash, &deep] {
        assert_eq!(TestState::from_snapshot(wrong.as_bytes()), None);
    }
}
