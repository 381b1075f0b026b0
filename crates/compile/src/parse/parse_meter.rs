//! Limits on the steps, the stack and the time of a parse.
//!
//! swc's TypeScript parser backtracks: where a speculative parse fails, it parses the same text again in another way. Nested
//! speculation is exponential, so a few dozen characters can keep the parser busy indefinitely, and its recursion is
//! unbounded. It has no cancellation. But when built with trace points, it asks the `tracing` subscriber at each of them
//! whether the event is enabled. The subscriber here counts these calls, checks the stack, and unwinds a parse that exceeds
//! its budget.
//!
//! The count depends on the text alone, so the same source always gives the same result. The clock catches slow single
//! steps; ordinary sources finish long before it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Dispatch, Event, Metadata, Subscriber, dispatcher};

/// Target of swc's trace points.
const PARSER: &str = "swc_ecma_parser::parser";

/// Minimum budget in steps: enough for some thousand lines of ordinary code.
const MIN_STEPS: u64 = 100_000;

/// Steps per byte of source. None of 35 000 published files, some of them minified, takes more than three.
const STEPS_PER_BYTE: u64 = 8;

/// Maximum stack of the parser: enough for brackets nested some thousand deep, more than later passes accept.
const MAX_STACK: usize = 16 << 20;

/// Stack that the parser may use between two trace points, plus a margin.
const RESERVE: usize = 512 << 10;

/// Maximum time of a parse: a hundred times what the largest source needs.
const MAX_TIME: Duration = Duration::from_secs(10);

/// Steps between two checks of the clock.
const STEPS_PER_CLOCK_CHECK: u64 = 256;

/// The limit that ended a parse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParseLimit {
    Steps,
    Stack,
    Time,
}

/// The remaining budget of the parse on this thread.
#[derive(Clone, Copy)]
struct Budget {
    steps: u64,
    /// The lowest address that the stack may reach.
    floor: usize,
    deadline: Option<Instant>,
}

thread_local! {
    static BUDGET: Cell<Budget> = const { Cell::new(Budget { steps: u64::MAX, floor: 0, deadline: None }) };
}

static METER: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(Meter));

/// The step budget of a source of this size.
pub(crate) fn steps_for(bytes: usize) -> u64 {
    MIN_STEPS + STEPS_PER_BYTE * bytes as u64
}

/// Runs a parse within a budget, on a thread with about `stack` bytes of stack left.
pub(crate) fn metered<T>(steps: u64, stack: usize, parse: impl FnOnce() -> T) -> Result<T, ParseLimit> {
    let floor = stack_address().saturating_sub(stack.min(MAX_STACK).saturating_sub(RESERVE));
    let before = BUDGET.replace(Budget { steps, floor, deadline: Instant::now().checked_add(MAX_TIME) });
    // The state of an interrupted parse is its own, and is dropped here.
    let outcome = catch_unwind(AssertUnwindSafe(|| dispatcher::with_default(&METER, parse)));
    BUDGET.set(before);
    outcome.or_else(|payload| match payload.downcast::<ParseLimit>() {
        Ok(limit) => Err(*limit),
        Err(other) => resume_unwind(other),
    })
}

/// The approximate address of the top of the stack.
#[inline(never)]
fn stack_address() -> usize {
    let mark = 0_u8;
    std::hint::black_box(std::ptr::from_ref(&mark)).addr()
}

struct Meter;

impl Subscriber for Meter {
    fn register_callsite(&self, point: &'static Metadata<'static>) -> Interest {
        if point.is_event() && point.target().starts_with(PARSER) { Interest::sometimes() } else { Interest::never() }
    }

    /// Called at every trace point. Nothing is ever recorded.
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        let Budget { steps, floor, deadline } = BUDGET.get();
        let Some(steps) = steps.checked_sub(1) else { resume_unwind(Box::new(ParseLimit::Steps)) };
        if stack_address() < floor {
            resume_unwind(Box::new(ParseLimit::Stack));
        }
        if steps.is_multiple_of(STEPS_PER_CLOCK_CHECK) && deadline.is_some_and(|deadline| Instant::now() > deadline) {
            resume_unwind(Box::new(ParseLimit::Time));
        }
        BUDGET.set(Budget { steps, floor, deadline });
        false
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
