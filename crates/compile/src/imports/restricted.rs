//! What is told of an import that tools may not make: by the rule before a run, and by the run itself.

use super::named::without_scheme;
use super::std_library;
use tgp_base::spelling::{did_you_mean, nearest};

/// What is wrong, and what to write instead.
pub struct Restricted {
    pub message: String,
    pub help: String,
}

/// Tells of `specifier` where `packages` and the standard library are all that may be imported by name.
#[must_use]
pub fn restricted(specifier: &str, packages: &[String]) -> Restricted {
    let names: Vec<&str> = std::iter::once(std_library::NAME)
        .chain(packages.iter().map(String::as_str).filter(|name| *name != std_library::NAME))
        .collect();
    Restricted {
        message: format!(
            "Restricted import: Import of module '{specifier}' is not allowed. Allowed modules are: {}",
            names.join(", ")
        ),
        help: help(specifier, &names),
    }
}

fn help(specifier: &str, names: &[&str]) -> String {
    let tools = "Other tools are imported by a relative path such as './lib/dates' or from '/lib/…'.";
    if specifier.starts_with(['.', '/']) {
        return format!("The path leads out of the workspace. {tools}");
    }
    let parts = std_library::specifiers();
    if specifier.starts_with(std_library::NAME) {
        let near = did_you_mean(nearest(specifier, parts.iter().map(String::as_str)));
        return format!("{} has the parts {}.{near}", std_library::NAME, std_library::parts().join(", "));
    }
    let instead = match without_scheme(specifier).split('/').next().unwrap_or_default() {
        "fs" => "Files are read with tgp.read_file(path) and listed with tgp.list_files(dir).",
        "http" | "https" | "axios" | "node-fetch" | "got" | "undici" => "The network is reached with tgp.fetch(url).",
        "pg" | "mysql" | "mysql2" | "better-sqlite3" | "knex" => {
            "The database is reached with tgp.exec_sql(sql, params)."
        }
        "crypto" => "The global `crypto` has randomUUID() and getRandomValues().",
        "url" => "URL and URLSearchParams are globals.",
        "lodash" | "lodash-es" | "underscore" | "ramda" => {
            "@tgp/std/table has groupBy, sortBy, uniqueBy, join and pivot; the rest is map, filter and reduce."
        }
        "moment" | "dayjs" | "luxon" | "date-fns" => "@tgp/std/dates has calendar days; Intl formats times.",
        "papaparse" | "csv-parse" | "csv-parser" | "csv-stringify" => "@tgp/std/csv reads and writes CSV.",
        _ => {
            let near = nearest(specifier, names.iter().copied());
            return format!("{tools}{}", did_you_mean(near));
        }
    };
    format!("{instead} {tools}")
}

#[cfg(test)]
mod tests {
    use super::restricted;

    #[test]
    fn says_what_to_import_instead() {
        let packages = ["zod".to_owned(), "date-fns".to_owned(), "@tgp/std".to_owned()];
        for (specifier, advice) in [
            ("date-fn", "Did you mean 'date-fns'?"),
            ("@tgp/std/cvs", "Did you mean '@tgp/std/csv'?"),
            ("node:fs/promises", "tgp.read_file"),
            ("lodash", "@tgp/std/table"),
            ("../../../secret", "leads out"),
            ("left-pad", "relative path"),
        ] {
            let told = restricted(specifier, &packages);
            assert!(told.help.contains(advice), "{specifier}: {}", told.help);
            assert!(told.message.ends_with("Allowed modules are: @tgp/std, zod, date-fns"), "{}", told.message);
        }
    }
}
