//! The Rust declarations of the archive, made as the build script of the crate `v8` makes them (`build_binding` there).
//! Arguments: the sources, GN's output folder, LLVM's folder, the file to write.

use std::env::{args, set_current_dir};
use std::process::Command;

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect("the program can be started");
    assert!(output.status.success(), "{program} failed: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it writes text")
}

fn main() {
    let [source, out, llvm, file] = args().skip(1).collect::<Vec<_>>().try_into().expect("four arguments");
    // SAFETY: the only thread.
    unsafe { std::env::set_var("LIBCLANG_PATH", format!("{llvm}/lib")) };
    set_current_dir(&source).expect("the sources are there");
    let defines = output("python3", &["./tools/get_bindgen_args.py", "--gn-out", &out]);
    let resources = output(&format!("{llvm}/bin/clang"), &["-print-resource-dir"]);
    let unwanted = ["-fmodule", "-fno-implicit-module", "-Xclang"];
    let defines = defines.split('\0').filter(|define| {
        !unwanted.iter().any(|start| define.starts_with(start))
            && !["DUSE_LIBCXX_MODULES", "-nostdinc++", "-isystem", "libc++"].iter().any(|part| define.contains(part))
    });
    bindgen::Builder::default()
        .header("src/binding.hpp")
        .clang_args(["-x", "c++", "-std=c++20", "-nostdinc++", "-Iv8/include", "-I."])
        .clang_arg("-isystembuildtools/third_party/libc++")
        .clang_arg("-isystemthird_party/libc++/src/include")
        .clang_arg("-isystemthird_party/libc++abi/src/include")
        .clang_arg(format!("-isystem{}/include", resources.trim()))
        .clang_args(defines)
        .generate_cstr(true)
        .rustified_enum(".*UseCounterFeature")
        .rustified_enum(".*ModuleImportPhase")
        .rustified_enum(".*Intercepted")
        .bitfield_enum(".*GCType")
        .bitfield_enum(".*GCCallbackFlags")
        .allowlist_item("v8__.*")
        .allowlist_item("cppgc__.*")
        .allowlist_item("RustObj")
        .allowlist_item("memory_span_t")
        .allowlist_item("const_memory_span_t")
        .allowlist_item("ExternalConstOneByteStringResource")
        .blocklist_item("cppgc.*Visitor")
        .blocklist_item("RustObj.*Trace")
        .generate()
        .expect("bindgen understands the header")
        .write_to_file(file)
        .expect("the file can be written");
}
