//! What a file that was not found may have been meant to be.

use super::sight::shows;
use super::tool_paths::RESULTS;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};
use tgp_base::spelling::nearest;
use tgp_vfs::{JailPath, Vfs};

/// The same error, and where it is about a file that is not there, with the path that was probably meant.
pub fn with_near_path(error: Error, files: &dyn Vfs) -> Error {
    let missing = error.details.get("path").and_then(serde_json::Value::as_str).map(str::to_owned);
    let (ErrorCode::NotFound, Some(path)) = (error.code, missing) else { return error };
    if let Some(within) = path.strip_prefix(OUTSIDE) {
        let message = format!("{NOT_FOUND} {path}. Paths begin inside the root: leave out '{OUTSIDE}'.");
        return Error { message, ..error }.with("suggestion", within.to_owned());
    }
    match near_path(&path, files) {
        Some(near) if error.message.starts_with(NOT_FOUND) => {
            let message = format!("{NOT_FOUND} {path}. Did you mean '{near}'?");
            Error { message, ..error }.with("suggestion", near)
        }
        _ => error,
    }
}

/// The usual name of the root, which is no part of a path in it.
const OUTSIDE: &str = ".tgp/";
/// How such an error begins.
const NOT_FOUND: &str = "File not found:";

/// The nearest files that are passed over because the caller may not know of them.
const MAX_PASSED_OVER: usize = 8;

/// The file of the root that has the same name in another folder, or nearly the same path, of those that the caller may know of.
/// Nothing while too much time has gone into looking.
pub fn near_path(path: &str, files: &dyn Vfs) -> Option<String> {
    let (root, begun) = (Root::of(files), Instant::now());
    if !ALLOWANCES.lock().allows(root, begun) {
        return None;
    }
    let near = look_for(path, files);
    ALLOWANCES.lock().spend(root, begun, begun.elapsed());
    near
}

/// Looking walks the whole root, and a tool may ask for one missing file after the other, by itself and through others: all
/// looks of a kernel together take this much at once, and one part in so many of the time that goes by.
const MOST_AT_ONCE: Duration = Duration::from_secs(2);
const SHARE: u32 = 10;

static ALLOWANCES: Mutex<Allowances> = Mutex::new(Allowances(BTreeMap::new()));

/// The root of a kernel, by where its files are in memory: all parts of a kernel share them, and no other kernel does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Root(usize);

impl Root {
    fn of(files: &dyn Vfs) -> Self {
        Self(std::ptr::from_ref(files).cast::<u8>().addr())
    }
}

/// By root: time that has gone into looking and is not made up for yet, and when that was counted.
struct Allowances(BTreeMap<Root, (Duration, Instant)>);

impl Allowances {
    fn allows(&mut self, root: Root, now: Instant) -> bool {
        // What is made up for is forgotten, and so are the kernels that have ended.
        self.0.retain(|_, (spent, counted)| {
            *spent = spent.saturating_sub(now.saturating_duration_since(*counted) / SHARE);
            *counted = now.max(*counted);
            !spent.is_zero()
        });
        self.0.get(&root).is_none_or(|(spent, _)| *spent < MOST_AT_ONCE)
    }

    fn spend(&mut self, root: Root, now: Instant, time: Duration) {
        let (spent, _) = self.0.entry(root).or_insert((Duration::ZERO, now));
        *spent += time;
    }
}

fn look_for(path: &str, files: &dyn Vfs) -> Option<String> {
    let all = files.list(&JailPath::root()).ok()?;
    // Results are for callers who were given their names.
    let mut known: Vec<String> =
        all.iter().filter(|path| !path.starts_with(RESULTS)).map(|path| path.as_str().to_owned()).collect();
    if let Some(namesake) = only_namesake(path, &known) {
        return Some(namesake);
    }
    for _ in 0..MAX_PASSED_OVER {
        let near = nearest_of(path, &known)?;
        if shows(&near) {
            return Some(near);
        }
        known.retain(|known| *known != near);
    }
    None
}

/// The file of the same name, if there is one that the caller may know of. Of many namesakes the first few are looked at.
fn only_namesake(path: &str, known: &[String]) -> Option<String> {
    let wanted = stem(path);
    let is_namesake = |known: &&String| !wanted.is_empty() && stem(known) == wanted && fits(path, known);
    let mut namesakes = known.iter().filter(is_namesake).take(MAX_PASSED_OVER).filter(|known| shows(known));
    match (namesakes.next(), namesakes.next()) {
        (Some(only), None) => Some(only.clone()),
        _ => None,
    }
}

fn nearest_of(path: &str, known: &[String]) -> Option<String> {
    let near = nearest(path, known.iter().map(String::as_str)).or_else(|| {
        let named = nearest(stem(path), known.iter().map(|known| stem(known)))?;
        known.iter().map(String::as_str).find(|known| stem(known) == named && fits(path, known))
    });
    near.map(str::to_owned)
}

/// Whether a file may be meant by a path, by its extension.
fn fits(path: &str, known: &str) -> bool {
    extension(path).is_none() || extension(path) == extension(known)
}

fn extension(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map(|(_, extension)| extension).filter(|_| !name.starts_with('.'))
}

/// The name of a file without its folders and its extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::{Allowances, MAX_PASSED_OVER, MOST_AT_ONCE, Root, SHARE, near_path, with_near_path};
    use crate::kernel::sight::{SharedSight, Sight, seeing};
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Instant;
    use tgp_base::error::Error;
    use tgp_vfs::{JailPath, MemoryVfs, Vfs};

    #[test]
    fn a_path_is_found_by_its_name_or_by_how_it_is_written() {
        let files = MemoryVfs::new();
        for path in ["tools/shipping/dim_weight.ts", "tools/a/index.ts", "tools/b/index.ts", "data/rates.json"] {
            files.write(&JailPath::parse(path).unwrap(), "").unwrap();
        }
        for (path, near) in [
            ("dim_weight.ts", Some("tools/shipping/dim_weight.ts")),
            ("tools/dim_weight", Some("tools/shipping/dim_weight.ts")),
            ("tools/shiping/dim_weigth.ts", Some("tools/shipping/dim_weight.ts")),
            ("dim_wieght.ts", Some("tools/shipping/dim_weight.ts")),
            ("tools/c/index.ts", Some("tools/a/index.ts")),
            ("data/rate.json", Some("data/rates.json")),
            ("tools/reports/revenue.ts", None),
        ] {
            assert_eq!(near_path(path, &files).as_deref(), near, "{path}");
        }
        let missing = files.read(&JailPath::parse("tools/dim_weight.ts").unwrap()).unwrap_err();
        let error = with_near_path(Error::from(missing), &files);
        let outside = files.read(&JailPath::parse(".tgp/tools/a.ts").unwrap()).unwrap_err();
        let outside = with_near_path(Error::from(outside), &files).message;
        assert!(outside.ends_with("leave out '.tgp/'."), "{outside}");
        assert_eq!(error.message, "File not found: tools/dim_weight.ts. Did you mean 'tools/shipping/dim_weight.ts'?");
    }

    #[test]
    fn a_kernel_that_has_looked_for_long_looks_again_after_a_while_and_others_do_not_wait() {
        let mut allowances = Allowances(BTreeMap::new());
        let (one, other) = (Root(1), Root(2));
        let now = Instant::now();
        assert!(allowances.allows(one, now));
        allowances.spend(one, now, MOST_AT_ONCE * 3);
        assert!(!allowances.allows(one, now) && !allowances.allows(one, now + MOST_AT_ONCE));
        assert!(allowances.allows(other, now));
        let later = now + MOST_AT_ONCE * 3 * SHARE;
        assert!(allowances.allows(one, later));
        assert!(allowances.0.is_empty(), "what is made up for is forgotten");
        allowances.spend(one, later, MOST_AT_ONCE);
        assert!(!allowances.allows(one, later));
    }

    /// Hides everything, and counts how often it is asked.
    #[derive(Default)]
    struct Hidden(AtomicUsize);

    impl Sight for Hidden {
        fn refusal(&self, _: &str) -> Option<Error> {
            None
        }
        fn shows(&self, _: &str) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed);
            false
        }
        fn runs(&self, _: &str) -> bool {
            false
        }
    }

    #[test]
    fn however_many_namesakes_are_hidden_few_are_looked_at() {
        let files = MemoryVfs::new();
        for at in 0..100 {
            files.write(&JailPath::parse(&format!("tools/t{at}/index.ts")).unwrap(), "").unwrap();
        }
        let hidden = Arc::new(Hidden::default());
        let sight = SharedSight(Some(Arc::<Hidden>::clone(&hidden)));
        assert_eq!(seeing(sight, || near_path("tools/x/index.ts", &files)), None);
        assert!(hidden.0.load(Ordering::Relaxed) <= 2 * MAX_PASSED_OVER);
    }
}
