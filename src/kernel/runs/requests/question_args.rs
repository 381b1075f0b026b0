//! Parsing of guest request arguments: untrusted text of some megabytes, of which only used parts are built.

use serde::de::{DeserializeOwned, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::fmt;
use tgp_base::error::{Error, ErrorCode};
use tgp_sandbox::Question;

/// The first two elements of a JSON array, unparsed. Skips the rest.
#[derive(Debug, Default)]
pub struct FirstTwo<'a>(pub Option<&'a RawValue>, pub Option<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for FirstTwo<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements;
        impl<'de> Visitor<'de> for Elements {
            type Value = FirstTwo<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<FirstTwo<'de>, A::Error> {
                let two = FirstTwo(elements.next_element()?, elements.next_element()?);
                while elements.next_element::<IgnoredAny>()?.is_some() {}
                Ok(two)
            }
        }
        deserializer.deserialize_seq(Elements)
    }
}

/// The arguments as `T` reads them.
pub fn arguments<T: DeserializeOwned>(question: &Question) -> Result<T, Error> {
    serde_json::from_str(&question.args_json).map_err(|_| unusable(question))
}

/// The first two arguments.
pub fn first_two(question: &Question) -> Result<FirstTwo<'_>, Error> {
    serde_json::from_str(&question.args_json).map_err(|_| unusable(question))
}

/// The first argument, which must be text.
pub fn first_text(question: &Question) -> Result<String, Error> {
    first_two(question).ok().and_then(|FirstTwo(first, _)| text(first)).ok_or_else(|| {
        Error::new(ErrorCode::Validation, format!("tgp.{} needs a path as its first argument.", question.name))
    })
}

/// A value that is text.
pub fn text(value: Option<&RawValue>) -> Option<String> {
    // Other values are not parsed.
    value.map(RawValue::get).filter(|json| json.starts_with('"')).and_then(|json| serde_json::from_str(json).ok())
}

fn unusable(question: &Question) -> Error {
    let name = question.name.trim_start_matches('#');
    Error::new(ErrorCode::Validation, format!("The arguments of {name} are not valid."))
}

#[cfg(test)]
mod tests {
    use super::{FirstTwo, first_text, first_two, text};
    use tgp_sandbox::Question;

    fn question(args_json: &str) -> Question {
        Question { name: "read_file".to_owned(), args_json: args_json.to_owned() }
    }

    #[test]
    fn the_first_two_arguments_are_returned_and_the_rest_is_skipped() {
        let read = |json: &str| {
            let question = question(json);
            let FirstTwo(first, second) = first_two(&question).unwrap();
            (first.map(|raw| raw.get().to_owned()), second.map(|raw| raw.get().to_owned()))
        };
        assert_eq!(read("[]"), (None, None));
        assert_eq!(read(r#"["a"]"#), (Some("\"a\"".to_owned()), None));
        assert_eq!(read(r#"["a",{"b":[1]},3,4]"#), (Some("\"a\"".to_owned()), Some("{\"b\":[1]}".to_owned())));
    }

    #[test]
    fn malformed_arguments_are_refused() {
        let deep = format!("[{}{}]", "[".repeat(1_000_000), "]".repeat(1_000_000));
        let wide = format!("[[{}0]]", "0,".repeat(1_000_000));
        for json in ["", "{}", "[", "1", "[1]", "[null]", "[{}]", "[\"a\"", "\u{0}", &deep, &wide] {
            assert!(first_text(&question(json)).is_err(), "{}", json.get(..20).unwrap_or(json));
        }
        assert_eq!(first_text(&question(r#"["\u0041"]"#)).unwrap(), "A");
        assert!(text(first_two(&question(&deep)).unwrap().0).is_none());
    }
}
