//! Prepares the link of the addon.

fn main() {
    napi_build::setup();
    if has_v8_sandbox() {
        // One copy of what V8's templates make many times over, where no address of it is compared: 5 MB of 79. The linker
        // is rustc's own on this target, and only this target's archive names the addresses that are compared.
        println!("cargo::rustc-cdylib-link-arg=-Wl,--icf=safe");
    }
}

/// Whether vendor/v8 has the archive that is linked: the condition in `crates/sandbox/Cargo.toml`.
#[expect(clippy::disallowed_methods, reason = "cargo passes the target to a build script in the environment")]
fn has_v8_sandbox() -> bool {
    let part = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    ["OS", "ARCH", "ENV"].map(part) == ["linux", "x86_64", "gnu"]
}
