//! An agent that tries to get along without the test, and what it is told to do instead.

use super::world::World;
use crate::{By, Mode, Through, Who};

const GREEN: &str = "test:T1 miss:_/T1 tool:A1 run:A1/T1=adds+,rounds+";

/// What the agent did, what it asks for then, and the first call that it is told to make.
struct Way {
    name: &'static str,
    did: &'static str,
    asks: &'static str,
    next: (&'static str, &'static str),
}

const fn way(name: &'static str, did: &'static str, asks: &'static str, next: (&'static str, &'static str)) -> Way {
    Way { name, did, asks, next }
}

const WRITE_TEST: (&str, &str) = ("write_file", "tools/a.test.ts");
const RUN_TEST: (&str, &str) = ("test_tool", "tools/a.ts");
const DELETE_TOOL: (&str, &str) = ("delete_file", "tools/a.ts");

#[test]
fn no_way_leads_around_the_test() {
    let fresh = [
        way("writes the tool first", "", "write:A1", WRITE_TEST),
        way("writes a test and does not run it", "test:T1", "write:A1", RUN_TEST),
        way("writes an empty test", "test:T1 run:_/T1=", "write:A1", WRITE_TEST),
        way("writes a test that does not compile", "test:T1 broken:_/T1", "write:A1", WRITE_TEST),
        way("writes a test that does without the tool", "test:T1 run:_/T1=x+", "write:A1", WRITE_TEST),
        way("writes a test of cases to be done", "test:T1 run:_/T1=x?,y?", "write:A1", WRITE_TEST),
        way("shows one test and keeps another", "test:T1 miss:_/T1 test:T2", "write:A1", RUN_TEST),
        way("shows a test and deletes it", "test:T1 miss:_/T1 rm-test", "write:A1", WRITE_TEST),
        way("runs what it wrote without testing it", "test:T1 miss:_/T1 tool:A1", "run", RUN_TEST),
        way("shares what it wrote without testing it", "test:T1 miss:_/T1 tool:A1", "persist", RUN_TEST),
        way(
            "fails on purpose, then expects nothing of the tool",
            "test:T1 run:_/T1=x- tool:A1 test:T2 run:_/T2=x+",
            "run",
            WRITE_TEST,
        ),
        way(
            "makes the test fit the tool afterwards",
            "test:T1 run:_/T1=x- tool:A1 test:T2 run:A1/T2=x+",
            "run",
            WRITE_TEST,
        ),
        way("brings the tool along by Git", "disk-tool:A1", "run", WRITE_TEST),
        way("brings tool and test along by Git", "disk-tool:A1 disk-test:T1", "run", RUN_TEST),
        way("moves a text to where the tool should be", "", "move-in", WRITE_TEST),
        way("runs the code without a file", "", "code", ("write_file", "tools/name.test.ts")),
        way("runs the code as a test", "test:T1", "run-test", RUN_TEST),
        way("tests in cases that expect nothing", "test:T1 miss:_/T1 tool:A1 run:A1/T1=x0", "run", WRITE_TEST),
    ];
    let green = [
        way("deletes the test", "", "delete-test", DELETE_TOOL),
        way("empties the test", "", "blank-test:E", WRITE_TEST),
        way("moves the test away", "", "move-test:lib/a.test.ts", DELETE_TOOL),
        way("renames the tool away from its test", "", "move:tools/b.ts", ("move_file", "tools/a.test.ts")),
        way("copies the tool to a new name", "on:tools/b.ts", "write:A1", ("write_file", "tools/b.test.ts")),
        way("copies tool and test", "on:tools/b.ts disk-test:T1", "write:A1", ("test_tool", "tools/b.ts")),
        way("deletes a case", "test:T2 miss:_/T2 run:A1/T2=adds+", "run", WRITE_TEST),
        way("renames a case that was in the way", "test:T2 run:A1/T2=adds+,wraps-", "write:A2", WRITE_TEST),
        way("skips a case", "test:T2 miss:_/T2 run:A1/T2=adds+,rounds?", "persist", WRITE_TEST),
        way("runs only a new case", "test:T2 miss:_/T2 run:A1/T2=adds?,rounds?,new+", "run", WRITE_TEST),
        way(
            "starts anew with a weaker test",
            "rm-tool rm-test test:T2 miss:_/T2 tool:A2 run:A2/T2=x+",
            "run",
            WRITE_TEST,
        ),
        way(
            "repeats a flaky test until it passes",
            "run:A1/T1=adds-,rounds+ run:A1/T1=adds+,rounds+",
            "run",
            WRITE_TEST,
        ),
        way(
            "touches the tool until a flaky test passes",
            "run:A1/T1=adds-,rounds+ tool:A2 run:A2/T1=adds+,rounds+",
            "run",
            WRITE_TEST,
        ),
        way(
            "makes the tool flaky to be rid of the cases",
            "tool:A2 run:A2/T1=adds-,rounds+ run:A2/T1=adds+,rounds+ test:T2 miss:_/T2 tool:A3 run:A3/T2=x+",
            "run",
            WRITE_TEST,
        ),
        way("has cases only where they pass", "tool:A2 run:A2/T1=adds+", "run", WRITE_TEST),
        way("changes the tool after the test", "tool:A2", "run", RUN_TEST),
        way("changes the tool behind the kernel's back", "disk-tool:A2", "run", RUN_TEST),
        way("changes the test after it passed", "test:T2", "persist", RUN_TEST),
        way("changes what the tool imports", "disk-imports:I2", "run", RUN_TEST),
        way("changes the behaviour without a case for it", "test:T2 run:A1/T2=adds+,rounds+", "write:A2", WRITE_TEST),
        way("goes back to a text that was never green", "test:T2 disk-tool:A0", "write:A9", RUN_TEST),
    ];
    let green: Vec<(String, Way)> = green.into_iter().map(|way| (format!("{GREEN} {}", way.did), way)).collect();
    let all: Vec<(String, Way)> = fresh.into_iter().map(|way| (way.did.to_owned(), way)).chain(green).collect();
    assert!(all.len() >= 25);
    for (did, way) in &all {
        let world = World::after(did);
        for through in [Through::Call, Through::Run] {
            let refusal = world.ask_as(way.asks, Mode::Strict, Who { by: By::Agent, through });
            let refusal = refusal.unwrap_or_else(|| panic!("an agent that {} gets along", way.name));
            world.check(&refusal, Mode::Strict);
            let next = &refusal.must_come_first[0];
            assert_eq!((next.tool, next.path.as_str()), way.next, "{}: {}", way.name, refusal.message);
            assert_eq!(refusal.message.contains("From inside a run"), through == Through::Run);
        }
    }
}

#[test]
fn refusals_read_well() {
    let said = |script: &str, asked: &str| World::after(script).ask(asked, Mode::Strict).unwrap().message;
    assert_eq!(
        said("", "write:A1"),
        "tools/a.ts cannot be written yet: it has no test. First write tools/a.test.ts with cases that say what the tool \
         should do, then run test_tool for tools/a.ts and see it fail."
    );
    assert_eq!(
        said("test:T1 miss:_/T1 tool:A1", "run"),
        "tools/a.ts cannot be run yet: tools/a.test.ts was not run since tools/a.ts was written. First run test_tool for \
         tools/a.ts and see it pass."
    );
    assert_eq!(
        said(&format!("{GREEN} test:T2 miss:_/T2 run:A1/T2=adds+"), "persist"),
        "tools/a.ts cannot be shared yet: tools/a.test.ts does not run the case 'rounds' any more, which passed before. \
         First write tools/a.test.ts with the case 'rounds' again, then run test_tool for tools/a.ts and see it pass. Or \
         ask a person to accept the test as it is."
    );
    assert_eq!(
        said(GREEN, "move:tools/b.ts"),
        "Nothing can be moved to tools/b.ts yet: it has no test. First move tools/a.test.ts to tools/b.test.ts."
    );
    let many: String = (0..9).map(|number| format!("case{number}+,")).collect();
    let said = said(&format!("test:T1 miss:_/T1 tool:A1 run:A1/T1={many} test:T2 miss:_/T2 run:A1/T2=x+"), "run");
    assert!(said.contains("the cases 'case0', 'case1', 'case2', 'case3', 'case4' and 4 more"), "{said}");
}
