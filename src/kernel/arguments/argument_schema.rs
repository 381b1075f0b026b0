//! The JSON Schema of a tool's arguments, as far as the registry writes it.

use serde_json::Value;

/// Maximum depth. Deeper parts accept any value.
const MAX_DEPTH: usize = 32;
/// Maximum number of allowed values in a message.
const MAX_SHOWN_VALUES: usize = 40;

/// The type of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Number,
    Whole,
    Flag,
    List,
    Object,
    Null,
}

impl Kind {
    fn parse(name: &str) -> Option<Self> {
        match name {
            "string" => Some(Self::Text),
            "number" => Some(Self::Number),
            "integer" => Some(Self::Whole),
            "boolean" => Some(Self::Flag),
            "array" => Some(Self::List),
            "object" => Some(Self::Object),
            "null" => Some(Self::Null),
            _ => None,
        }
    }

    /// The kind of a JSON text.
    pub fn of(json: &str) -> Self {
        match json.as_bytes().first() {
            Some(b'{') => Self::Object,
            Some(b'[') => Self::List,
            Some(b'"') => Self::Text,
            Some(b't' | b'f') => Self::Flag,
            Some(b'n') | None => Self::Null,
            Some(_) => Self::Number,
        }
    }

    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Number => "a number",
            Self::Whole => "a whole number",
            Self::Flag => "true or false",
            Self::List => "a list",
            Self::Object => "an object",
            Self::Null => "null",
        }
    }
}

/// Properties that an object may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    Any,
    Named(Vec<String>),
}

/// A schema. Keywords that it does not know accept any value.
#[derive(Debug)]
pub struct ArgumentSchema {
    pub kind: Option<Kind>,
    pub properties: Vec<(String, Self)>,
    pub required: Vec<String>,
    /// Of properties that are not named.
    pub others: Option<Box<Self>>,
    pub items: Option<Box<Self>>,
    /// Of the first items.
    pub first_items: Vec<Self>,
    pub least_items: usize,
    /// Of a tuple without further items.
    pub most_items: Option<usize>,
    pub any_of: Vec<Self>,
    /// The allowed values, if they are listed.
    pub values: Vec<Value>,
    /// The properties of an object, those of the alternatives included.
    pub known: Known,
}

impl ArgumentSchema {
    pub fn new(schema: &Value) -> Self {
        Self::at(schema, 0)
    }

    fn at(schema: &Value, depth: usize) -> Self {
        let schema = if depth > MAX_DEPTH { &Value::Null } else { schema };
        let inner = |part: &Value| Self::at(part, depth + 1);
        let list = |name: &str| schema.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let properties: Vec<(String, Self)> = schema
            .get("properties")
            .and_then(Value::as_object)
            .map(|members| members.iter().map(|(name, part)| (name.clone(), inner(part))).collect())
            .unwrap_or_default();
        let others = schema.get("additionalProperties").filter(|others| others.is_object()).map(inner).map(Box::new);
        let first_items: Vec<Self> = list("prefixItems").iter().map(inner).collect();
        let least = schema.get("minItems").and_then(Value::as_u64).and_then(|least| usize::try_from(least).ok());
        let items = schema.get("items").map(inner).map(Box::new);
        let is_tuple = !first_items.is_empty() && items.is_none();
        let any_of: Vec<Self> = list("anyOf").iter().map(inner).collect();
        let known = match (&others, properties.is_empty() && any_of.is_empty()) {
            (None, false) => all_known(properties.iter().map(|(name, _)| name.clone()).collect(), &any_of),
            (Some(_), _) | (None, true) => Known::Any,
        };
        Self {
            kind: schema.get("type").and_then(Value::as_str).and_then(Kind::parse),
            required: list("required").iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            items,
            least_items: least.unwrap_or(first_items.len()),
            most_items: is_tuple.then_some(first_items.len()),
            values: schema.get("const").map_or_else(|| list("enum").to_vec(), |value| vec![value.clone()]),
            properties,
            others,
            first_items,
            any_of,
            known,
        }
    }

    /// Whether its properties are only names that the text of the tool reads, without types: it may take other values than
    /// objects too.
    pub fn is_inferred(&self) -> bool {
        let is_object = self.kind == Some(Kind::Object) && self.any_of.is_empty() && self.required.is_empty();
        let mut members = self.properties.iter().map(|(_, schema)| schema).chain(self.others.as_deref());
        is_object && members.all(Self::takes_anything)
    }

    fn takes_anything(&self) -> bool {
        self.kind.is_none() && self.any_of.is_empty() && self.values.is_empty()
    }

    /// Whether values of a kind can be valid.
    pub fn takes(&self, kind: Kind) -> bool {
        let is_own = match (self.kind, kind) {
            (None, _) | (Some(Kind::Whole), Kind::Number) => true,
            (Some(own), kind) => own == kind,
        };
        is_own
            && (self.any_of.is_empty() || self.any_of.iter().any(|one| one.takes(kind)))
            && (self.values.is_empty() || self.values.iter().any(|value| Kind::of(&value.to_string()) == kind))
    }

    /// The expected value, for messages.
    pub fn wanted(&self) -> String {
        if !self.values.is_empty() {
            let shown: Vec<String> = self.values.iter().take(MAX_SHOWN_VALUES).map(Value::to_string).collect();
            let more = if self.values.len() > MAX_SHOWN_VALUES { ", …" } else { "" };
            let one_of = if self.values.len() > 1 { "one of " } else { "" };
            return format!("{one_of}{}{more}", shown.join(", "));
        }
        let mut wanted: Vec<String> = Vec::new();
        for one in &self.any_of {
            let one = one.wanted();
            if !wanted.contains(&one) {
                wanted.push(one);
            }
        }
        if wanted.is_empty() {
            return self.kind.map_or("a value", Kind::name).to_owned();
        }
        wanted.join(" or ")
    }

    /// Whether a text is expected, so that the type of a text is not the problem.
    pub fn wants_text(&self) -> bool {
        self.values.iter().any(Value::is_string) || self.any_of.iter().any(Self::wants_text)
    }
}

/// The own names and those of all alternatives that are objects.
fn all_known(mut names: Vec<String>, any_of: &[ArgumentSchema]) -> Known {
    for one in any_of.iter().filter(|one| one.takes(Kind::Object)) {
        match &one.known {
            Known::Any => return Known::Any,
            Known::Named(more) => names.extend(more.iter().cloned()),
        }
    }
    Known::Named(names)
}
