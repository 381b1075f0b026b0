//! Bundles of the application's packages, one module each: cached in memory and on disk, rebuilt when files change.

use crate::kernel::bounded_cache::BoundedCache;
use crate::kernel::host_functions::HostFunctions;
use crate::kernel::host_question::ask_and_wait;
use crate::kernel::private_files::PrivateFiles;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};
use tgp_sandbox::Package;

/// The host function that bundles. Guests cannot call it.
const BUNDLE: &str = "#bundle";
/// Bundling the largest packages takes seconds.
const BUNDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a bundle is used without checking its files.
const FRESH: Duration = Duration::from_secs(2);
/// Most cached bundles: guests can request any file of an allowed package.
const MAX_BUNDLES: usize = 1024;

/// A bundle on disk, for later kernels.
#[derive(Serialize, Deserialize)]
struct StoredBundle {
    specifier: String,
    manifest: String,
    code: String,
}

/// The bundler's answer; no code means that the given manifest is still valid.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Bundled {
    manifest: String,
    code: Option<String>,
}

struct Bundle {
    /// The bundler's description of its inputs.
    manifest: String,
    package: Arc<Package>,
    /// When its files were last checked; never, for a bundle of an earlier kernel.
    checked: Option<Instant>,
}

/// A bundle, or none yet. Locked while it is built, so that runs share one build.
type Slot = Arc<Mutex<Option<Bundle>>>;

pub struct Packages {
    functions: Arc<dyn HostFunctions>,
    kept: PrivateFiles,
    /// By specifier.
    bundles: BoundedCache<String, Slot>,
}

impl Packages {
    pub fn new(functions: Arc<dyn HostFunctions>, kept: PrivateFiles) -> Self {
        Self { functions, kept, bundles: BoundedCache::new(MAX_BUNDLES) }
    }

    /// The package's module: the same object until one of its files changes.
    pub fn bundle(&self, specifier: &str) -> Result<Arc<Package>, Error> {
        let slot = self.bundles.get_or_insert_with(specifier.to_owned(), Slot::default);
        let mut slot = slot.lock();
        let known = slot.take().or_else(|| self.recall(specifier));
        let bundle = match known {
            Some(bundle) if bundle.checked.is_some_and(|checked| checked.elapsed() < FRESH) => bundle,
            known => self.make(specifier, known)?,
        };
        Ok(Arc::clone(&slot.insert(bundle).package))
    }

    /// Has the bundler check the files, and rebuild the bundle if they changed.
    fn make(&self, specifier: &str, known: Option<Bundle>) -> Result<Bundle, Error> {
        let failed = |why: &str| {
            let message = format!("Failed to bundle allowed module '{specifier}' for the sandbox: {why}");
            Error::new(ErrorCode::Compilation, message).with("package", specifier)
        };
        let trust = if known.as_ref().is_some_and(|bundle| bundle.checked.is_some()) { "stamps" } else { "hashes" };
        let manifest = known.as_ref().map(|bundle| bundle.manifest.as_str());
        let checked = Some(Instant::now());
        let question = serde_json::json!([specifier, manifest, trust]).to_string();
        let json = ask_and_wait(&*self.functions, BUNDLE, question, BUNDLE_TIMEOUT)
            .ok_or_else(|| failed("the bundler timed out."))?
            .map_err(|error| failed(&error.message))?;
        let Bundled { manifest, code } =
            serde_json::from_str(&json).map_err(|_| failed("the bundler returned no code."))?;
        match (code, known) {
            (Some(code), _) => {
                let kept = StoredBundle { specifier: specifier.to_owned(), manifest, code };
                // If it cannot be stored, the next kernel builds it again.
                self.kept.write(&file_of(specifier), &serde_json::to_string(&kept).unwrap_or_default());
                Ok(Bundle { manifest: kept.manifest, package: package(kept.code), checked })
            }
            (None, Some(bundle)) => Ok(Bundle { manifest, checked, ..bundle }),
            (None, None) => Err(failed("the bundler returned no code.")),
        }
    }

    /// The bundle of an earlier kernel, not checked yet.
    fn recall(&self, specifier: &str) -> Option<Bundle> {
        let kept: StoredBundle = serde_json::from_str(&self.kept.read(&file_of(specifier))).ok()?;
        (kept.specifier == specifier).then(|| Bundle {
            manifest: kept.manifest,
            package: package(kept.code),
            checked: None,
        })
    }
}

fn package(code: String) -> Arc<Package> {
    Arc::new(Package::new(code.into()))
}

/// The file of a bundle. Specifiers with the same file are told apart by its content.
fn file_of(specifier: &str) -> String {
    format!("bundles/{}.json", specifier.replace('/', "+"))
}

#[cfg(test)]
mod tests {
    use super::Packages;
    use crate::kernel::host_functions::{Answer, CallingRun, HostFunctions, RunEnding};
    use crate::kernel::private_files::PrivateFiles;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;
    use tgp_vfs::MemoryVfs;

    /// A slow bundler that counts its calls.
    #[derive(Default)]
    struct Slow(AtomicUsize);

    impl HostFunctions for Slow {
        fn names(&self) -> Arc<Vec<String>> {
            Arc::default()
        }
        fn call(&self, _: CallingRun, _: &str, _: String, answer: Answer) {
            let count = self.0.fetch_add(1, Ordering::Relaxed);
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                answer(Ok(serde_json::json!({ "manifest": "{}", "code": format!("bundle {count}") }).to_string()));
            });
        }
        fn finish(&self, _: CallingRun, _: RunEnding, _: Answer) {}
    }

    #[test]
    fn concurrent_runs_share_one_bundle() {
        let bundler = Arc::new(Slow::default());
        let functions = Arc::clone(&bundler) as Arc<dyn HostFunctions>;
        let packages = Packages::new(functions, PrivateFiles(Arc::new(MemoryVfs::new())));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| assert_eq!(&**packages.bundle("zod").unwrap().code(), "bundle 0"));
            }
        });
        assert!(Arc::ptr_eq(&packages.bundle("zod").unwrap(), &packages.bundle("zod").unwrap()));
        assert_eq!(bundler.0.load(Ordering::Relaxed), 1);
    }
}
