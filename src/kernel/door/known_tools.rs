//! The tools that policy rules can name: the kernel's and the application's.

use super::kernel_tools::{KERNEL_TOOLS, Quotes, READ_FILE};
use std::sync::Arc;
use tgp_base::effect::{Effect, Effects};
use tgp_base::table_name::TableName;
use tgp_policy::{Arguments, SqlFacts, Tool, Tools, UnnamedFiles};
use tgp_sql::{Dialect, outline};
use tgp_vfs::JailPath;

/// The scratch folder of a run.
const SCRATCH: &str = "/tmp/";

/// The tools of the kernel and the functions of the application. `dialect` is that of the application's database.
pub fn known_tools(functions: &[String], dialect: Dialect) -> Tools {
    let theirs = functions.iter().filter(|name| *name != "exec_sql");
    let theirs = theirs.map(|name| {
        let (effects, arguments) = (one(Effect::App), Arguments::Any);
        (name.clone(), Tool { effects, arguments, unnamed_files: UnnamedFiles::Never, quotes: None })
    });
    let ours = KERNEL_TOOLS.iter().map(|tool| {
        let named = tool.arguments.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
        let (effects, arguments) = (one(tool.effect), Arguments::Named(named));
        let quotes = (tool.quotes != Quotes::Nothing && tool.name != READ_FILE).then_some(READ_FILE);
        (tool.name.to_owned(), Tool { effects, arguments, unnamed_files: tool.unnamed_files, quotes })
    });
    // A function of the application replaces a kernel tool of the same name.
    Tools::new(ours.chain(theirs), Arc::new(read_path), Arc::new(move |sql: &str| read_sql(sql, dialect)))
}

fn one(effect: Effect) -> Effects {
    Effects::NONE.with(effect)
}

/// A path of the root in canonical spelling, or a path in the scratch folder of a run.
fn read_path(text: &str) -> Option<String> {
    if let Some(own) = text.strip_prefix(SCRATCH) {
        let is_plain = !own.is_empty() && own.split('/').all(|part| !matches!(part, "" | "." | ".."));
        return is_plain.then(|| text.to_owned());
    }
    JailPath::parse(text).ok().filter(|path| !path.is_root()).map(|path| path.as_str().to_owned())
}

fn read_sql(sql: &str, dialect: Dialect) -> Option<SqlFacts> {
    let found = outline(sql, dialect)?;
    let table = |name: &String| TableName::in_database(name, dialect.default_schema());
    let tables = found.tables.map(|tables| tables.iter().map(table).collect());
    let mentioned = found.mentioned.iter().map(table).collect();
    Some(SqlFacts { verbs: found.verbs.into_iter().collect(), tables, mentioned })
}

#[cfg(test)]
mod tests {
    use super::known_tools;
    use serde_json::json;
    use tgp_policy::Fact;
    use tgp_sql::Dialect;

    #[test]
    fn paths_and_tables_are_parsed_as_the_kernel_parses_them() {
        let tools = known_tools(&["send_mail".to_owned(), "exec_sql".to_owned()], Dialect::Postgres);
        let sql = tools.call("exec_sql", &json!({ "sql": "delete from Orders" })).unwrap();
        assert!(matches!(sql.tables, Fact::Known(tables) if tables.iter().any(|table| table.as_str() == "orders")));
        let moved = tools.call("move_file", &json!({ "from": "./tools/a.ts", "to": "tools//b.ts" })).unwrap();
        assert_eq!(moved.paths, Fact::Known(vec!["tools/a.ts".to_owned(), "tools/b.ts".to_owned()]));
        let outside = tools.call("read_file", &json!({ "path": "../x" })).unwrap();
        assert_eq!(outside.paths, Fact::Unknown);
        for (path, expected) in [
            ("/tmp/x.txt", Fact::Known(vec!["/tmp/x.txt".to_owned()])),
            ("/tmp/../lib/x", Fact::Unknown),
            ("/lib/x.ts", Fact::Unknown),
        ] {
            assert_eq!(tools.call("write_file", &json!({ "path": path })).unwrap().paths, expected, "{path}");
        }
        assert!(tools.get("send_mail").is_some());
    }
}
