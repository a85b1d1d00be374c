//! Tells the linker where librondo lies: RONDO_LIB_DIR, or what pkg-config says.
use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=RONDO_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    if let Ok(dir) = env::var("RONDO_LIB_DIR") {
        println!("cargo:rustc-link-search=native={}", dir);
    } else if let Ok(output) = Command::new("pkg-config").args(["--libs", "rondo"]).output() {
        let flags = String::from_utf8_lossy(&output.stdout).into_owned();
        for dir in flags.split_whitespace().filter_map(|flag| flag.strip_prefix("-L")) {
            println!("cargo:rustc-link-search=native={}", dir);
        }
    }
    println!("cargo:rustc-link-lib=dylib=rondo");
}
