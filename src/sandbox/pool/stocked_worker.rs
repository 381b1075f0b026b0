//! A worker together with what is known of its stock of packages: each is sent to it once.

use super::bytecode_cache::BytecodeCache;
use super::pool_options::PoolOptions;
use crate::sandbox::message::{Command, Event};
use crate::sandbox::packages::{EngineTag, Package, PackageId, Parcel};
use crate::sandbox::sandbox_error::SandboxError;
use crate::sandbox::transport::{self, News, NewsSink, Worker, WorkerGone};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

/// What a worker keeps at one time. Past it the stock starts anew.
const MAX_BYTES: usize = 32 << 20;

struct StockedWorker {
    worker: Arc<dyn Worker>,
    /// Set by the first thing that a worker says, which is before it has a guest.
    engine: Arc<OnceLock<EngineTag>>,
    bytecode: Arc<BytecodeCache>,
    stock: Mutex<Stock>,
}

/// What was sent, as the host remembers it: a worker is not asked what it has.
#[derive(Default)]
struct Stock {
    had: HashSet<PackageId>,
    bytes: usize,
}

/// Starts a worker that is sent what its runs need beside themselves.
pub fn start(
    options: &PoolOptions,
    bytecode: &Arc<BytecodeCache>,
    news: NewsSink,
) -> Result<Arc<dyn Worker>, SandboxError> {
    let engine = Arc::new(OnceLock::new());
    let told = Arc::clone(&engine);
    let sink = Arc::new(move |heard: News| {
        if let News::Event(Event::Ready { engine, .. }) = &heard {
            told.get_or_init(|| *engine);
        }
        news(heard);
    });
    let PoolOptions { isolation, files, memory_bytes, longest_text, .. } = options;
    let worker = transport::start(*isolation, files, *memory_bytes, *longest_text, sink)?;
    Ok(Arc::new(StockedWorker { worker, engine, bytecode: Arc::clone(bytecode), stock: Mutex::default() }))
}

impl StockedWorker {
    /// Sends those of a run's packages that the worker does not have.
    fn supply(&self, packages: &[Arc<Package>]) -> Result<(), WorkerGone> {
        let mut stock = self.stock.lock();
        let mut missing = self.parcels(packages, &stock);
        let bytes: usize = missing.iter().map(Parcel::bytes).sum();
        if stock.bytes + bytes > MAX_BYTES && !stock.had.is_empty() && !missing.is_empty() {
            self.worker.send(Command::Forget)?;
            *stock = Stock::default();
            missing = self.parcels(packages, &stock);
        }
        for parcel in missing {
            stock.had.insert(parcel.id);
            stock.bytes += parcel.bytes();
            self.worker.send(Command::Keep(Arc::new(parcel)))?;
        }
        Ok(())
    }

    fn parcels(&self, packages: &[Arc<Package>], stock: &Stock) -> Vec<Parcel> {
        let missing = packages.iter().filter(|package| !stock.had.contains(&package.id()));
        missing
            .map(|package| Parcel {
                id: package.id(),
                code: Arc::clone(package.code()),
                bytecode: self.engine.get().and_then(|engine| self.bytecode.get(package, *engine)),
            })
            .collect()
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
    use super::{MAX_BYTES, Stock, StockedWorker};
    use crate::ids::RunId;
    use crate::sandbox::limits::RunLimits;
    use crate::sandbox::message::{Command, RunCommand};
    use crate::sandbox::packages::Package;
    use crate::sandbox::pool::bytecode_cache::BytecodeCache;
    use crate::sandbox::transport::{Isolation, Worker, WorkerFiles, WorkerGone};
    use parking_lot::Mutex;
    use std::sync::{Arc, OnceLock};
    use std::time::Duration;

    /// Notes what it is sent.
    #[derive(Default)]
    struct Scribe(Mutex<Vec<String>>);

    impl Worker for Scribe {
        fn send(&self, command: Command) -> Result<(), WorkerGone> {
            self.0.lock().push(match command {
                Command::Keep(parcel) => format!("keep {}", parcel.code.get(..1).unwrap_or_default()),
                Command::Forget => "forget".to_owned(),
                Command::Run(_) => "run".to_owned(),
                other @ (Command::Compile { .. } | Command::HostReply { .. } | Command::Cancel { .. }) => {
                    format!("{other:?}")
                }
            });
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
                wall: Duration::ZERO,
                result_bytes: 1,
                log_bytes: 1,
                host_calls: 1,
                call_bytes: 1,
            },
            api: Arc::default(),
            seed: None,
            now: None,
        }))
    }

    #[test]
    fn a_package_is_sent_once_and_a_full_stock_starts_anew() {
        let scribe = Arc::<Scribe>::default();
        let files = WorkerFiles { executable: "none".into(), library: "none".into(), snapshot: "none".into() };
        let worker = StockedWorker {
            worker: Arc::<Scribe>::clone(&scribe),
            engine: Arc::new(OnceLock::new()),
            bytecode: BytecodeCache::new(Isolation::Thread, files, Arc::new(())),
            stock: Mutex::new(Stock::default()),
        };
        let package = |name: &str, bytes: usize| Arc::new(Package::new(name.repeat(bytes).into()));
        let (a, b, large) = (package("a", 10), package("b", 10), package("c", MAX_BYTES));
        for command in [run(&[]), run(&[&a]), run(&[&a, &b]), run(&[&a, &b]), run(&[&large, &a]), run(&[&b])] {
            worker.send(command).unwrap();
        }
        let sent = scribe.0.lock().join(", ");
        let expected =
            ["run", "keep a, run", "keep b, run", "run", "forget, keep c, keep a, run", "forget, keep b, run"];
        assert_eq!(sent, expected.join(", "));
    }
}
