//! A process-wide cache of model weights, kept while a kernel uses them.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Weak};
use tgp_base::error::Error;
use tgp_embed::{Embedder, MAX_MODEL_BYTES};
use tgp_vfs::read_package_file;

const NAME: &str = "the weights of @tgp/memory";

static LOADED: LazyLock<Mutex<HashMap<PathBuf, Weak<Embedder>>>> = LazyLock::new(Mutex::default);

/// Loads a model file. Concurrent callers share one load.
pub fn load(path: &Path) -> Result<Arc<Embedder>, Error> {
    let mut loaded = LOADED.lock();
    if let Some(model) = loaded.get(path).and_then(Weak::upgrade) {
        return Ok(model);
    }
    let model = Arc::new(Embedder::read(read_package_file(path, NAME, MAX_MODEL_BYTES)?)?);
    loaded.retain(|_, model| model.strong_count() > 0);
    loaded.insert(path.to_owned(), Arc::downgrade(&model));
    Ok(model)
}
