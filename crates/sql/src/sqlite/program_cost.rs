//! Limits the work of a statement between two checks of the deadline, by a maximum value length.
//!
//! SQLite calls the progress handler only at backward jumps of its program. Code without loops runs to its end, and ten
//! thousand calls on values of eight megabytes take minutes. So the maximum value length decreases with the cost of the
//! program. The cost is that of the compiled program, because a view, a generated column or a subquery can repeat an
//! expression many times.

use super::functions::failure::interrupted;
use super::limits::USUAL_VALUE_BYTES;
use super::session_control::SessionControl;
use rusqlite::{Connection, Result, Statement, StatementStatus};

/// Maximum number of bytes that all instructions of a program may process, each executed once: a few seconds at most.
const MAX_COST: u64 = 4 << 30;
/// Lower bound of the value limit. No program is so long that it needs less.
const MIN_VALUE_BYTES: u64 = 1 << 10;

/// The cost of prepared statements below this size is not computed, unless values may be long.
const SMALL_BYTES: i32 = 12 << 10;

/// Relative cost of an instruction that computes.
const COMPUTES: u64 = 8;
/// Assumed number of arguments of a variadic function.
const ARGUMENTS: u64 = 8;

/// The maximum value length for a statement, at most `most` bytes.
pub fn max_value_length(
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
    let cost = match control.with_authorizer(|authorizer| authorizer.cost(sql)) {
        Some(cost) => cost,
        None => {
            let cost = cost(connection, control, sql)?;
            control.with_authorizer(|authorizer| authorizer.set_cost(sql, cost));
            cost
        }
    };
    let longest = (MAX_COST / cost.max(1)).max(MIN_VALUE_BYTES);
    Ok(usize::try_from(longest).unwrap_or(usize::MAX).min(most))
}

/// Rows of `EXPLAIN` between two checks of the deadline.
const ROWS_BETWEEN_CHECKS: u32 = 256;

/// The total cost of the instructions of a statement's program.
fn cost(connection: &Connection, control: &SessionControl, sql: &str) -> Result<u64> {
    let mut program = connection.prepare(&format!("EXPLAIN {sql}"))?;
    let mut rows = program.raw_query();
    let (mut cost, mut count) = (0_u64, 0_u32);
    while let Some(row) = rows.next()? {
        let opcode = row.get_ref(1)?.as_str().unwrap_or_default();
        let function = row.get_ref(5)?.as_str().unwrap_or_default();
        cost = cost.saturating_add(instruction_cost(opcode, function));
        count += 1;
        if count.is_multiple_of(ROWS_BETWEEN_CHECKS) && control.must_stop() {
            return Err(interrupted());
        }
    }
    Ok(cost)
}

/// The cost of an instruction per byte of a value. `function` is the function that it calls, as in `hex(1)`.
fn instruction_cost(opcode: &str, function: &str) -> u64 {
    match opcode {
        "Function" | "PureFunc" | "AggStep" | "AggStep1" | "AggInverse" => COMPUTES * arguments(function),
        // These convert text to numbers.
        "Add" | "Subtract" | "Multiply" | "Divide" | "Remainder" | "BitAnd" | "BitOr" | "BitNot" | "ShiftLeft"
        | "ShiftRight" | "Cast" | "And" | "Or" | "Not" | "If" | "IfNot" | "IsTrue" | "Affinity" | "RealAffinity"
        | "MustBeInt" | "AggFinal" | "AggValue" => COMPUTES,
        // Literals and bound values are not copied, and the others do not process values.
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
        // Variadic.
        Some(Err(_)) | None => ARGUMENTS,
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_COST, cost, instruction_cost, max_value_length};
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
        max_value_length(connection, &SessionControl::default(), &statement, sql, 8 << 20).unwrap()
    }

    #[test]
    fn repeated_expressions_count_each_time() {
        let connection = open();
        let control = SessionControl::default();
        let sum = |term: &str, from: &str| format!("SELECT {}{from}", vec![term; 300].join("+"));
        for sql in [
            sum("hex(a)", " FROM t"),
            sum("x", " FROM v"),
            sum("b", " FROM t"),
            sum("x", " FROM (SELECT hex(a) AS x FROM t)"),
        ] {
            assert!(
                cost(&connection, &control, &sql).unwrap() >= 300 * instruction_cost("Function", "hex(1)"),
                "{sql}"
            );
            let longest = longest(&connection, &sql);
            assert!((500_000..1_500_000).contains(&longest), "{sql}: {longest}");
        }
    }

    #[test]
    fn ordinary_statements_have_the_full_value_limit() {
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
        // The deadline is checked for each row, but the program does not show that.
        assert!(longest(&connection, &rows("(lower(?))")) >= 400_000);
        assert!(MAX_COST / instruction_cost("Function", "json_extract(-1)") >= 64 << 20);
    }
}
