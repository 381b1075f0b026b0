use std::env::var;

fn main() {
    napi_build::setup();
    println!("cargo::rustc-check-cfg=cfg(v8_sandbox)");
    if has_v8_sandbox() {
        println!("cargo::rustc-cfg=v8_sandbox");
    }
}

/// Whether the crate `v8` is built with `v8_enable_sandbox`: the condition in `Cargo.toml`, which cannot name what it decides.
fn has_v8_sandbox() -> bool {
    let target = ["OS", "ARCH", "ENV"].map(|part| var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default());
    target == ["linux", "x86_64", "gnu"]
}
