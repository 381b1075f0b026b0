//! Fuzz tests of answers from a hostile server.

use super::advertisement::Advertisement;
use super::pkt_line::{Frames, Packet, put, server_message};
use super::side_band::SideBand;
use crate::limits::{Limit, MAX_REF_BYTES};
use proptest::collection::vec;
use proptest::prelude::any;
use std::io::Read;
use tgp_fuzzing::{for_all, texts};

const PIECES: &[&str] = &[
    "0000",
    "0001",
    "0004",
    "0005x",
    "0008NAK\n",
    "ffff",
    "fff0",
    "-004",
    "+004",
    "0x04",
    "# service=git-upload-pack\n",
    "ERR no\n",
    "\u{1}PACK",
    "\u{2}x",
    "\u{3}fatal",
    "refs/heads/main",
    "HEAD",
    " ",
    "\0",
    "side-band-64k ofs-delta",
    "\n",
    "0123456789012345678901234567890123456789",
    "ACK",
    "shallow ",
];

/// Encodes some parts in valid frames.
fn framed(parts: &[(bool, String)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (framed, text) in parts {
        if *framed {
            put(&mut bytes, text);
        } else {
            bytes.extend_from_slice(text.as_bytes());
        }
    }
    bytes
}

#[test]
fn a_stream_of_any_bytes_ends() {
    for_all(file!(), &vec((any::<bool>(), texts(PIECES, 5)), 0..8), |parts| {
        let bytes = framed(&parts);
        let mut stream = bytes.as_slice();
        let mut frames = Frames::new(&mut stream, 1000, Limit::Chatter);
        let mut total = 0;
        while let Ok(Some(packet)) = frames.next() {
            total += 4 + match packet {
                Packet::Data(data) => data.len(),
                Packet::Flush => 0,
            };
            assert!(total <= 1000, "{total} bytes");
        }
    });
}

#[test]
fn an_advertisement_is_refused_or_lists_branches() {
    for_all(file!(), &vec((any::<bool>(), texts(PIECES, 5)), 0..8), |parts| {
        let bytes = framed(&parts);
        if let Ok(advertisement) = Advertisement::read(&mut bytes.as_slice()) {
            for name in advertisement.refs.branches.keys() {
                assert!(name.starts_with("refs/heads/") && name.len() <= MAX_REF_BYTES, "{name}");
            }
            let _ = advertisement.can("side-band-64k");
        }
    });
}

#[test]
fn the_pack_is_exactly_the_data_of_the_first_band() {
    let inputs = vec((0_u8..5, vec(any::<u8>(), 0..20)), 0..10);
    for_all(file!(), &inputs, |parts| {
        let (mut bytes, mut expected) = (Vec::new(), Vec::new());
        for (band, data) in &parts {
            bytes.extend_from_slice(format!("{:04x}", data.len() + 5).as_bytes());
            bytes.push(*band);
            bytes.extend_from_slice(data);
            if *band == 1 {
                expected.extend_from_slice(data);
            }
        }
        bytes.extend_from_slice(b"0000");
        let mut pack = Vec::new();
        if SideBand::new(&mut bytes.as_slice()).read_to_end(&mut pack).is_ok() {
            assert_eq!(pack, expected);
        } else {
            assert!(expected.starts_with(&pack));
        }
    });
}

#[test]
fn server_messages_are_on_one_line() {
    for_all(file!(), &vec(any::<u8>(), 0..100), |bytes| {
        let message = server_message(&bytes);
        assert!(!message.contains(char::is_control) && message.trim() == message, "{message:?}");
    });
}
