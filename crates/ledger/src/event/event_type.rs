//! The closed list of event types.

use serde::{Deserialize, Serialize};

/// The type of an event, as in its member `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EventType {
    Call,
    Result,
    Denied,
    Approval,
    Policy,
    State,
    Session,
    Commit,
    Halt,
    Reconciliation,
    ValvePersonaTrigger,
    Application,
    Retention,
}

impl EventType {
    pub const ALL: [Self; 13] = [
        Self::Call,
        Self::Result,
        Self::Denied,
        Self::Approval,
        Self::Policy,
        Self::State,
        Self::Session,
        Self::Commit,
        Self::Halt,
        Self::Reconciliation,
        Self::ValvePersonaTrigger,
        Self::Application,
        Self::Retention,
    ];

    /// Parses a type name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The type's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Call => "CALL",
            Self::Result => "RESULT",
            Self::Denied => "DENIED",
            Self::Approval => "APPROVAL",
            Self::Policy => "POLICY",
            Self::State => "STATE",
            Self::Session => "SESSION",
            Self::Commit => "COMMIT",
            Self::Halt => "HALT",
            Self::Reconciliation => "RECONCILIATION",
            Self::ValvePersonaTrigger => "VALVE_PERSONA_TRIGGER",
            Self::Application => "APPLICATION",
            Self::Retention => "RETENTION",
        }
    }

    /// The type's number in a store. Must never change.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Call => 1,
            Self::Result => 2,
            Self::Denied => 3,
            Self::Approval => 4,
            Self::Policy => 5,
            Self::State => 6,
            Self::Session => 7,
            Self::Commit => 8,
            Self::Halt => 9,
            Self::Reconciliation => 10,
            Self::ValvePersonaTrigger => 11,
            Self::Application => 12,
            Self::Retention => 13,
        }
    }

    /// The type with this number.
    #[must_use]
    pub fn numbered(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| i64::from(kind.number()) == number)
    }
}

#[cfg(test)]
mod tests {
    use super::EventType;

    #[test]
    fn names_and_numbers_round_trip() {
        for kind in EventType::ALL {
            assert_eq!(EventType::parse(kind.as_str()), Some(kind));
            assert_eq!(EventType::numbered(kind.number().into()), Some(kind));
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{}\"", kind.as_str()));
        }
        assert_eq!(EventType::parse("call"), None);
        assert_eq!(EventType::numbered(0), None);
    }
}
