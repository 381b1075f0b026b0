//! Properties of random event sequences.

use super::world::{Dice, World, text};
use crate::{Case, CaseEnd, Ending, Event, Position, TestRun, TestState};
use tgp_base::mode::Mode;

const TOOLS: [&str; 3] = ["tools/a.ts", "tools/b.ts", "tools/c/d.js"];
const TESTS: [&str; 3] = ["T1", "T2", "T3"];
const REQUESTS: [&str; 16] = [
    "write:A1",
    "write:A2",
    "write:new",
    "write-test:T1",
    "blank-test:E",
    "delete",
    "delete-test",
    "move:tools/b.ts",
    "move-both:tools/b.ts",
    "move-test:tools/b.test.ts",
    "move-in",
    "run",
    "run-test",
    "code",
    "sync",
    "persist",
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Runs {
    Any,
    /// No test is ever seen to fail.
    NeverRed,
}

fn any_run(dice: &mut Dice, runs: Runs) -> TestRun {
    let ends: &[CaseEnd] = match runs {
        Runs::Any => &[CaseEnd::Passed, CaseEnd::Passed, CaseEnd::Failed, CaseEnd::Hollow, CaseEnd::LeftOut],
        Runs::NeverRed => &[CaseEnd::Passed, CaseEnd::Passed, CaseEnd::Hollow, CaseEnd::LeftOut],
    };
    let all_pass = dice.roll(2) == 0;
    let cases = (0..dice.roll(4))
        .map(|number| Case {
            name: format!("case {number}"),
            end: if all_pass { CaseEnd::Passed } else { *dice.pick(ends) },
        })
        .collect();
    let ending = match (dice.roll(6), runs) {
        (0, _) => Ending::Broken,
        (1, Runs::Any) => Ending::ToolMissing,
        _ => Ending::Ran { cases },
    };
    TestRun {
        tool: (*dice.pick(&TOOLS)).to_owned(),
        tool_text: dice.pick(&[None, Some("A1"), Some("A2")]).map(text),
        test_text: text(TESTS[dice.roll(3)]),
        imports: dice.pick(&[None, None, Some("I1")]).map(text),
        ending,
    }
}

/// Plays a random command or run.
fn happen(world: &mut World, dice: &mut Dice, runs: Runs) {
    world.tool = (*dice.pick(&TOOLS)).to_owned();
    let now = world.now(&world.tool.clone());
    let other = *dice.pick(&TOOLS);
    let word = match dice.roll(12) {
        0 | 1 => format!("tool:{}", dice.pick(&["A1", "A2", "A3"])),
        2 | 3 => format!("test:{}", dice.pick(&["T1", "T2", "T3"])),
        4 => "rm-tool".to_owned(),
        5 => "rm-test".to_owned(),
        6 if now.tool.is_some() => format!("mv-tool:{other}"),
        7 if now.test.is_some() => format!("mv-test:{other}"),
        8 if now.test.is_some() => format!("relink:{}", dice.pick(&["T1", "T4"])),
        9 if runs == Runs::Any => (*dice.pick(&["accept", "test!:T2"])).to_owned(),
        _ => {
            let run = any_run(dice, runs);
            return world.fold(&Event::TestRan(run));
        }
    };
    world.play(&word);
}

#[test]
fn a_snapshot_plus_later_events_equals_all_events() {
    let mut dice = Dice(0x5AFE);
    for _ in 0..150 {
        let mut world = World::new();
        (0..40).for_each(|_| happen(&mut world, &mut dice, Runs::Any));
        let (mut all, mut later) = (TestState::default(), TestState::default());
        let cut = dice.roll(world.log.len() + 1);
        for (number, event) in world.log.iter().enumerate() {
            if number == cut {
                later = TestState::from_snapshot(all.to_snapshot().as_bytes()).unwrap();
            }
            let at = Position { seq: number as u64 + 1, hash: None };
            all.fold(at, event);
            if number >= cut {
                later.fold(at, event);
            }
        }
        assert_eq!(all, world.state);
        assert!(cut == world.log.len() || later == all, "{cut}");
    }
}

#[test]
fn no_new_tool_is_written_without_a_failing_test() {
    let mut dice = Dice(0xBAD);
    let mut refused = 0;
    for _ in 0..100 {
        let mut world = World::new();
        for _ in 0..dice.roll(30) {
            happen(&mut world, &mut dice, Runs::NeverRed);
            for tool in TOOLS {
                world.tool = tool.to_owned();
                if world.now(tool).tool.is_none() {
                    for request in ["write:A1", "write:new", "move-in"] {
                        assert_ne!(world.verdict(request, Mode::Strict), "ok", "{world:?}");
                        assert_ne!(world.verdict(request, Mode::Debug), "ok", "{world:?}");
                        refused += 1;
                    }
                } else {
                    assert_ne!(world.verdict("run", Mode::Strict), "ok", "{world:?}");
                }
            }
        }
    }
    assert!(refused > 2_000, "{refused}");
}

#[test]
fn every_state_is_judged_and_debug_is_never_stricter() {
    let mut dice = Dice(0xF00D);
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    for _ in 0..300 {
        let mut world = World::new();
        for _ in 0..dice.roll(40) {
            happen(&mut world, &mut dice, Runs::Any);
        }
        for tool in TOOLS {
            world.tool = tool.to_owned();
            for request in REQUESTS {
                let strict = world.verdict(request, Mode::Strict);
                // Strict allows nothing that debug refuses.
                let debug = world.verdict(request, Mode::Debug);
                assert!(strict != "ok" || debug == "ok", "{request} {world:?}");
                *seen.entry(strict).or_default() += 1;
            }
        }
        assert!(world.state.tools().all(|(tool, _, _)| TOOLS.contains(&tool)));
    }
    assert!(seen.len() >= 12 && seen.values().all(|count| *count >= 3), "every verdict must occur: {seen:?}");
}

#[test]
fn events_are_folded_once_and_round_trip_as_json() {
    let mut dice = Dice(0x1DEA);
    for _ in 0..200 {
        let event = Event::TestRan(any_run(&mut dice, Runs::Any));
        let json = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&json).unwrap(), event, "{json}");
        let mut state = TestState::default();
        state.fold(Position { seq: 7, hash: Some(text("head")) }, &event);
        let once = state.clone();
        state.fold(Position { seq: 7, hash: None }, &event);
        state.fold(Position { seq: 3, hash: None }, &Event::ToolRemoved { tool: "tools/a.ts".to_owned() });
        state.skip_to(Position { seq: 5, hash: None });
        assert_eq!(state, once);
        state.skip_to(Position { seq: 9, hash: None });
        assert_eq!(state.position().unwrap().seq, 9);
    }
}
