//! Errors of a diff that cannot be parsed.

/// Why a text is not a valid diff; each message names the correct form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadDiff {
    Empty,
    Unclosed { block: usize },
    EmptySearch { block: usize },
    Unknown,
    SeveralFiles,
    NewFile,
    RemovedFile,
}

impl BadDiff {
    pub fn message(&self) -> String {
        match self {
            Self::Empty => "diff has no changes. Write '<<<<<<< SEARCH', the old lines, '=======', the new lines, '>>>>>>> REPLACE'; or a unified diff with '@@' hunks.".to_owned(),
            Self::Unclosed { block } => format!("Block {block} of the diff is not closed. Close it with '=======' and '>>>>>>> REPLACE', each alone on its line."),
            Self::EmptySearch { block } => format!("Block {block} of the diff has an empty search. Give the lines to replace, or use write_file to write the whole file."),
            Self::Unknown => "diff is neither SEARCH/REPLACE blocks nor a unified diff. Start a block with '<<<<<<< SEARCH', or a hunk with '@@'.".to_owned(),
            Self::SeveralFiles => "diff changes several files. Call apply_diff once for each file.".to_owned(),
            Self::NewFile => "diff creates a file ('--- /dev/null'), but apply_diff changes existing files. Create it with write_file.".to_owned(),
            Self::RemovedFile => "diff removes a file ('+++ /dev/null'). Use delete_file.".to_owned(),
        }
    }
}
