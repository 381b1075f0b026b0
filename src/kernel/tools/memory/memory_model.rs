//! The embedding model: the weights of @tgp/memory, or the application's own model.

use super::application_model::ApplicationModel;
use crate::kernel::host_functions::HostFunctions;
use parking_lot::Mutex;
use serde::Deserialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, OnceLock, Weak};
use tgp_base::error::Error;
use tgp_embed::{Embedder, MAX_MODEL_BYTES, ModelId, Vector};
use tgp_vfs::read_package_file;

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
            Self::Weights { path, loaded } => loaded.get_or_init(|| load_weights(path)).clone().map(Some),
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

/// The weights that a kernel of this process uses.
static LOADED: LazyLock<Mutex<HashMap<PathBuf, Weak<Embedder>>>> = LazyLock::new(Mutex::default);

/// Loads a model file, or shares the loaded one. Concurrent callers share one load.
fn load_weights(path: &Path) -> Result<Arc<Embedder>, Error> {
    let mut loaded = LOADED.lock();
    if let Some(model) = loaded.get(path).and_then(Weak::upgrade) {
        return Ok(model);
    }
    let model = Arc::new(Embedder::read(read_package_file(path, "the weights of @tgp/memory", MAX_MODEL_BYTES)?)?);
    loaded.retain(|_, model| model.strong_count() > 0);
    loaded.insert(path.to_owned(), Arc::downgrade(&model));
    Ok(model)
}
