//! Fuzz tests of messages from a compromised worker.

use super::frame::{FrameBuffer, FrameReader, encode};
use super::log_level::LogLevel;
use super::message::{Activity, Command, Event, HostAnswer};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::strategy::Strategy;
use std::io::Read;
use tgp_base::ids::{CallId, RunId};
use tgp_fuzzing::for_all;

const LONGEST: usize = 1 << 16;

/// Returns a few bytes at a time.
struct Slowly<'a>(&'a [u8], usize);

impl Read for Slowly<'_> {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        let most = room.len().min(self.1.max(1));
        self.0.read(&mut room[..most])
    }
}

fn events() -> impl Strategy<Value = Event> {
    (0_u8..6, any::<u64>(), any::<u32>(), ".{0,40}", ".{0,40}").prop_map(|(kind, run, call, name, text)| match kind {
        0 => Event::Started { run: RunId(run) },
        1 => Event::Log { run: RunId(run), level: LogLevel::Warn, text },
        4 => Event::Activity { run: RunId(run), activity: Activity::Waiting },
        5 => Event::Activity { run: RunId(run), activity: Activity::Busy },
        2 => Event::HostCall { run: RunId(run), call: CallId(call), name, args_json: text },
        _ => Event::Compiled(None),
    })
}

#[test]
fn arbitrary_bytes_are_messages_or_an_error_within_the_size_limit() {
    for_all(file!(), &(vec(any::<u8>(), 0..300), any::<u8>()), |(bytes, step)| {
        let mut reader = FrameReader::new(Slowly(&bytes, usize::from(step)), LONGEST);
        let mut seen = 0;
        while let Ok(Some(_)) = reader.read::<Event>() {
            seen += 1;
            assert!(seen <= bytes.len(), "more messages than bytes");
        }
    });
}

#[test]
fn an_arbitrary_body_in_a_valid_frame_is_a_message_or_an_error() {
    for_all(file!(), &vec(any::<u8>(), 0..200), |body| {
        let frame = [&u32::try_from(body.len()).unwrap().to_le_bytes()[..], &body].concat();
        // A length that is only announced does not allocate memory.
        let _ = FrameReader::new(frame.as_slice(), LONGEST).read::<Event>();
        let _ = FrameReader::new(frame.as_slice(), LONGEST).read::<Command>();
    });
}

#[test]
fn messages_round_trip_in_any_chunks() {
    for_all(file!(), &(vec(events(), 0..6), 1_usize..64), |(sent, step)| {
        let bytes: Vec<u8> = sent.iter().flat_map(|event| encode(event, event.text_bytes()).unwrap()).collect();
        let mut reader = FrameReader::new(Slowly(&bytes, step), LONGEST);
        for event in &sent {
            let received = reader.read::<Event>().unwrap().unwrap();
            assert_eq!(format!("{received:?}"), format!("{event:?}"));
        }
        assert!(reader.read::<Event>().unwrap().is_none());
    });
}

#[test]
fn a_message_with_one_changed_byte_is_handled() {
    let inputs = (events(), any::<usize>(), any::<u8>());
    for_all(file!(), &inputs, |(event, at, byte)| {
        let mut bytes = encode(&event, event.text_bytes()).unwrap();
        let at = at % bytes.len();
        bytes[at] = byte;
        let mut buffer = FrameBuffer::new(LONGEST);
        let mut rest = bytes.as_slice();
        while buffer.fill(|room| rest.read(room)).unwrap_or(false) {
            while let Ok(Some(_)) = buffer.next::<Event>() {}
        }
    });
}

#[test]
fn host_answers_round_trip() {
    for_all(file!(), &(any::<u64>(), "(?s).{0,200}"), |(run, text)| {
        let answer = Command::HostReply { run: RunId(run), call: CallId(1), answer: HostAnswer::Value(text.clone()) };
        let bytes = encode(&answer, answer.text_bytes()).unwrap();
        let received = FrameReader::new(bytes.as_slice(), LONGEST).read::<Command>().unwrap();
        let Some(Command::HostReply { answer: HostAnswer::Value(received_text), .. }) = received else {
            panic!("another message")
        };
        assert_eq!(received_text, text);
    });
}
