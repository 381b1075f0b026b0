//! The limits of the configuration, from which the build generates documentation and JavaScript.

use crate::kernel::limit_table;
use napi_derive::napi;

/// A configurable number.
#[napi(object)]
pub struct BindingLimit {
    /// The section of the configuration, or the tool, that it belongs to.
    pub group: String,
    pub key: String,
    pub default: u32,
    pub least: u32,
    pub most: u32,
    /// What it bounds.
    pub about: String,
    /// What else the default depends on; usually empty.
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
