//! `@tgp/std`: modules that tools can import with nothing installed. Their source is in `std/`.

/// The name of the library.
pub const NAME: &str = "@tgp/std";

/// Every part and its source; `index` is the library itself.
const PARTS: [(&str, &str); 8] = [
    ("index", include_str!("../../../std/index.ts")),
    ("csv", include_str!("../../../std/csv.ts")),
    ("dates", include_str!("../../../std/dates.ts")),
    ("http", include_str!("../../../std/http.ts")),
    ("money", include_str!("../../../std/money.ts")),
    ("stats", include_str!("../../../std/stats.ts")),
    ("table", include_str!("../../../std/table.ts")),
    ("text", include_str!("../../../std/text.ts")),
];

/// The names of all parts.
#[must_use]
pub fn parts() -> Vec<&'static str> {
    PARTS.iter().map(|(name, _)| *name).filter(|name| *name != "index").collect()
}

/// Every name under which something of it is imported.
#[must_use]
pub fn specifiers() -> Vec<String> {
    std::iter::once(NAME.to_owned()).chain(parts().iter().map(|part| format!("{NAME}/{part}"))).collect()
}

/// The part that a specifier names, seen from `importer`: by the library's name, or by `./part` from inside it.
pub fn part_of(importer: &str, specifier: &str) -> Option<String> {
    if specifier == NAME {
        return Some("index".to_owned());
    }
    let inside = importer.strip_prefix(NAME).is_some_and(|rest| rest.starts_with('/'));
    let part = match specifier.strip_prefix(NAME) {
        Some(rest) => rest.strip_prefix('/')?,
        None if inside => specifier.strip_prefix("./")?,
        None => return None,
    };
    let bare = part.strip_suffix(".ts").or_else(|| part.strip_suffix(".js"));
    Some(bare.unwrap_or(part).to_owned())
}

/// Path and source of a part.
pub fn find(part: &str) -> Option<(String, &'static str)> {
    PARTS.iter().find(|(name, _)| *name == part).map(|(name, source)| (format!("{NAME}/{name}.ts"), *source))
}
