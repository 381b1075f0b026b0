//! Detects guests that wait most of the time, in long pauses or many short ones, so that other runs may use their turn.

use crate::message::Activity;
use std::time::{Duration, Instant};

/// Shortest wait after which a guest's turn may be lent to other runs.
const LONG_REST: Duration = Duration::from_millis(20);
/// The window over which work and waiting are compared.
const WINDOW: Duration = Duration::from_millis(100);
/// How often one run may take its turn back. The bound exists because a guest decides how often it changes.
const RETURNS: u32 = 1000;

#[derive(Debug)]
pub struct ActivityMeter {
    /// When the current wait began, if the guest waits.
    since: Option<Instant>,
    window_start: Instant,
    /// Finished waits in the window.
    waited: Duration,
    reported: Activity,
    returns: u32,
}

impl ActivityMeter {
    /// The meter of a run that starts at `now`.
    pub fn new(now: Instant) -> Self {
        Self { since: None, window_start: now, waited: Duration::ZERO, reported: Activity::Busy, returns: RETURNS }
    }

    pub fn begin(&mut self, now: Instant) {
        self.since = Some(now);
    }

    pub fn end(&mut self, now: Instant) {
        self.waited = self.waited_until(now);
        self.since = None;
    }

    /// The state to report, if it differs from the one reported last.
    pub fn look(&mut self, now: Instant) -> Option<Activity> {
        let elapsed = now.saturating_duration_since(self.window_start);
        let waited = self.waited_until(now);
        let mostly_waits = waited.saturating_mul(2) >= elapsed;
        let is_over = elapsed >= WINDOW;
        let change = match self.reported {
            Activity::Busy if mostly_waits && waited >= LONG_REST => Some(Activity::Waiting),
            Activity::Waiting if is_over && !mostly_waits && self.returns > 0 => Some(Activity::Busy),
            Activity::Busy | Activity::Waiting => None,
        };
        if is_over || change.is_some() {
            self.window_start = now;
            self.waited = Duration::ZERO;
            self.since = self.since.map(|_| now);
        }
        if let Some(rest) = change {
            self.reported = rest;
            self.returns = self.returns.saturating_sub(u32::from(rest == Activity::Busy));
        }
        change
    }

    fn waited_until(&self, now: Instant) -> Duration {
        self.waited + self.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since))
    }
}

#[cfg(test)]
mod tests {
    use super::{ActivityMeter, RETURNS};
    use crate::message::Activity;
    use std::time::{Duration, Instant};

    /// A meter with a simulated clock.
    struct Guest {
        meter: ActivityMeter,
        now: Instant,
        reports: Vec<Activity>,
    }

    impl Guest {
        fn new() -> Self {
            let now = Instant::now();
            Self { meter: ActivityMeter::new(now), now, reports: Vec::new() }
        }

        /// Advances the clock, with a sample every millisecond.
        fn pass(&mut self, millis: u32) {
            for _ in 0..millis {
                self.now += Duration::from_millis(1);
                self.reports.extend(self.meter.look(self.now));
            }
        }

        fn wait(&mut self, millis: u32) {
            self.meter.begin(self.now);
            self.pass(millis);
            self.meter.end(self.now);
        }
    }

    #[test]
    fn a_long_pause_is_reported_and_so_is_work_after_it() {
        let mut guest = Guest::new();
        guest.wait(19);
        assert!(guest.reports.is_empty(), "{:?}", guest.reports);
        guest.wait(5000);
        assert_eq!(guest.reports, [Activity::Waiting]);
        guest.pass(300);
        assert_eq!(guest.reports, [Activity::Waiting, Activity::Busy]);
    }

    #[test]
    fn many_short_pauses_are_reported_as_waiting() {
        let mut guest = Guest::new();
        for _ in 0..1000 {
            guest.wait(15);
            guest.pass(1);
        }
        assert_eq!(guest.reports, [Activity::Waiting]);
    }

    #[test]
    fn a_guest_that_mostly_works_keeps_its_turn() {
        let mut guest = Guest::new();
        for _ in 0..1000 {
            guest.pass(10);
            guest.wait(5);
        }
        assert!(guest.reports.is_empty(), "{:?}", guest.reports);
    }

    #[test]
    fn a_guest_takes_its_turn_back_a_bounded_number_of_times() {
        let mut guest = Guest::new();
        for _ in 0..2 * RETURNS {
            guest.wait(200);
            guest.pass(200);
        }
        assert_eq!(guest.reports.len(), 2 * RETURNS as usize + 1);
        assert_eq!(guest.reports.last(), Some(&Activity::Waiting));
    }
}
