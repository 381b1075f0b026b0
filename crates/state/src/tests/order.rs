//! Concurrent events may be recorded in any order.

use super::world::{Dice, World};

const TEXTS: [&str; 4] = ["T1", "T2", "A1", "A2"];

/// The status of every combination of texts.
fn statuses(world: &World) -> Vec<String> {
    let mut found = Vec::new();
    for tool in ["tools/a.ts", "tools/b.ts"] {
        for test in ["T1", "T2", "T3"] {
            for text in ["A1", "A2", "A3"] {
                let mut there = world.clone();
                there.tool = tool.to_owned();
                there.play(&format!("disk-tool:{text} disk-test:{test}"));
                found.push(format!("{:?}", there.state.status(tool, &there.now(tool))));
            }
        }
    }
    found
}

fn shuffled(dice: &mut Dice, words: &[String]) -> Vec<String> {
    let mut left = words.to_vec();
    let mut shuffled_words = Vec::new();
    while !left.is_empty() {
        shuffled_words.push(left.swap_remove(dice.roll(left.len())));
    }
    shuffled_words
}

#[test]
fn runs_count_in_any_order() {
    let mut dice = Dice(0xD1CE);
    let ends = ["=x+", "=x+,y+", "=x-", "=x-,y+", "=", "=x?", "=x0,y+"];
    for _ in 0..300 {
        let runs: Vec<String> = (0..dice.roll(10))
            .map(|_| {
                let tool = *dice.pick(&["_", "A1", "A2"]);
                let test = *dice.pick(&TEXTS[..2]);
                match dice.roll(8) {
                    0 => format!("miss:_/{test}"),
                    1 => format!("broken:{tool}/{test}"),
                    _ => format!("run:{tool}/{test}{}", dice.pick(&ends)),
                }
            })
            .collect();
        let other: Vec<String> = runs.iter().map(|run| format!("on:tools/b.ts {run} on:tools/a.ts")).collect();
        let all = [runs.clone(), other].concat();
        let (one, two) = (all.join(" "), shuffled(&mut dice, &all).join(" "));
        assert_eq!(statuses(&World::after(&one)), statuses(&World::after(&two)), "{one} | {two}");
    }
}

#[test]
fn a_run_and_a_concurrent_write_commute() {
    let start = "test:T1 miss:_/T1 tool:A1";
    for (run, write) in [
        ("run:A1/T1=x+,y+", "tool:A2"),
        ("run:A1/T1=x+,y+", "test:T2"),
        ("run:A1/T1=x+,y+", "test!:T2"),
        ("run:A1/T1=x-,y+", "test!:T2"),
        ("run:A1/T1=x+,y+", "accept"),
        ("run:A1/T1=x+,y+", "rm-test"),
        ("run:A1/T1=x+,y+", "rm-tool"),
        ("run:A2/T2=x+", "test:T2"),
    ] {
        let rest = "run:A2/T2=x+ miss:_/T2";
        let one = World::after(&format!("{start} {run} {write} {rest}"));
        let two = World::after(&format!("{start} {write} {run} {rest}"));
        assert_eq!(statuses(&one), statuses(&two), "{run} {write}");
        assert_eq!(one.disk, two.disk);
    }
}
