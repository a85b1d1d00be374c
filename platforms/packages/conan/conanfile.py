"""Conan 2: `conan create .` with the sources of the release, as CMake builds them."""
import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.files import copy, get


class Rondo(ConanFile):
    name = "rondo"
    version = "@VERSION@"
    license = "MIT"
    homepage = "@HOME@"
    url = "@HOME@"
    description = "Language models on edge devices, in one planned block of memory"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}

    def validate(self):
        check_min_cppstd(self, 20)

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25]")
        self.tool_requires("flatbuffers/[>=2.0.8 <24]")

    def source(self):
        get(self, "@HOME@/releases/download/v@VERSION@/rondo-@VERSION@.tar.gz", strip_root=True, sha256="@SHA256@")
        get(self, "@HOME@/releases/download/v@VERSION@/rondo-third-parties-@VERSION@.tar.gz", strip_root=True,
            sha256="@PARTIES_SHA256@", destination="third_parties")

    def generate(self):
        toolchain = CMakeToolchain(self)
        for name, value in {"RONDO_BUNDLED": True, "RONDO_DOWNLOAD": False, "RONDO_TOOLS": False,
                            "RONDO_TESTS": False}.items():
            toolchain.cache_variables[name] = value
        toolchain.cache_variables["RONDO_THIRD_PARTY_DIR"] = os.path.join(self.source_folder, "third_parties")
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE*", os.path.join(self.package_folder, "share", "doc", "rondo-runtime"),
             os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "rondo")
        self.cpp_info.set_property("cmake_target_name", "rondo::rondo" if self.options.shared else "rondo::static")
        self.cpp_info.set_property("pkg_config_name", "rondo" if self.options.shared else "rondo-static")
        if self.options.shared:
            self.cpp_info.libs = ["rondo"]
            return
        # The folder has both: the archive is named by its file.
        self.cpp_info.exelinkflags = [os.path.join(self.package_folder, "lib", "librondo.a")]
        self.cpp_info.sharedlinkflags = self.cpp_info.exelinkflags
        self.cpp_info.defines = ["RONDO_STATIC"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread", "dl", "m", "stdc++"]
