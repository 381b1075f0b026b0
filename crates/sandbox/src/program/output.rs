//! A bounded buffer for output: keeps its beginning and its end.

use super::program_request::OutputText;
use std::collections::VecDeque;

pub struct Output {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    left_out: u64,
}

impl Output {
    pub fn new(most: usize) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), half: most.div_ceil(2), left_out: 0 }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        let room = self.half.saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..over);
        self.left_out = self.left_out.saturating_add(u64::try_from(over).unwrap_or(u64::MAX));
    }

    pub fn into_text(self) -> OutputText {
        let tail: Vec<u8> = self.tail.into();
        if self.left_out == 0 {
            let all = [self.head, tail].concat();
            return OutputText { head: String::from_utf8_lossy(&all).into_owned(), ..OutputText::default() };
        }
        OutputText {
            head: String::from_utf8_lossy(&self.head).into_owned(),
            tail: String::from_utf8_lossy(&tail).into_owned(),
            left_out: self.left_out,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Output;

    fn kept(most: usize, pieces: &[&str]) -> (String, String, u64) {
        let mut output = Output::new(most);
        for piece in pieces {
            output.push(piece.as_bytes());
        }
        let text = output.into_text();
        (text.head, text.tail, text.left_out)
    }

    #[test]
    fn long_output_keeps_its_beginning_and_end() {
        assert_eq!(kept(8, &["abc", "dé", "fg"]), ("abcdéfg".to_owned(), String::new(), 0));
        assert_eq!(kept(4, &["abcdefgh", "ij"]), ("ab".to_owned(), "ij".to_owned(), 6));
        assert_eq!(kept(4, &["a", "b", "c", "d", "e"]), ("ab".to_owned(), "de".to_owned(), 1));
    }
}
