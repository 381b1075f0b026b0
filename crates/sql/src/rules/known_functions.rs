//! Functions that every database has and that neither write nor read tables, for a database that cannot be asked.

use crate::reading::dialect::Dialect;
use crate::reading::table_names::part_of_name;
use crate::reading::token::Tokens;
use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

/// Words that stand before a parenthesis without calling anything.
const KEYWORDS: &str = "
    all and any as between by case check conflict cross default delete distinct else escape except exists
    explain filter for from glob group groups having if in index inner insert intersect interval into is join
    key lateral left like limit match materialized merge natural not offset on only or order outer over
    partition primary range recursive references regexp replace returning right rlike rows select set similar
    some table then to truncate union unique update using values when where window with within
";

/// Types with a length.
const TYPES: &str = "
    bigint binary bit char character dec decimal double enum float int integer nchar number numeric nvarchar
    real smallint time timestamp tinyint varbinary varchar varying
";

/// Functions of the standard and of all three databases.
const FUNCTIONS: &str = "
    abs acos array array_agg ascii asin atan atan2 avg bit_and bit_length bit_or cast ceil ceiling char_length
    character_length chr coalesce concat concat_ws convert cos cot count cume_dist curdate current_date
    current_time current_timestamp curtime date date_add date_diff date_format date_part date_sub date_trunc
    datediff datetime day degrees dense_rank exp extract first_value floor format from_unixtime greatest
    group_concat hex hour ifnull iif initcap instr json json_agg json_array json_arrayagg json_build_object
    json_each json_extract json_group_array json_group_object json_length json_object json_objectagg json_type
    json_valid json_value jsonb_agg jsonb_build_object julianday lag last_value lead least length ln localtime
    localtimestamp locate log log10 log2 lower lpad ltrim max md5 min minute mod month now nth_value ntile
    nullif octet_length overlay percent_rank percentile_cont percentile_disc pi position pow power printf
    quarter quote radians rand random rank regexp_replace repeat reverse round row row_number rpad rtrim second
    sign sin split_part sqlite_version sqrt stddev strftime string_agg strpos substr substring substring_index
    sum tan timediff timestampdiff to_char to_date to_timestamp total trim trunc typeof unhex unicode unixepoch
    unix_timestamp upper uuid var_pop variance version week weekday year
";

static KNOWN: LazyLock<HashSet<&str>> =
    LazyLock::new(|| [KEYWORDS, TYPES, FUNCTIONS].into_iter().flat_map(str::split_whitespace).collect());

/// Words behind which a name with a parenthesis is that of a table, or of columns.
const NAMING: [&str; 8] = ["INTO", "TABLE", "AS", "WITH", "RECURSIVE", "REFERENCES", "EXISTS", "OVERWRITE"];

/// The functions that a statement calls and that are not known by their names. One with a schema is never known.
pub fn unknown_calls(tokens: &Tokens<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (index, token) in tokens.list().iter().enumerate() {
        if !tokens.is_symbol(index + 1, b'(') {
            continue;
        }
        let Some(name) = part_of_name(tokens, *token, Dialect::Any) else { continue };
        let is_qualified = tokens.is_symbol_before(index, b'.');
        let first = if is_qualified { index.saturating_sub(2) } else { index };
        let names = NAMING.contains(&tokens.word_before(first));
        let is_known = !is_qualified && KNOWN.contains(name.to_ascii_lowercase().as_str());
        if !names && !is_known {
            found.insert(name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::reading::dialect::Dialect;
    use crate::reading::tokenise::tokenise;

    fn unknown(sql: &str) -> Vec<String> {
        let upper = sql.to_ascii_uppercase();
        let reading = Dialect::Any.readings(sql).next().unwrap();
        super::unknown_calls(&tokenise(sql, &upper, reading).unwrap().unwrap()).into_iter().collect()
    }

    #[test]
    fn functions_are_known_by_name() {
        for sql in [
            "SELECT count(*), MAX(a) FROM t WHERE id IN (1, 2) AND (a OR (b)) ORDER BY lower(a)",
            "INSERT INTO items (id, name) VALUES (1, 'x')",
            "INSERT INTO shop.items(id) SELECT (1)",
            "WITH c(x) AS (SELECT 1) SELECT CAST(x AS VARCHAR(10)) FROM c AS d(y)",
            "CREATE TABLE IF NOT EXISTS t (id INT, name VARCHAR(5), PRIMARY KEY (id))",
        ] {
            assert!(unknown(sql).is_empty(), "{sql} {:?}", unknown(sql));
        }
        for (sql, name) in [
            ("SELECT purge_things()", "purge_things"),
            ("SELECT shop.count(*) FROM t", "count"),
            ("UPDATE t SET a = \"Erase\" (1)", "Erase"),
        ] {
            assert_eq!(unknown(sql), [name], "{sql}");
        }
    }
}
