//! CPU time charged to a guest, without pauses of the virtual machine.
//!
//! When a hypervisor pauses a virtual machine, its clocks go on and the pause is charged to the running thread. A guest that
//! used half a millisecond would be ended for a pause of fifty. The watchdog is paused too: time between two samples beyond
//! the expected interval is not charged, up to a bound.

use std::time::Duration;

/// Most time of one run that is not charged because of pauses.
const MAX_PAUSES: Duration = Duration::from_millis(200);
/// Most time charged between two samples, which are normally half as far apart.
const MAX_PER_SAMPLE: Duration = Duration::from_millis(20);

/// Extra time of one run, in all, for packages that are compiled for the first time.
const MAX_GRANTED: Duration = Duration::from_millis(500);

/// The CPU time account of one run.
#[derive(Debug)]
pub(super) struct CpuAccount {
    begun: Duration,
    seen: Duration,
    pauses: Duration,
    granted: Duration,
}

impl CpuAccount {
    /// An account opened at `now` of the thread's CPU clock.
    pub(super) fn new(now: Duration) -> Self {
        Self { begun: now, seen: now, pauses: Duration::ZERO, granted: Duration::ZERO }
    }

    /// All CPU time since the account was opened.
    pub(super) fn spent(&self, now: Duration) -> Duration {
        now.saturating_sub(self.begun)
    }

    /// Excludes work that was done for the host.
    pub(super) fn exclude(&mut self, time: Duration) {
        self.begun += time;
        self.seen += time;
    }

    /// Allows extra time for necessary work that is not the guest's own, such as a first compilation.
    pub(super) fn grant(&mut self, time: Duration) {
        self.granted = MAX_GRANTED.min(self.granted + time);
    }

    /// Takes a sample and returns the time charged so far.
    pub(super) fn look(&mut self, now: Duration) -> Duration {
        let passed = now.saturating_sub(self.seen);
        self.seen = now;
        self.pauses = MAX_PAUSES.min(self.pauses + passed.saturating_sub(MAX_PER_SAMPLE));
        self.spent(now).saturating_sub(self.pauses + self.granted)
    }
}

#[cfg(test)]
mod tests {
    use super::CpuAccount;
    use std::time::Duration;

    const fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn cpu_time_is_charged_without_host_work() {
        let mut account = CpuAccount::new(ms(1000));
        let charged: Vec<_> = (1..=6).map(|look| account.look(ms(1000 + 10 * look))).collect();
        assert_eq!(charged, [ms(10), ms(20), ms(30), ms(40), ms(50), ms(60)]);
        account.exclude(ms(15));
        assert_eq!(account.look(ms(1080)), ms(65));
    }

    #[test]
    fn a_pause_is_not_charged_but_reported_as_spent() {
        let mut account = CpuAccount::new(ms(0));
        assert_eq!(account.look(ms(8)), ms(8));
        assert_eq!(account.look(ms(142)), ms(28));
        assert_eq!(account.spent(ms(142)), ms(142));
    }

    #[test]
    fn uncharged_pauses_are_bounded() {
        let mut account = CpuAccount::new(ms(0));
        let charged: Vec<_> = (1..=5).map(|look| account.look(ms(100 * look))).collect();
        assert_eq!(charged, [ms(20), ms(40), ms(100), ms(200), ms(300)]);
    }

    #[test]
    fn granted_time_is_not_charged_and_is_bounded() {
        let mut account = CpuAccount::new(ms(0));
        account.grant(ms(250));
        let last = (1..=30).map(|look| account.look(ms(10 * look))).last();
        assert_eq!(last, Some(ms(50)));
        (0..100).for_each(|_| account.grant(ms(250)));
        let last = (31..=60).map(|look| account.look(ms(10 * look))).last();
        assert_eq!(last, Some(ms(100)));
    }
}
