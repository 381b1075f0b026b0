//! Opens the ledger by the configuration.

use super::masking::{Masking, RedactHook};
use super::recorder::Records;
use crate::kernel::config::Config;
use crate::kernel::host_functions::HostFunctions;
use crate::kernel::known_secrets::KnownSecrets;
use crate::kernel::secret_scan::SecretScan;
use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;
use tgp_base::error::Error;
use tgp_ledger::{
    Access, Durability, Ledger, LedgerError, LedgerOptions, Log, PostgresAddress, PostgresStore, Reason, Retain,
    TlsSettings,
};

/// The ledger's folder within the private folder of the repository.
const FOLDER: &str = "ledger";
const UNWRITABLE: &str = "The ledger is disabled: its folder is not writable. Move rootDir to a writable location, or set \"ledger: false\"; with \"ledger: true\" this is an error.";
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// The dependencies of the ledger.
pub struct LedgerDeps<'p> {
    pub config: &'p Config,
    /// The private folder of the repository.
    pub folder: PathBuf,
    pub known: Arc<KnownSecrets>,
    pub secrets: SecretScan,
    pub functions: Arc<dyn HostFunctions>,
    pub hook: RedactHook,
    /// TLS settings for a remote database.
    pub tls: TlsSettings,
}

/// Opens the ledger, if it is enabled. The text is a warning for the user.
pub fn open_ledger(deps: LedgerDeps<'_>) -> Result<(Records, Option<String>), Error> {
    let LedgerDeps { config, folder, known, secrets, functions, hook, tls } = deps;
    let ledger = &config.ledger;
    if !ledger.on {
        return Ok((Records::Nothing, None));
    }
    let most = |number: u32| (number > 0).then_some(number);
    let by_default = ledger.events_by_default();
    let options = LedgerOptions {
        folder: folder.join(FOLDER),
        access: Access::ReadWrite,
        durability: if ledger.fsync { Durability::Power } else { Durability::Process },
        checkpoint_every: ledger.checkpoint_events.into(),
        retain: Retain {
            max_age: most(ledger.retain_days).map(|days| u64::from(days) * DAY_MS),
            max_events: by_default.or(ledger.retain_events.and_then(most)).map(u64::from),
            is_default: by_default.is_some(),
        },
        blob_bytes: ledger.blob_bytes as usize,
        spool_bytes: ledger.spool_bytes.into(),
        log: log_through(Arc::clone(&functions)),
        redact: Some(Arc::new(Masking { known, secrets, functions, hook, silent_until: Mutex::default() })),
        key: ledger.key.as_ref().map(|key| key.expose().to_owned()),
    };
    let opened = match &ledger.postgres {
        None => Ledger::open(&options),
        Some(address) => {
            let store = PostgresStore::new(PostgresAddress::parse(address.expose())?, tls, Access::ReadWrite);
            Ledger::open_with(&options, Arc::new(store))
        }
    };
    match opened {
        Ok(opened) => {
            let problem = opened.boot_problem().map(|problem| {
                format!(
                    "The ledger is damaged from event {} on: {} See \"tgp ledger verify\".",
                    problem.seq, problem.message
                )
            });
            Ok((Records::Ledger(Arc::new(opened)), problem))
        }
        // A read-only root, such as one in an image, works without a ledger.
        Err(LedgerError::Unwritable(Reason::ReadOnlyDisk | Reason::NotAllowed)) if !ledger.is_wanted => {
            Ok((Records::Nothing, Some(UNWRITABLE.to_owned())))
        }
        Err(error) if ledger.is_wanted => Err(error.into()),
        // Reads go on; damaging the ledger must not disable it.
        Err(error) => {
            let error = Error::from(error);
            let warning = format!("{} Until then, calls that change something are refused.", error.message);
            Ok((Records::Refused(error), Some(warning)))
        }
    }
}

/// A log callback that forwards messages of the ledger to the application's log.
fn log_through(functions: Arc<dyn HostFunctions>) -> Log {
    Arc::new(move |text| functions.warn(text))
}
