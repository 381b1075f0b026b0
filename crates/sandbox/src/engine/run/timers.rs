//! The timers of a run.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::time::{Duration, Instant};

/// Shortest interval of `setInterval`, as in browsers.
const MIN_INTERVAL: Duration = Duration::from_millis(1);

/// Due times, soonest first.
#[derive(Debug, Default)]
pub struct Timers {
    last: u32,
    due: BinaryHeap<Reverse<(Instant, u32)>>,
    alive: HashMap<u32, Option<Duration>>,
}

impl Timers {
    /// Starts a timer and returns its id.
    pub fn start(&mut self, now: Instant, delay: Duration, repeat: bool) -> u32 {
        self.last = self.last.wrapping_add(1);
        self.alive.insert(self.last, repeat.then(|| delay.max(MIN_INTERVAL)));
        self.due.push(Reverse((now + delay, self.last)));
        self.last
    }

    pub fn stop(&mut self, id: u32) {
        self.alive.remove(&id);
    }

    /// The due time of the next timer.
    pub fn next_due(&mut self) -> Option<Instant> {
        while let Some(Reverse((due, id))) = self.due.peek() {
            if self.alive.contains_key(id) {
                return Some(*due);
            }
            self.due.pop();
        }
        None
    }

    /// Takes the next timer that is due at `now`.
    pub fn take_due(&mut self, now: Instant) -> Option<u32> {
        if self.next_due()? > now {
            return None;
        }
        let Reverse((_, id)) = self.due.pop()?;
        match self.alive.get(&id).copied().flatten() {
            Some(interval) => self.due.push(Reverse((now + interval, id))),
            None => self.stop(id),
        }
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::Timers;
    use std::time::{Duration, Instant};

    #[test]
    fn timers_fire_in_order_and_stopped_ones_never() {
        let now = Instant::now();
        let mut timers = Timers::default();
        let late = timers.start(now, Duration::from_millis(20), false);
        let soon = timers.start(now, Duration::from_millis(10), false);
        let stopped = timers.start(now, Duration::ZERO, false);
        timers.stop(stopped);
        assert_eq!(timers.take_due(now), None);
        let then = now + Duration::from_millis(30);
        assert_eq!(timers.take_due(then), Some(soon));
        assert_eq!(timers.take_due(then), Some(late));
        assert_eq!(timers.take_due(then), None);
        assert_eq!(timers.next_due(), None);
    }

    #[test]
    fn an_interval_repeats_until_it_is_stopped() {
        let now = Instant::now();
        let mut timers = Timers::default();
        let id = timers.start(now, Duration::ZERO, true);
        assert_eq!(timers.take_due(now), Some(id));
        assert_eq!(timers.take_due(now), None, "an interval of zero must not fire twice at one moment");
        assert_eq!(timers.take_due(now + Duration::from_millis(1)), Some(id));
        timers.stop(id);
        assert_eq!(timers.next_due(), None);
    }
}
