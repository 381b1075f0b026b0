//! The variables of a query: their names, and what is known of them where the parser is.

use super::ast::Slot;

/// The most variables of a query, named or not.
pub const MAX_VARIABLES: usize = 256;

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Node,
    Edge,
    Value,
}

#[derive(Debug, Default)]
pub struct Scope {
    names: Vec<Option<String>>,
    /// By slot: `None` where the variable does not exist.
    defined: Vec<Option<Kind>>,
}

/// The variables that existed at one place.
#[derive(Debug, Clone)]
pub struct Saved(Vec<Option<Kind>>);

impl Scope {
    pub fn slots(&self) -> usize {
        self.names.len()
    }

    pub fn kind(&self, slot: Slot) -> Option<Kind> {
        self.defined.get(slot).copied().flatten()
    }

    /// The slot of a variable that exists here.
    pub fn find(&self, name: &str) -> Option<Slot> {
        self.slot_of(name).filter(|slot| self.kind(*slot).is_some())
    }

    fn slot_of(&self, name: &str) -> Option<Slot> {
        self.names.iter().position(|known| known.as_deref() == Some(name))
    }

    /// The slot of a name; `None` when there are too many.
    pub fn slot(&mut self, name: Option<&str>) -> Option<Slot> {
        if let Some(slot) = name.and_then(|name| self.slot_of(name)) {
            return Some(slot);
        }
        self.names.push(name.map(str::to_owned));
        self.defined.push(None);
        (self.names.len() <= MAX_VARIABLES).then(|| self.names.len() - 1)
    }

    pub fn define(&mut self, slot: Slot, kind: Option<Kind>) {
        if let Some(defined) = self.defined.get_mut(slot) {
            *defined = kind;
        }
    }

    pub fn save(&self) -> Saved {
        Saved(self.defined.clone())
    }

    pub fn restore(&mut self, saved: Saved) {
        self.defined = saved.0;
        self.defined.resize(self.names.len(), None);
    }

    pub fn clear(&mut self) {
        self.defined.fill(None);
    }

    /// The variables that exist here.
    pub fn defined(&self) -> Vec<Slot> {
        self.defined.iter().enumerate().filter(|(_, kind)| kind.is_some()).map(|(slot, _)| slot).collect()
    }

    /// The names that exist here.
    pub fn visible(&self) -> impl Iterator<Item = (Slot, &str)> {
        let all = self.names.iter().zip(&self.defined).enumerate();
        all.filter_map(|(slot, (name, kind))| Some((slot, name.as_deref()?)).filter(|_| kind.is_some()))
    }
}
