//! The grammar of a file, selected by its extension.

use crate::diagnostics::compile_error::CompileError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// Always strict, as `tsc` emits it.
    TypeScript,
    /// Always an ECMAScript module.
    JavaScriptModule,
    /// A module when it uses `import`, `export` or top-level `await`; sloppy CommonJS otherwise.
    JavaScript,
}

impl Language {
    pub(crate) fn of(path: &str) -> Result<Self, CompileError> {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension {
            "ts" | "mts" | "cts" => Ok(Self::TypeScript),
            "mjs" => Ok(Self::JavaScriptModule),
            "js" | "cjs" => Ok(Self::JavaScript),
            "tsx" | "jsx" => Err(CompileError::Jsx { path: path.to_owned() }),
            _ => Err(CompileError::UnknownLanguage { path: path.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Language;
    use crate::CompileError;

    #[test]
    fn the_extension_selects_the_language() {
        for path in ["a.ts", "tools/a.mts", "a.b.cts", "a.d.ts"] {
            assert_eq!(Language::of(path), Ok(Language::TypeScript), "{path}");
        }
        assert_eq!(Language::of("a.mjs"), Ok(Language::JavaScriptModule));
        assert_eq!(Language::of("a.js"), Ok(Language::JavaScript));
        assert_eq!(Language::of("a.cjs"), Ok(Language::JavaScript));
        assert!(matches!(Language::of("a.tsx"), Err(CompileError::Jsx { .. })));
        assert!(matches!(Language::of("a.jsx"), Err(CompileError::Jsx { .. })));
        for path in ["a", "a.json", "a.TS", "ts", ""] {
            assert!(matches!(Language::of(path), Err(CompileError::UnknownLanguage { .. })), "{path}");
        }
    }
}
