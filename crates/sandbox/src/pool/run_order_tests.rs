//! Tests of the scheduler with nested runs.

use super::fair_queue::LastRun;
use super::run_order::{RunOrder, ScheduledRun};
use crate::lineage::Lineage;
use crate::message::Activity;
use tgp_base::ids::RunId;

fn root(run: u64) -> ScheduledRun {
    ScheduledRun {
        run: RunId(run),
        lineage: Lineage::of_root(RunId(run)),
        tool: format!("root {run}"),
        owner: "one".into(),
    }
}

fn child(run: u64, parent: &ScheduledRun) -> ScheduledRun {
    ScheduledRun {
        run: RunId(run),
        lineage: parent.lineage.below(parent.run),
        tool: "nested".to_owned(),
        owner: "one".into(),
    }
}

fn push(order: &mut RunOrder<()>, scheduled: &ScheduledRun) {
    order.push(scheduled.clone(), ());
}

/// Starts all runs that can be started now and returns their numbers.
fn started(order: &mut RunOrder<()>) -> Vec<u64> {
    let startable = order.startable();
    let runs: Vec<u64> = std::iter::from_fn(|| order.next()).map(|(scheduled, ())| scheduled.run.0).collect();
    assert!(runs.len() <= startable, "{runs:?} were started, {startable} workers were expected");
    runs
}

#[test]
fn as_many_roots_start_as_there_are_turns() {
    let mut order = RunOrder::new(2, 0);
    for run in 1..=3 {
        push(&mut order, &root(run));
    }
    assert_eq!(started(&mut order), [1, 2]);
    order.end(&root(1));
    assert_eq!(started(&mut order), [3]);
    assert_eq!(order.waiting_roots(), 0);
}

#[test]
fn waiting_runs_lend_their_turns_up_to_a_limit() {
    let mut order = RunOrder::new(1, 2);
    for run in 1..=5 {
        push(&mut order, &root(run));
    }
    for run in 1..=3 {
        assert_eq!(started(&mut order), [run]);
        order.note_activity(&root(run), Activity::Waiting);
    }
    assert_eq!(started(&mut order), [0; 0], "the third that waits holds a turn");
    order.note_activity(&root(1), Activity::Busy);
    assert_eq!(started(&mut order), [0; 0], "two wait and lend, one works");
    order.end(&root(1));
    assert_eq!(started(&mut order), [4]);
    order.end(&root(4));
    order.end(&root(2));
    assert_eq!(started(&mut order), [5]);
}

#[test]
fn a_run_whose_nested_run_waits_lends_its_turn() {
    let mut order = RunOrder::new(1, 1);
    let one = root(1);
    push(&mut order, &one);
    assert_eq!(started(&mut order), [1]);
    push(&mut order, &child(10, &one));
    assert_eq!(started(&mut order), [10]);
    push(&mut order, &root(2));
    assert_eq!(started(&mut order), [0; 0]);
    order.note_activity(&child(10, &one), Activity::Waiting);
    assert_eq!(started(&mut order), [2]);
}

#[test]
fn waiting_nested_runs_have_a_bounded_number_of_workers() {
    let (turns, max_waiting) = (1, 2);
    let mut order = RunOrder::new(turns, max_waiting);
    let one = root(1);
    push(&mut order, &one);
    started(&mut order);
    for run in 10..30 {
        push(&mut order, &child(run, &one));
    }
    let mut workers = 0;
    loop {
        let begun = started(&mut order);
        if begun.is_empty() {
            break;
        }
        workers += begun.len();
        begun.iter().for_each(|run| order.note_activity(&child(*run, &one), Activity::Waiting));
    }
    assert!(workers > max_waiting && workers <= max_waiting + 2 * turns, "{workers}");
    push(&mut order, &root(2));
    assert_eq!(started(&mut order), [2], "another root does not wait for them");
    order.end(&root(2));
    assert_eq!(started(&mut order), [0; 0]);
    order.end(&child(10, &one));
    order.end(&child(11, &one));
    assert_eq!(started(&mut order), [13]);
}

#[test]
fn a_run_lends_its_turn_to_nested_runs_and_gets_it_back() {
    let mut order = RunOrder::new(1, 0);
    let (one, two) = (root(1), root(2));
    push(&mut order, &one);
    assert_eq!(started(&mut order), [1]);
    push(&mut order, &child(10, &one));
    push(&mut order, &child(11, &one));
    assert_eq!(started(&mut order), [10], "one at a time, as there is one turn");
    push(&mut order, &two);
    assert_eq!(started(&mut order), [0; 0]);
    order.end(&child(10, &one));
    assert_eq!(started(&mut order), [2], "another root is between two runs of the first");
    order.end(&two);
    assert_eq!(started(&mut order), [11]);
    order.end(&child(11, &one));
    push(&mut order, &root(3));
    assert_eq!(started(&mut order), [0; 0], "the first root is at work again");
    order.end(&one);
    assert_eq!(started(&mut order), [3]);
}

#[test]
fn spare_turns_are_used_and_do_not_delay_another_root() {
    let mut order = RunOrder::new(3, 0);
    let one = root(1);
    push(&mut order, &one);
    started(&mut order);
    for run in 10..20 {
        push(&mut order, &child(run, &one));
    }
    assert_eq!(started(&mut order), [10, 11, 12]);
    for run in [2, 3, 4] {
        push(&mut order, &root(run));
    }
    assert_eq!(started(&mut order), [2, 3], "however long the runs of the first one take");
    order.end(&child(10, &one));
    order.end(&child(11, &one));
    assert_eq!(started(&mut order), [0; 0], "now it has one turn of three");
    order.end(&root(2));
    order.end(&root(3));
    assert_eq!(started(&mut order), [4, 13]);
}

#[test]
fn the_deepest_runs_start_first_and_trees_take_turns() {
    let mut order = RunOrder::new(1, 0);
    let (one, two) = (root(1), root(2));
    push(&mut order, &one);
    started(&mut order);
    push(&mut order, &child(10, &one));
    push(&mut order, &child(11, &one));
    push(&mut order, &two);
    assert_eq!(started(&mut order), [10], "roots and nested runs take turns");
    push(&mut order, &child(100, &child(10, &one)));
    assert_eq!(started(&mut order), [2]);
    push(&mut order, &child(20, &two));
    assert_eq!(started(&mut order), [100], "it is deeper than 11");
    order.end(&child(100, &child(10, &one)));
    assert_eq!(started(&mut order), [0; 0], "10 is at work again");
    order.end(&child(10, &one));
    assert_eq!(started(&mut order), [20], "trees take turns");
    order.end(&child(20, &two));
    order.end(&two);
    assert_eq!(started(&mut order), [11]);
}

#[test]
fn withdrawn_lost_and_requeued_runs_are_counted_correctly() {
    let mut order = RunOrder::new(1, 0);
    let one = root(1);
    push(&mut order, &one);
    started(&mut order);
    push(&mut order, &child(10, &one));
    assert_eq!(order.withdraw(RunId(10)), Some(()));
    assert_eq!(order.withdraw(RunId(10)), None);
    push(&mut order, &root(2));
    assert_eq!(started(&mut order), [0; 0], "the root no longer waits: the turn is its own");
    order.put_back(one.clone(), ());
    assert_eq!(started(&mut order), [1], "it is first in line");
    push(&mut order, &child(11, &one));
    assert_eq!(started(&mut order), [11]);
    order.put_back(child(11, &one), ());
    assert_eq!(started(&mut order), [2]);
    order.end(&root(2));
    assert_eq!(started(&mut order), [11]);
    push(&mut order, &child(12, &one));
    assert_eq!(order.drain().len(), 1);
    order.end(&child(11, &one));
    order.end(&one);
    // A run whose root is over: it is about to be cancelled, and must not block others.
    push(&mut order, &child(13, &one));
    assert_eq!(started(&mut order), [13]);
    order.end(&child(13, &one));
    push(&mut order, &root(3));
    assert_eq!(started(&mut order), [3]);
}

#[test]
fn unruly_tools_do_not_get_every_turn() {
    let mut order = RunOrder::new(2, 0);
    for run in 1..=2 {
        order.note(&root(run).tool, LastRun::Stopped);
        push(&mut order, &root(run));
    }
    assert_eq!(started(&mut order).len(), 1);
    push(&mut order, &root(3));
    assert_eq!(started(&mut order), [3]);
}

#[test]
fn waiting_unruly_tools_do_not_block_others() {
    let mut order = RunOrder::new(2, 8);
    for run in 1..=4 {
        order.note(&root(run).tool, LastRun::Stopped);
        push(&mut order, &root(run));
    }
    for _ in 1..=4 {
        let [run] = started(&mut order)[..] else { panic!("one at a time") };
        order.note_activity(&root(run), Activity::Waiting);
    }
    order.note_activity(&root(1), Activity::Busy);
    order.note(&root(5).tool, LastRun::Stopped);
    push(&mut order, &root(5));
    assert_eq!(started(&mut order), [0; 0], "one works again");
}

/// A deterministic random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

#[test]
fn random_trees_all_end_with_a_bounded_number_of_workers() {
    const DEPTH: u32 = 4;
    for (turns, max_waiting) in (1..=4).flat_map(|turns| [(turns, 0), (turns, 3)]) {
        for seed in 0..100 {
            let mut random = Random(seed);
            let mut order = RunOrder::new(turns, max_waiting);
            let mut last = 0;
            // Each run with the number of runs that it will start, and that it waits for.
            let mut busy: Vec<(ScheduledRun, usize, usize)> = Vec::new();
            let mut left = 12;
            let mut nested = 150;
            for step in 0.. {
                assert!(step < 100_000, "turns {turns}, seed {seed}: no end");
                if left > 0 && random.below(3) == 0 {
                    left -= 1;
                    last += 1;
                    push(&mut order, &root(last));
                }
                while let Some((scheduled, ())) = order.next() {
                    let more = if scheduled.lineage.depth < DEPTH { random.below(5) } else { 0 };
                    busy.push((scheduled, more, 0));
                }
                let workers = (turns * 2 + max_waiting) * (DEPTH as usize + 1) * (1 + max_waiting) + turns;
                assert!(busy.len() <= workers, "turns {turns}, seed {seed}: {} workers", busy.len());
                let at_work: Vec<usize> = (0..busy.len()).filter(|at| busy[*at].2 == 0).collect();
                if at_work.is_empty() {
                    assert!(busy.is_empty(), "turns {turns}, seed {seed}: all wait for each other");
                    if left == 0 {
                        break;
                    }
                    continue;
                }
                // A run that waits for no nested run starts to wait, works again, starts nested runs, or ends.
                let at = at_work[random.below(at_work.len())];
                let (scheduled, more, waits) = &mut busy[at];
                if max_waiting > 0 && random.below(2) == 0 {
                    order.note_activity(
                        scheduled,
                        if random.below(2) == 0 { Activity::Waiting } else { Activity::Busy },
                    );
                    continue;
                }
                if *more > 0 && nested > 0 {
                    let starts = std::mem::take(more);
                    *waits = starts;
                    nested -= starts.min(nested);
                    let parent = scheduled.clone();
                    for _ in 0..starts {
                        last += 1;
                        push(&mut order, &child(last, &parent));
                    }
                } else {
                    let (scheduled, _, _) = busy.swap_remove(at);
                    order.end(&scheduled);
                    if let Some(parent) = scheduled.lineage.parent {
                        busy.iter_mut().find(|(other, _, _)| other.run == parent).unwrap().2 -= 1;
                    }
                }
            }
        }
    }
}

#[test]
fn resumed_unruly_roots_use_the_places_of_waiting_runs() {
    let (turns, max_waiting, bombs) = (4, 16, 19);
    let mut order = RunOrder::new(turns, max_waiting);
    for run in 1..=bombs {
        order.note(&root(run).tool, LastRun::Stopped);
        push(&mut order, &root(run));
    }
    let mut begun = Vec::new();
    while let Some((bomb, ..)) = order.next() {
        order.note_activity(&bomb, Activity::Waiting);
        begun.push(bomb);
    }
    for bomb in &begun {
        order.note_activity(bomb, Activity::Busy);
    }
    for run in 100..140 {
        order.note(&root(run).tool, LastRun::Ended);
        push(&mut order, &root(run));
    }
    let mut others = 0;
    while let Some((other, ..)) = order.next() {
        order.note_activity(&other, Activity::Waiting);
        others += 1;
    }
    assert!(others > 0, "one turn is theirs");
    assert!(begun.len() + others <= turns + max_waiting, "{} and {others} have workers", begun.len());
}

#[test]
fn resumed_unruly_roots_leave_a_turn_for_others() {
    for (bombs, max_waiting) in [(4, 16), (12, 16)] {
        let mut order = RunOrder::new(4, max_waiting);
        for run in 1..=bombs + 1 {
            order.note(&root(run).tool, LastRun::Stopped);
            push(&mut order, &root(run));
        }
        let mut waiting = Vec::new();
        while waiting.len() < usize::try_from(bombs).unwrap() {
            let begun = order.next().unwrap().0;
            order.note_activity(&begun, Activity::Waiting);
            waiting.push(begun);
        }
        for bomb in &waiting {
            order.note_activity(bomb, Activity::Busy);
        }
        assert_eq!(started(&mut order), [0; 0], "no more of them");
        for run in [100, 101] {
            order.note(&root(run).tool, LastRun::Ended);
            push(&mut order, &root(run));
        }
        assert_eq!(started(&mut order), [100], "one worker more, not two");
        push(&mut order, &child(102, &root(100)));
        push(&mut order, &child(103, waiting.first().unwrap()));
        assert_eq!(started(&mut order), [102], "what it starts goes on by the same turn");
        order.end(&child(102, &root(100)));
        order.end(&root(100));
        assert_eq!(started(&mut order), [101]);
    }
}
