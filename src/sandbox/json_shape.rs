//! How much memory a JSON text would take, found out without building it.

/// What an array or object takes in JavaScript beside its text, however little is in it.
const CONTAINER_BYTES: usize = 64;

/// A text that takes no more than this part of a run's memory can be read, whatever is in it.
const SURELY_READ: usize = 64;
/// What V8 takes for a member while it reads a text: a place in a list, a handle, and a place in what it makes.
const MEMBER_BYTES: usize = 24;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JsonShape {
    pub bytes: usize,
    /// Arrays and objects.
    pub containers: usize,
    /// Members of arrays and objects, or fewer by one for each of them.
    pub members: usize,
    /// How deep they stand in each other.
    pub depth: usize,
}

impl JsonShape {
    /// The shape of `json`. For text that is no JSON it says something of no use, and no harm.
    #[must_use]
    pub fn of(json: &str) -> Self {
        let mut shape = Self { bytes: json.len(), ..Self::default() };
        let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
        for byte in json.bytes() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = in_text,
                b'"' => in_text = !in_text,
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

    /// The least that V8 takes to read it: the text, what is in it, and the lists that it makes on the way.
    fn reading_bytes(self) -> usize {
        let members = self.members.saturating_mul(MEMBER_BYTES);
        self.weight().saturating_add(self.bytes).saturating_add(members)
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
            let expected = JsonShape { bytes: json.len(), containers, members, depth };
            assert_eq!(JsonShape::of(json), expected, "{json}");
        }
        assert_eq!(JsonShape::of("[[]]").weight(), 4 + 2 * 64);
        assert_eq!(JsonShape::of("[1,2]").reading_bytes(), 5 + 64 + 5 + 24);
    }

    #[test]
    fn what_a_text_takes_to_be_read_has_to_fit() {
        let (text, numbers) = (format!("\"{}\"", "x".repeat(1000)), format!("[{}0]", "0,".repeat(500)));
        for (json, memory, fits) in
            [(&text, 2004, true), (&text, 2003, false), (&numbers, 2100, false), (&numbers, 14_100, true)]
        {
            assert_eq!(JsonShape::fits(json, memory), fits, "{memory}");
        }
        assert!(JsonShape::fits(&numbers, 64 * 1003), "so little needs no look");
    }
}
