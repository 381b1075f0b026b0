//! What can be wrong with a file of weights or of vectors.

use tgp_base::error::{ErrorCode, PartError};

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    #[error("The file of weights is not one of @tgp/memory. Install the package again.")]
    NotWeights,
    #[error("The weights of @tgp/memory are of another version. Install the version that belongs to @tgp/core.")]
    Version,
    #[error("The weights of @tgp/memory are damaged. Install the package again.")]
    Damaged,
    #[error("The file of vectors is damaged, or of another model or version. It is made again.")]
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
