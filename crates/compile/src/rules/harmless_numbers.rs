//! Numbers that are not magic: their meaning is in their value, or in their context.

use swc_core::ecma::ast::{BinaryOp, Expr};

use crate::rule_context::identifier_words::{is_business_value, words_of};
use crate::syntax::expr::{last_name, number_of, plain};

/// Parts of time, angles, bytes and percent: their meaning is in their value.
const HARMLESS: [f64; 33] = [
    0.5, 0.01, 0.1, 0.001, 12.0, 15.0, 16.0, 20.0, 24.0, 28.0, 29.0, 30.0, 31.0, 32.0, 36.0, 50.0, 52.0, 60.0, 64.0,
    90.0, 128.0, 180.0, 255.0, 256.0, 360.0, 365.0, 365.25, 366.0, 512.0, 1024.0, 1440.0, 3600.0, 86400.0,
];
const LONG_TIMES: [f64; 4] = [60_000.0, 3_600_000.0, 86_400_000.0, 604_800_000.0];

/// Methods and functions whose numbers are positions, digits, radixes or sizes.
const EXPLAINING_CALLS: [&str; 30] = [
    "toFixed",
    "toPrecision",
    "toExponential",
    "toString",
    "padStart",
    "padEnd",
    "slice",
    "substring",
    "substr",
    "at",
    "charAt",
    "charCodeAt",
    "codePointAt",
    "repeat",
    "splice",
    "flat",
    "parseInt",
    "stringify",
    "fromCharCode",
    "pow",
    "with",
    "setUTCHours",
    "setHours",
    "setUTCDate",
    "setDate",
    "setUTCMonth",
    "setUTCMinutes",
    "split",
    "indexOf",
    "copyWithin",
];

/// Names that explain a number they are compared with.
const EXPLAINING_NAMES: [&str; 20] = [
    "status",
    "code",
    "month",
    "day",
    "hour",
    "minute",
    "second",
    "week",
    "weekday",
    "year",
    "quarter",
    "char",
    "byte",
    "digit",
    "digits",
    "precision",
    "decimals",
    "indent",
    "radix",
    "index",
];

/// The role of a number in an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberRole {
    /// An operand of a computation.
    Operand,
    /// A limit in a comparison.
    Limit,
}

pub(super) fn is_harmless(number: f64, role: NumberRole) -> bool {
    let size = number.abs();
    let is_whole = size.fract() == 0.0;
    match role {
        NumberRole::Limit => is_whole && size <= 2.0,
        NumberRole::Operand => {
            is_whole && size <= 10.0
                || HARMLESS.contains(&size)
                || LONG_TIMES.contains(&size)
                || is_whole && size <= 1e15 && size.log10().fract() == 0.0
        }
    }
}

/// Whether a name explains the number assigned to it.
pub(super) fn explains(name: &str) -> bool {
    words_of(name).iter().any(|word| {
        EXPLAINING_NAMES.contains(&word.strip_suffix('s').unwrap_or(word)) || EXPLAINING_NAMES.contains(&word.as_str())
    })
}

/// Whether the other side of a comparison explains the number: a status, a month, a character, a small size.
pub(super) fn is_explained(other: &Expr, number: f64) -> bool {
    let Some(name) = last_name(other) else {
        let Expr::Bin(bin) = plain(other) else { return false };
        return match bin.op {
            BinaryOp::Mod => number.abs() <= 400.0,
            // `date.getMonth() + 1 === 12`
            BinaryOp::Add | BinaryOp::Sub if number_of(&bin.right).is_some() => is_explained(&bin.left, number),
            _ => false,
        };
    };
    match &*name {
        "length" | "size" => number.abs() <= 10.0,
        "charCodeAt" | "codePointAt" => true,
        "getDay" | "getUTCDay" | "getMonth" | "getUTCMonth" | "getHours" | "getUTCHours" | "getDate" | "getUTCDate" => {
            number.abs() <= 31.0
        }
        name => explains(name) && number.fract() == 0.0 && !is_business_value(name),
    }
}

/// Whether the name of a function explains its numeric arguments.
pub(super) fn is_explaining_call(name: &str) -> bool {
    EXPLAINING_CALLS.contains(&name)
}
