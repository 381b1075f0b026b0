//! Tells the code which V8 it is linked with, and the linker what that one allows.

use std::path::Path;

fn main() {
    napi_build::setup();
    write_locale_data();
    println!("cargo::rustc-check-cfg=cfg(v8_sandbox)");
    if has_v8_sandbox() {
        println!("cargo::rustc-cfg=v8_sandbox");
        // One copy of what V8's templates make many times over, where no address of it is compared: 5 MB of 79. The linker
        // is rustc's own on this target, and this is the only target whose archive tells which addresses those are.
        println!("cargo::rustc-cdylib-link-arg=-Wl,--icf=safe");
    }
}

/// Locale data goes beside the addon instead of into it: whoever knows one language needs a few pages of it.
#[expect(
    clippy::disallowed_methods,
    clippy::panic,
    reason = "cargo tells a build script its folder so, and hears of a failure so"
)]
fn write_locale_data() {
    let file = std::env::var_os("OUT_DIR").map(|folder| Path::new(&folder).join("tgp.icu"));
    let data = deno_core_icudata::ICU_DATA;
    println!("cargo::rustc-env=TGP_LOCALE_BYTES={}", data.len());
    if let Err(error) = std::fs::write(file.unwrap_or_default(), data) {
        panic!("the locale data could not be written: {error}");
    }
}

/// Whether the crate `v8` is built with `v8_enable_sandbox`: the condition in `Cargo.toml`, which cannot name what it decides.
#[expect(clippy::disallowed_methods, reason = "cargo tells a build script its target so")]
fn has_v8_sandbox() -> bool {
    let part = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    ["OS", "ARCH", "ENV"].map(part) == ["linux", "x86_64", "gnu"]
}
