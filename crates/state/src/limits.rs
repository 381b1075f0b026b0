//! Limits of the state's memory.

/// Over a limit, the oldest data is dropped. A dropped tool is not green.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    pub tools: usize,
    /// Bytes of names of cases, of all tools together.
    pub name_bytes: usize,
    pub name_chars: usize,
    /// Names of cases of one text of a test. With more cases, only their number is compared.
    pub names_of_test: usize,
    /// Texts of a test, for each tool.
    pub tests: usize,
    /// Texts of tool and test that were run together, for each tool.
    pub runs: usize,
    /// Events with longer paths are ignored.
    pub path_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            tools: 10_000,
            name_bytes: 32 << 20,
            name_chars: 200,
            names_of_test: 1_000,
            tests: 16,
            runs: 32,
            path_bytes: 4_096,
        }
    }
}

impl Limits {
    pub fn short_name(&self, name: &str) -> Box<str> {
        name.chars().take(self.name_chars).collect::<String>().into()
    }
}
