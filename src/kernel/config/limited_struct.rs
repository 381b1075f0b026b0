//! A macro for option structs with limits.

/// Defines a struct of options from one table.
///
/// ```text
/// limited_struct! {
///     pub struct Options, OptionLimits {
///         pub verbose: bool = false,     // an ordinary field and its default
///     }
///     limits {
///         /// Description for users.
///         max_rows: 100, 1..=1000;       // a `u32`, its default and its range
///     }
///     limits that may be left open {
///         /// Description for users.
///         most_rows: 100, 1..=1000;      // an `Option<u32>`: none when not set
///     }
/// }
/// ```
///
/// The struct has the fields of all blocks. `Options::LIMITS` holds its limits, `Options::standard()` has every
/// default, and `check_limits` checks the ranges.
macro_rules! limited_struct {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident, $limits:ident {
            $($(#[$field_attribute:meta])* pub $field:ident: $kind:ty = $value:expr,)*
        }
        limits {
            $($(#[doc = $about:literal])+ $limit:ident: $default:expr, $range:expr $(, $note:literal)?;)*
        }
        $(limits that may be left open {
            $($(#[doc = $open_about:literal])+ $open:ident: $open_default:expr, $open_range:expr $(, $open_note:literal)?;)*
        })?
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(test, derive(ts_rs::TS))]
        #[serde(rename_all = "camelCase", deny_unknown_fields, default)]
        pub struct $name {
            $($(#[$field_attribute])* pub $field: $kind,)*
            $($(#[doc = $about])+ pub $limit: u32,)*
            $($($(#[doc = $open_about])+
                #[serde(skip_serializing_if = "Option::is_none")]
                #[cfg_attr(test, ts(optional))]
                pub $open: Option<u32>,)*)?
        }

        pub struct $limits {
            $(pub $limit: $crate::kernel::config::limit::Limit,)*
            $($(pub $open: $crate::kernel::config::limit::Limit,)*)?
        }

        impl $name {
            pub const LIMITS: $limits = $limits {
                $($limit: $crate::kernel::config::limit::Limit::new(
                    stringify!($limit),
                    $default,
                    $range,
                    concat!($($about),+),
                )$(.with_default_note($note))?,)*
                $($($open: $crate::kernel::config::limit::Limit::new(
                    stringify!($open),
                    $open_default,
                    $open_range,
                    concat!($($open_about),+),
                )$(.with_default_note($open_note))?,)*)?
            };

            fn standard() -> Self {
                Self { $($field: $value,)* $($limit: Self::LIMITS.$limit.default,)* $($($open: None,)*)? }
            }

            /// Refuses the first limit out of its range. The error names its key, which begins with `prefix`.
            pub fn check_limits(&self, prefix: &str) -> Result<(), tgp_base::error::Error> {
                $(Self::LIMITS.$limit.check(self.$limit, prefix, tgp_base::error::ErrorCode::Config)?;)*
                $($(if let Some(chosen) = self.$open {
                    Self::LIMITS.$open.check(chosen, prefix, tgp_base::error::ErrorCode::Config)?;
                })*)?
                Ok(())
            }
        }

        impl $limits {
            pub fn all(&self) -> Vec<$crate::kernel::config::limit::Limit> {
                vec![$(self.$limit,)* $($(self.$open,)*)?]
            }
        }
    };
}

pub(super) use limited_struct;
