//! Path suggestions for files that were not found.

use super::tool_paths::{RESULTS, is_test};
use super::visibility::shows;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};
use tgp_base::spelling::nearest;
use tgp_vfs::{JailPath, Vfs};

/// Adds a suggestion to a "file not found" error; returns other errors unchanged.
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

/// The usual folder of the root, which is not part of paths in it.
const OUTSIDE: &str = ".tgp/";
/// The beginning of a "file not found" error.
const NOT_FOUND: &str = "File not found:";

/// Most candidates that are skipped because the caller may not see them.
const MAX_SKIPPED: usize = 8;

/// The visible file with the same name in another folder, or with the most similar path. None when the time budget is
/// used up.
pub fn near_path(path: &str, files: &dyn Vfs) -> Option<String> {
    near_path_where(path, folder(path), files, &|_| true)
}

/// The same among the files that `is_candidate` accepts; of files with the same name, the one nearest to the folder `wanted`.
/// Tests are only suggested for a path of a test.
pub fn near_path_where(
    path: &str,
    wanted: &str,
    files: &dyn Vfs,
    is_candidate: &dyn Fn(&JailPath) -> bool,
) -> Option<String> {
    let (root, begun) = (Root::of(files), Instant::now());
    if !ALLOWANCES.lock().allows(root, begun) {
        return None;
    }
    let near = search(path, wanted, files, is_candidate);
    ALLOWANCES.lock().spend(root, begun, begun.elapsed());
    near
}

/// The time budget of a kernel's searches, which refills at one part in `SHARE` of elapsed time: a search lists the
/// whole root, and a tool can request many missing files.
const MAX_SEARCH_TIME: Duration = Duration::from_secs(2);
const SHARE: u32 = 10;

static ALLOWANCES: Mutex<Allowances> = Mutex::new(Allowances(BTreeMap::new()));

/// The identity of a kernel's root: the address of its files, which a kernel's services share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Root(usize);

impl Root {
    fn of(files: &dyn Vfs) -> Self {
        Self(std::ptr::from_ref(files).cast::<u8>().addr())
    }
}

/// By root: the search time that is not refilled yet, and when it was updated.
struct Allowances(BTreeMap<Root, (Duration, Instant)>);

impl Allowances {
    fn allows(&mut self, root: Root, now: Instant) -> bool {
        // Removes entries that are refilled, also those of ended kernels.
        self.0.retain(|_, (spent, counted)| {
            *spent = spent.saturating_sub(now.saturating_duration_since(*counted) / SHARE);
            *counted = now.max(*counted);
            !spent.is_zero()
        });
        self.0.get(&root).is_none_or(|(spent, _)| *spent < MAX_SEARCH_TIME)
    }

    fn spend(&mut self, root: Root, now: Instant, time: Duration) {
        let (spent, _) = self.0.entry(root).or_insert((Duration::ZERO, now));
        *spent += time;
    }
}

fn search(path: &str, wanted: &str, files: &dyn Vfs, is_candidate: &dyn Fn(&JailPath) -> bool) -> Option<String> {
    let all = files.list(&JailPath::root()).ok()?;
    // Stored results are only for callers who know their names.
    let for_test = names_test(path);
    let can_be = |file: &&JailPath| !file.starts_with(RESULTS) && (for_test || !is_test(file)) && is_candidate(file);
    let mut known: Vec<String> = all.iter().filter(can_be).map(|path| path.as_str().to_owned()).collect();
    // Of equally near files, those of the same kind come first, and then those in the nearest folder.
    known.sort_by_cached_key(|file| (names_test(file) != for_test, steps_between(wanted, folder(file))));
    if let Some(namesake) = only_namesake(path, &known) {
        return Some(namesake);
    }
    for _ in 0..MAX_SKIPPED {
        let near = nearest_of(path, &known)?;
        if shows(&near) {
            return Some(near);
        }
        known.retain(|known| *known != near);
    }
    None
}

/// The only visible file of the same name, among the first few candidates.
fn only_namesake(path: &str, known: &[String]) -> Option<String> {
    let wanted = stem(path);
    let is_namesake = |known: &&String| !wanted.is_empty() && stem(known) == wanted && fits(path, known);
    let mut namesakes = known.iter().filter(is_namesake).take(MAX_SKIPPED).filter(|known| shows(known));
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

/// The folder of a path; empty for the root.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The number of folders to leave and to enter on the way from one folder to another.
fn steps_between(from: &str, to: &str) -> usize {
    let parts = |folder: &str| folder.split('/').filter(|part| !part.is_empty()).count();
    let same = from.split('/').zip(to.split('/')).take_while(|(one, other)| one == other && !one.is_empty()).count();
    parts(from) + parts(to) - 2 * same
}

/// Whether a path, with or without an extension, is that of a test.
fn names_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.ends_with(".test") || name.contains(".test.")
}

/// Whether a file is a candidate for a path by its extension.
fn fits(path: &str, known: &str) -> bool {
    // The name of a test can be written without an extension.
    extension(path).is_none_or(|ending| ending == "test" || extension(known) == Some(ending))
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
    use super::{Allowances, MAX_SEARCH_TIME, MAX_SKIPPED, Root, SHARE, near_path, with_near_path};
    use crate::kernel::visibility::with_visibility;
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Instant;
    use tgp_base::call::{SharedVisibility, Visibility};
    use tgp_base::error::Error;
    use tgp_vfs::{JailPath, MemoryVfs, Vfs};

    #[test]
    fn a_path_is_suggested_by_name_or_spelling() {
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
    fn a_test_is_only_suggested_for_a_path_of_a_test() {
        let files = MemoryVfs::new();
        for path in ["tools/price/gross.test.ts", "tools/price/gross.ts", "tools/only.test.ts"] {
            files.write(&JailPath::parse(path).unwrap(), "").unwrap();
        }
        for (path, near) in [
            ("price/gross", Some("tools/price/gross.ts")),
            ("gross", Some("tools/price/gross.ts")),
            ("gross.ts", Some("tools/price/gross.ts")),
            ("tools/price/gros.ts", Some("tools/price/gross.ts")),
            ("tools/only.ts", None),
            ("only", None),
            ("gross.test.ts", Some("tools/price/gross.test.ts")),
            ("tools/price/gros.test.ts", Some("tools/price/gross.test.ts")),
        ] {
            assert_eq!(near_path(path, &files).as_deref(), near, "{path}");
        }
    }

    #[test]
    fn the_search_budget_is_per_kernel_and_refills() {
        let mut allowances = Allowances(BTreeMap::new());
        let (one, other) = (Root(1), Root(2));
        let now = Instant::now();
        assert!(allowances.allows(one, now));
        allowances.spend(one, now, MAX_SEARCH_TIME * 3);
        assert!(!allowances.allows(one, now) && !allowances.allows(one, now + MAX_SEARCH_TIME));
        assert!(allowances.allows(other, now));
        let later = now + MAX_SEARCH_TIME * 3 * SHARE;
        assert!(allowances.allows(one, later));
        assert!(allowances.0.is_empty(), "refilled entries are removed");
        allowances.spend(one, later, MAX_SEARCH_TIME);
        assert!(!allowances.allows(one, later));
    }

    /// Hides everything, and counts the queries.
    #[derive(Default)]
    struct Hidden(AtomicUsize);

    impl Visibility for Hidden {
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
    fn few_hidden_candidates_are_tried() {
        let files = MemoryVfs::new();
        for at in 0..100 {
            files.write(&JailPath::parse(&format!("tools/t{at}/index.ts")).unwrap(), "").unwrap();
        }
        let hidden = Arc::new(Hidden::default());
        let visibility = SharedVisibility(Some(Arc::<Hidden>::clone(&hidden)));
        assert_eq!(with_visibility(visibility, || near_path("tools/x/index.ts", &files)), None);
        assert!(hidden.0.load(Ordering::Relaxed) <= 2 * MAX_SKIPPED);
    }
}
