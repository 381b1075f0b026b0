//! Messages on a byte stream: a length, then the message in postcard's encoding.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{Error, ErrorKind, Read, Result, Write};

/// No message is larger: arguments, results and modules are all capped well below.
const LARGEST: u32 = 256 << 20;

/// Writes one message and flushes it.
pub fn write_frame<T: Serialize>(output: &mut impl Write, message: &T) -> Result<()> {
    let mut bytes = postcard::to_extend(message, vec![0; 4]).map_err(Error::other)?;
    let length = u32::try_from(bytes.len() - 4).ok().filter(|length| *length <= LARGEST);
    let Some(length) = length else { return Err(Error::new(ErrorKind::InvalidInput, "the message is too large")) };
    if let Some(head) = bytes.first_chunk_mut::<4>() {
        *head = length.to_le_bytes();
    }
    output.write_all(&bytes)?;
    output.flush()
}

/// Reads one message; `None` at the end of the stream.
pub fn read_frame<T: DeserializeOwned>(input: &mut impl Read) -> Result<Option<T>> {
    let mut head = [0; 4];
    match input.read_exact(&mut head) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u32::from_le_bytes(head);
    if length > LARGEST {
        return Err(Error::new(ErrorKind::InvalidData, "the message is too large"));
    }
    let mut bytes = vec![0; length as usize];
    input.read_exact(&mut bytes)?;
    postcard::from_bytes(&bytes).map(Some).map_err(Error::other)
}

#[cfg(test)]
mod tests {
    use super::{read_frame, write_frame};
    use crate::ids::RunId;
    use crate::sandbox::message::Command;

    #[test]
    fn a_message_survives_the_stream_and_a_torn_one_is_an_error() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &Command::Cancel { run: RunId(7) }).unwrap();
        let read: Option<Command> = read_frame(&mut bytes.as_slice()).unwrap();
        assert!(matches!(read, Some(Command::Cancel { run: RunId(7) })));
        assert!(read_frame::<Command>(&mut [].as_slice()).unwrap().is_none());
        let torn = &bytes[..bytes.len() - 1];
        assert!(read_frame::<Command>(&mut &*torn).is_err());
        assert!(read_frame::<Command>(&mut [0xff; 8].as_slice()).is_err());
    }
}
