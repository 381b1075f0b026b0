//! Stores counts of tools in the background, a few seconds after the first new one: many runs share one write.

use super::reuse_counts::ReuseCounts;
use super::tool_registry::ToolRegistry;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tgp_base::threads::{Next, Priority, SleepingThread};

/// Counts of this time are lost when the process is killed.
const DELAY: Duration = if cfg!(test) { Duration::from_millis(50) } else { Duration::from_secs(5) };

/// The counts of one kernel, and the thread that stores them.
pub struct CountWriter {
    counts: Arc<Counts>,
    thread: SleepingThread,
}

struct Counts {
    registry: Arc<ToolRegistry>,
    events: Arc<ReuseCounts>,
    /// Whether the thread will store the new counts.
    is_due: AtomicBool,
}

impl CountWriter {
    pub fn new(registry: Arc<ToolRegistry>, events: Arc<ReuseCounts>) -> Self {
        let counts = Arc::new(Counts { registry, events, is_due: AtomicBool::new(false) });
        Self { counts, thread: SleepingThread::new("tgp-counts", Priority::Low) }
    }

    /// Something was counted.
    pub fn counted(&self) {
        if self.counts.is_due.swap(true, Ordering::AcqRel) {
            return;
        }
        let counts = Arc::clone(&self.counts);
        let step = move || {
            counts.store();
            Next::End
        };
        if self.thread.wake_by(Instant::now() + DELAY, step).is_err() {
            // The next count tries again; `stop` stores all of them.
            self.counts.is_due.store(false, Ordering::Release);
        }
    }

    /// Stores the new counts now.
    pub fn store(&self) {
        self.counts.store();
    }

    /// Stores the new counts, and ends the thread.
    pub fn stop(&self) {
        self.thread.join();
        self.store();
    }
}

impl Counts {
    fn store(&self) {
        // First, so that what is counted meanwhile is stored by the next step.
        self.is_due.store(false, Ordering::Release);
        self.registry.uses.store();
        self.events.store();
    }
}

#[cfg(test)]
mod tests {
    use super::super::reuse_counts::{ReuseCounts, ReuseEvent};
    use super::super::tool_registry::{RegistryFiles, ToolRegistry};
    use super::{CountWriter, DELAY};
    use crate::kernel::private_files::PrivateFiles;
    use std::sync::Arc;
    use std::time::{Duration, Instant};
    use tgp_base::threads::spawn_failure;
    use tgp_compile::Compiler;
    use tgp_vfs::{DiskVfs, MemoryVfs};

    const LATE: Duration = Duration::from_secs(60);

    struct Counted {
        writer: CountWriter,
        events: Arc<ReuseCounts>,
        private: PrivateFiles,
        _root: tempfile::TempDir,
    }

    impl Counted {
        fn new() -> Self {
            let root = tempfile::tempdir().unwrap();
            let disk = Arc::new(DiskVfs::open(root.path()).unwrap());
            let private = PrivateFiles(Arc::new(MemoryVfs::new()));
            let events = Arc::new(ReuseCounts::new(private.clone()));
            let files = RegistryFiles {
                tools: Arc::clone(&disk) as Arc<dyn tgp_vfs::Vfs>,
                meta: disk,
                shared_meta: None,
                private: private.clone(),
            };
            let registry = ToolRegistry::new(files, Arc::new(Compiler::new()));
            Self { writer: CountWriter::new(registry, Arc::clone(&events)), events, private, _root: root }
        }

        fn run(&self) {
            self.writer.counts.registry.count_use("tools/a.ts");
            self.events.count(ReuseEvent::Reused);
            self.writer.counted();
        }

        /// The stored number of runs.
        fn stored(&self) -> String {
            self.private.read("tool-uses.json")
        }

        fn wait_for(&self, stored: &str) {
            let until = Instant::now() + LATE;
            while self.stored() != stored && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(1));
            }
            assert_eq!(self.stored(), stored);
        }
    }

    #[test]
    fn counts_are_stored_after_a_delay_and_runs_share_one_write() {
        let counted = Counted::new();
        let began = Instant::now();
        (0..1000).for_each(|_| counted.run());
        let stored = counted.stored();
        assert!(stored.is_empty() || began.elapsed() >= DELAY, "{stored}");
        counted.wait_for(r#"{"tools/a.ts":1000}"#);
        assert!(began.elapsed() >= DELAY);
        counted.run();
        counted.wait_for(r#"{"tools/a.ts":1001}"#);
        assert!(ReuseCounts::new(counted.private.clone()).days().1.reused >= 1000);
    }

    #[test]
    fn stopping_stores_the_counts_at_once_and_later_ones_wait_for_the_next_kernel() {
        let counted = Counted::new();
        counted.run();
        counted.writer.stop();
        assert_eq!(counted.stored(), r#"{"tools/a.ts":1}"#);
        counted.run();
        counted.writer.stop();
        assert_eq!(counted.stored(), r#"{"tools/a.ts":2}"#);
    }

    #[test]
    fn without_a_thread_the_next_count_tries_again() {
        let counted = Counted::new();
        spawn_failure::during("tgp-counts", || counted.run());
        counted.run();
        counted.wait_for(r#"{"tools/a.ts":2}"#);
    }
}
