//! What is wrong with a diff that cannot be read.

/// Why a text is no diff; each says what to write instead.
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
            Self::Empty => "diff holds no change. Write '<<<<<<< SEARCH', the old lines, '=======', the new lines, '>>>>>>> REPLACE'; or a unified diff with '@@' hunks.".to_owned(),
            Self::Unclosed { block } => format!("Block {block} of the diff has no end. Close it with '=======' and '>>>>>>> REPLACE', each alone on its line."),
            Self::EmptySearch { block } => format!("Block {block} of the diff searches for nothing. Give the lines to replace, or use write_file to write the whole file."),
            Self::Unknown => "diff is neither SEARCH/REPLACE blocks nor a unified diff. Start a block with '<<<<<<< SEARCH', or a hunk with '@@'.".to_owned(),
            Self::SeveralFiles => "diff changes several files. Call apply_diff once for each file.".to_owned(),
            Self::NewFile => "diff makes a new file ('--- /dev/null'), and apply_diff changes one that is there. Write the new one with write_file.".to_owned(),
            Self::RemovedFile => "diff removes a file ('+++ /dev/null'). Use delete_file.".to_owned(),
        }
    }
}
