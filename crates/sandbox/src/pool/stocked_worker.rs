//! A worker with a record of the packages that it has, so that each is sent once.

use super::bytecode_cache::BytecodeCache;
use super::pool_options::PoolOptions;
use crate::message::{Command, Event};
use crate::packages::{EngineTag, Package, PackageId, Parcel};
use crate::sandbox_error::SandboxError;
use crate::transport::{self, News, NewsSink, Worker, WorkerGone};
use crate::weighed_cache::WeighedCache;
use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};

/// Most bytes of packages in a worker.
const MAX_BYTES: usize = 32 << 20;

struct StockedWorker {
    worker: Arc<dyn Worker>,
    /// Set by the worker's first message, which is sent before it runs a guest.
    engine: Arc<OnceLock<EngineTag>>,
    bytecode: Arc<BytecodeCache>,
    /// The packages that were sent. The worker itself is not asked, because it is not trusted.
    stock: Mutex<WeighedCache<PackageId, ()>>,
}

/// Starts a worker that gets the packages of its runs.
pub fn start(
    options: &PoolOptions,
    bytecode: &Arc<BytecodeCache>,
    news: NewsSink,
) -> Result<Arc<dyn Worker>, SandboxError> {
    let engine = Arc::new(OnceLock::new());
    let reported = Arc::clone(&engine);
    let sink = Arc::new(move |received: News| {
        if let News::Event(Event::Ready { engine, .. }) = &received {
            reported.get_or_init(|| *engine);
        }
        news(received);
    });
    let PoolOptions { isolation, files, memory_bytes, longest_text, .. } = options;
    let worker = transport::start(*isolation, files, *memory_bytes, *longest_text, sink)?;
    Ok(Arc::new(StockedWorker {
        worker,
        engine,
        bytecode: Arc::clone(bytecode),
        stock: Mutex::new(WeighedCache::new(MAX_BYTES)),
    }))
}

impl StockedWorker {
    /// Sends the packages of a run that the worker does not have. Packages of earlier runs are evicted for them; those of this run
    /// are kept, even beyond the limit.
    fn supply(&self, packages: &[Arc<Package>]) -> Result<(), WorkerGone> {
        let mut stock = self.stock.lock();
        let missing: Vec<_> = packages.iter().filter(|package| stock.get(&package.id()).is_none()).collect();
        let is_needed = |id: &PackageId| packages.iter().any(|package| package.id() == *id);
        for package in missing {
            let parcel = self.parcel(package);
            let bytes = parcel.bytes();
            while !stock.has_room(bytes) {
                let Some(id) = stock.pop_oldest(|id| !is_needed(id)) else { break };
                self.worker.send(Command::Forget(id))?;
            }
            stock.put_beyond(parcel.id, (), bytes);
            self.worker.send(Command::Keep(Arc::new(parcel)))?;
        }
        Ok(())
    }

    fn parcel(&self, package: &Arc<Package>) -> Parcel {
        Parcel {
            id: package.id(),
            code: Arc::clone(package.code()),
            bytecode: self.engine.get().and_then(|engine| self.bytecode.get(package, *engine)),
        }
    }
}

impl Worker for StockedWorker {
    fn send(&self, command: Command) -> Result<(), WorkerGone> {
        if let Command::Run(run) = &command
            && !run.packages.is_empty()
        {
            self.supply(&run.packages)?;
        }
        self.worker.send(command)
    }

    fn kill(&self) {
        self.worker.kill();
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, StockedWorker};
    use crate::limits::RunLimits;
    use crate::message::{Command, RunCommand};
    use crate::packages::{Package, PackageId};
    use crate::pool::bytecode_cache::BytecodeCache;
    use crate::transport::{Isolation, Worker, WorkerFiles, WorkerGone};
    use crate::weighed_cache::WeighedCache;
    use parking_lot::Mutex;
    use std::sync::{Arc, OnceLock};
    use std::time::Duration;
    use tgp_base::ids::RunId;

    /// Records the commands that it gets.
    #[derive(Default)]
    struct Recorder {
        sent: Mutex<Vec<String>>,
        names: Mutex<Vec<(PackageId, String)>>,
    }

    impl Recorder {
        fn name_of(&self, id: PackageId) -> String {
            self.names.lock().iter().find(|(known, _)| *known == id).map(|(_, name)| name.clone()).unwrap()
        }
    }

    impl Worker for Recorder {
        fn send(&self, command: Command) -> Result<(), WorkerGone> {
            let line = match command {
                Command::Keep(parcel) => {
                    let name: String = parcel.code.chars().take(1).collect();
                    self.names.lock().push((parcel.id, name.clone()));
                    format!("keep {name}")
                }
                Command::Forget(id) => format!("forget {}", self.name_of(id)),
                Command::Run(_) => "run".to_owned(),
                other @ (Command::Compile { .. } | Command::HostReply { .. } | Command::Cancel { .. }) => {
                    format!("{other:?}")
                }
            };
            self.sent.lock().push(line);
            Ok(())
        }
        fn kill(&self) {}
    }

    fn run(packages: &[&Arc<Package>]) -> Command {
        Command::Run(Box::new(RunCommand {
            run: RunId(1),
            entry: String::new(),
            modules: Arc::default(),
            packages: packages.iter().map(|package| Arc::clone(package)).collect(),
            args_json: "{}".into(),
            limits: RunLimits {
                memory_bytes: 1,
                cpu: Duration::ZERO,
                package_load: Duration::ZERO,
                wall: Duration::ZERO,
                result_bytes: 1,
                log_bytes: 1,
                host_calls: 1,
                call_bytes: 1,
            },
            api: Arc::default(),
            seed: None,
            now: None,
            coverage: Default::default(),
        }))
    }

    #[test]
    fn a_package_is_sent_once_and_the_least_recently_used_is_evicted() {
        let recorder = Arc::<Recorder>::default();
        let files = WorkerFiles {
            executable: "none".into(),
            library: "none".into(),
            snapshot: "none".into(),
            locales: "none".into(),
        };
        let worker = StockedWorker {
            worker: Arc::<Recorder>::clone(&recorder),
            engine: Arc::new(OnceLock::new()),
            bytecode: BytecodeCache::new(Isolation::Thread, files, Arc::new(())),
            stock: Mutex::new(WeighedCache::new(MAX_BYTES)),
        };
        let package = |name: &str, bytes: usize| Arc::new(Package::new(name.repeat(bytes).into()));
        let (a, b, large) = (package("a", 10), package("b", 10), package("c", MAX_BYTES));
        for command in
            [run(&[]), run(&[&a]), run(&[&a, &b]), run(&[&a, &b]), run(&[&a, &large]), run(&[&b]), run(&[&a])]
        {
            worker.send(command).unwrap();
        }
        let sent = recorder.sent.lock().join(", ");
        let expected = [
            "run",
            "keep a, run",
            "keep b, run",
            "run",
            "forget b, keep c, run",
            "forget a, forget c, keep b, run",
            "keep a, run",
        ];
        assert_eq!(sent, expected.join(", "));
    }
}
