//! Table of events, requests and verdicts: strict mode.

use super::world::World;
use tgp_base::mode::Mode;

/// Each row: events, request, and `ok` or the reason of the refusal.
pub fn check(mode: Mode, rows: &[(&str, &str, &str)]) {
    for (script, request, expected) in rows {
        let world = World::after(script);
        assert_eq!(world.verdict(request, mode), *expected, "{mode:?}: {script} | {request}");
        assert_eq!(world.verdict(request, Mode::Explore), "ok", "explore refuses nothing: {script} | {request}");
    }
}

const GREEN: &str = "test:T1 miss:_/T1 tool:A1 run:A1/T1=x+,y+";

fn green(rest: &str) -> String {
    format!("{GREEN} {rest}")
}

#[test]
fn strict_before_green() {
    check(
        Mode::Strict,
        &[
            ("", "write:A1", "no_test"),
            ("", "write-test:T1", "ok"),
            ("", "run", "ok"),
            ("", "persist", "ok"),
            ("", "delete-test", "ok"),
            ("", "move-in", "no_test"),
            ("test:T1", "write:A1", "not_run"),
            ("test:T1", "persist", "ok"),
            ("test:T1", "delete-test", "ok"),
            ("test:T1", "blank-test:E", "ok"),
            ("test:T1 run:_/T1=x-", "write:A1", "ok"),
            ("test:T1 miss:_/T1", "write:A1", "ok"),
            ("test:T1 miss:_/T1", "move-in", "ok"),
            ("test:T1 miss:_/T1 test:T2", "write:A1", "not_run"),
            ("test:T1 miss:_/T1 disk-test:T2", "write:A1", "not_run"),
            ("test:T1 miss:_/T1 rm-test", "write:A1", "no_test"),
            ("test:T1 miss:_/T1 test:T2 test:T1", "write:A1", "ok"),
            ("test:T1 broken:_/T1", "write:A1", "broken"),
            ("test:T1 run:_/T1=", "write:A1", "empty"),
            ("test:T1 run:_/T1=x?", "write:A1", "left_out"),
            ("test:T1 run:_/T1=x-,y?", "write:A1", "ok"),
            ("test:T1 run:_/T1=x0", "write:A1", "hollow"),
            ("test:T1 run:_/T1=x+", "write:A1", "vacuous"),
            ("test:T1 run:_/T1=x+ miss:_/T1", "write:A1", "vacuous"),
            ("test:T1 miss:_/T1 tool:A1", "write:A2", "ok"),
            ("test:T1 miss:_/T1 tool:A1", "run", "untried"),
            ("test:T1 miss:_/T1 tool:A1", "persist", "untried"),
            ("test:T1 miss:_/T1 tool:A1 run:A1/T1=x-,y+", "run", "red"),
            ("test:T1 miss:_/T1 tool:A1 run:A1/T1=x-,y+", "write:A2", "ok"),
            ("test:T1 miss:_/T1 tool:A1 run:A1/T1=x-,y+", "persist", "red"),
            ("test:T1 miss:_/T1 tool:A1 broken:A1/T1", "write:A2", "ok"),
            ("test:T1 miss:_/T1 tool:A1 broken:A1/T1", "run", "red"),
            ("test:T1 miss:_/T1 tool:A1 run:A1/T1=x+,y?", "run", "left_out"),
            ("test:T1 miss:_/T1 tool:A1 run:A1/T1=x+,y0", "run", "hollow"),
            ("test:T1 miss:_/T1 tool:A1 run:A1/T1=", "run", "empty"),
            ("test:T1 miss:_/T1 tool:A1 run:A1/T1=x+ run:A1/T1=x+,y?", "run", "left_out"),
            ("test:T1 miss:_/T1 tool:A1 run:_/T1=x+", "run", "vacuous"),
            ("test:T1 run:_/T1=x- tool:A1 test:T2 run:A1/T2=x+", "run", "unproven"),
            ("test:T1 run:_/T1=x- tool:A1 test:T2 run:A1/T2=x+ miss:_/T2", "run", "ok"),
            ("test!:T1 tool:A1 run:A1/T1=x+", "run", "ok"),
            ("test!:T1", "write:A1", "not_run"),
            ("tool:A1", "run", "no_test"),
            ("tool:A1", "write:A2", "no_test"),
            ("disk-tool:A1", "write:A2", "no_test"),
            ("tool:A1 test:T1", "run", "not_run"),
            ("tool:A1 test:T1 run:A1/T1=x+", "run", "unproven"),
            ("tool:A1 test:T1 run:A1/T1=x+", "write:A2", "unproven"),
            ("tool:A1 test:T1 run:A1/T1=x-", "write:A2", "ok"),
            ("tool:A1", "write:A1", "ok"),
        ],
    );
}

#[test]
fn strict_from_green_on() {
    let rows = [
        ("", "run", "ok"),
        ("", "persist", "ok"),
        ("", "write:A2", "ok"),
        ("", "write-test:T2", "ok"),
        ("", "blank-test:E", "green"),
        ("", "delete-test", "green"),
        ("", "delete", "ok"),
        ("", "run-test", "refused"),
        ("", "code", "refused"),
        ("", "sync", "ok"),
        ("tool:A2", "run", "tool_changed"),
        ("tool:A2", "persist", "tool_changed"),
        ("tool:A2", "write:A3", "ok"),
        ("tool:A2", "write:A1", "ok"),
        ("tool:A2 run:A2/T1=x+,y+", "run", "ok"),
        ("tool:A2 run:A2/T1=x+,y-", "run", "red"),
        ("tool:A2 run:A2/T1=x+,y- tool:A1", "run", "ok"),
        ("disk-tool:A2", "run", "tool_changed"),
        ("disk-test:T2", "run", "test_changed"),
        ("disk-imports:I1", "run", "imports_changed"),
        ("run:A1/T1/I1=x+,y+ disk-imports:I1", "run", "ok"),
        ("run:A1/T1/I1=x+,y+ disk-imports:I2", "run", "imports_changed"),
        ("run:A1/T1/I1=x-,y+ disk-imports:I1", "run", "red"),
        ("test:T2", "run", "test_changed"),
        ("test:T2", "write:A2", "test_changed"),
        ("test:T2", "persist", "test_changed"),
        ("test:T2 run:A1/T2=x+,y+,z-", "write:A2", "ok"),
        ("test:T2 run:A1/T2=x+,y+,z-", "run", "red"),
        ("test:T2 run:A1/T2=x+,y+,z- tool:A2 run:A2/T2=x+,y+,z+", "run", "ok"),
        ("test:T2 run:A1/T2=x+,y+,z+", "run", "unproven"),
        ("test:T2 run:A1/T2=x+,y+,z+ miss:_/T2", "persist", "ok"),
        ("test:T2 run:A1/T2=x-", "write:A2", "weakened"),
        ("test:T2 miss:_/T2 run:A1/T2=x+", "run", "weakened"),
        ("test:T2 miss:_/T2 run:A1/T2=x+", "persist", "weakened"),
        ("test:T2 miss:_/T2 run:A1/T2=x+,z+", "run", "weakened"),
        ("test:T2 miss:_/T2 run:A1/T2=x+,y?", "run", "weakened"),
        ("test:T2 miss:_/T2 run:A1/T2=x+ test:T1", "run", "ok"),
        ("test:T2 miss:_/T2 run:A1/T2=x+ accept", "run", "ok"),
        ("test!:T2 run:A1/T2=x+", "run", "ok"),
        ("rm-test", "run", "no_test"),
        ("rm-test test:T2 miss:_/T2 run:A1/T2=x+", "run", "weakened"),
        ("rm-tool rm-test test:T2 miss:_/T2 tool:A2 run:A2/T2=x+", "run", "weakened"),
        ("rm-tool", "delete-test", "ok"),
        ("run:A1/T1=x-,y+", "run", "flaky"),
        ("run:A1/T1=x-,y+", "write:A2", "flaky"),
        ("run:A1/T1=x-,y+ run:A1/T1=x+,y+", "run", "flaky"),
        ("run:A1/T1=x-,y+ tool:A2 run:A2/T1=x+,y+", "run", "flaky"),
        ("run:A1/T1=x+", "run", "left_out"),
        ("relink:T2", "run", "untried"),
        ("relink:T2 run:A1/T2=x+,y+", "run", "ok"),
        ("relink:T2", "write:A2", "ok"),
    ];
    for (rest, request, expected) in rows {
        check(Mode::Strict, &[(&green(rest), request, expected)]);
    }
}
