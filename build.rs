//! Prepares the link of the addon, and the table of letters that look like others.

use std::collections::BTreeMap;
use std::error::Error;
use unicode_normalization::UnicodeNormalization;
use unicode_security::skeleton;

/// What UTS 39 keeps apart from plain letters and people do not: small capitals, and letters that look like them.
const ALSO_ALIKE: [(char, &str); 20] = [
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
        // One copy of what V8's templates make many times over, where no address of it is compared: 5 MB of 79. The linker
        // is rustc's own on this target, and only this target's archive names the addresses that are compared.
        println!("cargo::rustc-cdylib-link-arg=-Wl,--icf=safe");
    }
    Ok(())
}

/// One line for each look: the look, a tab, and the characters that have it. Signs that look like no plain ones are left out, and
/// syllables of Korean, which look like themselves.
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

/// The skeleton of a character by UTS 39, of its compatible form: what has the same one looks the same.
fn look_of(letter: char) -> String {
    let compatible: String = std::iter::once(letter).nfkd().map(also_alike).collect();
    let plain: String = skeleton(&compatible).map(also_alike).collect();
    skeleton(&plain).collect()
}

/// The plain letter for one that UTS 39 keeps apart from it.
fn also_alike(letter: char) -> char {
    ALSO_ALIKE.iter().find(|(_, others)| others.contains(letter)).map_or(letter, |(plain, _)| *plain)
}

/// Whether vendor/v8 has the archive that is linked: the condition in `crates/sandbox/Cargo.toml`.
#[expect(clippy::disallowed_methods, reason = "cargo passes the target to a build script in the environment")]
fn has_v8_sandbox() -> bool {
    let part = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    ["OS", "ARCH", "ENV"].map(part) == ["linux", "x86_64", "gnu"]
}
