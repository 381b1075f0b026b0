//! `@tgp/std`, the built-in library of tools. Its source is in `std/`.

/// The package name of the library.
pub const NAME: &str = "@tgp/std";

/// Modules and their sources; `index` is the package root.
const PARTS: [(&str, &str); 9] = [
    ("index", include_str!("../../../../std/index.ts")),
    ("csv", include_str!("../../../../std/csv.ts")),
    ("dates", include_str!("../../../../std/dates.ts")),
    ("http", include_str!("../../../../std/http.ts")),
    ("money", include_str!("../../../../std/money.ts")),
    ("stats", include_str!("../../../../std/stats.ts")),
    ("table", include_str!("../../../../std/table.ts")),
    ("test", include_str!("../../../../std/test.ts")),
    ("text", include_str!("../../../../std/text.ts")),
];

/// Internal modules, which only the library itself may import.
const INNER: [(&str, &str); 3] = [
    ("expect", include_str!("../../../../std/expect.js")),
    ("test_cases", include_str!("../../../../std/test_cases.ts")),
    ("test_host", include_str!("../../../../std/test_host.ts")),
];

/// The only JavaScript module, a bundle of third-party code.
const JAVASCRIPT: &str = "expect";

/// The names of all public modules.
#[must_use]
pub fn parts() -> Vec<&'static str> {
    PARTS.iter().map(|(name, _)| *name).filter(|name| *name != "index").collect()
}

/// Every specifier of the library.
#[must_use]
pub fn specifiers() -> Vec<String> {
    std::iter::once(NAME.to_owned()).chain(parts().iter().map(|part| format!("{NAME}/{part}"))).collect()
}

/// Path and source of the module that a specifier names: by the library's name, or by `./module` from inside it. The outer
/// option is `None` when the specifier does not belong to the library.
pub fn part_of(importer: &str, specifier: &str) -> Option<Option<(String, &'static str)>> {
    if specifier == NAME {
        return Some(find(&PARTS, "index"));
    }
    let inside = importer.strip_prefix(NAME).is_some_and(|rest| rest.starts_with('/'));
    let part = match specifier.strip_prefix(NAME) {
        Some(rest) => rest.strip_prefix('/')?,
        None if inside => specifier.strip_prefix("./")?,
        None => return None,
    };
    let part = part.strip_suffix(".ts").or_else(|| part.strip_suffix(".js")).unwrap_or(part);
    Some(find(&PARTS, part).or_else(|| if inside { find(&INNER, part) } else { None }))
}

fn find(parts: &[(&str, &'static str)], part: &str) -> Option<(String, &'static str)> {
    let ending = if part == JAVASCRIPT { "js" } else { "ts" };
    parts.iter().find(|(name, _)| *name == part).map(|(name, source)| (format!("{NAME}/{name}.{ending}"), *source))
}
