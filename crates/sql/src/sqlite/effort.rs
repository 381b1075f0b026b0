//! How much a statement may do without a look at the clock.
//!
//! SQLite looks where its program jumps back. What has no loop in it runs to its end, and ten thousand calls on values of
//! eight megabytes take minutes. So the more a statement computes in one go, the shorter its values may be. The compiled
//! program is what counts: a view, a generated column or a subquery can repeat what the text says once.

use super::functions::failure::interrupted;
use super::limits::USUAL_VALUE_BYTES;
use super::session_control::SessionControl;
use rusqlite::{Connection, Result, Statement, StatementStatus};

/// Bytes that the steps of a program may go through together, each once: some seconds at most.
const MAX_EFFORT: u64 = 4 << 30;
/// No program has so many steps that less is needed.
const MIN_VALUE_BYTES: u64 = 1 << 10;

/// Of a prepared statement that takes less memory than this no count is needed while values are short.
const SMALL_BYTES: i32 = 12 << 10;

/// A step that computes goes through a value as slowly as others through eight.
const COMPUTES: u64 = 8;
/// The arguments that a call is taken to have when the function takes any number.
const ARGUMENTS: u64 = 8;

/// The longest value that a statement may deal with, of those that are `most` bytes long or shorter.
pub fn longest_value(
    connection: &Connection,
    control: &SessionControl,
    statement: &Statement<'_>,
    sql: &str,
    most: usize,
) -> Result<usize> {
    let small = most <= USUAL_VALUE_BYTES && statement.get_status(StatementStatus::MemUsed) <= SMALL_BYTES;
    if small || statement.is_explain() != 0 {
        return Ok(most);
    }
    let effort = match control.with_watch(|watch| watch.effort(sql)) {
        Some(effort) => effort,
        None => {
            let effort = effort(connection, control, sql)?;
            control.with_watch(|watch| watch.set_effort(sql, effort));
            effort
        }
    };
    let longest = (MAX_EFFORT / effort.max(1)).max(MIN_VALUE_BYTES);
    Ok(usize::try_from(longest).unwrap_or(usize::MAX).min(most))
}

/// Rows of a program between two looks at the clock.
const ROWS_BETWEEN_LOOKS: u32 = 256;

/// What the steps of a statement's program weigh together.
fn effort(connection: &Connection, control: &SessionControl, sql: &str) -> Result<u64> {
    let mut program = connection.prepare(&format!("EXPLAIN {sql}"))?;
    let mut rows = program.raw_query();
    let (mut effort, mut count) = (0_u64, 0_u32);
    while let Some(row) = rows.next()? {
        let opcode = row.get_ref(1)?.as_str().unwrap_or_default();
        let function = row.get_ref(5)?.as_str().unwrap_or_default();
        effort = effort.saturating_add(weight(opcode, function));
        count += 1;
        if count.is_multiple_of(ROWS_BETWEEN_LOOKS) && control.must_stop() {
            return Err(interrupted());
        }
    }
    Ok(effort)
}

/// How much of a value a step goes through, and how slowly. `function` is what it calls, as in `hex(1)`.
fn weight(opcode: &str, function: &str) -> u64 {
    match opcode {
        "Function" | "PureFunc" | "AggStep" | "AggStep1" | "AggInverse" => COMPUTES * arguments(function),
        // Text is read as a number.
        "Add" | "Subtract" | "Multiply" | "Divide" | "Remainder" | "BitAnd" | "BitOr" | "BitNot" | "ShiftLeft"
        | "ShiftRight" | "Cast" | "And" | "Or" | "Not" | "If" | "IfNot" | "IsTrue" | "Affinity" | "RealAffinity"
        | "MustBeInt" | "AggFinal" | "AggValue" => COMPUTES,
        // What is written in the statement or bound to it is not copied, and the rest is no value.
        "Integer" | "Int64" | "Real" | "String" | "String8" | "Blob" | "Null" | "SoftNull" | "Variable" | "Init"
        | "Goto" | "Halt" | "Transaction" | "Yield" | "InitCoroutine" | "EndCoroutine" | "OpenRead" | "OpenWrite"
        | "Once" | "Explain" | "Noop" => 0,
        _ => 1,
    }
}

fn arguments(function: &str) -> u64 {
    let count = function.rsplit_once('(').and_then(|(_, count)| count.strip_suffix(')'));
    match count.and_then(|count| count.parse::<i64>().ok()).map(u64::try_from) {
        Some(Ok(count)) => count.max(1),
        // Any number of them.
        Some(Err(_)) | None => ARGUMENTS,
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_EFFORT, effort, longest_value, weight};
    use crate::sqlite::session_control::SessionControl;
    use rusqlite::Connection;

    fn open() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch("CREATE TABLE t (a, b AS (hex(a))); CREATE VIEW v AS SELECT hex(a) AS x FROM t;")
            .unwrap();
        connection
    }

    fn longest(connection: &Connection, sql: &str) -> usize {
        let statement = connection.prepare(sql).unwrap();
        longest_value(connection, &SessionControl::default(), &statement, sql, 8 << 20).unwrap()
    }

    #[test]
    fn what_the_program_repeats_counts_each_time() {
        let connection = open();
        let control = SessionControl::default();
        let sum = |term: &str, from: &str| format!("SELECT {}{from}", vec![term; 300].join("+"));
        for sql in [
            sum("hex(a)", " FROM t"),
            sum("x", " FROM v"),
            sum("b", " FROM t"),
            sum("x", " FROM (SELECT hex(a) AS x FROM t)"),
        ] {
            assert!(effort(&connection, &control, &sql).unwrap() >= 300 * weight("Function", "hex(1)"), "{sql}");
            let longest = longest(&connection, &sql);
            assert!((500_000..1_500_000).contains(&longest), "{sql}: {longest}");
        }
    }

    #[test]
    fn ordinary_statements_deal_with_values_of_any_length() {
        let connection = open();
        let columns = (0..120).map(|at| format!("c{at}")).collect::<Vec<_>>().join(",");
        connection.execute_batch(&format!("CREATE TABLE wide ({columns})")).unwrap();
        let rows = |row: &str| format!("INSERT INTO t (a) VALUES {}", vec![row; 1000].join(","));
        for sql in [
            "SELECT 1".to_owned(),
            "SELECT * FROM wide WHERE c0 = ? AND lower(c1) LIKE 'a%' ORDER BY c2 LIMIT 5".to_owned(),
            rows("('text')"),
            rows("(?)"),
            "EXPLAIN SELECT * FROM t".to_owned(),
        ] {
            assert_eq!(longest(&connection, &sql), 8 << 20, "{sql}");
        }
        // Each row is looked at by itself, but that cannot be told from the program.
        assert!(longest(&connection, &rows("(lower(?))")) >= 400_000);
        assert!(MAX_EFFORT / weight("Function", "json_extract(-1)") >= 64 << 20);
    }
}
