"""Builds a wheel with librondo inside: pip calls this (PEP 517). It needs nothing but Python.

The library is what RONDO_LIBRARY names, else the one that `cmake --build build/release` left in
this repository.
"""
import base64
import hashlib
import os
import re
import sysconfig
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILT = os.path.join(HERE, "..", "..", "..", "build", "release", "librondo.so")


def _project():
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        return dict(re.findall(r'^([\w-]+) = "(.*)"$', file.read(), flags=re.M))


def _library():
    path = os.environ.get("RONDO_LIBRARY", BUILT)
    if not os.path.exists(path):
        raise FileNotFoundError(f"{os.path.normpath(path)} is not there: build librondo.so first, or "
                                "set RONDO_LIBRARY to its path")
    return path


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = _project()
    tag = "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    stem = f"{project['name']}-{project['version']}"
    files = {f"rondo/{name}": _read(os.path.join(HERE, "rondo", name))
             for name in sorted(os.listdir(os.path.join(HERE, "rondo")))
             if name.endswith((".py", ".typed"))}
    files["rondo/librondo.so"] = _read(_library())
    files[f"{stem}.dist-info/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        f"Summary: {project['description']}\nLicense: MIT\n"
        f"Requires-Python: {project['requires-python']}\n"
        "Description-Content-Type: text/markdown\n\n").encode() + _read(
            os.path.join(HERE, "README.md"))
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
    raise NotImplementedError("only wheels are made: the library inside belongs to one system")
