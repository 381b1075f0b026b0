//! The descendants of a process, read from `/proc`.
//!
//! The supervisor is their subreaper: a process whose parent ends becomes its child.

use rustix::process::Pid;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use tgp_base::bounded_read::read_at_most;

/// Longest file of `/proc` that is read; they have some hundred bytes.
const MAX_TEXT: usize = 16 << 10;
const BLOCK_BYTES: u64 = 512;
/// From `USER_HZ`, which is 100 on all systems.
const MS_PER_TICK: u64 = 10;

/// Total resource usage of some processes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processes and threads.
    pub tasks: u64,
    pub memory_bytes: u64,
    pub cpu_ms: u64,
}

struct Process {
    parent: i32,
    threads: u64,
    /// CPU time of its own, and of its reaped children.
    ticks: u64,
    waited_ticks: u64,
}

/// The descendants of the process `own`.
pub struct ProcessTree {
    own: i32,
    processes: BTreeMap<i32, Process>,
    members: BTreeSet<i32>,
}

impl ProcessTree {
    /// Reads the current processes. Processes started meanwhile may be missing.
    pub fn of(own: i32) -> Self {
        let processes: BTreeMap<i32, Process> = ids().filter_map(|id| Some((id, read(id)?))).collect();
        let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
        for (id, process) in &processes {
            children.entry(process.parent).or_default().push(*id);
        }
        let mut members = BTreeSet::new();
        let mut open = vec![own];
        while let Some(id) = open.pop() {
            for child in children.remove(&id).unwrap_or_default() {
                if members.insert(child) {
                    open.push(child);
                }
            }
        }
        Self { own, processes, members }
    }

    pub fn members(&self) -> impl Iterator<Item = Pid> {
        self.members.iter().filter_map(|id| Pid::from_raw(*id))
    }

    pub fn count(&self) -> u64 {
        u64::try_from(self.members.len()).unwrap_or(u64::MAX)
    }

    /// Disk usage of deleted files that are still open.
    pub fn unlinked_bytes(&self) -> u64 {
        let mut seen = BTreeSet::new();
        let open = self.members.iter().filter_map(|id| fs::read_dir(format!("/proc/{id}/fd")).ok()).flatten().flatten();
        let files =
            open.filter_map(|entry| fs::metadata(entry.path()).ok()).filter(|file| file.is_file() && file.nlink() == 0);
        files
            .filter(|file| seen.insert((file.dev(), file.ino())))
            .fold(0, |sum, file| sum.saturating_add(file.blocks().saturating_mul(BLOCK_BYTES)))
    }

    pub fn usage(&self) -> Usage {
        let reaped = self.processes.get(&self.own).map_or(0, |own| own.waited_ticks);
        let mut usage = Usage { cpu_ms: reaped.saturating_mul(MS_PER_TICK), ..Usage::default() };
        for id in &self.members {
            let Some(process) = self.processes.get(id) else { continue };
            usage.tasks = usage.tasks.saturating_add(process.threads);
            let ticks = process.ticks.saturating_add(process.waited_ticks);
            usage.cpu_ms = usage.cpu_ms.saturating_add(ticks.saturating_mul(MS_PER_TICK));
            usage.memory_bytes = usage.memory_bytes.saturating_add(own_memory(*id));
        }
        usage
    }
}

fn ids() -> impl Iterator<Item = i32> {
    fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn text(path: String) -> Option<String> {
    let bytes = read_at_most(File::open(path).ok()?, MAX_TEXT, 0).ok()??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn read(id: i32) -> Option<Process> {
    parse(&text(format!("/proc/{id}/stat"))?)
}

/// Parses `/proc/ID/stat`. The name may contain brackets, so fields are read after the last one.
fn parse(stat: &str) -> Option<Process> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Process {
        parent: fields.get(1)?.parse().ok()?,
        ticks: number(11)?.saturating_add(number(12)?),
        waited_ticks: number(13)?.saturating_add(number(14)?),
        threads: number(17)?.max(1),
    })
}

/// Anonymous and shared memory, without file pages, which processes share.
fn own_memory(id: i32) -> u64 {
    text(format!("/proc/{id}/status")).map_or(0, |status| {
        let kilobytes = status
            .lines()
            .filter_map(|line| line.strip_prefix("RssAnon:").or_else(|| line.strip_prefix("RssShmem:")))
            .filter_map(|value| value.split_ascii_whitespace().next()?.parse::<u64>().ok());
        kilobytes.fold(0, u64::saturating_add).saturating_mul(1024)
    })
}

#[cfg(test)]
mod tests {
    use super::{ProcessTree, parse};

    #[test]
    fn names_with_brackets_are_parsed() {
        let line = "12 (a) b) 7 9 (x)) S 5 12 12 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 6 0 99 1 2";
        let process = parse(line).unwrap();
        assert_eq!((process.parent, process.ticks, process.waited_ticks, process.threads), (5, 30, 70, 6));
        assert!(parse("nonsense").is_none());
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a child to be found")]
    fn descendants_are_found() {
        let mut child = std::process::Command::new("/bin/sh").args(["-c", "(sleep 90; :) & wait"]).spawn().unwrap();
        // The descendants of the child only: this process also has children of other tests.
        let own = i32::try_from(child.id()).unwrap();
        let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
        let looks = std::iter::from_fn(|| (std::time::Instant::now() < end).then(|| ProcessTree::of(own)));
        let found = looks.into_iter().any(|tree| {
            let usage = tree.usage();
            usage.tasks >= 2 && usage.memory_bytes > 0 && tree.members().count() >= 2
        });
        for member in ProcessTree::of(own).members() {
            let _gone = rustix::process::kill_process(member, rustix::process::Signal::KILL);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(found);
    }
}
