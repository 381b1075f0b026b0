//! How much memory a JSON text would take, found out without building it.

/// What an array or object takes in JavaScript beside its text, however little is in it.
const CONTAINER_BYTES: usize = 64;

/// A text that takes no more than this part of a run's memory can be read, whatever is in it.
const SURELY_READ: usize = 64;
/// The least that a member takes in V8, and what it is a member of.
const MEMBER_BYTES: usize = 8;
const LEAST_CONTAINER_BYTES: usize = 16;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JsonShape {
    pub bytes: usize,
    /// Arrays and objects.
    pub containers: usize,
    /// Members of arrays and objects, or fewer by one for each of them.
    pub members: usize,
    /// What is text in it, names left out.
    pub text_bytes: usize,
    /// How deep they stand in each other.
    pub depth: usize,
}

impl JsonShape {
    /// The shape of `json`. For text that is no JSON it says something of no use, and no harm.
    #[must_use]
    pub fn of(json: &str) -> Self {
        let mut shape = Self { bytes: json.len(), ..Self::default() };
        let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
        let mut bytes = json.bytes().enumerate().peekable();
        let mut text_start = 0;
        while let Some((at, byte)) = bytes.next() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = in_text,
                b'"' if in_text => {
                    in_text = false;
                    if bytes.peek().is_none_or(|(_, next)| *next != b':') {
                        shape.text_bytes += at - text_start;
                    }
                }
                b'"' => (in_text, text_start) = (true, at + 1),
                _ if in_text => {}
                b'[' | b'{' => {
                    depth += 1;
                    shape.containers += 1;
                    shape.depth = shape.depth.max(depth);
                }
                b',' => shape.members += 1,
                b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        shape
    }

    /// About what it takes in memory.
    #[must_use]
    pub fn weight(self) -> usize {
        self.bytes.saturating_add(self.containers.saturating_mul(CONTAINER_BYTES))
    }

    /// Whether a run with so much memory can read the text. A worker that took it in all the same would not survive it.
    #[must_use]
    pub fn fits(json: &str, memory_bytes: u64) -> bool {
        let memory = usize::try_from(memory_bytes).unwrap_or(usize::MAX);
        json.len() <= memory / SURELY_READ || Self::of(json).reading_bytes() <= memory
    }

    /// The least that V8 takes to read it: the text, the texts in it, and what holds them.
    fn reading_bytes(self) -> usize {
        let held = self.members.saturating_mul(MEMBER_BYTES);
        let holders = self.containers.saturating_mul(LEAST_CONTAINER_BYTES);
        self.bytes.saturating_add(self.text_bytes).saturating_add(held).saturating_add(holders)
    }
}

#[cfg(test)]
mod tests {
    use super::JsonShape;

    #[test]
    fn arrays_and_objects_are_counted_outside_of_text() {
        for (json, containers, members, depth) in [
            ("1", 0, 0, 0),
            ("[[[1]]]", 3, 0, 3),
            ("[[1,2],[3],{},[]]", 5, 4, 2),
            (r#"{"a":{"b":[]}}"#, 3, 0, 3),
            (r#"["[[,[[","\"[[[[","{{{\\",[]]"#, 2, 3, 2),
            (r#"["\\",[[]]]"#, 3, 1, 3),
            ("]]]][", 1, 0, 1),
        ] {
            let shape = JsonShape::of(json);
            assert_eq!(
                (shape.bytes, shape.containers, shape.members, shape.depth),
                (json.len(), containers, members, depth),
                "{json}"
            );
        }
        assert_eq!(JsonShape::of("[[]]").weight(), 4 + 2 * 64);
        assert_eq!(JsonShape::of("[1,2]").reading_bytes(), 5 + 8 + 16);
        for (json, texts) in [(r#""ab\"c""#, 5), (r#"{"ab":"c","d":["e"]}"#, 2), ("[1,\"\"]", 0)] {
            assert_eq!(JsonShape::of(json).text_bytes, texts, "{json}");
        }
    }

    #[test]
    fn what_a_text_takes_to_be_read_has_to_fit() {
        let (text, numbers) = (format!("\"{}\"", "x".repeat(1000)), format!("[{}0]", "0,".repeat(500)));
        for (json, memory, fits) in
            [(&text, 2002, true), (&text, 2001, false), (&numbers, 5018, false), (&numbers, 5019, true)]
        {
            assert_eq!(JsonShape::fits(json, memory), fits, "{memory}");
        }
        assert!(JsonShape::fits(&numbers, 64 * 1003), "so little needs no look");
    }
}
