//! The embedding model: the weights of @tgp/memory, or the application's own model.

use super::application_model::ApplicationModel;
use super::shared_weights;
use crate::kernel::host_functions::HostFunctions;
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tgp_base::error::Error;
use tgp_embed::{Embedder, ModelId, Vector};

/// The model that JavaScript selected.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelSource {
    /// A file of weights.
    Weights(PathBuf),
    /// `embed` of the application.
    Application,
}

pub enum MemoryModel {
    /// Loaded when first needed.
    Weights {
        path: PathBuf,
        loaded: OnceLock<Result<Arc<Embedder>, Error>>,
    },
    Application(ApplicationModel),
}

/// The id of any application model; a sample sentence tells models apart.
pub const APPLICATION: ModelId = ModelId(0);

impl MemoryModel {
    pub fn new(source: ModelSource, functions: Arc<dyn HostFunctions>) -> Self {
        match source {
            ModelSource::Weights(path) => Self::Weights { path, loaded: OnceLock::new() },
            ModelSource::Application => Self::Application(ApplicationModel::new(functions)),
        }
    }

    /// The weights, if this model uses them.
    pub fn weights(&self) -> Result<Option<Arc<Embedder>>, Error> {
        match self {
            Self::Weights { path, loaded } => loaded.get_or_init(|| shared_weights::load(path)).clone().map(Some),
            Self::Application(_) => Ok(None),
        }
    }

    /// The vectors of texts, in order. Some milliseconds each; much longer with an application's model.
    pub fn embed(&self, texts: &[&str], is_stopped: &dyn Fn() -> bool) -> Result<Vec<Vector>, Error> {
        match self {
            Self::Weights { .. } => Ok(self.weights()?.map(|weights| weights.embed(texts)).unwrap_or_default()),
            Self::Application(model) => model.embed(texts, is_stopped),
        }
    }

    /// Batch size: small for weights, so that a stop does not wait long; larger for requests to the application.
    pub fn batch(&self) -> usize {
        match self {
            Self::Weights { .. } => 8,
            Self::Application(_) => 64,
        }
    }
}
