//! The labels, relationship types and properties of the graph.

/// An enum whose variants have names in queries.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($variant),+ }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.text() == text)
            }
        }
    };
}

named! { Label { File = "File", Tool = "Tool", Commit = "Commit", Session = "Session", Run = "Run" } }

named! {
    EdgeType {
        Imports = "IMPORTS",
        Calls = "CALLS",
        Changed = "CHANGED",
        TestedBy = "TESTED_BY",
        ForgedBy = "FORGED_BY",
        WasRenamedFrom = "WAS_RENAMED_FROM",
    }
}

named! {
    /// A property of a node or of a relationship.
    Property {
        Path = "path",
        Name = "name",
        Root = "root",
        FirstSeen = "first_seen",
        LastSeen = "last_seen",
        Exists = "exists",
        Description = "description",
        Hash = "hash",
        Short = "short",
        Author = "author",
        Time = "time",
        Subject = "subject",
        Id = "id",
        Agent = "agent",
        First = "first",
        Last = "last",
        Ok = "ok",
        Code = "code",
        Ms = "ms",
        Status = "status",
        Similarity = "similarity",
        From = "from",
        Commit = "commit",
    }
}

impl Property {
    /// Whether relationships have it.
    pub const fn is_of_edges(self) -> bool {
        matches!(self, Self::Status | Self::Similarity | Self::From | Self::Commit)
    }
}
