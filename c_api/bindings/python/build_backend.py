"""Builds a wheel with librondo inside, and an sdist that can: pip calls this (PEP 517). It needs
nothing but Python.

The library is what RONDO_LIBRARY names; else, in an sdist, it is built there by CMake; else it is the
one that `cmake --build build/release` left in this repository. RONDO_WHEEL_PLATFORM names the systems
that it runs on, where it is more than this one: manylinux_2_34_x86_64.
"""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sysconfig
import tarfile
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", ".."))
BUILT = os.path.join(ROOT, "build", "release", "librondo.so")
PACKED = os.path.join(HERE, "source")  # in an sdist: what the library is built from


def _project():
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        return dict(re.findall(r'^([\w-]+) = "(.*)"$', file.read(), flags=re.M))


def _build(folder):
    """The library from an sdist's sources, which needs nothing of the system but its C library."""
    subprocess.run(["cmake", "-S", PACKED, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
                    "-DRONDO_TOOLS=OFF", "-DRONDO_TESTS=OFF", "-DRONDO_BUNDLED=ON",
                    "-DRONDO_DOWNLOAD=ON",
                    "-DCMAKE_SHARED_LINKER_FLAGS=-static-libstdc++ -static-libgcc -s"], check=True)
    subprocess.run(["cmake", "--build", folder, "--target", "rondo", "-j", str(os.cpu_count())],
                   check=True)
    installed = os.path.join(folder, "installed")
    subprocess.run(["cmake", "--install", folder, "--prefix", installed, "--component", "runtime"],
                   check=True)
    native = os.path.join(installed, "share", "doc", "rondo-runtime")  # where the licences are
    return shutil.copy(os.path.join(folder, "librondo.so"), native)


def _library(folder):
    """Its path, and those of the licences of what is inside."""
    path = os.environ.get("RONDO_LIBRARY")
    if not path:
        path = _build(folder) if os.path.exists(PACKED) else BUILT
    if not os.path.exists(path):
        raise FileNotFoundError(f"{os.path.normpath(path)} is not there: build librondo.so first, or "
                                "set RONDO_LIBRARY to its path")
    beside = os.path.dirname(path)
    return path, [os.path.join(beside, name) for name in sorted(os.listdir(beside))
                  if name.startswith("LICENSE")]


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as folder:
        library, licences = _library(folder)
        return _wheel(wheel_directory, _read(library),
                      {os.path.basename(path): _read(path) for path in licences})


def _metadata(project):
    return (f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
            f"Summary: {project['description']}\nLicense: MIT\n"
            f"Requires-Python: {project['requires-python']}\n"
            "Description-Content-Type: text/markdown\n\n").encode() + _read(
                os.path.join(HERE, "README.md"))


def _wheel(wheel_directory, library, licences):
    project = _project()
    platform = os.environ.get("RONDO_WHEEL_PLATFORM") or sysconfig.get_platform()
    tag = "py3-none-" + re.sub(r"[-.]", "_", platform)
    stem = f"{project['name']}-{project['version']}"
    files = {f"rondo/{name}": _read(os.path.join(HERE, "rondo", name))
             for name in sorted(os.listdir(os.path.join(HERE, "rondo")))
             if name.endswith((".py", ".typed"))}
    files["rondo/librondo.so"] = library
    for name, text in licences.items():
        files[f"{stem}.dist-info/licenses/{name}"] = text
    files[f"{stem}.dist-info/METADATA"] = _metadata(project)
    files[f"{stem}.dist-info/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: rondo\nRoot-Is-Purelib: false\nTag: {tag}\n").encode()
    record = f"{stem}.dist-info/RECORD"
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}")
    files[record] = ("\n".join(lines + [f"{record},,"]) + "\n").encode()
    wheel = f"{stem}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    project = _project()
    stem = f"{project['name']}-{project['version']}"
    with tempfile.TemporaryDirectory() as folder:
        top = os.path.join(folder, stem)
        ignore = shutil.ignore_patterns("__pycache__", "source")
        shutil.copytree(HERE, top, ignore=ignore)
        if os.path.exists(PACKED):
            shutil.copytree(PACKED, os.path.join(top, "source"))
        else:
            _pack_sources(os.path.join(top, "source"))
        with open(os.path.join(top, "PKG-INFO"), "wb") as file:
            file.write(_metadata(project))
        with tarfile.open(os.path.join(sdist_directory, stem + ".tar.gz"), "w:gz") as archive:
            archive.add(top, stem)
    return stem + ".tar.gz"


def _pack_sources(to):
    """What the library is built from, out of the repository around this folder."""
    for name in ("include", "runtime", "platforms"):
        shutil.copytree(os.path.join(ROOT, name), os.path.join(to, name))
    os.mkdir(os.path.join(to, "c_api"))
    for name in ("CMakeLists.txt", "LICENSE", "VERSION"):
        shutil.copy(os.path.join(ROOT, name), to)
    for name in os.listdir(os.path.join(ROOT, "c_api")):
        if os.path.isfile(os.path.join(ROOT, "c_api", name)):
            shutil.copy(os.path.join(ROOT, "c_api", name), os.path.join(to, "c_api"))
