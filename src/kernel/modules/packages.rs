//! Packages of the application that tools may import, each bundled into one module: again only when its files change,
//! and kept beside the repository for the kernels to come.

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

/// The question that the JavaScript side answers with a bundle. No guest can ask it.
const BUNDLE: &str = "#bundle";
/// Bundling the largest packages takes seconds.
const BUNDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a bundle is taken as true without a look at the files that it was made from.
const FRESH: Duration = Duration::from_secs(2);
/// Bundles kept at one time: guests can ask for any file of an allowed package.
const MAX_BUNDLES: usize = 1024;

/// A bundle as it is kept for later kernels.
#[derive(Serialize, Deserialize)]
struct Kept {
    specifier: String,
    manifest: String,
    code: String,
}

/// What the bundler answers; without code, what it was told of is still true.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Bundled {
    manifest: String,
    code: Option<String>,
}

struct Bundle {
    /// What it was made from, in the bundler's words.
    manifest: String,
    package: Arc<Package>,
    /// When it was last held against the files; never, if an earlier kernel made it.
    checked: Option<Instant>,
}

/// A bundle, once there is one. Locked while it is made, so that runs that need it share one effort.
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

    /// The body of the package's module: the same one until a file that it was made from changes.
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

    /// Has the bundler look at the files, and bundle them if they are not what they were.
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
            .ok_or_else(|| failed("it took too long."))?
            .map_err(|error| failed(&error.message))?;
        let Bundled { manifest, code } =
            serde_json::from_str(&json).map_err(|_| failed("the bundler gave no text."))?;
        match (code, known) {
            (Some(code), _) => {
                let kept = Kept { specifier: specifier.to_owned(), manifest, code };
                // What cannot be kept is made again by the next kernel.
                self.kept.write(&file_of(specifier), &serde_json::to_string(&kept).unwrap_or_default());
                Ok(Bundle { manifest: kept.manifest, package: package(kept.code), checked })
            }
            (None, Some(bundle)) => Ok(Bundle { manifest, checked, ..bundle }),
            (None, None) => Err(failed("the bundler gave no text.")),
        }
    }

    /// What an earlier kernel has left, to be checked.
    fn recall(&self, specifier: &str) -> Option<Bundle> {
        let kept: Kept = serde_json::from_str(&self.kept.read(&file_of(specifier))).ok()?;
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

/// The name under which a bundle is kept. Two that share one are told apart by what is in it.
fn file_of(specifier: &str) -> String {
    format!("bundles/{}.json", specifier.replace('/', "+"))
}

#[cfg(test)]
mod tests {
    use super::Packages;
    use crate::kernel::host_functions::{Answer, CallFor, HostFunctions, RunEnding};
    use crate::kernel::private_files::PrivateFiles;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;
    use tgp_vfs::MemoryVfs;

    /// A bundler that takes its time and counts.
    #[derive(Default)]
    struct Slow(AtomicUsize);

    impl HostFunctions for Slow {
        fn names(&self) -> Arc<Vec<String>> {
            Arc::default()
        }
        fn call(&self, _: CallFor, _: &str, _: String, answer: Answer) {
            let count = self.0.fetch_add(1, Ordering::Relaxed);
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                answer(Ok(serde_json::json!({ "manifest": "{}", "code": format!("bundle {count}") }).to_string()));
            });
        }
        fn finish(&self, _: CallFor, _: RunEnding, _: Answer) {}
    }

    #[test]
    fn runs_that_ask_at_the_same_time_share_one_bundle() {
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
