//! The ledger as the configuration wants it.

use super::masking::{Masking, RedactHook};
use super::recorder::Records;
use crate::kernel::config::Config;
use crate::kernel::host_functions::{CallFor, HostFunctions};
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

/// The folder of the ledger in the private one of the repository.
const FOLDER: &str = "ledger";
const UNWRITABLE: &str = "Nothing is written down: the folder of the ledger cannot be written. Put rootDir where it can, or say \"ledger: false\"; with \"ledger: true\" this is an error.";
/// The question that hands a sentence to the log of the application.
const LOG: &str = "#warn";
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// What a ledger is opened with.
pub struct LedgerParts<'p> {
    pub config: &'p Config,
    /// The private folder of the repository.
    pub folder: PathBuf,
    pub known: Arc<KnownSecrets>,
    pub secrets: SecretScan,
    pub functions: Arc<dyn HostFunctions>,
    pub hook: RedactHook,
    /// How a database elsewhere is reached.
    pub tls: TlsSettings,
}

/// The ledger, if it is on, and what the user should know about it.
pub fn open_ledger(parts: LedgerParts<'_>) -> Result<(Records, Option<String>), Error> {
    let LedgerParts { config, folder, known, secrets, functions, hook, tls } = parts;
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
                    "The ledger is not whole, from event {} on: {} See \"tgp ledger verify\".",
                    problem.seq, problem.message
                )
            });
            Ok((Records::Ledger(Arc::new(opened)), problem))
        }
        // As before there was a ledger: a root in an image or on a disk that nobody may write.
        Err(LedgerError::Unwritable(Reason::ReadOnlyDisk | Reason::NotAllowed)) if !ledger.is_wanted => {
            Ok((Records::Nothing, Some(UNWRITABLE.to_owned())))
        }
        Err(error) if ledger.is_wanted => Err(error.into()),
        // Reading goes on; whoever has damaged it does not get rid of it.
        Err(error) => {
            let error = Error::from(error);
            let told = format!("{} Until then calls that change something are refused.", error.message);
            Ok((Records::Refused(error), Some(told)))
        }
    }
}

/// What the ledger has to say at any time goes to the log of the application.
fn log_through(functions: Arc<dyn HostFunctions>) -> Log {
    Arc::new(move |text| {
        functions.call(CallFor::NOBODY, LOG, serde_json::json!([text]).to_string(), Box::new(|_| ()));
    })
}
