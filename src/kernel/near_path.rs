//! What a file that was not found may have been meant to be.

use super::sight::shows;
use parking_lot::Mutex;
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};
use tgp_base::near_name::nearest;
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
    let begun = Instant::now();
    if !ALLOWANCE.lock().allows(begun) {
        return None;
    }
    let near = look_for(path, files);
    ALLOWANCE.lock().spend(begun.elapsed());
    near
}

/// Looking walks the whole root, and a tool may ask for one missing file after the other, by itself and through others: all
/// looks of the process together take this much at once, and one part in so many of the time that goes by.
const MOST_AT_ONCE: Duration = Duration::from_secs(2);
const SHARE: u32 = 10;

static ALLOWANCE: Mutex<Allowance> = Mutex::new(Allowance { spent: Duration::ZERO, counted: None });

/// Time that has gone into looking, and is not made up for yet.
struct Allowance {
    spent: Duration,
    counted: Option<Instant>,
}

impl Allowance {
    fn allows(&mut self, now: Instant) -> bool {
        let passed = self.counted.map(|counted| now.saturating_duration_since(counted)).unwrap_or_default();
        self.spent = self.spent.saturating_sub(passed / SHARE);
        self.counted = Some(now);
        self.spent < MOST_AT_ONCE
    }

    fn spend(&mut self, time: Duration) {
        self.spent += time;
    }
}

fn look_for(path: &str, files: &dyn Vfs) -> Option<String> {
    let mut known: Vec<String> =
        files.list(&JailPath::root()).ok()?.iter().map(|known| known.as_str().to_owned()).collect();
    for _ in 0..MAX_PASSED_OVER {
        let near = nearest_of(path, &known)?;
        if shows(&near) {
            return Some(near);
        }
        known.retain(|known| *known != near);
    }
    None
}

fn nearest_of(path: &str, known: &[String]) -> Option<String> {
    let wanted = stem(path);
    let fits = |known: &str| extension(path).is_none() || extension(path) == extension(known);
    let is_namesake = |known: &&String| !wanted.is_empty() && stem(known) == wanted && fits(known) && shows(known);
    let mut namesakes = known.iter().filter(is_namesake);
    let near = match (namesakes.next(), namesakes.next()) {
        (Some(only), None) => Some(only.as_str()),
        _ => nearest(path, known.iter().map(String::as_str)),
    };
    let near = near.or_else(|| {
        let named = nearest(wanted, known.iter().map(|known| stem(known)))?;
        known.iter().map(String::as_str).find(|known| stem(known) == named && fits(known))
    });
    near.map(str::to_owned)
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
    use super::{Allowance, MOST_AT_ONCE, SHARE, near_path, with_near_path};
    use std::time::{Duration, Instant};
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
    fn who_has_looked_for_long_looks_again_after_a_while() {
        let mut allowance = Allowance { spent: Duration::ZERO, counted: None };
        let now = Instant::now();
        assert!(allowance.allows(now));
        allowance.spend(MOST_AT_ONCE * 3);
        assert!(!allowance.allows(now) && !allowance.allows(now + MOST_AT_ONCE));
        let later = now + MOST_AT_ONCE * 3 * SHARE;
        assert!(allowance.allows(later));
        allowance.spend(MOST_AT_ONCE);
        assert!(!allowance.allows(later));
    }
}
