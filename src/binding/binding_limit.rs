//! The limits of the configuration, for the build to write them where people and JavaScript look.

use crate::kernel::limit_table;
use napi_derive::napi;

/// A number that the application may set.
#[napi(object)]
pub struct BindingLimit {
    /// The part of the configuration, or the tool, that it belongs to.
    pub group: String,
    pub key: String,
    pub default: u32,
    pub least: u32,
    pub most: u32,
    /// What it bounds.
    pub about: String,
    /// What the default depends on besides; empty for most.
    pub default_note: String,
}

pub fn all() -> Vec<BindingLimit> {
    limit_table()
        .into_iter()
        .flat_map(|(group, limits)| {
            limits.into_iter().map(|limit| BindingLimit {
                group: group.to_owned(),
                key: limit.key(),
                default: limit.default,
                least: limit.least,
                most: limit.most,
                about: limit.about.to_owned(),
                default_note: limit.default_note.to_owned(),
            })
        })
        .collect()
}
