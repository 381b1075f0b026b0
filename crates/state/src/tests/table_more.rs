//! Table of events, requests and verdicts: moves, other modes, people, exempt files.

use super::table::check;
use super::world::World;
use crate::{Author, CODE_PATH, ExemptGlobs, Origin, RequestSource};
use tgp_base::mode::Mode;

const GREEN: &str = "test:T1 miss:_/T1 tool:A1 run:A1/T1=x+,y+";

#[test]
fn a_moved_tool_keeps_its_state_only_with_its_test() {
    let rows = [
        ("", "move:tools/b.ts", "no_test"),
        ("", "move-both:tools/b.ts", "ok"),
        ("", "move:lib/b.ts", "ok"),
        ("", "move-test:tools/b.test.ts", "ok"),
        ("", "move-test:lib/b.test.ts", "green"),
        ("", "move-test:tools/b.ts", "green"),
        ("", "move-test:tools/a.txt", "green"),
        ("on:tools/b.ts tool:B1 on:tools/a.ts", "move-test:tools/b.test.ts", "green"),
        ("mv-test:tools/b.ts", "run", "no_test"),
        ("mv-test:tools/b.ts", "move:tools/b.ts", "ok"),
        ("mv-test:tools/b.ts mv-tool:tools/b.ts on:tools/b.ts", "run", "ok"),
        ("mv-tool:tools/b.ts mv-test:tools/b.ts on:tools/b.ts", "run", "ok"),
        ("mv-tool:tools/b.ts on:tools/b.ts", "run", "no_test"),
        ("mv-test:tools/b.ts mv-tool:tools/b.ts on:tools/b.ts relink:T2", "run", "untried"),
        ("mv-test:tools/b.ts mv-tool:tools/b.ts on:tools/b.ts relink:T2 run:A1/T2=x+,y+", "run", "ok"),
        ("mv-test:tools/b.ts mv-tool:tools/b.ts on:tools/b.ts test:T3 miss:_/T3 run:A1/T3=x+", "run", "weakened"),
        ("on:tools/b.ts tool:A1 test:T1", "run", "not_run"),
        ("on:tools/b.ts test:T1", "write:A1", "not_run"),
        ("on:tools/a.js disk-test:T1", "write:J1", "not_run"),
        ("tool:A2 on:tools/b.ts", "persist", "tool_changed"),
    ];
    for (rest, request, expected) in rows {
        check(Mode::Strict, &[(&format!("{GREEN} {rest}"), request, expected)]);
    }
    // Renaming does not make an untested tool a tested one.
    check(
        Mode::Strict,
        &[("tool:A1 test:T1", "move-both:tools/b.ts", "not_run"), ("tool:A1", "move:tools/b.ts", "no_test")],
    );
}

#[test]
fn debug_allows_changes_and_shares_only_green_tools() {
    check(
        Mode::Debug,
        &[
            ("", "write:A1", "no_test"),
            ("test:T1", "write:A1", "not_run"),
            ("test:T1 miss:_/T1", "write:A1", "ok"),
            ("tool:A1", "write:A2", "ok"),
            ("tool:A1", "run", "ok"),
            ("tool:A1", "persist", "no_test"),
            ("tool:A1 test:T1 run:A1/T1=x+", "persist", "unproven"),
            ("tool:A1 test:T1 run:A1/T1=x+ miss:_/T1", "persist", "ok"),
            ("tool:A1 test:T1 run:A1/T1=x- tool:A2 run:A2/T1=x+", "persist", "ok"),
            ("tool:A1 test:T1 run:A1/T1=x- tool:A2 run:A2/T1=x+ tool:A3", "persist", "tool_changed"),
            ("tool:A1 test:T1", "delete-test", "ok"),
            ("tool:A1 test:T1", "blank-test:E", "ok"),
            ("tool:A1 test:T1 run:A1/T1=x- tool:A2 run:A2/T1=x+ rm-test", "persist", "no_test"),
            ("tool:A1", "move:tools/b.ts", "ok"),
            ("tool:A1", "code", "ok"),
            ("test:T1", "run-test", "ok"),
            ("rm-tool", "sync", "ok"),
            ("", "move-in", "no_test"),
        ],
    );
}

#[test]
fn people_are_never_refused() {
    let requests = ["write:A2", "run", "persist", "delete-test", "blank-test:E", "move:tools/b.ts", "code", "run-test"];
    let world = World::after("tool:A1 test:T1");
    for request in requests {
        for mode in [Mode::Strict, Mode::Debug] {
            let who = RequestSource { by: Author::Person, through: Origin::Call };
            assert_eq!(world.ask_as(request, mode, who), None, "{request}");
        }
        assert!(world.ask(request, Mode::Strict).is_some(), "{request}");
    }
}

#[test]
fn exempt_files_need_no_test() {
    let mut world = World::after("tool:A1");
    world.exempt = ExemptGlobs::new(["tools/a.ts", "tools/scratch/**"]).unwrap();
    for request in ["write:A2", "run", "persist", "delete-test", "blank-test:E", "move:tools/scratch/b.ts"] {
        assert_eq!(world.verdict(request, Mode::Strict), "ok", "{request}");
    }
    assert_eq!(world.verdict("move:tools/b.ts", Mode::Strict), "no_test");
    assert_eq!(world.verdict("code", Mode::Strict), "refused");
    world.exempt = ExemptGlobs::new([CODE_PATH]).unwrap();
    assert_eq!(world.verdict("code", Mode::Strict), "ok");
    // An exempt test does not make its tool exempt.
    world.exempt = ExemptGlobs::new(["**/*.test.ts"]).unwrap();
    assert_eq!(world.verdict("delete-test", Mode::Strict), "no_test");
    // A test that is moved to an exempt path counts as removed.
    let mut world = World::after("test:T1 miss:_/T1 tool:A1 run:A1/T1=x+");
    world.exempt = ExemptGlobs::new(["tools/scratch/**"]).unwrap();
    assert_eq!(world.verdict("move-test:tools/scratch/a.test.ts", Mode::Strict), "green");
}

#[test]
fn a_refusal_of_many_tools_counts_them() {
    let world = World::after("tool:A1 on:tools/b.ts tool:B1 on:tools/c.ts tool:C1");
    let refusal = world.ask("persist", Mode::Strict).unwrap();
    assert_eq!(refusal.tool, "tools/a.ts");
    assert_eq!(refusal.details()["others"], 2);
    assert!(refusal.message.contains("2 other tools are not green either."), "{}", refusal.message);
}
