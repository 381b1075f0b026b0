//! Table tests of a pool: sequences of events and the expected actions.

use super::{Ends, IDLE, LIMITS, Silent, request};
use crate::confinement::Confinement;
use crate::crash_cause::CrashCause;
use crate::message::Fitness;
use crate::pool::active_run::{ActiveRun, Rogue};
use crate::pool::pool_action::{Loss, Refusal};
use crate::pool::pool_state::{PoolState, QueueLimits};
use crate::pool::worker_slots::WorkerId;
use crate::run_end::RunEnd;
use crate::run_request::when_done;
use crate::sandbox_error::SandboxError;
use crate::transport::Worker;
use crossbeam_channel::unbounded;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::ids::RunId;

/// An event of a pool. Workers and runs are numbered in their order.
#[derive(Debug, Clone, Copy)]
enum Step {
    Enqueue(u64),
    Reserve,
    Attach(usize),
    Ready(usize),
    Assign,
    Begin(usize, u64),
    Finish(usize, u64, Ending),
    Cancel(u64),
    StartFailed(usize),
    Gone(usize),
    GiveUp(usize),
    /// That many seconds pass, and the supervisor checks.
    Wait(u64),
    Close,
}

#[derive(Debug, Clone, Copy)]
enum Ending {
    Well,
    Spent,
    OutOfTime,
}

/// A pool that is driven by steps.
struct Simulation {
    state: PoolState,
    workers: Vec<(WorkerId, Arc<Silent>)>,
    now: Instant,
    ends: Vec<Ends>,
}

impl Simulation {
    fn new(max_workers: usize, warm: usize, max_waiting: usize) -> Self {
        let state = PoolState::new(max_workers, 0, warm, IDLE, QueueLimits { runs: max_waiting, time: IDLE });
        Self { state, workers: Vec::new(), now: Instant::now(), ends: Vec::new() }
    }

    fn name(&self, worker: &Arc<dyn Worker>) -> String {
        let is_it = |silent: &Arc<Silent>| std::ptr::addr_eq(Arc::as_ptr(silent), Arc::as_ptr(worker));
        format!("w{}", self.workers.iter().position(|(_, silent)| is_it(silent)).unwrap())
    }

    fn describe(&self, loss: Loss) -> Vec<String> {
        let killed = loss.worker.map(|worker| format!("kill {}", self.name(&worker)));
        let lost = loss.run.map(|active| format!("lose {}", active.scheduled.run.0));
        let given_up = (!loss.given_up.is_empty()).then(|| format!("give up {}", loss.given_up.len()));
        killed.into_iter().chain(lost).chain(given_up).collect()
    }

    /// Takes a step and describes the actions of the pool.
    fn take(&mut self, step: Step) -> Vec<String> {
        let now = self.now;
        match step {
            Step::Enqueue(run) => {
                let (sender, ends) = unbounded();
                self.ends.push(ends);
                let done = when_done(move |outcome| drop(sender.send(outcome.map(drop))));
                match self.state.enqueue(request(run), done, self.now) {
                    Ok(None) => Vec::new(),
                    Ok(Some(_)) => vec!["ousted".to_owned()],
                    Err(Refusal::Closed(_)) => vec!["closed".to_owned()],
                    Err(Refusal::Full(_)) => vec!["full".to_owned()],
                }
            }
            Step::Reserve => {
                let ids = self.state.reserve_workers(now);
                let first = self.workers.len();
                self.workers.extend(ids.into_iter().map(|id| (id, Arc::new(Silent::default()))));
                (first..self.workers.len()).map(|place| format!("start w{place}")).collect()
            }
            Step::Attach(worker) => {
                let (id, silent) = self.workers[worker].clone();
                let unwanted = self.state.attach(id, silent, now);
                if unwanted { vec![format!("kill w{worker}")] } else { Vec::new() }
            }
            Step::Ready(worker) => {
                let result = self.state.ready(self.workers[worker].0, Confinement::NONE, now);
                result.err().map(|Rogue| "rogue".to_owned()).into_iter().collect()
            }
            Step::Assign => {
                let assigned = self.state.assign(now);
                assigned
                    .map(|assigned| format!("run {} on {}", assigned.command.run.0, self.name(&assigned.worker)))
                    .into_iter()
                    .collect()
            }
            Step::Begin(worker, run) => {
                let result = self.state.accept(self.workers[worker].0, RunId(run), 0, ActiveRun::begin);
                result.err().map(|Rogue| "rogue".to_owned()).into_iter().collect()
            }
            Step::Finish(worker, run, ending) => {
                let (end, fitness) = match ending {
                    Ending::Well => (RunEnd::Value("1".to_owned()), Fitness::Reusable),
                    Ending::Spent => (RunEnd::Value("1".to_owned()), Fitness::Spent),
                    Ending::OutOfTime => (RunEnd::CpuTimeout, Fitness::Spent),
                };
                let Some(finished) = self.state.finish(self.workers[worker].0, &end, fitness, now) else {
                    return vec!["unheard".to_owned()];
                };
                assert_eq!(finished.active.scheduled.run, RunId(run));
                finished.dismissed.map(|worker| format!("kill {}", self.name(&worker))).into_iter().collect()
            }
            Step::Cancel(run) => {
                let active = self.state.cancel_active(RunId(run)).map(|worker| format!("stop {}", self.name(&worker)));
                let waiting = self.state.take_waiting(RunId(run)).map(|_| format!("drop {run}"));
                active.into_iter().chain(waiting).collect()
            }
            Step::StartFailed(worker) => {
                let given_up =
                    self.state.start_failed(self.workers[worker].0, &SandboxError::KeepsDying(CrashCause::Host));
                self.describe(Loss { given_up, ..Loss::default() })
            }
            Step::Gone(worker) => {
                // Killing an ended process again has no effect.
                let loss = self.state.worker_ended(self.workers[worker].0, CrashCause::Exit(0));
                self.describe(Loss { worker: None, ..loss })
            }
            Step::GiveUp(worker) => {
                let loss = self.state.give_up(self.workers[worker].0, CrashCause::InvalidMessage);
                self.describe(loss)
            }
            Step::Wait(seconds) => {
                self.now += Duration::from_secs(seconds);
                let losses = self.state.take_overdue(self.now);
                losses.into_iter().flat_map(|loss| self.describe(loss)).collect()
            }
            Step::Close => {
                let (workers, orphans) = self.state.close();
                let mut killed: Vec<_> = workers.iter().map(|worker| format!("kill {}", self.name(worker))).collect();
                killed.sort();
                killed.into_iter().chain([format!("drop {}", orphans.len())]).collect()
            }
        }
    }
}

/// Name, then workers, warm workers and queue length of a pool, then events and expected actions.
type Row = (&'static str, (usize, usize, usize), &'static [(Step, &'static str)]);

const TABLE: &[Row] = {
    use Ending::{OutOfTime, Spent, Well};
    use Step::*;
    &[
        (
            "a warm worker takes a run, rests and takes the next",
            (2, 1, 8),
            &[
                (Reserve, "start w0"),
                (Reserve, ""),
                (Attach(0), ""),
                (Ready(0), ""),
                (Assign, ""),
                (Enqueue(1), ""),
                (Assign, "run 1 on w0"),
                (Reserve, "start w1"),
                (Begin(0, 1), ""),
                (Finish(0, 1, Well), ""),
                (Enqueue(2), ""),
                (Assign, "run 2 on w0"),
            ],
        ),
        (
            "a worker may be ready before it is attached",
            (1, 1, 8),
            &[
                (Enqueue(1), ""),
                (Reserve, "start w0"),
                (Ready(0), ""),
                (Assign, ""),
                (Attach(0), ""),
                (Assign, "run 1 on w0"),
            ],
        ),
        (
            "the queue is bounded, and cancelling makes room",
            (1, 0, 1),
            &[(Enqueue(1), ""), (Enqueue(2), "full"), (Cancel(1), "drop 1"), (Enqueue(3), ""), (Cancel(1), "")],
        ),
        (
            "a spent worker is dismissed, and counts until it is gone",
            (1, 0, 8),
            &[
                (Enqueue(1), ""),
                (Reserve, "start w0"),
                (Attach(0), ""),
                (Ready(0), ""),
                (Assign, "run 1 on w0"),
                (Begin(0, 1), ""),
                (Finish(0, 1, Spent), "kill w0"),
                (Finish(0, 1, Well), "unheard"),
                (Enqueue(2), ""),
                (Assign, ""),
                (Reserve, "start w1"),
                (Gone(0), ""),
                (Attach(1), ""),
                (Ready(1), ""),
                (Assign, "run 2 on w1"),
            ],
        ),
        (
            "a run that had not begun is tried three times more, then it is lost",
            (1, 1, 8),
            &[
                (Enqueue(1), ""),
                (Reserve, "start w0"),
                (Attach(0), ""),
                (Ready(0), ""),
                (Assign, "run 1 on w0"),
                (Gone(0), ""),
                (Reserve, "start w1"),
                (Attach(1), ""),
                (Ready(1), ""),
                (Assign, "run 1 on w1"),
                (GiveUp(1), "kill w1"),
                (Reserve, "start w2"),
                (Attach(2), ""),
                (Ready(2), ""),
                (Assign, "run 1 on w2"),
                (Gone(2), ""),
                (Reserve, "start w3"),
                (Attach(3), ""),
                (Ready(3), ""),
                (Assign, "run 1 on w3"),
                (Gone(3), "lose 1"),
            ],
        ),
        (
            "a run that had begun is lost with its worker",
            (1, 1, 8),
            &[
                (Enqueue(1), ""),
                (Reserve, "start w0"),
                (Attach(0), ""),
                (Ready(0), ""),
                (Assign, "run 1 on w0"),
                (Begin(0, 1), ""),
                (Begin(0, 1), "rogue"),
                (GiveUp(0), "kill w0, lose 1"),
                (Gone(0), ""),
                (Reserve, "start w1"),
            ],
        ),
        (
            "a run is past its deadline a second after its wall time",
            (1, 1, 8),
            &[
                (Enqueue(1), ""),
                (Reserve, "start w0"),
                (Attach(0), ""),
                (Ready(0), ""),
                (Wait(100), ""),
                (Assign, "run 1 on w0"),
                (Wait(1), ""),
                (Wait(1), "kill w0, lose 1"),
                (Wait(100), ""),
                (Finish(0, 1, OutOfTime), "unheard"),
            ],
        ),
        (
            "all queued runs fail at the third worker that cannot be started",
            (1, 0, 8),
            &[
                (Enqueue(1), ""),
                (Enqueue(2), ""),
                (Reserve, "start w0"),
                (StartFailed(0), ""),
                (Reserve, "start w1"),
                (StartFailed(1), ""),
                (StartFailed(1), ""),
                (Reserve, "start w2"),
                (Wait(15), "give up 2"),
                (Attach(2), "kill w2"),
                (Reserve, ""),
                (Enqueue(3), ""),
                (Reserve, "start w3"),
            ],
        ),
        (
            "a cancelled run stops its worker and is still finished",
            (1, 1, 8),
            &[
                (Enqueue(1), ""),
                (Reserve, "start w0"),
                (Attach(0), ""),
                (Ready(0), ""),
                (Assign, "run 1 on w0"),
                (Cancel(1), "stop w0"),
                (Finish(0, 1, Well), ""),
                (Cancel(1), ""),
            ],
        ),
        (
            "a pool that closes drops its runs and accepts no more",
            (2, 2, 8),
            &[
                (Reserve, "start w0, start w1"),
                (Attach(0), ""),
                (Ready(0), ""),
                (Enqueue(1), ""),
                (Enqueue(2), ""),
                (Assign, "run 1 on w0"),
                (Close, "kill w0, drop 2"),
                (Attach(1), "kill w1"),
                (Enqueue(3), "closed"),
                (Reserve, ""),
                (Assign, ""),
                (Gone(0), ""),
                (Gone(1), ""),
                (Wait(100), ""),
            ],
        ),
    ]
};

#[test]
fn every_row_of_the_table_gives_the_expected_actions() {
    for (name, (workers, warm, queue), steps) in TABLE {
        let mut pool = Simulation::new(*workers, *warm, *queue);
        for (place, (step, expected)) in steps.iter().enumerate() {
            assert_eq!(pool.take(*step).join(", "), *expected, "{name}: step {place}, {step:?}");
        }
    }
}

#[test]
fn deadlines_follow_the_state_of_the_workers() {
    let quiet = Some(IDLE * 10);
    let mut pool = Simulation::new(1, 1, 8);
    let start = pool.now;
    let mut deadline_after = |step| {
        pool.take(step);
        pool.state.next_deadline().map(|deadline| deadline - start)
    };
    assert_eq!(deadline_after(Step::Reserve), Some(Duration::from_secs(15)));
    assert_eq!(deadline_after(Step::Attach(0)), Some(Duration::from_secs(15)));
    assert_eq!(deadline_after(Step::Ready(0)), quiet);
    assert_eq!(deadline_after(Step::Enqueue(1)), Some(IDLE), "the time in the queue");
    assert_eq!(deadline_after(Step::Assign), Some(LIMITS.wall + Duration::from_secs(1)));
    assert_eq!(deadline_after(Step::Finish(0, 1, Ending::Well)), quiet);
}
