//! Changing a file by what is in it, without keeping the other writers waiting while the change is worked out.

use super::check_gate::Judged;
use super::kernel::Kernel;
use super::write_file::Written;
use crate::error::Error;
use crate::vfs::{JailPath, Vfs};

/// How often a change is worked out beforehand; when somebody else keeps changing the file, the last time is with the
/// others waiting.
const ATTEMPTS: usize = 3;

/// A changed file and what was found out on the way.
pub struct Edited<F> {
    pub written: Written,
    pub found: F,
}

/// A change that has been worked out.
struct Draft<F> {
    after: String,
    judged: Judged,
    found: F,
}

impl Kernel {
    /// Makes the text of a file what `change` makes of it, and commits that. What `change` refuses is not written.
    pub(super) fn edit<F>(
        &self,
        path: &JailPath,
        change: impl Fn(&str) -> Result<(String, F), Error>,
    ) -> Result<Edited<F>, Error> {
        let draft = |before: &str| {
            let (after, found) = change(before)?;
            let judged = self.judge_before_commit(path, &after)?;
            Ok::<_, Error>(Draft { after, judged, found })
        };
        for _ in 0..ATTEMPTS {
            let before = self.vfs.read(path)?;
            let drafted = draft(&before)?;
            let _one_writer = self.writes.lock();
            let writing = self.begin_write(path);
            if self.vfs.read(path)? == before {
                let Draft { after, judged, found } = drafted;
                let written = self.finish_write(writing, path, &after, judged, &refactor(path))?;
                return Ok(Edited { written, found });
            }
        }
        let _one_writer = self.writes.lock();
        let writing = self.begin_write(path);
        let Draft { after, judged, found } = draft(&self.vfs.read(path)?)?;
        let written = self.finish_write(writing, path, &after, judged, &refactor(path))?;
        Ok(Edited { written, found })
    }
}

fn refactor(path: &JailPath) -> String {
    format!("Refactor: {}", path.as_str())
}
