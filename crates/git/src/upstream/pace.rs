//! When the next push may begin, so that no machine keeps the others from a shared remote.
//!
//! A machine whose last push was the latest of all pushes again without a fetch, and so faster than any that has to fetch and
//! replay first: writing without a pause it would win every race. So it makes one: after each push where others push too, and
//! now and then where none were seen, because they may all be losing.

use crate::backoff::jittered;
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// How long others count as present after they were last in the way.
const PRESENT: Duration = Duration::from_mins(1);
/// How many exchanges a break is long: those of others, who fetch before they push, take a few times as long as a push alone.
const EXCHANGES_PER_BREAK: u32 = 3;
const PUSHES_PER_BREAK: u32 = 8;
const SHORTEST_BREAK: Duration = Duration::from_millis(50);
const LONGEST_BREAK: Duration = Duration::from_secs(3);
/// Without others there is a break after so many times of its length, at first and in the end: what may never come costs little.
const FIRST_WORK: u32 = 3;
const MOST_WORK: u32 = 48;

#[derive(Debug, Default)]
pub(crate) struct Pace(Mutex<Recent>);

#[derive(Debug)]
struct Recent {
    /// When others were last in the way.
    others: Option<Instant>,
    /// What a push takes, and what one takes with the fetch before it, once there was such.
    push: Duration,
    exchange: Option<Duration>,
    /// How many times its usual length the next break has: it doubles with each push that no other came between.
    greed: u32,
    /// Since when there was no break, and until when there was a push.
    busy: Option<(Instant, Instant)>,
    /// Without others, how many times its length is worked before the next break.
    work: u32,
    next: Option<Instant>,
}

impl Default for Recent {
    fn default() -> Self {
        Self { others: None, push: Duration::ZERO, exchange: None, greed: 1, busy: None, work: FIRST_WORK, next: None }
    }
}

/// Whether others' commits came in before a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Before {
    Nothing,
    Fetch,
}

impl Pace {
    /// Others have pushed, or are about to.
    pub(crate) fn saw_others(&self) {
        self.0.lock().others = Some(Instant::now());
    }

    /// A push has ended, after `took` since the fetch before it.
    pub(crate) fn pushed(&self, took: Duration, before: Before) {
        let now = Instant::now();
        let mut recent = self.0.lock();
        match before {
            Before::Fetch => (recent.exchange, recent.greed) = (Some(took), 1),
            Before::Nothing => {
                let known = if recent.push.is_zero() { took } else { recent.push };
                (recent.push, recent.greed) = ((known + took) / 2, recent.greed.saturating_mul(2));
            }
        }
        let length = recent.exchange.map_or(recent.push * PUSHES_PER_BREAK, |exchange| exchange * EXCHANGES_PER_BREAK);
        let length = length.clamp(SHORTEST_BREAK, LONGEST_BREAK);
        let since = match recent.busy {
            Some((since, last)) if now.saturating_duration_since(last) < took + length => since,
            _ => now,
        };
        recent.busy = Some((since, now));
        recent.next = None;
        if recent.others.is_some_and(|seen| now.saturating_duration_since(seen) < PRESENT) {
            recent.work = FIRST_WORK;
            recent.next = Some(now + jittered(length.saturating_mul(recent.greed).min(LONGEST_BREAK)));
        } else if now.saturating_duration_since(since) >= length * recent.work {
            recent.work = (recent.work * 2).min(MOST_WORK);
            recent.busy = None;
            recent.next = Some(now + length);
        }
    }

    /// When the next push may begin, if not at once.
    pub(crate) fn next_push(&self) -> Option<Instant> {
        self.0.lock().next.filter(|next| *next > Instant::now())
    }

    /// How long to wait at most before another try: so long that others are not raced in step.
    pub(crate) fn longest_wait(&self) -> Duration {
        self.0.lock().exchange.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{Before, Pace};
    use std::time::{Duration, Instant};

    const QUICK: Duration = Duration::from_millis(1);

    #[test]
    fn there_is_no_pause_until_others_push() {
        let pace = Pace::default();
        pace.pushed(QUICK, Before::Nothing);
        assert_eq!(pace.next_push(), None);
        pace.saw_others();
        pace.pushed(Duration::from_secs(5), Before::Fetch);
        assert!(pace.next_push().is_some());
    }

    #[test]
    fn a_push_that_no_other_came_between_makes_the_next_break_longer() {
        let pace = Pace::default();
        pace.saw_others();
        let pause = |before| {
            pace.pushed(Duration::from_millis(400), before);
            pace.next_push().unwrap().saturating_duration_since(Instant::now())
        };
        let first = pause(Before::Fetch);
        pause(Before::Nothing);
        // As long as it gets, which is more than chance adds to the first.
        assert!(pause(Before::Nothing) > first);
        assert!(pause(Before::Fetch) <= Duration::from_millis(1200));
        for _ in 0..40 {
            assert!(pause(Before::Nothing) <= super::LONGEST_BREAK);
        }
    }

    #[test]
    fn one_that_never_rests_makes_a_break() {
        let pace = Pace::default();
        let begun = Instant::now();
        while pace.next_push().is_none() {
            assert!(begun.elapsed() < Duration::from_secs(30), "a break after a third of a second");
            std::thread::sleep(QUICK);
            pace.pushed(QUICK, Before::Nothing);
        }
    }
}
