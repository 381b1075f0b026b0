//! The message for an import that is not allowed. Used by the lint rule and at run time.

use super::import_target::without_scheme;
use super::std_library;
use super::test_file::{TEST_IMPORT, is_test_file};
use tgp_base::spelling::{did_you_mean, nearest};

/// Message and help for an import that is not allowed.
pub struct RestrictedImport {
    pub message: String,
    pub help: String,
}

/// The message for `specifier` in the module `importer`, where only `packages` and the standard library may be imported by name.
#[must_use]
pub fn restricted_import(importer: &str, specifier: &str, packages: &[String]) -> RestrictedImport {
    let names: Vec<&str> = std::iter::once(std_library::NAME)
        .chain(packages.iter().map(String::as_str).filter(|name| *name != std_library::NAME))
        .collect();
    RestrictedImport {
        message: format!(
            "Restricted import: Import of module '{specifier}' is not allowed. Allowed modules are: {}",
            names.join(", ")
        ),
        help: help(importer, specifier, &names),
    }
}

fn help(importer: &str, specifier: &str, names: &[&str]) -> String {
    let tools = "Other tools are imported by a relative path such as './lib/dates' or from '/lib/…'.";
    if specifier.starts_with(['.', '/']) {
        return format!("The path is outside the workspace. {tools}");
    }
    let parts = std_library::specifiers();
    if specifier.starts_with(std_library::NAME) {
        let near = did_you_mean(nearest(specifier, parts.iter().map(String::as_str)));
        return format!("{} has the parts {}.{near}", std_library::NAME, std_library::parts().join(", "));
    }
    if is_of_tests(specifier) {
        let place = if is_test_file(importer) { "" } else { " in a file named *.test.ts" };
        return format!("Use the test functions of {}{place}: {TEST_IMPORT}", std_library::NAME);
    }
    let instead = match without_scheme(specifier).split('/').next().unwrap_or_default() {
        "fs" => "Read files with tgp.read_file(path) and list them with tgp.list_files(dir).",
        "http" | "https" | "axios" | "node-fetch" | "got" | "undici" => {
            "Send requests with tgp.fetch(url), if the application allows it; else take the data as an argument."
        }
        "pg" | "mysql" | "mysql2" | "better-sqlite3" | "knex" => {
            "Query the database with tgp.exec_sql(sql, params), if there is one; else take the data as an argument."
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

/// Whether a specifier is that of a test framework or an assertion library.
fn is_of_tests(specifier: &str) -> bool {
    let name = without_scheme(specifier);
    let package = name.strip_prefix("bun:").unwrap_or(name).split('/').next().unwrap_or_default();
    matches!(package, "vitest" | "@vitest" | "jest" | "@jest" | "test" | "mocha" | "chai" | "ava" | "jasmine" | "uvu")
}

#[cfg(test)]
mod tests {
    use super::restricted_import;

    #[test]
    fn the_help_names_the_alternative() {
        let packages = ["zod".to_owned(), "date-fns".to_owned(), "@tgp/std".to_owned()];
        for (specifier, advice) in [
            ("date-fn", "Did you mean 'date-fns'?"),
            ("@tgp/std/cvs", "Did you mean '@tgp/std/csv'?"),
            ("node:fs/promises", "tgp.read_file"),
            ("lodash", "@tgp/std/table"),
            ("../../../secret", "outside the workspace"),
            ("left-pad", "relative path"),
        ] {
            let refusal = restricted_import("tools/a.ts", specifier, &packages);
            assert!(refusal.help.contains(advice), "{specifier}: {}", refusal.help);
            assert!(refusal.message.ends_with("Allowed modules are: @tgp/std, zod, date-fns"), "{}", refusal.message);
        }
    }

    #[test]
    fn a_test_framework_is_answered_with_the_import_of_the_test_functions() {
        let line = "import { describe, test, expect } from '@tgp/std/test';";
        for specifier in ["vitest", "vitest/config", "jest", "@jest/globals", "node:test", "bun:test", "mocha", "chai"]
        {
            let in_test = restricted_import("tools/a.test.ts", specifier, &[]).help;
            assert_eq!(in_test, format!("Use the test functions of @tgp/std: {line}"), "{specifier}");
            let in_tool = restricted_import("tools/a.ts", specifier, &[]).help;
            assert!(in_tool.contains("*.test.ts") && in_tool.ends_with(line), "{specifier}: {in_tool}");
        }
        assert!(!restricted_import("tools/a.test.ts", "left-pad", &[]).help.contains(line));
    }
}
