//! Tells the linker where the library lies, or builds it from the sources in this crate.
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{exit, Command};

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if !arguments.is_empty() {
        return schema_header(&arguments);
    }
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=RONDO_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    if env::var_os("DOCS_RS").is_some() {
        return; // nothing is linked for documentation
    }
    if env::var_os("CARGO_FEATURE_VENDORED").is_some() {
        return vendored();
    }
    match env::var_os("RONDO_LIB_DIR") {
        Some(dir) => named(Path::new(&dir)),
        None => by_pkg_config(),
    }
}

/// What the shared library is called on the system that is built for.
fn shared_name() -> &'static str {
    match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("windows") => "rondo.dll",
        Ok("macos" | "ios") => "librondo.dylib",
        _ => "librondo.so",
    }
}

fn fail(looked: &str) -> ! {
    eprintln!(
        "{name} was not found: {looked}.\n\
         Install Rondo's library with its development files, or name the folder that it is in by \
         RONDO_LIB_DIR,\nor have it built from the sources that come with the crate, by its feature \
         vendored: cargo add rondo --features vendored (CMake 3.25 and a C++20 compiler)",
        name = shared_name(),
        looked = looked
    );
    exit(1)
}

fn named(dir: &Path) {
    let has = |name: &str| dir.join(name).exists();
    println!("cargo:rustc-link-search=native={}", dir.display());
    if has(shared_name()) || has("librondo.dll.a") {
        println!("cargo:rustc-link-lib=dylib=rondo");
    } else if has("librondo.a") {
        println!("cargo:rustc-link-lib=static=rondo");
        link_cpp();
    } else {
        fail(&format!("RONDO_LIB_DIR is {}, which has neither it nor librondo.a", dir.display()));
    }
}

fn by_pkg_config() {
    let program = env::var_os("PKG_CONFIG").unwrap_or_else(|| "pkg-config".into());
    if env::var("TARGET") != env::var("HOST") && env::var_os("PKG_CONFIG").is_none() {
        fail("RONDO_LIB_DIR is not set, and pkg-config knows this system, not the one that is built for");
    }
    match Command::new(&program).args(["--libs", "rondo"]).output() {
        Ok(output) if output.status.success() => {
            let flags = String::from_utf8_lossy(&output.stdout).into_owned();
            for dir in flags.split_whitespace().filter_map(|flag| flag.strip_prefix("-L")) {
                println!("cargo:rustc-link-search=native={}", dir);
            }
            println!("cargo:rustc-link-lib=dylib=rondo");
        }
        Ok(_) => fail("RONDO_LIB_DIR is not set, and pkg-config knows no package rondo"),
        Err(error) => {
            fail(&format!("RONDO_LIB_DIR is not set, and pkg-config did not start ({})", error))
        }
    }
}

fn link_cpp() {
    match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("macos" | "ios") => println!("cargo:rustc-link-lib=dylib=c++"),
        _ => println!("cargo:rustc-link-lib=dylib=stdc++"),
    }
}

/// From the sources that the package has: Rondo's own in `source`, those of others in
/// `source/third_party`, in the form of the cache folder that a build looks into. Nothing is
/// downloaded. Headers of the file format are there already: this program, given for flatc, copies
/// them.
fn vendored() {
    let source = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("source");
    if !source.join("CMakeLists.txt").exists() {
        eprintln!(
            "{} is not there: the package has the sources, and a checkout has them after \
             sh platforms/packages/make.sh rust. In a checkout RONDO_LIB_DIR names a library that is built",
            source.display()
        );
        exit(1);
    }
    println!("cargo:rerun-if-changed={}", source.display());
    let build = Path::new(&env::var_os("OUT_DIR").unwrap()).join("rondo");
    let flatc = env::current_exe().expect("this program has a path");
    run(Command::new("cmake")
        .arg("-S")
        .arg(&source)
        .arg("-B")
        .arg(&build)
        .args([
            "-DCMAKE_BUILD_TYPE=Release",
            "-DRONDO_TOOLS=OFF",
            "-DRONDO_TESTS=OFF",
            "-DRONDO_INSTALL=OFF",
            "-DRONDO_BUNDLED=ON",
            "-DRONDO_DOWNLOAD=OFF",
            &format!("-DRONDO_FLATC={}", flatc.display()),
        ])
        .env("XDG_CACHE_HOME", source.join("third_party")));
    let jobs = env::var("NUM_JOBS").unwrap_or_else(|_| "1".into());
    let mut make = Command::new("cmake");
    make.arg("--build").arg(&build).args(["--target", "rondo_archive", "-j", &jobs]);
    run(make.env("RONDO_SCHEMA_HEADERS", source.join("schema")));
    println!("cargo:rustc-link-search=native={}", build.join("archive").display());
    println!("cargo:rustc-link-lib=static=rondo");
    link_cpp();
}

fn run(command: &mut Command) {
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => {
            eprintln!("{:?}: {}", command, status);
            exit(1)
        }
        Err(error) => {
            eprintln!(
                "{:?} did not start: {}. The feature vendored needs CMake 3.25",
                command, error
            );
            exit(1)
        }
    }
}

/// As flatc is called: `... -o FOLDER -I FOLDER SCHEMA.fbs`.
fn schema_header(arguments: &[String]) {
    let out = arguments.iter().position(|argument| argument == "-o").map(|at| &arguments[at + 1]);
    let name = arguments.last().and_then(|schema| Path::new(schema).file_stem());
    let (out, name) = (out.expect("-o"), name.expect("a schema").to_string_lossy().into_owned());
    let header = format!("{}_generated.h", name);
    let headers = env::var_os("RONDO_SCHEMA_HEADERS").expect("called by this build alone");
    let from = Path::new(&headers).join(&header);
    if let Err(error) = fs::copy(&from, Path::new(out).join(&header)) {
        eprintln!("{}: {}", from.display(), error);
        exit(1);
    }
}
