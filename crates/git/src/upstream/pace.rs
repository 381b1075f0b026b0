//! When the next push may begin, so that no machine keeps the others from a shared remote.
//!
//! A machine whose last push was the latest of all pushes again without a fetch, and so faster than any that has to fetch and
//! replay first: writing without a pause it would win every race. So machines take turns. One pushes as often as it can for a
//! time that is worth the change, then it makes a break in which others get in. Those wait until the branch rests: a fetch and a
//! replay during the turn of another are lost, and slow it down. Where no others were seen there is a break now and then,
//! because they may all be losing.

use crate::backoff::jittered;
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// How long others count as present after they were last in the way.
const RIVAL_TTL: Duration = Duration::from_mins(1);
/// How many exchanges a turn and a break are long: others look, fetch and push in a break. It costs nothing where one does, for
/// then it is the turn of that one.
const EXCHANGES_PER_TURN: u32 = 5;
const EXCHANGES_PER_BREAK: u32 = 5;
const PUSHES_PER_BREAK: u32 = 8;
/// Where a push alone takes longer, each is a turn.
pub(crate) const LONGEST_TURN: Duration = Duration::from_millis(750);
/// After a break that was so many times as long, others have nothing to push, unless the longest is too short for them.
const MAX_BREAK_FACTOR: u32 = 4;
const SHORTEST_BREAK: Duration = Duration::from_millis(50);
const LONGEST_BREAK: Duration = Duration::from_secs(3);
/// Without others there is a break after so many times of its length, at first and in the end: what may never come costs little.
const FIRST_WORK_FACTOR: u32 = 3;
const MAX_WORK_FACTOR: u32 = 48;
/// How many exchanges are between two polls at a branch that others move, at first; after so many polls it is half of that. Who waits
/// longest finds its rest first.
const EXCHANGES_PER_POLL: u32 = 2;
const POLLS_PER_HALVING: u32 = 2;

#[derive(Debug, Default)]
pub(crate) struct Pace(Mutex<PaceState>);

#[derive(Debug)]
struct PaceState {
    /// When others were last in the way.
    others: Option<Instant>,
    /// What a push takes, and what one takes with the fetch before it, once there was such.
    push: Duration,
    exchange: Option<Duration>,
    /// How many times its usual length the next break has: it doubles with each in which no other came, who may be too slow.
    break_factor: u32,
    /// How often this machine has looked at the branch since its last push.
    polls: u32,
    /// Since when there was no break, and until when there was a push.
    busy: Option<(Instant, Instant)>,
    /// Without others, how many times its length is worked before the next break.
    work: u32,
    next: Option<Instant>,
}

impl Default for PaceState {
    fn default() -> Self {
        let (push, break_factor, polls, work) = (Duration::ZERO, 1, 0, FIRST_WORK_FACTOR);
        Self { others: None, push, exchange: None, break_factor, polls, busy: None, work, next: None }
    }
}

/// Whether others' commits came in before a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PrecedingFetch {
    None,
    Done,
}

impl Pace {
    /// Others have pushed, or are about to.
    pub(crate) fn saw_others(&self) {
        self.0.lock().others = Some(Instant::now());
    }

    /// A push has ended, after `took` since the fetch before it.
    pub(crate) fn pushed(&self, took: Duration, before: PrecedingFetch) {
        let now = Instant::now();
        let mut recent = self.0.lock();
        recent.polls = 0;
        match before {
            // Others came between: this is the first push of a turn.
            PrecedingFetch::Done => {
                recent.exchange = Some((recent.exchange.unwrap_or(took) + took) / 2);
                (recent.break_factor, recent.busy) = (1, None);
            }
            PrecedingFetch::None => {
                let known = if recent.push.is_zero() { took } else { recent.push };
                recent.push = (known + took) / 2;
            }
        }
        let turn = (recent.exchange.unwrap_or_default() * EXCHANGES_PER_TURN).min(LONGEST_TURN);
        // Whose break is longer than the turn of another and the way to it lets the remote idle.
        let of_exchange = |exchange: Duration| (exchange * EXCHANGES_PER_BREAK).min(exchange + turn);
        let length = recent.exchange.map_or(recent.push * PUSHES_PER_BREAK, of_exchange);
        let length = length.clamp(SHORTEST_BREAK, LONGEST_BREAK);
        let since = match recent.busy {
            Some((since, last)) if now.saturating_duration_since(last) < took + length => since,
            _ => now.checked_sub(took).unwrap_or(now),
        };
        recent.busy = Some((since, now));
        recent.next = None;
        let worked = now.saturating_duration_since(since);
        if recent.others.is_some_and(|seen| now.saturating_duration_since(seen) < RIVAL_TTL) {
            recent.work = FIRST_WORK_FACTOR;
            let had_time = recent.exchange.unwrap_or_default() * MAX_BREAK_FACTOR < LONGEST_BREAK;
            if recent.break_factor > MAX_BREAK_FACTOR && had_time {
                (recent.others, recent.break_factor) = (None, 1);
            } else if worked >= turn {
                recent.busy = None;
                recent.next = Some(now + jittered(length.saturating_mul(recent.break_factor).min(LONGEST_BREAK)));
                recent.break_factor = recent.break_factor.saturating_mul(2);
            }
        } else if worked >= length * recent.work {
            recent.work = (recent.work * 2).min(MAX_WORK_FACTOR);
            recent.busy = None;
            recent.next = Some(now + length);
        }
    }

    /// When the next push may begin, if not at once.
    pub(crate) fn next_push(&self) -> Option<Instant> {
        self.0.lock().next.filter(|next| *next > Instant::now())
    }

    /// How long to wait at most before the next look at a branch that others move, if it is worth a look: where each push is a
    /// turn, it is not.
    pub(crate) fn next_poll(&self) -> Option<Duration> {
        let mut recent = self.0.lock();
        let exchange = recent.exchange.filter(|exchange| *exchange * 2 <= LONGEST_TURN)?;
        recent.polls = recent.polls.saturating_add(1);
        let pause = exchange * EXCHANGES_PER_POLL * POLLS_PER_HALVING / recent.polls.saturating_add(POLLS_PER_HALVING);
        // A push of the others may just be under way.
        Some(pause.max(recent.push / 2))
    }

    /// How long to wait at most before another try: so long that others are not raced in step.
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
    fn there_is_no_pause_until_others_push() {
        let pace = Pace::default();
        pace.pushed(QUICK, PrecedingFetch::None);
        assert_eq!(pace.next_push(), None);
        pace.saw_others();
        pace.pushed(Duration::from_secs(5), PrecedingFetch::Done);
        assert!(pace.next_push().is_some());
    }

    #[test]
    fn a_turn_has_several_pushes_and_a_break_in_which_no_other_came_makes_the_next_one_longer() {
        let pace = Pace::default();
        pace.saw_others();
        // Until there is a break: how many pushes, and how long it is.
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
        // As long as it gets, which is more than chance adds to the first.
        assert!(turn(quick, PrecedingFetch::None).1 > first);
        // Others have had their chance.
        pace.pushed(super::LONGEST_TURN, PrecedingFetch::None);
        assert_eq!(pace.next_push(), None);
        pace.saw_others();
        let (pushes, slow) = turn(super::LONGEST_TURN, PrecedingFetch::Done);
        assert!(pushes == 1 && slow <= super::LONGEST_BREAK, "{pushes}, {slow:?}");
    }

    #[test]
    fn who_waits_longest_looks_most_often_and_not_where_each_push_is_a_turn() {
        let pace = Pace::default();
        assert_eq!(pace.next_poll(), None, "nothing is known yet");
        pace.pushed(Duration::from_millis(100), PrecedingFetch::Done);
        let first = pace.next_poll().unwrap();
        let later: Vec<_> = (0..10).map(|_| pace.next_poll().unwrap()).collect();
        assert!(later.is_sorted_by(|a, b| a > b) && later[0] < first);
        pace.pushed(QUICK, PrecedingFetch::None);
        assert_eq!(pace.next_poll().unwrap(), first);
        pace.pushed(super::LONGEST_TURN, PrecedingFetch::Done);
        assert_eq!(pace.next_poll(), None);
    }

    #[test]
    fn one_that_never_rests_makes_a_break() {
        let pace = Pace::default();
        let begun = Instant::now();
        while pace.next_push().is_none() {
            assert!(begun.elapsed() < Duration::from_secs(30), "a break after a third of a second");
            std::thread::sleep(QUICK);
            pace.pushed(QUICK, PrecedingFetch::None);
        }
    }
}
