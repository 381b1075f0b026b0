//! Paces pushes so that machines share a remote fairly.
//!
//! The machine with the latest push can push again without a fetch, and so faster than any machine that has to fetch and replay
//! first; writing continuously it would win every race. Therefore machines take turns: one pushes continuously for a limited
//! time, then pauses so that others can push. The others wait until the branch is idle, because a fetch and replay during the
//! turn of another machine would be wasted. Without known rivals there is an occasional pause, because all of them may be
//! losing.

use crate::backoff::jittered;
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// How long another machine counts as present after its last push.
const RIVAL_TTL: Duration = Duration::from_mins(1);
/// Lengths of turn and break, in exchanges. Others poll, fetch and push in a break.
const EXCHANGES_PER_TURN: u32 = 5;
const EXCHANGES_PER_BREAK: u32 = 5;
const PUSHES_PER_BREAK: u32 = 8;
/// Maximum length of a turn; a slower push is a turn of its own.
pub(crate) const MAX_TURN: Duration = Duration::from_millis(750);
/// After a break extended by this factor without foreign pushes, the others are assumed to have nothing to push.
const MAX_BREAK_FACTOR: u32 = 4;
const MIN_BREAK: Duration = Duration::from_millis(50);
const MAX_BREAK: Duration = Duration::from_secs(3);
/// Without rivals: initial and maximum working time before a break, in break lengths.
const FIRST_WORK_FACTOR: u32 = 3;
const MAX_WORK_FACTOR: u32 = 48;
/// Initial poll interval for a branch that others move, in exchanges, and number of polls after which it is halved. The machine
/// that waits longest polls most often.
const EXCHANGES_PER_POLL: u32 = 2;
const POLLS_PER_HALVING: u32 = 2;

#[derive(Debug, Default)]
pub(crate) struct Pace(Mutex<PaceState>);

#[derive(Debug)]
struct PaceState {
    /// The last foreign push.
    others: Option<Instant>,
    /// Average duration of a push, and of a fetch with a push.
    push: Duration,
    exchange: Option<Duration>,
    /// Factor for the next break. Doubles after each break without a foreign push, because the others may be slow.
    break_factor: u32,
    /// Polls of the branch since the last push.
    polls: u32,
    /// Start of the current turn, and end of its last push.
    busy: Option<(Instant, Instant)>,
    /// Without rivals: working time before the next break, in break lengths.
    work: u32,
    next: Option<Instant>,
}

impl Default for PaceState {
    fn default() -> Self {
        let (push, break_factor, polls, work) = (Duration::ZERO, 1, 0, FIRST_WORK_FACTOR);
        Self { others: None, push, exchange: None, break_factor, polls, busy: None, work, next: None }
    }
}

/// Whether foreign commits were fetched before a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PrecedingFetch {
    None,
    Done,
}

impl Pace {
    /// Records a foreign push.
    pub(crate) fn saw_others(&self) {
        self.0.lock().others = Some(Instant::now());
    }

    /// Records a push that took `took`, including a preceding fetch.
    pub(crate) fn pushed(&self, took: Duration, before: PrecedingFetch) {
        let now = Instant::now();
        let mut recent = self.0.lock();
        recent.polls = 0;
        match before {
            // After a foreign push: the first push of a turn.
            PrecedingFetch::Done => {
                recent.exchange = Some((recent.exchange.unwrap_or(took) + took) / 2);
                (recent.break_factor, recent.busy) = (1, None);
            }
            PrecedingFetch::None => {
                let known = if recent.push.is_zero() { took } else { recent.push };
                recent.push = (known + took) / 2;
            }
        }
        let turn = (recent.exchange.unwrap_or_default() * EXCHANGES_PER_TURN).min(MAX_TURN);
        // A longer break than an exchange and a turn would leave the remote idle.
        let of_exchange = |exchange: Duration| (exchange * EXCHANGES_PER_BREAK).min(exchange + turn);
        let length = recent.exchange.map_or(recent.push * PUSHES_PER_BREAK, of_exchange);
        let length = length.clamp(MIN_BREAK, MAX_BREAK);
        let since = match recent.busy {
            Some((since, last)) if now.saturating_duration_since(last) < took + length => since,
            _ => now.checked_sub(took).unwrap_or(now),
        };
        recent.busy = Some((since, now));
        recent.next = None;
        let worked = now.saturating_duration_since(since);
        if recent.others.is_some_and(|seen| now.saturating_duration_since(seen) < RIVAL_TTL) {
            recent.work = FIRST_WORK_FACTOR;
            let had_time = recent.exchange.unwrap_or_default() * MAX_BREAK_FACTOR < MAX_BREAK;
            if recent.break_factor > MAX_BREAK_FACTOR && had_time {
                (recent.others, recent.break_factor) = (None, 1);
            } else if worked >= turn {
                recent.busy = None;
                recent.next = Some(now + jittered(length.saturating_mul(recent.break_factor).min(MAX_BREAK)));
                recent.break_factor = recent.break_factor.saturating_mul(2);
            }
        } else if worked >= length * recent.work {
            recent.work = (recent.work * 2).min(MAX_WORK_FACTOR);
            recent.busy = None;
            recent.next = Some(now + length);
        }
    }

    /// The time of the next push; `None` for now.
    pub(crate) fn next_push(&self) -> Option<Instant> {
        self.0.lock().next.filter(|next| *next > Instant::now())
    }

    /// The longest pause before the next poll of a branch that others move; `None` if each push is a turn and polling is not
    /// useful.
    pub(crate) fn next_poll(&self) -> Option<Duration> {
        let mut recent = self.0.lock();
        let exchange = recent.exchange.filter(|exchange| *exchange * 2 <= MAX_TURN)?;
        recent.polls = recent.polls.saturating_add(1);
        let pause = exchange * EXCHANGES_PER_POLL * POLLS_PER_HALVING / recent.polls.saturating_add(POLLS_PER_HALVING);
        // A foreign push may be in progress.
        Some(pause.max(recent.push / 2))
    }

    /// The longest pause before a retry, long enough to avoid synchronised races.
    pub(crate) fn longest_wait(&self) -> Duration {
        self.0.lock().exchange.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{Pace, PrecedingFetch};
    use std::time::{Duration, Instant};

    const QUICK: Duration = Duration::from_millis(1);

    #[test]
    fn pushes_are_not_delayed_without_rivals() {
        let pace = Pace::default();
        pace.pushed(QUICK, PrecedingFetch::None);
        assert_eq!(pace.next_push(), None);
        pace.saw_others();
        pace.pushed(Duration::from_secs(5), PrecedingFetch::Done);
        assert!(pace.next_push().is_some());
    }

    #[test]
    fn a_turn_has_several_pushes_and_breaks_without_rivals_grow() {
        let pace = Pace::default();
        pace.saw_others();
        // The number of pushes until a break, and its length.
        let turn = |took: Duration, first| {
            let (mut before, mut pushes) = (first, 0);
            loop {
                pace.pushed(took, before);
                (before, pushes) = (PrecedingFetch::None, pushes + 1);
                if let Some(next) = pace.next_push() {
                    return (pushes, next.saturating_duration_since(Instant::now()));
                }
                std::thread::sleep(took);
            }
        };
        let quick = Duration::from_millis(30);
        let (pushes, first) = turn(quick, PrecedingFetch::Done);
        assert!(pushes > 1 && first <= quick * super::EXCHANGES_PER_BREAK, "{pushes}, {first:?}");
        turn(quick, PrecedingFetch::None);
        // The longest break, longer than the first one with jitter.
        assert!(turn(quick, PrecedingFetch::None).1 > first);
        // The rival is no longer expected.
        pace.pushed(super::MAX_TURN, PrecedingFetch::None);
        assert_eq!(pace.next_push(), None);
        pace.saw_others();
        let (pushes, slow) = turn(super::MAX_TURN, PrecedingFetch::Done);
        assert!(pushes == 1 && slow <= super::MAX_BREAK, "{pushes}, {slow:?}");
    }

    #[test]
    fn the_poll_interval_shrinks_and_slow_pushes_are_not_polled() {
        let pace = Pace::default();
        assert_eq!(pace.next_poll(), None, "nothing is known yet");
        pace.pushed(Duration::from_millis(100), PrecedingFetch::Done);
        let first = pace.next_poll().unwrap();
        let later: Vec<_> = (0..10).map(|_| pace.next_poll().unwrap()).collect();
        assert!(later.is_sorted_by(|a, b| a > b) && later[0] < first);
        pace.pushed(QUICK, PrecedingFetch::None);
        assert_eq!(pace.next_poll().unwrap(), first);
        pace.pushed(super::MAX_TURN, PrecedingFetch::Done);
        assert_eq!(pace.next_poll(), None);
    }

    #[test]
    fn a_continuous_writer_pauses() {
        let pace = Pace::default();
        let begun = Instant::now();
        while pace.next_push().is_none() {
            assert!(begun.elapsed() < Duration::from_secs(30), "a break after a third of a second");
            std::thread::sleep(QUICK);
            pace.pushed(QUICK, PrecedingFetch::None);
        }
    }
}
