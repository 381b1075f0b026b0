//! How deep a source nests, judged by its brackets before it is parsed.
//!
//! Refuses early, and cheaply, what would cost the parser much stack or, where swc's TypeScript grammar has to guess and try
//! again, time without end. This is a courtesy, not the wall: it reads text roughly as a lexer would and can be deceived.
//! The stack is safe without it ([`super::source_limits`]) and time has a deadline ([`super::big_stack`]).

/// Brackets of any kind within each other.
const MAX_BRACKETS: usize = 1_000;

/// `<` within one pair of brackets that no `>` has closed: swc reads on from each, looking for the end of type arguments.
const MAX_OPEN_ANGLES: u32 = 100;

/// `else` within one pair of brackets; swc walks all earlier ones for each.
const MAX_ELSES: u32 = 5_000;

/// `:` in a row, as labels have it; swc compares each with all earlier ones.
const MAX_COLONS: u32 = 200;

/// Words and signs within one pair of brackets since the last `;`, `,` or `}`: chains such as `a => a => …` or `!!!…` have no
/// brackets to count.
const MAX_CHAIN: u32 = 50_000;

/// Enclosing constructs that swc reads twice (`<T>(…` and `a ? (b) : c => …`), so that each doubles the time.
const MAX_GUESSES: u32 = 14;

/// Offset at which the source nests too deep.
pub(super) fn find_too_deep(source: &str) -> Option<usize> {
    let mut scan = Scan { bytes: source.as_bytes(), at: 0, last: 0, levels: vec![Level::default()], guesses: 0 };
    while let Some(byte) = scan.peek(0) {
        let start = scan.at;
        scan.step(byte);
        if scan.is_too_deep() {
            return Some(start);
        }
    }
    None
}

/// What is open within one pair of brackets.
#[derive(Debug, Default)]
struct Level {
    opened_by: Opener,
    open_angles: u32,
    /// `?` on this line that no arrow has followed yet.
    choices: u32,
    guesses: u32,
    elses: u32,
    colons: u32,
    chain: u32,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Opener {
    #[default]
    Bracket,
    /// `${`, after whose `}` the template goes on.
    Template,
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The last byte that was neither space nor comment.
    last: u8,
    levels: Vec<Level>,
    /// Sum over all levels.
    guesses: u32,
}

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn is_too_deep(&self) -> bool {
        self.levels.len() > MAX_BRACKETS
            || self.guesses > MAX_GUESSES
            || self.levels.last().is_some_and(|level| {
                level.open_angles > MAX_OPEN_ANGLES
                    || level.elses > MAX_ELSES
                    || level.colons > MAX_COLONS
                    || level.chain > MAX_CHAIN
            })
    }

    fn step(&mut self, byte: u8) {
        match (byte, self.peek(1)) {
            (b'/', Some(b'/')) => return self.skip_line(),
            (b'/', Some(b'*')) => return self.skip_block_comment(),
            (b'/', _) if self.starts_operand() => self.skip_regex(),
            (b'"' | b'\'', _) => self.skip_string(byte),
            (b'`', _) => self.skip_template(),
            (b'(', _) => self.open_paren(),
            (b'[' | b'{', _) => self.open(Opener::Bracket),
            (b')' | b']', _) => self.close(),
            (b'}', _) => {
                self.close();
                self.level(|level| level.chain = 0);
            }
            (b'<', next) if next != Some(b'=') => self.open_angle(),
            (b'>', _) => self.close_angle(),
            (b'?', next) if !matches!(next, Some(b'.' | b'?' | b':')) => self.level(|level| level.choices += 1),
            (b';', _) => {
                self.end_statement();
                self.level(|level| level.chain = 0);
            }
            (b':', _) => self.level(|level| level.colons += 1),
            (b',', _) => self.level(|level| {
                level.colons = 0;
                level.chain = 0;
            }),
            (b'\n', _) => self.level(|level| {
                level.choices = 0;
                level.colons = 0;
            }),
            (b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$', _) => return self.skip_word(),
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            self.last = byte;
            self.level(|level| level.chain += 1);
        }
        self.at += 1;
    }

    fn level(&mut self, change: impl FnOnce(&mut Level)) {
        if let Some(level) = self.levels.last_mut() {
            change(level);
        }
    }

    /// Whether what comes next begins an expression rather than continues one.
    fn starts_operand(&self) -> bool {
        !(self.last.is_ascii_alphanumeric()
            || matches!(self.last, b'_' | b'$' | b')' | b']' | b'}' | b'"' | b'\'' | b'`'))
            || !self.last.is_ascii()
    }

    fn open_paren(&mut self) {
        let after_angles = self.last == b'>' && self.peek_back() != Some(b'=');
        self.open(Opener::Bracket);
        if after_angles {
            self.guess();
        }
    }

    /// The byte before the last one that counted, when the two are neighbours.
    fn peek_back(&self) -> Option<u8> {
        let before = self.bytes.get(..self.at)?;
        let last = before.iter().rposition(|byte| !byte.is_ascii_whitespace())?;
        before.get(last.checked_sub(1)?).copied()
    }

    fn open(&mut self, opened_by: Opener) {
        self.levels.push(Level { opened_by, ..Level::default() });
    }

    fn close(&mut self) {
        // The outermost level stays, whatever surplus of closers there is.
        if self.levels.len() < 2 {
            return;
        }
        let Some(level) = self.levels.pop() else { return };
        self.guesses -= level.guesses;
        match level.opened_by {
            Opener::Bracket => {}
            Opener::Template => self.skip_template(),
        }
    }

    fn guess(&mut self) {
        self.guesses += 1;
        self.level(|level| level.guesses += 1);
    }

    /// In `<A><B>…` the second is read again from the first: closing does not make up for it.
    fn open_angle(&mut self) {
        let cost = if self.last == b'>' { 2 } else { 1 };
        self.level(|level| level.open_angles += cost);
    }

    fn close_angle(&mut self) {
        let is_arrow = self.last == b'=';
        let Some(level) = self.levels.last_mut() else { return };
        if !is_arrow {
            level.open_angles = level.open_angles.saturating_sub(1);
        } else if level.choices > 0 {
            level.choices -= 1;
            self.guess();
        }
    }

    fn end_statement(&mut self) {
        let Some(level) = self.levels.last_mut() else { return };
        self.guesses -= level.guesses;
        *level = Level { opened_by: level.opened_by, elses: level.elses, chain: level.chain, ..Level::default() };
    }

    fn skip_word(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')).count();
        match rest.get(..length) {
            // Nothing before one of these goes on after it.
            Some(
                b"const" | b"let" | b"var" | b"if" | b"for" | b"while" | b"switch" | b"throw" | b"try" | b"export"
                | b"case",
            ) => {
                self.end_statement();
                self.last = b';';
            }
            Some(b"else") => {
                self.level(|level| level.elses += 1);
                self.last = b';';
            }
            Some(b"return" | b"typeof" | b"in" | b"of" | b"do") => self.last = b';',
            _ => self.last = b'a',
        }
        self.level(|level| level.chain += 1);
        self.at += length;
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    fn skip_block_comment(&mut self) {
        self.at += 2;
        while self.peek(0).is_some() && !(self.peek(0) == Some(b'*') && self.peek(1) == Some(b'/')) {
            self.at += 1;
        }
        self.at += 2;
    }

    /// Leaves the position on the closing quote, or on the end of the line.
    fn skip_string(&mut self, quote: u8) {
        while let Some(byte) = self.peek(1) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'\n' => return,
                _ if byte == quote => return,
                _ => {}
            }
        }
    }

    /// Leaves the position on the closing backtick, or on the `{` of a substitution, which is then open.
    fn skip_template(&mut self) {
        while let Some(byte) = self.peek(1) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'`' => return,
                b'$' if self.peek(1) == Some(b'{') => {
                    self.at += 1;
                    return self.open(Opener::Template);
                }
                _ => {}
            }
        }
    }

    /// Leaves the position on the closing slash; stays where it is when the line has none.
    fn skip_regex(&mut self) {
        let mut in_class = false;
        let mut ahead = 1;
        while let Some(byte) = self.peek(ahead) {
            match byte {
                b'\n' => return,
                b'\\' => ahead += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => {
                    self.at += ahead;
                    return;
                }
                _ => {}
            }
            ahead += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_BRACKETS, MAX_CHAIN, MAX_COLONS, MAX_ELSES, MAX_GUESSES, MAX_OPEN_ANGLES, find_too_deep};

    #[test]
    fn brackets_count_only_as_code() {
        let deep = MAX_BRACKETS;
        for open in ["(", "[", "{", "`${"] {
            assert!(find_too_deep(&open.repeat(deep - 1)).is_none(), "{open}");
            assert!(find_too_deep(&open.repeat(deep)).is_some(), "{open}");
        }
        for flat in [
            "'('",
            "\"[\\\"(\"",
            "`(\\`(`",
            "/[(/]\\/(/",
            "// (\n",
            "/* ( */",
            "()",
            "`${1}(`",
            "`${`${1}`}(`",
            "return /(/",
        ] {
            assert_eq!(find_too_deep(&format!("{flat};").repeat(deep * 2)), None, "{flat}");
        }
        assert_eq!(find_too_deep(&"a = (b + c) / d / e('(');\n".repeat(deep * 2)), None);
    }

    #[test]
    fn a_surplus_of_closers_is_no_credit() {
        assert!(find_too_deep(&format!("{}{}", ")".repeat(50), "(".repeat(MAX_BRACKETS))).is_some());
    }

    #[test]
    fn what_makes_the_parser_guess_is_bounded() {
        let angles = MAX_OPEN_ANGLES as usize + 1;
        let guesses = MAX_GUESSES as usize + 1;
        let elses = MAX_ELSES as usize + 1;
        let colons = MAX_COLONS as usize + 1;
        for (unit, count) in [
            ("a<", angles),
            ("<A", angles),
            ("a:", colons),
            ("if(a);else ", elses),
            ("<A>(", guesses),
            ("a?(b):c=>", guesses),
            ("a?async(b):c=>{", guesses),
        ] {
            assert!(find_too_deep(&unit.repeat(count)).is_some(), "{unit}");
            assert!(find_too_deep(&unit.repeat(count - 1)).is_none(), "{unit}");
        }
    }

    #[test]
    fn chains_without_brackets_are_bounded() {
        for (unit, links) in [("a=>", 3), ("!", 1), ("do ", 1), ("if(a)", 2), ("a=", 2), ("new ", 1)] {
            assert!(find_too_deep(&unit.repeat(MAX_CHAIN as usize / links + 1)).is_some(), "{unit}");
            assert!(find_too_deep(&unit.repeat(MAX_CHAIN as usize / 10)).is_none(), "{unit}");
        }
    }

    #[test]
    fn a_row_of_assertions_is_bounded() {
        assert!(find_too_deep(&"<A>".repeat(MAX_OPEN_ANGLES as usize + 1)).is_some());
    }

    #[test]
    fn ordinary_code_makes_no_guesses() {
        for line in [
            "const a = x < y\n",
            "if (a < b) { f<T>(c) }\n",
            "const m: Map<string, Array<Set<number>>> = new Map<string, Array<Set<number>>>()\n",
            "const f = a ? (b) => c : d\n",
            "  f?(x: number): void\n  g: () => string\n",
            "for (let i = 0; i < n; i++) {}\n",
            "h(a < b, a > b, a => b)\n",
            "const o = { a: 1, b: c ? d : e }\n",
            "case 1: case 2: break\n",
            "if (a) { b() } else { c() }\n",
            "x.map((a) => a ? (b) : c).filter(a => a ? 1 : 2)\n",
        ] {
            assert_eq!(find_too_deep(&line.repeat(2_000)), None, "{line}");
        }
    }
}
