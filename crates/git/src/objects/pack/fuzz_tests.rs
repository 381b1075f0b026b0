//! Fuzz tests of packs, deltas and trees from a hostile remote.

use super::{DeltaSizes, Encoding, EntryHeader, apply, receive};
use crate::exchange_deadline::{ExchangeDeadline, Halt};
use crate::limits::Limits;
use crate::objects::raw_tree::{entries, sorted};
use git2::{ObjectType, Oid, Repository, Signature};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::strategy::{Strategy, Union};
use sha1::{Digest, Sha1};
use std::time::Duration;
use tempfile::TempDir;
use tgp_fuzzing::for_all;

const SUM_BYTES: usize = 20;
const LIMITS: Limits = Limits {
    fetch_bytes: 1 << 20,
    time: Duration::from_secs(60),
    file_bytes: 1 << 16,
    files: 100,
    root_bytes: 1 << 20,
};

#[test]
fn a_delta_is_refused_or_yields_the_announced_size() {
    for_all(file!(), &(vec(any::<u8>(), 0..64), vec(any::<u8>(), 0..64)), |(base, mut delta)| {
        // Most of them for a base of this length.
        if let Some(first) = delta.first_mut() {
            *first = u8::try_from(base.len()).unwrap();
        }
        if let Some(object) = apply(&base, &delta, 1 << 16) {
            let sizes = DeltaSizes::read(&delta).unwrap();
            assert_eq!((object.len() as u64, base.len() as u64), (sizes.result, sizes.base));
        }
    });
}

#[test]
fn a_header_is_refused_or_survives_a_round_trip() {
    let forms = Union::new(vec![
        (0_u64..1 << 50).prop_map(Encoding::OffsetDelta).boxed(),
        any::<[u8; 20]>().prop_map(|id| Encoding::RefDelta(Oid::from_bytes(&id).unwrap())).boxed(),
    ]);
    for_all(file!(), &(vec(any::<u8>(), 0..40), forms, 0_u64..1 << 50), |(bytes, encoding, size)| {
        let again = |header: EntryHeader| {
            let mut written = Vec::new();
            header.write(&mut written);
            assert_eq!(EntryHeader::read(&mut written.as_slice()).unwrap(), header);
        };
        if let Ok(header) = EntryHeader::read(&mut bytes.as_slice()) {
            again(header);
        }
        again(EntryHeader { encoding, size });
    });
}

#[test]
fn a_tree_is_read_completely_or_refused() {
    let entry = ("[0-7]{1,8}", "[a-c/.]{0,3}", any::<[u8; 20]>());
    let inputs = (vec(entry, 0..6), vec(any::<u8>(), 0..30), any::<bool>());
    for_all(file!(), &inputs, |(made, rest, torn)| {
        let mut bytes: Vec<u8> =
            made.iter().flat_map(|(mode, name, id)| [format!("{mode} {name}\0").as_bytes(), id].concat()).collect();
        if torn {
            bytes.extend(&rest);
        }
        let read: Result<Vec<_>, _> = entries(&bytes).collect();
        if let Ok(read) = read {
            assert_eq!(read.iter().map(|entry| entry.bytes.len()).sum::<usize>(), bytes.len());
            let (kept, skipped) = sorted(&bytes).unwrap();
            assert_eq!(kept.len() + skipped, read.len());
            assert!(kept.windows(2).all(|pair| pair[0].name < pair[1].name));
        } else {
            assert!(torn && sorted(&bytes).is_err());
        }
    });
}

/// A valid pack with a commit, and the commit.
fn sound_pack() -> (Vec<u8>, Oid) {
    let dir = TempDir::new().unwrap();
    let repository = Repository::init_bare(dir.path()).unwrap();
    let text = "line\n".repeat(200);
    let blobs =
        [repository.blob(text.as_bytes()).unwrap(), repository.blob(format!("{text}more\n").as_bytes()).unwrap()];
    let mut builder = repository.treebuilder(None).unwrap();
    for (name, blob) in ["a", "b"].iter().zip(blobs) {
        builder.insert(name, blob, 0o100_644).unwrap();
    }
    let tree = builder.write().unwrap();
    let who = Signature::new("a", "a@b", &git2::Time::new(0, 0)).unwrap();
    let commit = repository.commit(None, &who, &who, "x", &repository.find_tree(tree).unwrap(), &[]).unwrap();
    let mut pack = repository.packbuilder().unwrap();
    for id in [commit, tree].into_iter().chain(blobs) {
        pack.insert_object(id, None).unwrap();
    }
    let mut bytes = git2::Buf::new();
    pack.write_buf(&mut bytes).unwrap();
    (bytes.to_vec(), commit)
}

fn summed(mut pack: Vec<u8>) -> Vec<u8> {
    let sum = Sha1::digest(&pack);
    pack.extend_from_slice(&sum);
    pack
}

#[test]
fn a_mutated_pack_is_refused_or_contains_the_requested_commit() {
    let (pack, commit) = sound_pack();
    let body = pack[..pack.len() - SUM_BYTES].to_vec();
    let deadline = ExchangeDeadline::new(Duration::from_secs(600), &Halt::default());
    let dir = TempDir::new().unwrap();
    let kept = |bytes: &[u8]| {
        let place = TempDir::new_in(dir.path()).unwrap();
        let repository = Repository::init_bare(place.path()).unwrap();
        let is_kept = receive(&repository, &mut &*bytes, commit, &LIMITS, &deadline).is_ok();
        assert!(
            !is_kept || repository.odb().unwrap().read_header(commit).is_ok_and(|(_, kind)| kind == ObjectType::Commit)
        );
        is_kept
    };
    assert!(kept(&pack), "the pack as it was made");
    let inputs = (vec((any::<usize>(), any::<u8>()), 0..4), proptest::option::of(any::<usize>()));
    for_all(file!(), &inputs, |(changes, cut)| {
        let mut bytes = body.clone();
        for (at, byte) in &changes {
            let at = at % bytes.len();
            bytes[at] = *byte;
        }
        bytes.truncate(cut.map_or(bytes.len(), |cut| cut % (bytes.len() + 1)));
        let is_sound = bytes == body;
        assert!(kept(&summed(bytes)) || !is_sound);
    });
}
