//! What of a thread's CPU time is held against the guest that it runs.
//!
//! A virtual machine that its host has stopped for a moment does not know: its clocks go on, and the time is charged to whoever
//! had the processor. A guest of half a millisecond would be ended for a standstill of fifty. The watchdog stands still as well:
//! what passes between two of its looks beyond what it meant to wait is not held against the guest, up to a bound.

use std::time::Duration;

/// How much of a run's time is not held against it at most.
const FORGIVEN: Duration = Duration::from_millis(200);
/// Most that is held against a guest between two looks, which are meant to be half as far apart.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// What a run may use beside its own, in all, for packages that are compiled for the first time.
const FIRST_LOADS: Duration = Duration::from_millis(500);

/// The CPU time of a run.
#[derive(Debug)]
pub(super) struct CpuAccount {
    begun: Duration,
    seen: Duration,
    forgiven: Duration,
    granted: Duration,
}

impl CpuAccount {
    /// Begins when the thread's clock shows `now`.
    pub(super) fn new(now: Duration) -> Self {
        Self { begun: now, seen: now, forgiven: Duration::ZERO, granted: Duration::ZERO }
    }

    /// All that the clock has shown since the beginning.
    pub(super) fn spent(&self, now: Duration) -> Duration {
        now.saturating_sub(self.begun)
    }

    /// Leaves out what was done for the host.
    pub(super) fn leave_out(&mut self, time: Duration) {
        self.begun += time;
        self.seen += time;
    }

    /// Leaves out what the guest did not ask for and has to do all the same.
    pub(super) fn grant(&mut self, time: Duration) {
        self.granted = FIRST_LOADS.min(self.granted + time);
    }

    /// What is held against the guest, after another look at it.
    pub(super) fn look(&mut self, now: Duration) -> Duration {
        let passed = now.saturating_sub(self.seen);
        self.seen = now;
        self.forgiven = FORGIVEN.min(self.forgiven + passed.saturating_sub(BETWEEN_LOOKS));
        self.spent(now).saturating_sub(self.forgiven + self.granted)
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
    fn a_guest_is_held_to_its_time() {
        let mut account = CpuAccount::new(ms(1000));
        let held: Vec<_> = (1..=6).map(|look| account.look(ms(1000 + 10 * look))).collect();
        assert_eq!(held, [ms(10), ms(20), ms(30), ms(40), ms(50), ms(60)]);
        account.leave_out(ms(15));
        assert_eq!(account.look(ms(1080)), ms(65));
    }

    #[test]
    fn a_standstill_is_not_the_guests_and_is_told_as_the_clock_shows_it() {
        let mut account = CpuAccount::new(ms(0));
        assert_eq!(account.look(ms(8)), ms(8));
        assert_eq!(account.look(ms(142)), ms(28));
        assert_eq!(account.spent(ms(142)), ms(142));
    }

    #[test]
    fn what_is_forgiven_has_an_end() {
        let mut account = CpuAccount::new(ms(0));
        let held: Vec<_> = (1..=5).map(|look| account.look(ms(100 * look))).collect();
        assert_eq!(held, [ms(20), ms(40), ms(100), ms(200), ms(300)]);
    }

    #[test]
    fn what_is_granted_is_not_held_against_the_guest_and_has_an_end() {
        let mut account = CpuAccount::new(ms(0));
        account.grant(ms(250));
        let last = (1..=30).map(|look| account.look(ms(10 * look))).last();
        assert_eq!(last, Some(ms(50)));
        (0..100).for_each(|_| account.grant(ms(250)));
        let last = (31..=60).map(|look| account.look(ms(10 * look))).last();
        assert_eq!(last, Some(ms(100)));
    }
}
