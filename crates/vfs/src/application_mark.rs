//! Names by which an application's own folder is known. A folder that has one at its top is not given to agents or tools,
//! and they cannot put one there.

/// In lower case; a name that ends with `*` begins so.
const MARKS: [&str; 21] = [
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

#[must_use]
pub fn is_application_mark(name: &str) -> bool {
    let name = name.to_lowercase();
    MARKS.iter().any(|mark| match mark.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == *mark,
    })
}

#[cfg(test)]
mod tests {
    use super::is_application_mark;

    #[test]
    fn an_application_is_known_by_its_files() {
        for name in ["tools", "meta.json", ".git", ".gitignore", "README.md", "environment", "bin", "tsconfig.json"] {
            assert!(!is_application_mark(name), "{name}");
        }
        for name in ["package.json", "PACKAGE.JSON", "node_modules", "tgp.config.mjs", ".env", ".env.local", ".npmrc"] {
            assert!(is_application_mark(name), "{name}");
        }
    }
}
