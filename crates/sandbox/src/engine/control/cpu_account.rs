//! CPU time charged to a guest: its own, and apart from it the time in which it loads packages.
//!
//! Pauses of the virtual machine are not charged. When a hypervisor pauses a virtual machine, its clocks go on and the pause is
//! charged to the running thread. A guest that used half a millisecond would be ended for a pause of fifty. The watchdog is paused
//! too: time between two samples beyond the expected interval is not charged, up to a bound.

use std::time::Duration;

/// Most time of one run that is not charged because of pauses.
const MAX_PAUSES: Duration = Duration::from_millis(200);
/// Most time charged between two samples, which are normally half as far apart.
const MAX_PER_SAMPLE: Duration = Duration::from_millis(20);

/// Most extra time of the tool, in all, for calls of packages.
const MAX_GRANTED: Duration = Duration::from_millis(500);

/// The work that CPU time is charged to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    Tool,
    /// Compilation and evaluation of installed packages.
    PackageLoad,
}

/// The CPU time account of one run.
#[derive(Debug)]
pub(super) struct CpuAccount {
    work: Work,
    /// When the current work began, later by what was excluded.
    begun: Duration,
    seen: Duration,
    tool: CpuUse,
    package_load: CpuUse,
    granted: Duration,
}

/// CPU time of one kind of work, without its current part.
#[derive(Debug, Default)]
struct CpuUse {
    spent: Duration,
    /// Pauses in it, the current part included.
    pauses: Duration,
}

impl CpuAccount {
    /// An account opened at `now` of the thread's CPU clock.
    pub(super) fn new(now: Duration) -> Self {
        let (tool, package_load) = Default::default();
        Self { work: Work::Tool, begun: now, seen: now, tool, package_load, granted: Duration::ZERO }
    }

    /// All CPU time of `work`.
    pub(super) fn spent(&self, work: Work, now: Duration) -> Duration {
        let current = if work == self.work { now.saturating_sub(self.begun) } else { Duration::ZERO };
        self.of(work).spent + current
    }

    /// The CPU time that `work` was charged.
    pub(super) fn charged(&self, work: Work, now: Duration) -> Duration {
        let free = match work {
            Work::Tool => self.tool.pauses + self.granted,
            Work::PackageLoad => self.package_load.pauses,
        };
        self.spent(work, now).saturating_sub(free)
    }

    /// Excludes work that was done for the host.
    pub(super) fn exclude(&mut self, time: Duration) {
        self.begun += time;
        self.seen += time;
    }

    /// Allows the tool extra time, for calls of packages.
    pub(super) fn grant(&mut self, time: Duration) {
        self.granted = MAX_GRANTED.min(self.granted + time);
    }

    /// Charges the time after `now` to `work`.
    pub(super) fn charge_to(&mut self, work: Work, now: Duration) {
        self.look(now);
        let spent = self.spent(self.work, now);
        self.current().spent = spent;
        self.work = work;
        self.begun = now;
    }

    /// Takes a sample, and returns the current work with the time charged to it so far.
    pub(super) fn look(&mut self, now: Duration) -> (Work, Duration) {
        let passed = now.saturating_sub(self.seen);
        self.seen = now;
        let pauses_left = MAX_PAUSES.saturating_sub(self.tool.pauses + self.package_load.pauses);
        self.current().pauses += passed.saturating_sub(MAX_PER_SAMPLE).min(pauses_left);
        (self.work, self.charged(self.work, now))
    }

    fn of(&self, work: Work) -> &CpuUse {
        match work {
            Work::Tool => &self.tool,
            Work::PackageLoad => &self.package_load,
        }
    }

    fn current(&mut self) -> &mut CpuUse {
        match self.work {
            Work::Tool => &mut self.tool,
            Work::PackageLoad => &mut self.package_load,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CpuAccount, Work};
    use std::time::Duration;

    const fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    fn charged(account: &mut CpuAccount, now: Duration) -> Duration {
        account.look(now).1
    }

    #[test]
    fn cpu_time_is_charged_without_host_work() {
        let mut account = CpuAccount::new(ms(1000));
        let all: Vec<_> = (1..=6).map(|look| charged(&mut account, ms(1000 + 10 * look))).collect();
        assert_eq!(all, [ms(10), ms(20), ms(30), ms(40), ms(50), ms(60)]);
        account.exclude(ms(15));
        assert_eq!(charged(&mut account, ms(1080)), ms(65));
    }

    #[test]
    fn a_pause_is_not_charged_but_reported_as_spent() {
        let mut account = CpuAccount::new(ms(0));
        assert_eq!(charged(&mut account, ms(8)), ms(8));
        assert_eq!(charged(&mut account, ms(142)), ms(28));
        assert_eq!(account.spent(Work::Tool, ms(142)), ms(142));
    }

    #[test]
    fn uncharged_pauses_are_bounded() {
        let mut account = CpuAccount::new(ms(0));
        let all: Vec<_> = (1..=5).map(|look| charged(&mut account, ms(100 * look))).collect();
        assert_eq!(all, [ms(20), ms(40), ms(100), ms(200), ms(300)]);
    }

    #[test]
    fn granted_time_is_not_charged_to_the_tool_and_is_bounded() {
        let mut account = CpuAccount::new(ms(0));
        account.grant(ms(250));
        let last = (1..=30).map(|look| charged(&mut account, ms(10 * look))).last();
        assert_eq!(last, Some(ms(50)));
        (0..100).for_each(|_| account.grant(ms(250)));
        let last = (31..=60).map(|look| charged(&mut account, ms(10 * look))).last();
        assert_eq!(last, Some(ms(100)));
        account.charge_to(Work::PackageLoad, ms(600));
        assert_eq!(charged(&mut account, ms(610)), ms(10));
    }

    #[test]
    fn package_loads_are_charged_apart_from_the_tool() {
        let mut account = CpuAccount::new(ms(0));
        account.charge_to(Work::PackageLoad, ms(5));
        assert_eq!(account.look(ms(20)), (Work::PackageLoad, ms(15)));
        account.exclude(ms(7));
        account.charge_to(Work::Tool, ms(37));
        assert_eq!(charged(&mut account, ms(40)), ms(8));
        account.charge_to(Work::PackageLoad, ms(40));
        assert_eq!(charged(&mut account, ms(41)), ms(26));
        assert_eq!(account.spent(Work::Tool, ms(41)), ms(8));
    }
}
