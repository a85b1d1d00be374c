"""Puts librondo into the wheel, whatever builds it (pip, build): all else is in pyproject.toml.

The library is what RONDO_LIBRARY names; else, in an sdist, it is compiled from the sources there, which
takes CMake 3.25 and a C++20 compiler; else it is the one that `cmake --build build/release` left in this
repository. RONDO_WHEEL_PLATFORM names the systems that it runs on, where it is more than this one:
manylinux_2_34_x86_64.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
PACKED = HERE / "source"  # in an sdist: what the library is built from
NAMES = {".dll": "rondo.dll", ".dylib": "librondo.dylib"}
NAME = {"win32": "rondo.dll", "darwin": "librondo.dylib"}.get(sys.platform, "librondo.so")

# Headers of the file format are there already: this, in the place of flatc, copies them.
COPIER = """#!{python}
import pathlib, shutil, sys
to, schema = sys.argv[sys.argv.index("-o") + 1], pathlib.Path(sys.argv[-1]).stem
shutil.copy(pathlib.Path({packed!r}) / "schema" / (schema + "_generated.h"), to)
"""


def compiled(folder):
    """The library from an sdist's sources; nothing is downloaded."""
    folder.mkdir(parents=True, exist_ok=True)
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DRONDO_TOOLS=OFF", "-DRONDO_TESTS=OFF",
               "-DRONDO_INSTALL=OFF", "-DRONDO_BUNDLED=ON", "-DRONDO_DOWNLOAD=OFF"]
    if sys.platform == "linux":  # so that it needs the C library alone
        options.append("-DCMAKE_SHARED_LINKER_FLAGS=-static-libstdc++ -static-libgcc -s")
    if os.name == "posix":
        flatc = folder / "flatc"
        flatc.write_text(COPIER.format(python=sys.executable, packed=str(PACKED)), encoding="utf-8")
        flatc.chmod(0o755)
        options.append(f"-DRONDO_FLATC={flatc}")
    # Where a build looks for the sources of others.
    environment = {**os.environ, "XDG_CACHE_HOME": str(PACKED / "third_party")}
    subprocess.run(["cmake", "-S", PACKED, "-B", folder, *options], check=True, env=environment)
    subprocess.run(["cmake", "--build", folder, "--config", "Release", "--target", "rondo",
                    "--parallel", str(os.cpu_count())], check=True, env=environment)
    return next(folder.rglob(NAME))


def library():
    named = os.environ.get("RONDO_LIBRARY")
    if named:
        path = Path(named)
    elif PACKED.exists():
        path = compiled(HERE / "build" / "library")
    else:
        path = HERE.parents[2] / "build" / "release" / NAME
    if not path.exists():
        raise FileNotFoundError(f"{path} is not there: build librondo first, or set RONDO_LIBRARY to its path")
    return path


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        if not self.editable_mode:  # there RONDO_LIBRARY names it
            path = library()
            name = NAMES.get(path.suffix, "librondo.so")  # of the system that the wheel is for
            shutil.copyfile(path, Path(self.build_lib) / "rondo" / name)


class WheelOfAnyPython(bdist_wheel):
    def get_tag(self):
        platform = os.environ.get("RONDO_WHEEL_PLATFORM") or super().get_tag()[2]
        return "py3", "none", platform.replace("-", "_").replace(".", "_")


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True  # so that it is not for every platform


setup(distclass=WithLibrary, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": WheelOfAnyPython})
