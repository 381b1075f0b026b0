//! Link arguments of the addon, and the table of confusable characters.

use std::collections::BTreeMap;
use std::error::Error;
use unicode_normalization::UnicodeNormalization;
use unicode_security::skeleton;

/// Confusables that UTS 39 does not list: small capitals, and letters that look like them.
const EXTRA_CONFUSABLES: [(char, &str); 20] = [
    ('-', "—―"),
    ('_', "‿⁀"),
    ('a', "ᴀ"),
    ('b', "ƅʙ"),
    ('d', "ᴅ"),
    ('e', "ᴇ"),
    ('f', "ꜰ"),
    ('g', "ɢ"),
    ('h', "ʜ"),
    ('j', "ᴊ"),
    ('k', "ĸ"),
    ('l', "ʟ"),
    ('m', "ʍ"),
    ('n', "ɴηп"),
    ('p', "ᴘ"),
    ('q', "ꞯ"),
    ('r', "ʀ"),
    ('t', "ᴛ"),
    ('w', "ω"),
    ('x', "χ"),
];

fn main() -> Result<(), Box<dyn Error>> {
    napi_build::setup();
    write_look_alikes()?;
    if has_v8_sandbox() {
        // Folds identical functions of V8's templates whose addresses are never compared: saves 5 MB of 79. Safe here
        // only: rustc's own linker is used on this target, and only this target's archive marks the compared addresses.
        println!("cargo::rustc-cdylib-link-arg=-Wl,--icf=safe");
        // Cargo ignores `strip` of the profile for a package that has settings of its own.
        println!("cargo::rustc-cdylib-link-arg=-Wl,--strip-all");
    }
    Ok(())
}

/// Writes one line per skeleton: the skeleton, a tab, and the characters that have it. Leaves out symbols without an
/// ASCII skeleton, and Hangul syllables, which are their own skeletons.
#[expect(clippy::disallowed_methods, reason = "cargo passes the folder to a build script in the environment")]
fn write_look_alikes() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let mut looks: BTreeMap<String, String> = BTreeMap::new();
    for letter in ('\0'..='\u{abff}').chain('\u{d7b0}'..=char::MAX) {
        let look = look_of(letter);
        let is_of_names = letter.is_alphanumeric() || look.is_ascii();
        if is_of_names && !look.is_empty() && !look.chars().eq([letter]) {
            looks.entry(look).or_default().push(letter);
        }
    }
    let lines: String = looks.iter().map(|(look, letters)| format!("{look}\t{letters}\n")).collect();
    Ok(std::fs::write(format!("{}/look_alikes.txt", std::env::var("OUT_DIR")?), lines)?)
}

/// The UTS 39 skeleton of a character's compatibility form. Characters with the same skeleton look the same.
fn look_of(letter: char) -> String {
    let compatible: String = std::iter::once(letter).nfkd().map(also_alike).collect();
    let plain: String = skeleton(&compatible).map(also_alike).collect();
    skeleton(&plain).collect()
}

/// The plain letter for a character of `EXTRA_CONFUSABLES`; any other character unchanged.
fn also_alike(letter: char) -> char {
    EXTRA_CONFUSABLES.iter().find(|(_, others)| others.contains(letter)).map_or(letter, |(plain, _)| *plain)
}

/// Whether the V8 archive in vendor/v8 is linked: the same condition as in `crates/sandbox/Cargo.toml`.
#[expect(clippy::disallowed_methods, reason = "cargo passes the target to a build script in the environment")]
fn has_v8_sandbox() -> bool {
    let part = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    ["OS", "ARCH", "ENV"].map(part) == ["linux", "x86_64", "gnu"]
}
