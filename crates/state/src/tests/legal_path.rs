//! The intended workflow: it takes no extra call, and following refusals leads to it.

use super::world::{Dice, World, text};
use crate::{CaseEnd, Ending, Event, Refusal, TestRun, test_of};
use std::collections::BTreeMap;
use tgp_base::mode::Mode;

#[test]
fn red_green_refactor_takes_no_extra_call() {
    let mut world = World::new();
    let mut calls = 0;
    // The request, and its effect when it is allowed.
    for (request, does) in [
        ("write-test:T1", "test:T1"),
        ("test", "miss:_/T1"),
        ("write:A1", "tool:A1"),
        ("test", "run:A1/T1=x+"),
        ("run", ""),
        ("persist", ""),
        ("write:A2", "tool:A2"),
        ("write:A3", "tool:A3"),
        ("test", "run:A3/T1=x+"),
        ("run", ""),
        ("write-test:T2", "test:T2"),
        ("test", "run:A3/T2=x+,y-"),
        ("write:A4", "tool:A4"),
        ("test", "run:A4/T2=x+,y-"),
        ("write:A5", "tool:A5"),
        ("test", "run:A5/T2=x+,y+"),
        ("persist", ""),
        ("run", ""),
    ] {
        assert_eq!(world.verdict(request, Mode::Strict), "ok", "call {calls}: {request}");
        world.play(does);
        calls += 1;
    }
    assert_eq!(calls, 18);
}

/// The behaviour of a test's text in this simulated sandbox.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// Passes with tools of this level.
    Needs(usize),
    Vacuous,
    Empty,
    Broken,
    Skips,
    Hollow,
    Random,
}

#[derive(Debug, Default)]
struct Sandbox {
    tests: BTreeMap<String, (Kind, Vec<String>)>,
    /// The level of each text of the tool.
    tools: BTreeMap<String, usize>,
    now: BTreeMap<String, (Option<String>, Option<String>)>,
    made: usize,
}

impl Sandbox {
    fn name(&mut self, kind: &str) -> String {
        self.made += 1;
        format!("{kind}{}", self.made)
    }

    fn write_test(&mut self, world: &mut World, kind: Kind, names: &[&str]) {
        let name = self.name("T");
        self.tests.insert(name.clone(), (kind, names.iter().map(|name| (*name).to_owned()).collect()));
        self.now.entry(world.tool.clone()).or_default().1 = Some(name.clone());
        world.play(&format!("test:{name}"));
    }

    fn write_tool(&mut self, world: &mut World, level: usize) {
        let name = self.name("A");
        self.tools.insert(name.clone(), level);
        self.now.entry(world.tool.clone()).or_default().0 = Some(name.clone());
        world.play(&format!("tool:{name}"));
    }

    fn delete_tool(&mut self, world: &mut World) {
        self.now.entry(world.tool.clone()).or_default().0 = None;
        world.play("rm-tool");
    }

    fn test(&mut self, world: &mut World, dice: &mut Dice) {
        let (tool, test) = self.now.get(&world.tool).cloned().unwrap_or_default();
        let Some(test) = test else { return };
        let (kind, names) = &self.tests[&test];
        let level = tool.as_ref().map(|tool| self.tools[tool]);
        let ran = |end: CaseEnd| {
            let case = |name: &String| crate::Case { name: name.clone(), end };
            Ending::Ran { cases: names.iter().map(case).collect() }
        };
        let ends = |passes: bool| ran(if passes { CaseEnd::Passed } else { CaseEnd::Failed });
        let ending = match (kind, level) {
            (Kind::Vacuous, _) => ran(CaseEnd::Passed),
            (Kind::Empty, _) => Ending::Ran { cases: Vec::new() },
            (Kind::Broken, _) => Ending::Broken,
            (Kind::Skips, _) => ran(CaseEnd::LeftOut),
            (Kind::Needs(_) | Kind::Hollow | Kind::Random, None) => Ending::ToolMissing,
            (Kind::Needs(least), Some(level)) => ends(level >= *least),
            (Kind::Hollow, Some(_)) => ran(CaseEnd::Hollow),
            (Kind::Random, Some(_)) => ends(dice.roll(2) == 0),
        };
        let run = TestRun {
            tool: world.tool.clone(),
            tool_text: tool.filter(|_| *kind != Kind::Vacuous).as_deref().map(text),
            test_text: text(&test),
            imports: None,
            ending,
        };
        world.fold(&Event::TestRan(run));
    }

    /// Makes the first call of a refusal, as a model would.
    fn obey(&mut self, world: &mut World, dice: &mut Dice, refusal: &Refusal, every_case: &[&str]) {
        let step = refusal.must_come_first[0].clone();
        let level = self.now.get(&world.tool).and_then(|now| now.0.clone()).map_or(1, |tool| self.tools[&tool]);
        let least = if step.say.contains("fails until") { level + 1 } else { 1 };
        match step.tool {
            "write_file" if step.path == test_of(&world.tool) => self.write_test(world, Kind::Needs(least), every_case),
            "write_file" => self.write_tool(world, level + 1),
            "delete_file" => self.delete_tool(world),
            "test_tool" => self.test(world, dice),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn following_refusals_leads_to_green() {
    let mut dice = Dice(0x51DE);
    let every_case = ["x", "y", "z"];
    let mut most = 0;
    for _ in 0..400 {
        let (mut world, mut sandbox) = (World::new(), Sandbox::default());
        // A random state that an agent or a person could have left.
        for _ in 0..dice.roll(14) {
            match dice.roll(6) {
                0 | 1 => {
                    let kind = dice
                        .pick(&[
                            Kind::Needs(1),
                            Kind::Needs(2),
                            Kind::Vacuous,
                            Kind::Empty,
                            Kind::Broken,
                            Kind::Skips,
                            Kind::Hollow,
                            Kind::Random,
                        ])
                        .clone();
                    let names = &every_case[..dice.roll(3) + 1];
                    sandbox.write_test(&mut world, kind, names);
                }
                2 => {
                    let level = dice.roll(4);
                    sandbox.write_tool(&mut world, level);
                }
                3 => sandbox.delete_tool(&mut world),
                _ => sandbox.test(&mut world, &mut dice),
            }
        }
        // The agent wants to change the tool, then to run it.
        let mut steps = 0;
        while let Some(refusal) = world.ask("write:WANTED", Mode::Strict) {
            world.check(&refusal, Mode::Strict);
            sandbox.obey(&mut world, &mut dice, &refusal, &every_case);
            steps += 1;
            assert!(steps < 12, "no end: {}", refusal.message);
        }
        sandbox.write_tool(&mut world, 9);
        while let Some(refusal) = world.ask("run", Mode::Strict) {
            world.check(&refusal, Mode::Strict);
            sandbox.obey(&mut world, &mut dice, &refusal, &every_case);
            steps += 1;
            assert!(steps < 24, "no end: {}", refusal.message);
        }
        assert_eq!(world.verdict("persist", Mode::Strict), "ok");
        most = most.max(steps);
    }
    assert!(most >= 4, "the random states must need several steps: {most}");
}
