//! The scheduler: decides which run is started next.
//!
//! A run that was not started by a tool is the root of a tree: the runs that it starts, directly or not, share its turn. A run
//! that waits for nested runs lends its turn to them, so a tree always makes progress, and it holds one turn however many
//! runs it starts. Only turns that no other tree needs are used to run more of one tree at once.

use super::fair_queue::{FairQueue, LastRun, PriorityClass, UnrulyShare};
use crate::lineage::Lineage;
use crate::message::Activity;
use std::collections::HashMap;
use std::sync::Arc;
use tgp_base::ids::RunId;
use tgp_base::round_robin_queue::RoundRobinQueue;

/// The properties of a run that decide its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledRun {
    pub run: RunId,
    pub lineage: Lineage,
    pub tool: String,
    /// The owner of the root.
    pub owner: Arc<str>,
}

/// Limit of trees, as a multiple of the turns. A tree whose runs all wait holds no turn, but each of its runs holds a worker.
const TREES_PER_TURN: usize = 2;

/// A run that has a worker.
struct StartedRun {
    depth: u32,
    class: PriorityClass,
    /// Nested runs that are not over.
    children: u32,
    turn: Turn,
    activity: Activity,
}

/// The turn that a run was started with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// The turn of its tree.
    Own,
    /// A turn that no other tree needed.
    Spare,
}

/// The runs of one root that have a worker.
#[derive(Default)]
struct Tree {
    started: HashMap<RunId, StartedRun>,
    waiting: usize,
}

impl Tree {
    /// Runs that wait neither for nested runs nor for answers or timers.
    fn active(&self) -> usize {
        self.started.values().filter(|run| run.children == 0 && run.activity == Activity::Busy).count()
    }

    /// Runs with a worker that wait for answers or timers.
    fn resting(&self) -> usize {
        self.started.values().filter(|run| run.children == 0 && run.activity == Activity::Waiting).count()
    }

    /// Whether all its runs wait, so that its turn may be lent.
    fn only_waits(&self) -> bool {
        self.active() == 0 && self.resting() > 0
    }

    /// Whether a nested run may be started with the tree's own turn.
    fn has_turn(&self, is_crowded: bool) -> bool {
        self.active() == 0 && (self.resting() == 0 || !is_crowded)
    }

    fn spare(&self) -> usize {
        self.started.values().filter(|run| run.turn == Turn::Spare).count()
    }

    /// Whether its root is an unruly tool.
    fn is_unruly(&self) -> bool {
        self.started.values().any(|run| run.depth == 0 && run.class == PriorityClass::Unruly)
    }

    fn is_over(&self) -> bool {
        self.started.is_empty() && self.waiting == 0
    }
}

/// The kind of run that is next when both kinds are queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum RunKind {
    #[default]
    Root,
    Nested,
}

/// The queue position of a run among those of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arrival {
    New,
    /// It was queued before, so it goes first.
    Again,
}

/// The queued runs and the started runs.
pub struct RunOrder<T> {
    turns: usize,
    /// Most runs that wait for answers or timers without holding a turn.
    max_waiting: usize,
    roots: FairQueue<(ScheduledRun, T)>,
    /// By root, the deepest first, because the runs that wait for them hold workers.
    nested: RoundRobinQueue<RunId, (ScheduledRun, T)>,
    trees: HashMap<RunId, Tree>,
    next: RunKind,
}

impl<T> RunOrder<T> {
    /// A scheduler with `turns` concurrent trees, while up to `max_waiting` runs wait for answers or timers.
    pub fn new(turns: usize, max_waiting: usize) -> Self {
        Self {
            turns,
            max_waiting,
            roots: FairQueue::default(),
            nested: RoundRobinQueue::default(),
            trees: HashMap::new(),
            next: RunKind::default(),
        }
    }

    /// Number of queued roots.
    pub fn waiting_roots(&self) -> usize {
        self.roots.len()
    }

    /// Removes a root of the owner with the most queued roots, to make room for one of `owner`.
    pub fn make_room(&mut self, owner: &str) -> Option<(ScheduledRun, T)> {
        self.roots.make_room(owner)
    }

    /// Records the outcome of a run of `tool`.
    pub fn note(&mut self, tool: &str, last_run: LastRun) {
        self.roots.note(tool, last_run);
    }

    pub fn push(&mut self, scheduled: ScheduledRun, item: T) {
        if let Some(parent) = self.parent(&scheduled) {
            parent.children += 1;
        }
        self.wait(scheduled, item, Arrival::New);
    }

    /// Queues a run again, in first place, whose worker ended before the run began.
    pub fn put_back(&mut self, scheduled: ScheduledRun, item: T) {
        self.remove_started(&scheduled);
        self.wait(scheduled, item, Arrival::Again);
    }

    /// The next run for a worker.
    pub fn next(&mut self) -> Option<(ScheduledRun, T)> {
        let (scheduled, item, turn) = self.take()?;
        let class = self.roots.class_of(&scheduled.tool);
        let depth = scheduled.lineage.depth;
        let tree = self.trees.entry(scheduled.lineage.root).or_default();
        tree.started.insert(scheduled.run, StartedRun { depth, class, children: 0, turn, activity: Activity::Busy });
        Some((scheduled, item))
    }

    /// Number of runs that could be started now.
    pub fn startable(&self) -> usize {
        let active = self.active();
        let free = self.turns.saturating_sub(self.counted_at_work());
        let is_crowded = self.is_crowded();
        let may = |root: &&RunId| self.trees.get(*root).is_none_or(|tree| tree.has_turn(is_crowded));
        let waiting_trees = self.nested.owners().filter(may).count();
        let roots = self.roots.len().min(self.room_for_trees());
        let own = free.min(waiting_trees + roots);
        let spare = self.turns.saturating_sub(active + own).min(self.turns.saturating_sub(self.spare()));
        own + spare.min(self.nested.len().saturating_sub(own.min(waiting_trees)))
    }

    /// Records whether a started run waits for answers or timers.
    pub fn note_activity(&mut self, scheduled: &ScheduledRun, activity: Activity) {
        let tree = self.trees.get_mut(&scheduled.lineage.root);
        if let Some(run) = tree.and_then(|tree| tree.started.get_mut(&scheduled.run)) {
            run.activity = activity;
        }
    }

    /// Records the end of a started run.
    pub fn end(&mut self, scheduled: &ScheduledRun) {
        self.remove_started(scheduled);
        self.note_end_at_parent(scheduled);
    }

    /// Removes a queued run.
    pub fn withdraw(&mut self, run: RunId) -> Option<T> {
        if let Some((scheduled, item)) = self.nested.remove(|(scheduled, _)| scheduled.run == run) {
            self.forget_waiting(&scheduled);
            self.note_end_at_parent(&scheduled);
            return Some(item);
        }
        self.roots.remove(|(scheduled, _)| scheduled.run == run).map(|(_, item)| item)
    }

    /// Removes all queued runs.
    pub fn drain(&mut self) -> Vec<T> {
        let nested = self.nested.drain();
        for (scheduled, _) in &nested {
            self.forget_waiting(scheduled);
            self.note_end_at_parent(scheduled);
        }
        nested.into_iter().chain(self.roots.drain()).map(|(_, item)| item).collect()
    }

    fn take(&mut self) -> Option<(ScheduledRun, T, Turn)> {
        if self.counted_at_work() < self.turns {
            let kinds = match self.next {
                RunKind::Root => [RunKind::Root, RunKind::Nested],
                RunKind::Nested => [RunKind::Nested, RunKind::Root],
            };
            for kind in kinds {
                let (taken, other) = match kind {
                    RunKind::Root => (self.take_root(), RunKind::Nested),
                    RunKind::Nested => (self.take_nested(Turn::Own), RunKind::Root),
                };
                if let Some((scheduled, item)) = taken {
                    self.next = other;
                    return Some((scheduled, item, Turn::Own));
                }
            }
        }
        if self.active() >= self.turns || self.spare() >= self.turns {
            return None;
        }
        self.take_nested(Turn::Spare).map(|(scheduled, item)| (scheduled, item, Turn::Spare))
    }

    fn take_root(&mut self) -> Option<(ScheduledRun, T)> {
        let share = self.unruly_share();
        if self.room_for_trees() == 0 { None } else { self.roots.pop(share) }
    }

    fn take_nested(&mut self, turn: Turn) -> Option<(ScheduledRun, T)> {
        let (trees, is_crowded) = (&self.trees, self.is_crowded());
        let is_for_others = self.unruly_beyond_share() > 0;
        let has_turn = |tree: &Tree| tree.has_turn(is_crowded) && !(is_for_others && tree.is_unruly());
        let may = |root: &RunId| turn == Turn::Spare || trees.get(root).is_none_or(has_turn);
        let (scheduled, item) = self.nested.next(may)?;
        self.forget_waiting(&scheduled);
        Some((scheduled, item))
    }

    /// The share of unruly tools: with more than one turn, one is reserved for others.
    fn unruly_share(&self) -> UnrulyShare {
        // Trees that have lent their turn do not count.
        let held = self.trees.values().filter(|tree| !self.has_lent(tree) && tree.is_unruly()).count();
        if held < self.most_unruly() { UnrulyShare::Open } else { UnrulyShare::Full }
    }

    fn most_unruly(&self) -> usize {
        self.turns.saturating_sub(1).max(1)
    }

    /// Unruly trees at work beyond their share: they were started while others waited, which then continued.
    fn unruly_beyond_share(&self) -> usize {
        let working = self.trees.values().filter(|tree| tree.active() > 0 && tree.is_unruly()).count();
        working.saturating_sub(self.most_unruly())
    }

    /// Most trees that may wait without holding a turn. Working unruly trees beyond their share reduce it.
    fn lent_now(&self) -> usize {
        self.max_waiting.saturating_sub(self.unruly_beyond_share())
    }

    /// Trees that hold a turn, without the unruly ones beyond their share, which take no turn from others.
    fn counted_at_work(&self) -> usize {
        self.at_work().saturating_sub(self.unruly_beyond_share())
    }

    /// Trees that hold a turn: those at work, and waiting ones beyond the number that may lend theirs.
    fn at_work(&self) -> usize {
        let working = self.trees.values().filter(|tree| tree.active() > 0).count();
        working + self.waiting_trees().saturating_sub(self.lent_now())
    }

    /// Whether the number of waiting runs is at its limit: then no tree starts another run in place of a waiting one.
    fn is_crowded(&self) -> bool {
        self.trees.values().map(Tree::resting).sum::<usize>() >= self.lent_now()
    }

    /// Whether a tree has lent its turn.
    fn has_lent(&self, tree: &Tree) -> bool {
        tree.only_waits() && self.waiting_trees() <= self.lent_now()
    }

    /// Number of trees that wait for answers or timers.
    fn waiting_trees(&self) -> usize {
        self.trees.values().filter(|tree| tree.only_waits()).count()
    }

    fn active(&self) -> usize {
        self.trees.values().map(Tree::active).sum()
    }

    fn spare(&self) -> usize {
        self.trees.values().map(Tree::spare).sum()
    }

    fn room_for_trees(&self) -> usize {
        let most = self.turns.saturating_mul(TREES_PER_TURN) + self.waiting_trees().min(self.lent_now());
        most.saturating_sub(self.trees.len().saturating_sub(self.unruly_beyond_share()))
    }

    fn wait(&mut self, scheduled: ScheduledRun, item: T, arrival: Arrival) {
        let Lineage { root, depth, .. } = scheduled.lineage;
        if depth == 0 {
            let (owner, tool) = (Arc::clone(&scheduled.owner), scheduled.tool.clone());
            return match arrival {
                Arrival::New => self.roots.push(&owner, &tool, (scheduled, item)),
                Arrival::Again => self.roots.push_front(&owner, &tool, (scheduled, item)),
            };
        }
        self.trees.entry(root).or_default().waiting += 1;
        self.nested.insert(root, (scheduled, item), |(other, _)| match arrival {
            Arrival::New => other.lineage.depth < depth,
            Arrival::Again => other.lineage.depth <= depth,
        });
    }

    fn remove_started(&mut self, scheduled: &ScheduledRun) {
        self.update_tree(scheduled, |tree| {
            tree.started.remove(&scheduled.run);
        });
    }

    fn forget_waiting(&mut self, scheduled: &ScheduledRun) {
        self.update_tree(scheduled, |tree| tree.waiting = tree.waiting.saturating_sub(1));
    }

    fn update_tree(&mut self, scheduled: &ScheduledRun, change: impl FnOnce(&mut Tree)) {
        let root = scheduled.lineage.root;
        let Some(tree) = self.trees.get_mut(&root) else { return };
        change(tree);
        if tree.is_over() {
            self.trees.remove(&root);
        }
    }

    fn note_end_at_parent(&mut self, scheduled: &ScheduledRun) {
        if let Some(parent) = self.parent(scheduled) {
            parent.children = parent.children.saturating_sub(1);
        }
    }

    fn parent(&mut self, scheduled: &ScheduledRun) -> Option<&mut StartedRun> {
        self.trees.get_mut(&scheduled.lineage.root)?.started.get_mut(&scheduled.lineage.parent?)
    }
}
