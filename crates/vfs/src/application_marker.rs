//! Marker files of an application folder, such as `package.json`. A folder with a marker at its top level is never exposed to
//! agents or tools, and they cannot create one there.

/// In lower case. A trailing `*` matches any suffix.
const MARKERS: [&str; 21] = [
    "package.json",
    "package.json5",
    "package.yaml",
    "node_modules",
    "tgp.config.*",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "bun.lock",
    "bun.lockb",
    "bunfig.toml",
    "deno.json",
    "deno.jsonc",
    "deno.lock",
    ".env*",
    ".npmrc",
    ".yarnrc*",
    ".pnp.*",
    ".husky",
];

/// Whether a file name marks an application folder, ignoring case.
#[must_use]
pub fn is_application_marker(name: &str) -> bool {
    let name = name.to_lowercase();
    MARKERS.iter().any(|marker| match marker.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == *marker,
    })
}

#[cfg(test)]
mod tests {
    use super::is_application_marker;

    #[test]
    fn marker_names_match_in_any_case() {
        for name in ["tools", "meta.json", ".git", ".gitignore", "README.md", "environment", "bin", "tsconfig.json"] {
            assert!(!is_application_marker(name), "{name}");
        }
        for name in ["package.json", "PACKAGE.JSON", "node_modules", "tgp.config.mjs", ".env", ".env.local", ".npmrc"] {
            assert!(is_application_marker(name), "{name}");
        }
    }
}
