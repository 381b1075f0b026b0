#![expect(clippy::wildcard_enum_match_arm, reason = "a test fails on whatever it did not expect")]

use super::install;
use crate::sqlite::session_control::SessionControl;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A deterministic random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % most
    }

    fn bytes(&mut self, alphabet: &[&[u8]], most: usize) -> Vec<u8> {
        (0..self.below(most)).flat_map(|_| alphabet[self.below(alphabet.len())].to_vec()).collect()
    }
}

fn replaced() -> (Connection, Arc<SessionControl>) {
    let connection = Connection::open_in_memory().unwrap();
    let control = Arc::new(SessionControl::default());
    control.set_value_limit(1 << 24);
    install(&connection, &control).unwrap();
    (connection, control)
}

/// The result of a query as text: a value or an error message.
fn answer(connection: &Connection, sql: &str, values: &[Value]) -> String {
    let mut statement = connection.prepare_cached(sql).unwrap();
    let values = rusqlite::params_from_iter(values.iter().take(statement.parameter_count()));
    let row = statement.query_row(values, |row| {
        Ok(match row.get_ref(0)? {
            rusqlite::types::ValueRef::Text(bytes) => format!("text {bytes:?}"),
            other => format!("{other:?}"),
        })
    });
    row.unwrap_or_else(|error| error.to_string())
}

#[test]
fn results_equal_those_of_the_built_in_functions() {
    let built_in = Connection::open_in_memory().unwrap();
    let (own, _control) = replaced();
    let mut random = Random(0x5eed);
    let letters: [&[u8]; 19] = [
        b"a",
        b"A",
        b"b",
        b"%",
        b"_",
        b"*",
        b"?",
        b"[",
        b"]",
        b"^",
        b"-",
        b"\\",
        b"0",
        b" ",
        "é".as_bytes(),
        "É".as_bytes(),
        "𝄞".as_bytes(),
        "漢".as_bytes(),
        b"\x00",
    ];
    // With malformed UTF-8, which `CAST` turns into text. Not for `trim()`, which splits malformed characters differently.
    let broken: [&[u8]; 23] = [
        b"a",
        b"A",
        b"b",
        b"%",
        b"_",
        b"*",
        b"?",
        b"[",
        b"]",
        b"^",
        b"-",
        b"\\",
        b"0",
        b" ",
        b"\xc3\xa9",
        b"\xc3",
        b"\x80",
        b"\xed\xa0\x80",
        b"\xff",
        b"\xc0\x80",
        b"\xe6\xbc",
        b"\xa9",
        b"\xf0\x9d\x84\x9e",
    ];
    let text = ["?1", "?2", "?3"].map(|at| format!("CAST({at} AS TEXT)"));
    let [x, y, z] = &text;
    let calls = [
        (format!("SELECT {x} LIKE {y}"), true),
        (format!("SELECT {x} LIKE {y} ESCAPE '\\'"), true),
        (format!("SELECT {x} LIKE {y} ESCAPE '%'"), true),
        (format!("SELECT {x} LIKE {y} ESCAPE '_'"), true),
        (format!("SELECT {x} LIKE {y} ESCAPE {z}"), true),
        (format!("SELECT {x} GLOB {y}"), true),
        (format!("SELECT instr({x}, {y})"), true),
        ("SELECT instr(?1, ?2)".to_owned(), true),
        (format!("SELECT instr(?1, {y})"), true),
        (format!("SELECT replace({x}, {y}, {z})"), true),
        ("SELECT replace(?1, ?2, ?3)".to_owned(), true),
        (format!("SELECT trim({x}, {y})"), false),
        (format!("SELECT ltrim({x}, {y})"), false),
        (format!("SELECT rtrim({x}, {y})"), false),
        (format!("SELECT unhex({x}, {y})"), true),
        ("SELECT typeof(trim(?1, ?2)) || typeof(replace(?1, ?2, ?3)) || typeof(?1 LIKE ?2)".to_owned(), true),
    ];
    for round in 0..6_000 {
        let (sql, any) = &calls[round % calls.len()];
        let alphabet: &[&[u8]] = if *any && round % 2 == 0 { &broken } else { &letters };
        // A small alphabet, so that there are matches.
        let few: Vec<&[u8]> = (0..1 + random.below(4)).map(|_| alphabet[random.below(alphabet.len())]).collect();
        let values: Vec<Value> = (0..3)
            .map(|_| match random.below(12) {
                0 => Value::Null,
                1 => Value::Integer(random.below(2_000) as i64 - 1_000),
                2 => Value::Real([0.1, 1e300, -1.5e-7, 100.0, f64::INFINITY, 2.0 / 3.0][random.below(6)]),
                _ => Value::Blob(random.bytes(&few, 12)),
            })
            .collect();
        assert_eq!(answer(&own, sql, &values), answer(&built_in, sql, &values), "{sql} of {values:?}");
    }
    for sql in [
        "SELECT json_array(json_patch('{\"a\":1,\"b\":{\"c\":2}}', '{\"b\":{\"c\":null,\"d\":[1]}}'))",
        "SELECT hex(jsonb_patch('{\"a\":1}', '{\"a\":null}'))",
        "SELECT json_patch('{', '{}')",
        "SELECT json_patch(NULL, '{}')",
        "SELECT 'a' LIKE 'A' ESCAPE 'xy'",
        "SELECT 'a' LIKE 'A' ESCAPE ''",
        "SELECT 1.5 LIKE '1.%', instr(12.25, '.'), replace(1e10, '0', 'x'), trim(0.5, '0')",
    ] {
        assert_eq!(answer(&own, sql, &[]), answer(&built_in, sql, &[]), "{sql}");
    }
}

#[test]
fn a_slow_call_stops_at_the_deadline() {
    let (connection, control) = replaced();
    let zeros = "hex(zeroblob(2000000))";
    for sql in [
        format!("SELECT {zeros} LIKE '%' || substr({zeros}, 1, 49000) || '1'"),
        format!("SELECT {zeros} LIKE replace(substr({zeros}, 1, 24000), '0', '%0') || '1'"),
        format!("SELECT {zeros} GLOB '*[' || substr({zeros}, 1, 49000) || ']1'"),
        format!("SELECT instr({zeros}, substr({zeros}, 1, 2000000) || '1')"),
        format!("SELECT length(replace({zeros}, substr({zeros}, 1, 2000000) || '1', 'x'))"),
        format!("SELECT length(trim({zeros}, replace({zeros}, '0', '12') || '0'))"),
        format!("SELECT unhex(replace({zeros}, '0', 'x'), replace({zeros}, '0', 'y') || 'x')"),
        format!(
            "SELECT json_patch('{{' || replace({zeros}, '0', '\"a\":1,') || '\"b\":1}}', '{{' || replace({zeros}, '0', '\"c\":1,') || '\"d\":1}}')"
        ),
    ] {
        let started = Instant::now();
        control.set_deadline(Some(started + Duration::from_millis(200)));
        let _any = answer(&connection, &sql, &[]);
        assert!(started.elapsed() < Duration::from_secs(30), "{sql} took {:?}", started.elapsed());
    }
}
