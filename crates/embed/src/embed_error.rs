//! Errors of files of weights and vectors.

use tgp_base::error::{ErrorCode, PartError};

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    #[error("The weights file is not a file of @tgp/memory. Reinstall the package.")]
    NotWeights,
    #[error("The weights of @tgp/memory have another version. Install the version that matches @tgp/core.")]
    Version,
    #[error("The weights of @tgp/memory are damaged. Reinstall the package.")]
    Damaged,
    #[error("The vector file is damaged, or belongs to another model or version. It is rebuilt.")]
    Vectors,
}

impl PartError for EmbedError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::NotWeights | Self::Version => ErrorCode::Config,
            Self::Damaged | Self::Vectors => ErrorCode::Io,
        }
    }
}
