//! Which files an agent may write.

use crate::kernel::look_alike::is_disguised;
use crate::kernel::tool_paths::TOOLS;
use tgp_base::error::{Error, ErrorCode};
use tgp_vfs::JailPath;

/// The registry's own file, derived from the tools.
const META: &str = "meta.json";
/// Files that hold data and nothing else.
const DATA: [&str; 9] = ["json", "jsonl", "csv", "tsv", "txt", "md", "yaml", "yml", "sql"];

/// Names that programs look for and act upon without being asked: package managers, compilers and runtimes at the next
/// command, and services that build or deploy a repository when it is pushed. In lower case, without the extension.
const ACTED_UPON_JSON: [&str; 16] = [
    "package",
    "package-lock",
    "npm-shrinkwrap",
    "tsconfig",
    "jsconfig",
    "deno",
    "nx",
    "turbo",
    "lerna",
    "nodemon",
    "vercel",
    "firebase",
    "railway",
    "wrangler",
    "renovate",
    "devcontainer",
];
const ACTED_UPON_YAML: [&str; 22] = [
    "package",
    "pnpm-lock",
    "pnpm-workspace",
    "docker-compose",
    "compose",
    "azure-pipelines",
    "bitbucket-pipelines",
    "appveyor",
    "cloudbuild",
    "buildspec",
    "appspec",
    "serverless",
    "skaffold",
    "heroku",
    "render",
    "action",
    "taskfile",
    "amplify",
    "codefresh",
    "codemagic",
    "lefthook",
    "circle",
];
/// The same for JSON and YAML in the root folder; elsewhere data is called so.
const ACTED_UPON_IN_ROOT: [&str; 3] = ["app", "now", "project"];
/// What programs that write code take for orders.
const ORDERS_MARKDOWN: [&str; 3] = ["claude", "gemini", "copilot-instructions"];
const ORDERS_MARKDOWN_IN_ROOT: [&str; 2] = ["agents", "agent"];
/// With any extension or none.
const ACTED_UPON_BARE: [&str; 7] =
    ["makefile", "gnumakefile", "dockerfile", "containerfile", "jenkinsfile", "procfile", "rakefile"];

/// Refuses what is neither a tool nor plain data.
pub fn check_writable(path: &JailPath) -> Result<(), Error> {
    let refuse = |why: &str| {
        let message = format!("Security Violation: '{}' may not be written: {why}.", path.as_str());
        Err(Error::new(ErrorCode::SecurityViolation, message).with("path", path.as_str()))
    };
    if path.is_root() {
        return refuse("it is the root folder; name a file such as tools/reports/revenue.ts");
    }
    if path.segments().next() == Some(".tgp") {
        return refuse("paths begin inside the root; leave out '.tgp/'");
    }
    if path.segments().any(|segment| segment.starts_with('.')) {
        return refuse("names that begin with a dot are not for tools or data");
    }
    if is_disguised(path.as_str()) {
        return refuse(
            "it has letters of another script that look like plain ones, or characters that are not seen; write it in plain letters",
        );
    }
    if path.as_str().eq_ignore_ascii_case(META) {
        return refuse("meta.json is the kernel's own; it follows the tools by itself");
    }
    if path.segments().any(|segment| segment.eq_ignore_ascii_case("node_modules")) {
        return refuse("node_modules is for installed packages; import other tools by a relative path");
    }
    let in_root = path.segments().count() == 1;
    if path.file_name().is_some_and(|name| is_acted_upon(name, in_root)) {
        return refuse("programs outside the sandbox act upon files of that name; choose another one");
    }
    if path.starts_with(TOOLS) {
        return Ok(());
    }
    let extension = path.extension().unwrap_or_default();
    if DATA.iter().any(|data| extension.eq_ignore_ascii_case(data)) {
        return Ok(());
    }
    refuse(
        "code belongs under tools/; outside it only data files are kept (json, jsonl, csv, tsv, txt, md, yaml, yml, sql)",
    )
}

/// Whether a program may take a file of this name for its settings or its script.
fn is_acted_upon(name: &str, in_root: bool) -> bool {
    let name = name.to_lowercase();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, ""));
    // `tsconfig.build.json`, `docker-compose.override.yml`, `dockerfile.dev`.
    let first = stem.split('.').next().unwrap_or_default();
    let root = in_root && ACTED_UPON_IN_ROOT.contains(&first);
    let named = match extension {
        "json" | "json5" | "jsonc" => root || ACTED_UPON_JSON.contains(&first),
        "yaml" | "yml" => root || ACTED_UPON_YAML.contains(&first),
        "md" => ORDERS_MARKDOWN.contains(&first) || in_root && ORDERS_MARKDOWN_IN_ROOT.contains(&first),
        _ => false,
    };
    // `vite.config.ts`, `tgp.config.json`, `vitest.workspace.json`.
    named || stem.ends_with(".config") || stem.ends_with(".workspace") || ACTED_UPON_BARE.contains(&first)
}

#[cfg(test)]
mod tests {
    use super::check_writable;
    use tgp_vfs::JailPath;

    fn allowed(text: &str) -> bool {
        check_writable(&JailPath::parse(text).unwrap()).is_ok()
    }

    #[test]
    fn tools_and_data_are_written_and_nothing_else() {
        for path in ["tools/a.ts", "tools/deep/er/b.js", "tools/data.bin", "data.json", "notes/plan.MD"] {
            assert!(allowed(path), "{path}");
        }
        for path in ["a.ts", "bin/tgp", "meta.json", "META.json", "toolsy/a.ts", ".gitattributes", "tools/.hidden/a.ts"]
        {
            assert!(!allowed(path), "{path}");
        }
    }

    #[test]
    fn what_programs_act_upon_is_not_written_anywhere() {
        for path in [
            "package.json",
            "tools/package.json",
            "data/Package.JSON",
            "package-lock.json",
            "pnpm-workspace.yaml",
            "tsconfig.json",
            "tools/tsconfig.build.json",
            "tgp.config.json",
            "tools/next.config.js",
            "tools/deep/vitest.config.mts",
            "vitest.workspace.json",
            "docker-compose.yml",
            "docker-compose.override.yaml",
            "compose.yaml",
            "bitbucket-pipelines.yml",
            "azure-pipelines.yml",
            "vercel.json",
            "amplify.yml",
            "app.yaml",
            "app.json",
            "now.json",
            "project.json",
            "wrangler.json",
            "wrangler.jsonc",
            "codefresh.yml",
            "codemagic.yaml",
            "lefthook.yml",
            "circle.yml",
            "tools/Makefile",
            "CLAUDE.md",
            "notes/Claude.local.md",
            "AGENTS.md",
            "tools/copilot-instructions.md",
            "tools/Dockerfile",
            "tools/dockerfile.dev",
            "tools/node_modules/x/index.js",
            "node_modules/x.json",
            ".github/workflows/x.yml",
            ".vscode/tasks.json",
            ".husky/pre-commit",
            ".npmrc",
            ".env.local",
            "tools/.eslintrc.json",
        ] {
            assert!(!allowed(path), "{path}");
        }
        for path in [
            "tools/package.ts",
            "tools/compose.ts",
            "tools/app.ts",
            "tools/render.ts",
            "tools/config.ts",
            "config.json",
            "tools/lib/config.json",
            "packages.json",
            "data/actions.json",
            "data/agents.md",
            "notes/claude_monet.md",
            "notes/package.md",
            "project.md",
            "data/project.json",
            "data/app.yaml",
            "tools/lib/app.json",
            "template.sql",
            "tools/configuration.json",
        ] {
            assert!(allowed(path), "{path}");
        }
    }
}
