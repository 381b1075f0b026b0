//! Statistics of forged, reused, duplicate and refused tools, by day, on this machine.

use crate::kernel::private_files::PrivateFiles;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

const FILE: &str = "reuse.json";
/// Most days to keep.
const MAX_DAYS: usize = 400;
const SECONDS_PER_DAY: u64 = 86_400;

/// A countable event of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReuseEvent {
    /// A new tool was written.
    Forged,
    /// A tool that had been run before was run again.
    Reused,
    /// A new tool duplicates another.
    Duplicate,
    /// A new tool was refused as a duplicate.
    Refused,
}

/// The count of each event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default)]
pub struct ReuseTally {
    pub forged: u64,
    pub reused: u64,
    pub duplicate: u64,
    pub refused: u64,
}

/// The counts of one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReuseDay {
    /// As `2026-11-16`, in UTC.
    pub day: String,
    #[serde(flatten)]
    pub tally: ReuseTally,
}

impl ReuseTally {
    fn count(&mut self, event: ReuseEvent) {
        *match event {
            ReuseEvent::Forged => &mut self.forged,
            ReuseEvent::Reused => &mut self.reused,
            ReuseEvent::Duplicate => &mut self.duplicate,
            ReuseEvent::Refused => &mut self.refused,
        } += 1;
    }

    fn add(&mut self, other: Self) {
        self.forged = self.forged.saturating_add(other.forged);
        self.reused = self.reused.saturating_add(other.reused);
        self.duplicate = self.duplicate.saturating_add(other.duplicate);
        self.refused = self.refused.saturating_add(other.refused);
    }
}

/// By date, as stored.
type Days = BTreeMap<String, ReuseTally>;

pub struct ReuseCounts {
    private: PrivateFiles,
    /// Counts that are not stored yet, by day since 1970.
    fresh: Mutex<BTreeMap<u64, ReuseTally>>,
    /// Locked while the counts are stored, which does not block counting.
    storing: Mutex<()>,
}

impl ReuseCounts {
    pub fn new(private: PrivateFiles) -> Self {
        Self { private, fresh: Mutex::default(), storing: Mutex::default() }
    }

    /// Counts an event.
    pub fn count(&self, event: ReuseEvent) {
        self.fresh.lock().entry(today()).or_default().count(event);
    }

    /// Stores new counts, added to those of other processes.
    pub fn store(&self) {
        let _storing = self.storing.lock();
        let fresh = std::mem::take(&mut *self.fresh.lock());
        if fresh.is_empty() {
            return;
        }
        if let Ok(text) = serde_json::to_string(&merged(self.stored(), &fresh)) {
            self.private.write(FILE, &text);
        }
    }

    /// All days with events, oldest first, and their total.
    pub fn days(&self) -> (Vec<ReuseDay>, ReuseTally) {
        let _storing = self.storing.lock();
        let days = merged(self.stored(), &self.fresh.lock());
        let mut total = ReuseTally::default();
        days.values().for_each(|tally| total.add(*tally));
        (days.into_iter().map(|(day, tally)| ReuseDay { day, tally }).collect(), total)
    }

    /// The stored counts; empty if the file is damaged.
    fn stored(&self) -> Days {
        let mut days: Days = serde_json::from_str(&self.private.read(FILE)).unwrap_or_default();
        days.retain(|day, _| day.len() == 10);
        days
    }
}

fn merged(mut days: Days, fresh: &BTreeMap<u64, ReuseTally>) -> Days {
    for (day, tally) in fresh {
        days.entry(date_of(*day)).or_default().add(*tally);
    }
    while days.len() > MAX_DAYS {
        days.pop_first();
    }
    days
}

fn today() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / SECONDS_PER_DAY)
}

/// The date of a day since 1970, by the rule of Hinnant's `civil_from_days`: years begin in March, so that leap days end them.
fn date_of(days: u64) -> String {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::{ReuseCounts, ReuseEvent, ReuseTally, date_of};
    use crate::kernel::private_files::PrivateFiles;
    use std::sync::Arc;
    use tgp_vfs::MemoryVfs;

    #[test]
    fn day_numbers_are_converted_to_dates() {
        for (days, date) in [(0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29"), (20_773, "2026-11-16")] {
            assert_eq!(date_of(days), date);
        }
    }

    #[test]
    fn counts_of_two_processes_are_added_and_stored() {
        let private = PrivateFiles(Arc::new(MemoryVfs::new()));
        let (one, other) = (ReuseCounts::new(private.clone()), ReuseCounts::new(private.clone()));
        one.count(ReuseEvent::Forged);
        other.count(ReuseEvent::Reused);
        one.store();
        other.store();
        other.count(ReuseEvent::Reused);
        assert_eq!(other.days().1, ReuseTally { forged: 1, reused: 2, ..ReuseTally::default() });
        assert_eq!(ReuseCounts::new(private.clone()).days().1.reused, 1);
        private.write("reuse.json", "{ no");
        assert_eq!(ReuseCounts::new(private).days().1, ReuseTally::default());
    }
}
