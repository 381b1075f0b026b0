//! The functions of queries, with their numbers of arguments.

macro_rules! functions {
    ($($variant:ident = $text:literal $least:literal ..= $most:literal),+ $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Function { $($variant),+ }

        impl Function {
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// The least and the most arguments.
            pub const fn arguments(self) -> (usize, usize) {
                match self { $(Self::$variant => ($least, $most)),+ }
            }
        }
    };
}

functions! {
    Abs = "abs" 1..=1,
    Ceil = "ceil" 1..=1,
    Coalesce = "coalesce" 1..=100,
    EndNode = "endNode" 1..=1,
    Floor = "floor" 1..=1,
    Head = "head" 1..=1,
    Keys = "keys" 1..=1,
    Labels = "labels" 1..=1,
    Last = "last" 1..=1,
    Left = "left" 2..=2,
    Length = "length" 1..=1,
    Nodes = "nodes" 1..=1,
    Properties = "properties" 1..=1,
    Range = "range" 2..=3,
    Relationships = "relationships" 1..=1,
    Replace = "replace" 3..=3,
    Reverse = "reverse" 1..=1,
    Right = "right" 2..=2,
    Round = "round" 1..=1,
    Sign = "sign" 1..=1,
    Size = "size" 1..=1,
    Split = "split" 2..=2,
    StartNode = "startNode" 1..=1,
    Substring = "substring" 2..=3,
    Tail = "tail" 1..=1,
    ToBoolean = "toBoolean" 1..=1,
    ToFloat = "toFloat" 1..=1,
    ToInteger = "toInteger" 1..=1,
    ToLower = "toLower" 1..=1,
    ToString = "toString" 1..=1,
    ToUpper = "toUpper" 1..=1,
    Trim = "trim" 1..=1,
    Type = "type" 1..=1,
}

impl Function {
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.text().eq_ignore_ascii_case(name))
    }

    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().map(|known| known.text())
    }
}
