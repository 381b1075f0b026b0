//! Estimates the memory of a JSON text without parsing it.

/// Memory of an empty array or object in JavaScript, beside its text.
const CONTAINER_BYTES: usize = 64;

/// A text of at most this fraction (1/n) of a run's memory can be read, whatever its content.
const ALWAYS_FITS: usize = 64;
/// Least memory of a member in V8, and of an array or object.
const MEMBER_BYTES: usize = 8;
const MIN_CONTAINER_BYTES: usize = 16;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JsonShape {
    pub bytes: usize,
    /// Arrays and objects.
    pub containers: usize,
    /// Number of commas, a lower bound of the number of members.
    pub members: usize,
    /// Length of the strings in it, without names.
    pub text_bytes: usize,
    /// Nesting depth.
    pub depth: usize,
}

impl JsonShape {
    /// The shape of `json`. For text that is not JSON the result is meaningless.
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

    /// Approximate memory of the parsed value.
    #[must_use]
    pub fn weight(self) -> usize {
        self.bytes.saturating_add(self.containers.saturating_mul(CONTAINER_BYTES))
    }

    /// Whether a run with that much memory can read the text. A worker would not survive a larger one.
    #[must_use]
    pub fn fits(json: &str, memory_bytes: u64) -> bool {
        let memory = usize::try_from(memory_bytes).unwrap_or(usize::MAX);
        json.len() <= memory / ALWAYS_FITS || Self::of(json).reading_bytes() <= memory
    }

    /// Least memory that V8 needs to read it: the text, its strings, and their containers.
    fn reading_bytes(self) -> usize {
        let held = self.members.saturating_mul(MEMBER_BYTES);
        let holders = self.containers.saturating_mul(MIN_CONTAINER_BYTES);
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
    fn a_text_fits_if_its_parsed_value_fits() {
        let (text, numbers) = (format!("\"{}\"", "x".repeat(1000)), format!("[{}0]", "0,".repeat(500)));
        for (json, memory, fits) in
            [(&text, 2002, true), (&text, 2001, false), (&numbers, 5018, false), (&numbers, 5019, true)]
        {
            assert_eq!(JsonShape::fits(json, memory), fits, "{memory}");
        }
        assert!(JsonShape::fits(&numbers, 64 * 1003), "a small text is not scanned");
    }
}
