//! Tells the linker where librondo lies: RONDO_LIB_DIR, or what pkg-config says. With the feature
//! `vendored` it is built here.
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    if env::var_os("CARGO_FEATURE_VENDORED").is_some() {
        return vendored();
    }
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

/// From the sources in the package, or those of the repository around it.
fn vendored() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let packed = here.join("source");
    let source = if packed.exists() { packed } else { here.join("../../..") };
    let build = Path::new(&env::var_os("OUT_DIR").unwrap()).join("rondo");
    let options = [
        "-DCMAKE_BUILD_TYPE=Release",
        "-DRONDO_TOOLS=OFF",
        "-DRONDO_TESTS=OFF",
        "-DRONDO_BUNDLED=ON",
        "-DRONDO_DOWNLOAD=ON",
    ];
    run(Command::new("cmake").arg("-S").arg(&source).arg("-B").arg(&build).args(options));
    let jobs = env::var("NUM_JOBS").unwrap_or_else(|_| "1".into());
    run(Command::new("cmake").arg("--build").arg(&build).args([
        "--target",
        "rondo_archive",
        "-j",
        &jobs,
    ]));
    println!("cargo:rerun-if-changed={}", source.join("CMakeLists.txt").display());
    println!("cargo:rustc-link-search=native={}", build.join("archive").display());
    println!("cargo:rustc-link-lib=static=rondo");
    println!("cargo:rustc-link-lib=dylib=stdc++");
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{:?}: {}", command, error));
    assert!(status.success(), "{:?}: {}", command, status);
}
