//! How much the parser may do with one source, and how deep it may go.
//!
//! swc's TypeScript grammar guesses: it reads on, and where it guessed wrong it goes back and reads the same text another
//! way. Guesses within guesses multiply, so that a few dozen characters can keep it busy for ever, and it recurses
//! without a guard. It offers no way to stop it. But built with its trace points, it asks at each of them whether
//! anybody listens. The listener here counts, looks at the stack, and ends a parse that has had enough by unwinding.
//!
//! What is counted depends on the text alone, so the same source always ends the same way. The clock is there for what
//! makes single steps slow, and ordinary sources end long before it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Dispatch, Event, Metadata, Subscriber, dispatcher};

/// Where swc's trace points are.
const PARSER: &str = "swc_ecma_parser::parser";

/// Steps that any source gets: some thousand lines of ordinary code.
const MIN_STEPS: u64 = 100_000;

/// Steps per byte of source. Of 35 000 published files, minified ones too, none takes more than three.
const STEPS_PER_BYTE: u64 = 8;

/// Stack that the parser may use at most: enough for brackets some thousand deep, which is more than anything after it
/// would take.
const MAX_STACK: usize = 16 << 20;

/// Stack that the parser may use between two trace points, with a margin.
const RESERVE: usize = 512 << 10;

/// Time that a parse may take: a hundred times what the largest source needs.
const MAX_TIME: Duration = Duration::from_secs(10);

/// The clock is looked at once in so many steps.
const STEPS_PER_LOOK: u64 = 256;

/// Why a parse was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spent {
    /// All steps.
    Steps,
    Stack,
    Time,
}

/// What a job may still use; of its thread alone.
#[derive(Clone, Copy)]
struct Allowance {
    steps: u64,
    /// The lowest address that the stack may reach.
    floor: usize,
    end: Option<Instant>,
}

thread_local! {
    static LEFT: Cell<Allowance> = const { Cell::new(Allowance { steps: u64::MAX, floor: 0, end: None }) };
}

static METER: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(Meter));

/// The steps that a source of this size gets.
pub(crate) fn steps_for(bytes: usize) -> u64 {
    MIN_STEPS + STEPS_PER_BYTE * bytes as u64
}

/// Runs a parse on a thread that has about `stack` bytes of stack left.
pub(crate) fn metered<T>(steps: u64, stack: usize, parse: impl FnOnce() -> T) -> Result<T, Spent> {
    let floor = here().saturating_sub(stack.min(MAX_STACK).saturating_sub(RESERVE));
    let before = LEFT.replace(Allowance { steps, floor, end: Instant::now().checked_add(MAX_TIME) });
    // What a parse leaves half-made is its own, and dropped here.
    let outcome = catch_unwind(AssertUnwindSafe(|| dispatcher::with_default(&METER, parse)));
    LEFT.set(before);
    outcome.or_else(|payload| match payload.downcast::<Spent>() {
        Ok(spent) => Err(*spent),
        Err(other) => resume_unwind(other),
    })
}

/// Roughly where the stack is.
#[inline(never)]
fn here() -> usize {
    let mark = 0_u8;
    std::hint::black_box(std::ptr::from_ref(&mark)).addr()
}

struct Meter;

impl Subscriber for Meter {
    fn register_callsite(&self, point: &'static Metadata<'static>) -> Interest {
        if point.is_event() && point.target().starts_with(PARSER) { Interest::sometimes() } else { Interest::never() }
    }

    /// Asked at every trace point; nothing is ever recorded.
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        let Allowance { steps, floor, end } = LEFT.get();
        let Some(steps) = steps.checked_sub(1) else { resume_unwind(Box::new(Spent::Steps)) };
        if here() < floor {
            resume_unwind(Box::new(Spent::Stack));
        }
        if steps.is_multiple_of(STEPS_PER_LOOK) && end.is_some_and(|end| Instant::now() > end) {
            resume_unwind(Box::new(Spent::Time));
        }
        LEFT.set(Allowance { steps, floor, end });
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
