//! Streams a pack of missing objects, like `git upload-pack`, within limits.
//!
//! Deltas are copied unchanged if their base is in the pack too. The receiver resolves and checks them.

use super::ForeignRepository;
use super::objects::{ForeignObjects, ObjectLocation, Stored};
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::{Limit, Limits, MAX_DELTA_CHAIN};
use crate::objects::pack::{CommitLinks, Encoding, EntryHeader, RecentNames};
use crate::objects::raw_tree;
use flate2::{Compress, Compression, FlushCompress, Status};
use git2::{ObjectType, Oid};
use sha1::{Digest, Sha1};
use std::collections::{HashMap, HashSet};
use std::io::{self, Read};

pub(crate) struct PackServer<'p> {
    objects: ForeignObjects<'p>,
    deadline: &'p ExchangeDeadline,
    chain_bytes: u64,
    /// Objects to send, last first.
    waiting: Vec<ObjectLocation>,
    /// The offset of each object in the pack, once it was written.
    sent: HashMap<ObjectLocation, Option<u64>>,
    buffer: Vec<u8>,
    at: usize,
    offset: u64,
    deflater: Compress,
    sum: Sha1,
    is_over: bool,
}

impl<'p> PackServer<'p> {
    /// Collects all objects reachable from `want` for which `is_known` is false.
    pub(crate) fn new(
        repository: &ForeignRepository,
        want: Oid,
        is_known: &dyn Fn(Oid) -> bool,
        limits: &Limits,
        deadline: &'p ExchangeDeadline,
    ) -> Result<Self, GitError> {
        let mut objects = ForeignObjects::new(repository, limits, deadline)?;
        let mut waiting = reachable(&mut objects, want, is_known, limits, deadline)?;
        waiting.reverse();
        let sent: HashMap<_, _> = waiting.iter().map(|location| (*location, None)).collect();
        let count = u32::try_from(sent.len()).map_err(|_| GitError::RemoteLimit(Limit::Objects(limits.objects())))?;
        let buffer = [b"PACK".as_slice(), &2_u32.to_be_bytes(), &count.to_be_bytes()].concat();
        Ok(Self {
            objects,
            deadline,
            chain_bytes: limits.chain_bytes(),
            waiting,
            sent,
            offset: buffer.len() as u64,
            sum: Sha1::new_with_prefix(&buffer),
            buffer,
            at: 0,
            deflater: Compress::new(Compression::fast(), true),
            is_over: false,
        })
    }

    /// Fills the buffer with the next object; at the end with the checksum, then with nothing.
    fn next(&mut self) -> Result<(), GitError> {
        self.buffer.clear();
        self.at = 0;
        while let Some(location) = self.waiting.pop() {
            if self.sent.get(&location) != Some(&None) {
                continue;
            }
            self.deadline.remaining()?;
            let (encoding, content) = match self.objects.stored(location)? {
                Stored::Whole(kind, content) => (Encoding::Whole(kind), content),
                Stored::Delta(base, delta) => match self.sent.get(&base).copied() {
                    Some(Some(offset)) => (Encoding::OffsetDelta(self.offset - offset), delta),
                    Some(None) => {
                        // The base goes first. The limit detects cycles.
                        if self.waiting.len() > self.sent.len() + usize::from(MAX_DELTA_CHAIN) {
                            return Err(GitError::RemoteLimit(Limit::DeltaChain(self.chain_bytes)));
                        }
                        self.waiting.extend([location, base]);
                        continue;
                    }
                    None => {
                        let object = self.objects.read(location)?;
                        let header =
                            EntryHeader { encoding: Encoding::Whole(object.kind), size: object.content.len() as u64 };
                        header.write(&mut self.buffer);
                        deflate(&mut self.deflater, &object.content, &mut self.buffer)?;
                        self.put(location);
                        return Ok(());
                    }
                },
            };
            EntryHeader { encoding, size: content.len() as u64 }.write(&mut self.buffer);
            match self.objects.deflated() {
                Some(bytes) => self.buffer.extend_from_slice(bytes),
                None => deflate(&mut self.deflater, &content, &mut self.buffer)?,
            }
            self.put(location);
            return Ok(());
        }
        if !self.is_over {
            self.is_over = true;
            self.buffer = std::mem::take(&mut self.sum).finalize().to_vec();
        }
        Ok(())
    }

    /// Records that the buffer contains the object at `location`.
    fn put(&mut self, location: ObjectLocation) {
        self.sent.insert(location, Some(self.offset));
        self.offset += self.buffer.len() as u64;
        self.sum.update(&self.buffer);
    }
}

/// Appends compressed `content` to `out`.
fn deflate(deflater: &mut Compress, content: &[u8], out: &mut Vec<u8>) -> Result<(), GitError> {
    deflater.reset();
    loop {
        let done = usize::try_from(deflater.total_in()).unwrap_or(usize::MAX);
        let rest = content.get(done..).unwrap_or_default();
        out.reserve(rest.len() + rest.len() / 512 + 64);
        let failed = |error| GitError::io("pack an object")(io::Error::other(error));
        if deflater.compress_vec(rest, out, FlushCompress::Finish).map_err(failed)? == Status::StreamEnd {
            return Ok(());
        }
    }
}

impl Read for PackServer<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.buffer.len() {
            self.next().map_err(io::Error::other)?;
        }
        let count = self.buffer.get(self.at..).unwrap_or_default().read(buffer)?;
        self.at += count;
        Ok(count)
    }
}

/// All objects reachable from `want`: commits, then trees, then blobs.
fn reachable(
    objects: &mut ForeignObjects<'_>,
    want: Oid,
    is_known: &dyn Fn(Oid) -> bool,
    limits: &Limits,
    deadline: &ExchangeDeadline,
) -> Result<Vec<ObjectLocation>, GitError> {
    let recent = RecentNames::new();
    let mut visited = VisitedObjects { seen: HashSet::new(), recent, count: 0, most: limits.objects(), is_known };
    let mut room = limits.unpacked_bytes();
    let (mut found, mut files) = (Vec::new(), Vec::new());
    let mut read = |id: Oid, kind: ObjectType| {
        deadline.remaining()?;
        let location = objects.locate(id)?;
        found.push(location);
        let object = objects.read(location)?;
        let left = room.checked_sub(object.content.len() as u64);
        room = left.ok_or(GitError::RemoteLimit(Limit::UnpackedBytes(limits.unpacked_bytes())))?;
        if object.kind == kind {
            Ok(object)
        } else {
            Err(GitError::protocol("its commits refer to an object of another type"))
        }
    };
    let (mut commits, mut folders) = (vec![want], Vec::new());
    visited.is_new(want)?;
    while let Some(id) = commits.pop() {
        let links = CommitLinks::read(&read(id, ObjectType::Commit)?.content)?;
        if visited.is_new(links.tree)? {
            folders.push(links.tree);
        }
        for parent in links.parents {
            if visited.is_new(parent)? {
                commits.push(parent);
            }
        }
    }
    // Newest first, as in `git`: deltas have newer versions as their base.
    folders.reverse();
    while let Some(id) = folders.pop() {
        for entry in raw_tree::entries(&read(id, ObjectType::Tree)?.content) {
            let entry = entry.map_err(|_| GitError::protocol("it has an invalid folder"))?;
            match entry.kind() {
                Some(ObjectType::Tree) if visited.is_new(entry.id)? => folders.push(entry.id),
                Some(ObjectType::Blob) if visited.is_new(entry.id)? => files.push(entry.id),
                Some(_) | None => {}
            }
        }
    }
    for id in files {
        deadline.remaining()?;
        found.push(objects.locate(id)?);
    }
    Ok(found)
}

/// The visited objects.
struct VisitedObjects<'k> {
    seen: HashSet<Oid>,
    recent: RecentNames,
    count: u64,
    most: u64,
    is_known: &'k dyn Fn(Oid) -> bool,
}

impl VisitedObjects<'_> {
    /// Whether the object is visited for the first time and is not known to the receiver.
    fn is_new(&mut self, id: Oid) -> Result<bool, GitError> {
        if self.recent.is_repeated(id, ObjectType::Any) || !self.seen.insert(id) || (self.is_known)(id) {
            return Ok(false);
        }
        self.count += 1;
        if self.count > self.most { Err(GitError::RemoteLimit(Limit::Objects(self.most))) } else { Ok(true) }
    }
}

#[cfg(test)]
mod tests {
    use super::{ForeignRepository, PackServer};
    use crate::exchange_deadline::{ExchangeDeadline, Halt};
    use crate::objects::pack;
    use crate::tests::test_repository::{TestRepository, git, limits};
    use git2::{Oid, Repository};
    use std::io::Read;
    use std::time::Duration;

    #[test]
    fn packed_and_loose_objects_are_sent_and_deltas_copied() {
        let test = TestRepository::new();
        let version = |number: usize| -> Vec<u8> {
            (0..200).flat_map(|line| format!("line {} of {number}\n", line * number).into_bytes()).collect()
        };
        for number in 0..20 {
            test.forge("tools/a.ts", &version(number));
            test.forge(&format!("tools/b{number}.ts"), version(number).get(..900).unwrap());
            if number == 4 || number == 8 {
                // One pack with REF_DELTA entries, one with OFS_DELTA entries, and the rest loose.
                let encoding = if number == 4 { "false" } else { "true" };
                test.git(&["-c", &format!("repack.useDeltaBaseOffset={encoding}"), "repack", "-q", "-d", "-f"]);
            }
        }
        let want = Oid::from_str(test.git(&["rev-parse", "HEAD"]).trim()).unwrap();
        let remote = ForeignRepository::find(&test.root()).unwrap();
        assert_eq!(remote.pack_indexes().unwrap().len(), 2);
        let deadline = ExchangeDeadline::new(Duration::from_secs(60), &Halt::default());
        let mut served = Vec::new();
        PackServer::new(&remote, want, &|_| false, &limits(), &deadline).unwrap().read_to_end(&mut served).unwrap();
        let copy = tempfile::tempdir().unwrap();
        let repository = Repository::init_bare(copy.path()).unwrap();
        pack::receive(&repository, &mut served.as_slice(), want, &limits(), &deadline).unwrap();
        repository.reference("refs/heads/main", want, true, "copy").unwrap();
        assert_eq!(git(copy.path(), &["fsck", "--full", "--strict"]), "");
        let list = ["rev-list", "--objects", "main"];
        assert_eq!(git(copy.path(), &list), test.git(&list));
        let text = git(copy.path(), &["verify-pack", "-v", &first_pack(copy.path())]);
        assert!(text.contains("chain length = 2"), "{text}");
    }

    fn first_pack(root: &std::path::Path) -> String {
        let index = ForeignRepository::find(root).unwrap().pack_indexes().unwrap();
        index.first().unwrap().to_string_lossy().into_owned()
    }
}
