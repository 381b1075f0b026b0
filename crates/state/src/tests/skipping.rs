//! Attempts of an agent to bypass the test, and the call that each refusal names.

use super::world::World;
use crate::{Author, Origin, RequestSource};
use tgp_base::mode::Mode;

const GREEN: &str = "test:T1 miss:_/T1 tool:A1 run:A1/T1=adds+,rounds+";

/// What the agent did, what it requests then, and the first call that the refusal names.
struct Bypass {
    name: &'static str,
    did: &'static str,
    asks: &'static str,
    next: (&'static str, &'static str),
}

const fn bypass(
    name: &'static str,
    did: &'static str,
    asks: &'static str,
    next: (&'static str, &'static str),
) -> Bypass {
    Bypass { name, did, asks, next }
}

const WRITE_TEST: (&str, &str) = ("write_file", "tools/a.test.ts");
const RUN_TEST: (&str, &str) = ("test_tool", "tools/a.ts");
const DELETE_TOOL: (&str, &str) = ("delete_file", "tools/a.ts");

#[test]
fn attempts_to_bypass_the_test_are_refused() {
    let fresh = [
        bypass("writes the tool first", "", "write:A1", WRITE_TEST),
        bypass("writes a test and does not run it", "test:T1", "write:A1", RUN_TEST),
        bypass("writes an empty test", "test:T1 run:_/T1=", "write:A1", WRITE_TEST),
        bypass("writes a test that does not compile", "test:T1 broken:_/T1", "write:A1", WRITE_TEST),
        bypass("writes a test that does without the tool", "test:T1 run:_/T1=x+", "write:A1", WRITE_TEST),
        bypass("writes a test of cases to be done", "test:T1 run:_/T1=x?,y?", "write:A1", WRITE_TEST),
        bypass("shows one test and keeps another", "test:T1 miss:_/T1 test:T2", "write:A1", RUN_TEST),
        bypass("shows a test and deletes it", "test:T1 miss:_/T1 rm-test", "write:A1", WRITE_TEST),
        bypass("runs what it wrote without testing it", "test:T1 miss:_/T1 tool:A1", "run", RUN_TEST),
        bypass("shares what it wrote without testing it", "test:T1 miss:_/T1 tool:A1", "persist", RUN_TEST),
        bypass(
            "fails on purpose, then expects nothing of the tool",
            "test:T1 run:_/T1=x- tool:A1 test:T2 run:_/T2=x+",
            "run",
            WRITE_TEST,
        ),
        bypass(
            "makes the test fit the tool afterwards",
            "test:T1 run:_/T1=x- tool:A1 test:T2 run:A1/T2=x+",
            "run",
            WRITE_TEST,
        ),
        bypass("brings the tool along by Git", "disk-tool:A1", "run", WRITE_TEST),
        bypass("brings tool and test along by Git", "disk-tool:A1 disk-test:T1", "run", RUN_TEST),
        bypass("moves a text to where the tool should be", "", "move-in", WRITE_TEST),
        bypass("runs the code without a file", "", "code", ("write_file", "tools/name.test.ts")),
        bypass("runs the code as a test", "test:T1", "run-test", RUN_TEST),
        bypass("tests in cases that expect nothing", "test:T1 miss:_/T1 tool:A1 run:A1/T1=x0", "run", WRITE_TEST),
    ];
    let green = [
        bypass("deletes the test", "", "delete-test", DELETE_TOOL),
        bypass("empties the test", "", "blank-test:E", WRITE_TEST),
        bypass("moves the test away", "", "move-test:lib/a.test.ts", ("move_file", "tools/a.test.ts")),
        bypass("renames the tool away from its test", "", "move:tools/b.ts", ("move_file", "tools/a.test.ts")),
        bypass("copies the tool to a new name", "on:tools/b.ts", "write:A1", ("write_file", "tools/b.test.ts")),
        bypass("copies tool and test", "on:tools/b.ts disk-test:T1", "write:A1", ("test_tool", "tools/b.ts")),
        bypass("deletes a case", "test:T2 miss:_/T2 run:A1/T2=adds+", "run", WRITE_TEST),
        bypass("renames a case that was in the way", "test:T2 run:A1/T2=adds+,wraps-", "write:A2", WRITE_TEST),
        bypass("skips a case", "test:T2 miss:_/T2 run:A1/T2=adds+,rounds?", "persist", WRITE_TEST),
        bypass("runs only a new case", "test:T2 miss:_/T2 run:A1/T2=adds?,rounds?,new+", "run", WRITE_TEST),
        bypass(
            "starts anew with a weaker test",
            "rm-tool rm-test test:T2 miss:_/T2 tool:A2 run:A2/T2=x+",
            "run",
            WRITE_TEST,
        ),
        bypass(
            "repeats a flaky test until it passes",
            "run:A1/T1=adds-,rounds+ run:A1/T1=adds+,rounds+",
            "run",
            WRITE_TEST,
        ),
        bypass(
            "touches the tool until a flaky test passes",
            "run:A1/T1=adds-,rounds+ tool:A2 run:A2/T1=adds+,rounds+",
            "run",
            WRITE_TEST,
        ),
        bypass(
            "makes the tool flaky to be rid of the cases",
            "tool:A2 run:A2/T1=adds-,rounds+ run:A2/T1=adds+,rounds+ test:T2 miss:_/T2 tool:A3 run:A3/T2=x+",
            "run",
            WRITE_TEST,
        ),
        bypass("has cases only where they pass", "tool:A2 run:A2/T1=adds+", "run", WRITE_TEST),
        bypass("changes the tool after the test", "tool:A2", "run", RUN_TEST),
        bypass("changes the tool behind the kernel's back", "disk-tool:A2", "run", RUN_TEST),
        bypass("changes the test after it passed", "test:T2", "persist", RUN_TEST),
        bypass("changes what the tool imports", "disk-imports:I2", "run", RUN_TEST),
        bypass(
            "changes the behaviour without a case for it",
            "test:T2 run:A1/T2=adds+,rounds+",
            "write:A2",
            WRITE_TEST,
        ),
        bypass("goes back to a text that was never green", "test:T2 disk-tool:A0", "write:A9", RUN_TEST),
    ];
    let green: Vec<(String, Bypass)> = green.into_iter().map(|way| (format!("{GREEN} {}", way.did), way)).collect();
    let all: Vec<(String, Bypass)> = fresh.into_iter().map(|way| (way.did.to_owned(), way)).chain(green).collect();
    assert!(all.len() >= 25);
    for (did, way) in &all {
        let world = World::after(did);
        for through in [Origin::Call, Origin::Run] {
            let refusal = world.ask_as(way.asks, Mode::Strict, RequestSource { by: Author::Agent, through });
            let refusal = refusal.unwrap_or_else(|| panic!("an agent that {} bypasses the test", way.name));
            world.check(&refusal, Mode::Strict);
            let next = &refusal.must_come_first[0];
            assert_eq!((next.tool, next.path.as_str()), way.next, "{}: {}", way.name, refusal.message);
            assert_eq!(refusal.message.contains("The same rules apply inside a run"), through == Origin::Run);
        }
    }
}

#[test]
fn refusal_messages() {
    let message = |script: &str, request: &str| World::after(script).ask(request, Mode::Strict).unwrap().message;
    assert_eq!(
        message("", "write:A1"),
        "tools/a.ts cannot be written yet: it has no test. First write tools/a.test.ts with cases that say what the tool \
         should do, then run test_tool for tools/a.ts and see it fail."
    );
    assert_eq!(
        message("test:T1 miss:_/T1 tool:A1", "run"),
        "tools/a.ts cannot be run yet: tools/a.test.ts was not run since tools/a.ts was written. First run test_tool for \
         tools/a.ts and see it pass."
    );
    assert_eq!(
        message(&format!("{GREEN} test:T2 miss:_/T2 run:A1/T2=adds+"), "persist"),
        "tools/a.ts cannot be shared yet: tools/a.test.ts no longer runs the case 'rounds', which passed before. \
         First write tools/a.test.ts with the case 'rounds' again, then run test_tool for tools/a.ts and see it pass. Or \
         ask a person to accept the test as it is."
    );
    assert_eq!(
        message(GREEN, "move:tools/b.ts"),
        "Nothing can be moved to tools/b.ts yet: it has no test. First move tools/a.test.ts to tools/b.test.ts."
    );
    assert_eq!(
        message(GREEN, "move-test:lib/a.test.ts"),
        "tools/a.test.ts cannot be moved away from its tool: tools/a.ts would have no test. First move tools/a.test.ts \
         to tools/new_name.test.ts, with a name that no tool has yet, then move tools/a.ts to tools/new_name.ts."
    );
    assert_eq!(
        message(GREEN, "delete-test"),
        "tools/a.test.ts cannot be deleted: tools/a.ts would have no test. First delete tools/a.ts, if both \
         should be deleted."
    );
    let many: String = (0..9).map(|number| format!("case{number}+,")).collect();
    let message = message(&format!("test:T1 miss:_/T1 tool:A1 run:A1/T1={many} test:T2 miss:_/T2 run:A1/T2=x+"), "run");
    assert!(message.contains("the cases 'case0', 'case1', 'case2', 'case3', 'case4' and 4 more"), "{message}");
}
