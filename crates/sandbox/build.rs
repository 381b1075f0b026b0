//! Sets `cfg(v8_sandbox)` for the linked V8, and writes the locale data of that V8 and the lazy scripts.

#[path = "src/engine/isolate/script_text.rs"]
mod script_text;

use std::path::Path;

fn main() {
    write_locale_data();
    if let Err(error) = write_lazy_scripts() {
        println!("cargo::error=the lazy scripts could not be written: {error}");
    }
    println!("cargo::rustc-check-cfg=cfg(v8_sandbox)");
    if has_v8_sandbox() {
        println!("cargo::rustc-cfg=v8_sandbox");
    }
}

/// Writes the locale data to a file beside the addon, not into it: a process that uses one language maps a few pages of it.
#[expect(
    clippy::disallowed_methods,
    clippy::panic,
    reason = "cargo passes the folder to a build script in the environment, and takes a panic for a failure"
)]
fn write_locale_data() {
    let file = std::env::var_os("OUT_DIR").map(|folder| Path::new(&folder).join("tgp.icu"));
    let data = deno_core_icudata::ICU_DATA;
    println!("cargo::rustc-env=TGP_LOCALE_BYTES={}", data.len());
    if let Err(error) = std::fs::write(file.unwrap_or_default(), data) {
        panic!("the locale data could not be written: {error}");
    }
}

/// Writes the scripts of `engine/lazy` without their comments.
#[expect(clippy::disallowed_methods, reason = "cargo passes the folder to a build script in the environment")]
fn write_lazy_scripts() -> std::io::Result<()> {
    let folder = Path::new(&std::env::var_os("OUT_DIR").unwrap_or_default()).join("lazy");
    std::fs::create_dir_all(&folder)?;
    for entry in std::fs::read_dir("src/engine/lazy")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "js") {
            let script = std::fs::read_to_string(&path)?;
            std::fs::write(folder.join(path.file_name().unwrap_or_default()), script_text::without_comments(&script))?;
        }
    }
    Ok(())
}

/// Whether the crate `v8` is built with `v8_enable_sandbox`; the same condition as in `Cargo.toml`.
#[expect(clippy::disallowed_methods, reason = "cargo passes the target to a build script in the environment")]
fn has_v8_sandbox() -> bool {
    let part = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    ["OS", "ARCH", "ENV"].map(part) == ["linux", "x86_64", "gnu"]
}
