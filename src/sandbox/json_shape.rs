//! How much memory a JSON text would take, found out without building it.

/// What an array or object takes in JavaScript beside its text, however little is in it.
const CONTAINER_BYTES: usize = 64;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JsonShape {
    pub bytes: usize,
    /// Arrays and objects.
    pub containers: usize,
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
}

#[cfg(test)]
mod tests {
    use super::JsonShape;

    #[test]
    fn arrays_and_objects_are_counted_outside_of_text() {
        for (json, containers, depth) in [
            ("1", 0, 0),
            ("[[[1]]]", 3, 3),
            ("[[1,2],[3],{},[]]", 5, 2),
            (r#"{"a":{"b":[]}}"#, 3, 3),
            (r#"["[[[[","\"[[[[","{{{\\",[]]"#, 2, 2),
            (r#"["\\",[[]]]"#, 3, 3),
            ("]]]][", 1, 1),
        ] {
            let expected = JsonShape { bytes: json.len(), containers, depth };
            assert_eq!(JsonShape::of(json), expected, "{json}");
        }
        assert_eq!(JsonShape::of("[[]]").weight(), 4 + 2 * 64);
    }
}
